"""Players from text: "random", "greedy", "lookahead:2", "alphabeta:nodes=2000", "trained:model.zip".

The text is a name, then after a colon the values of its options: the first may stand without its name. A package
adds a player with `register("name", factory)`; the factory's parameters are the options, its docstring's first
line says what it is.
"""

from collections.abc import Callable

from agents.alphabeta import AlphaBeta
from agents.lookahead import Greedy, Lookahead
from agents.perfect import Perfect
from agents.random import Random
from agents.trained import Trained
from amoba_env import options as texts
from amoba_env.agent import Agent

AGENTS: dict[str, Callable[..., Agent]] = {
    "random": Random,
    "greedy": Greedy,
    "lookahead": Lookahead,
    "alphabeta": AlphaBeta,
    "perfect": Perfect,
    "trained": Trained,
}


def register(name: str, factory: Callable[..., Agent]) -> None:
    """Enter a player under a name. Raises ValueError if the name is taken or has a colon or comma in it."""
    if name in AGENTS or set(name) & set(":,"):
        raise ValueError(f"agent name {name!r} is taken or has ':' or ',' in it")
    AGENTS[name] = factory


def make_agent(text: str) -> Agent:
    """The player of this text. Raises ValueError that says what is possible."""
    name, _, rest = text.strip().partition(":")
    if name not in AGENTS:
        raise ValueError(f"unknown agent {text.strip()!r}; the agents: {', '.join(AGENTS)}")
    factory = AGENTS[name]
    parts = [part.strip() for part in rest.split(",") if part.strip()]
    if parts and "=" not in parts[0]:
        first = next(iter(texts.parameters(factory)), None)
        if first is None:
            raise ValueError(f"{name} takes no options, but {text.strip()!r} gives {parts[0]!r}")
        parts[0] = f"{first}={parts[0]}"
    return factory(**texts.parse(name, factory, parts))


def describe(name: str) -> tuple[str, dict[str, str]]:
    """What a player does, in one line, and its options with their default values as text."""
    factory = AGENTS[name]
    return texts.summary(factory), {key: texts.choices(p) for key, p in texts.parameters(factory).items()}
