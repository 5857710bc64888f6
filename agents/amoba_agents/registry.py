"""Players from text: "random", "lookahead:2", "lookahead:2,ties=thesis", "trained,temperature=0.5".

The text is a name, then after a colon or comma the values of its options, with commas between them (a comma in quotes
belongs to the value, and the quotes do too): the first may stand without its name. A factory makes the player; its
parameters are the options, its docstring's first line says what it is.

A script adds a player with `register("name", factory)`. An installed package adds one with an entry point of the group
`amoba.agents`, by which it is found without being imported before it is wanted:

    [project.entry-points."amoba.agents"]
    name = "its_module:factory"
"""

import functools
import importlib
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points

from amoba_agents.sources import NOT_KNOWN, digest_of_file, made_by
from amoba_env import checks
from amoba_env import options as texts
from amoba_env.agent import Agent, reads_of
from amoba_env.games import Game
from amoba_env.options import Value

GROUP = "amoba.agents"

# Those of this package as text, "module:factory", for they are many: each is imported when it is first wanted.
AGENTS: dict[str, str | Callable[..., Agent]] = {
    "random": "players.random:Random",
    "greedy": "players.lookahead:Greedy",
    "lookahead": "players.lookahead:Lookahead",
    "maxn": "halma.players:MaxN",
    "paranoid": "halma.players:Paranoid",
    "brs": "halma.players:BestReply",
    "hinder": "halma.players:Hinder",
    "robust": "halma.players:Robust",
    "alphabeta": "alphabeta:AlphaBeta",
    "mcts": "mcts.player:Mcts",
    "perfect": "players.perfect:Perfect",
    "level": "players.levels:Level",
    "trained": "networks.trained:Trained",
    "gomocup": "gomocup:Gomocup",
    "person": "players.person:Person",
}

PART = re.compile(r"""(?:"[^"]*"|'[^']*'|[^,])+""")  # of a text of options


def register(name: str, factory: Callable[..., Agent]) -> None:
    """Enter a player under a name. Raises ValueError if the name is taken or has a colon or comma in it."""
    if checks.text("the name of an agent", name) in AGENTS or set(name) & set(":,"):
        raise ValueError(f"agent name {name!r} is taken or has ':' or ',' in it")
    AGENTS[name] = factory


@functools.cache
def _installed() -> tuple[Mapping[str, EntryPoint], tuple[str, ...]]:
    """The players of installed packages, and what is wrong with those that are refused."""
    found: dict[str, EntryPoint] = {}
    refused = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, _package(entry))):
        if entry.name in AGENTS:
            refused.append(f"agent {entry.name!r} of package {_package(entry)} is refused: the name is taken")
        elif entry.name in found:
            first = _package(found[entry.name])
            refused.append(f"agent {entry.name!r} of package {_package(entry)} is refused: {first} has one")
        else:
            found[entry.name] = entry
    return found, tuple(refused)


def _package(entry: EntryPoint) -> str:
    return "?" if entry.dist is None else entry.dist.name


def names() -> list[str]:
    """The names of all players: those here, those that were registered, those of installed packages."""
    return [*AGENTS, *(name for name in _installed()[0] if name not in AGENTS)]


def refused() -> tuple[str, ...]:
    """A line for each player of an installed package that cannot be had because its name is taken."""
    return _installed()[1]


def factory_of(name: str) -> Callable[..., Agent]:
    """What makes players of this name. Raises ValueError if there is none, or its package is broken."""
    if checks.text("the name of an agent", name) in AGENTS:
        known = AGENTS[name]
        return _own(known) if isinstance(known, str) else known
    entry = _installed()[0].get(name)
    if entry is None:
        raise ValueError(f"unknown agent {checks.brief(name)}; the agents: {', '.join(names())}")
    try:
        factory: Callable[..., Agent] = entry.load()
        texts.parameters(factory)
    except Exception as error:  # whatever the import of a package may raise
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"agent {name!r} of package {_package(entry)} cannot be loaded: {reason}") from error
    return factory


def _own(text: str) -> Callable[..., Agent]:
    module, _, name = text.partition(":")
    factory: Callable[..., Agent] = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    return factory


def _name(text: str) -> str:
    return re.split("[:,]", text.strip(), maxsplit=1)[0]


def read_agent(text: str) -> tuple[str, dict[str, Value]]:
    """The name and the options that this text gives. Raises ValueError that says what is possible."""
    whole = checks.text("an agent", text).strip()
    name = _name(whole)
    rest = whole[len(name) + 1 :]
    factory = factory_of(name)
    parts = [part.strip() for part in PART.findall(rest) if part.strip()]
    if parts and not re.match(r"\w+\s*=", parts[0]):
        first = next(iter(texts.parameters(factory)), None)
        if first is None:
            raise ValueError(f"{name} takes no options, but {checks.brief(whole)} gives {checks.brief(parts[0])}")
        parts[0] = f"{first}={parts[0]}"
    return name, texts.parse(name, factory, parts)


def make_agent(text: str) -> Agent:
    """The player of this text. Raises ValueError that says what is possible."""
    name, options = read_agent(text)
    return factory_of(name)(**options)


def fingerprint(text: str, game: Game) -> dict[str, str]:
    """What the player of this text is made of, beyond amoba's own sources: it is another player if that is another.

    Returns:
        Digests, or NOT_KNOWN, by what they are of: the package or the script that the player comes from, and the files
        that it reads (amoba_env.agent.Agent.reads); a program, for instance, need not be one that can be read.

    Raises:
        ValueError: as make_agent.
    """
    agent, name = make_agent(text), _name(text)
    found = made_by(factory_of(name), "" if name in AGENTS else _installed()[0][name].module)
    for each, file in reads_of(agent, game).items():
        found[each] = NOT_KNOWN
        if file is not None:
            with suppress(OSError):
                found[each] = digest_of_file(file)
    return found


def describe(name: str) -> tuple[str, dict[str, str]]:
    """What a player does, in one line, and its options with their default values as text. ValueError: factory_of."""
    factory = factory_of(name)
    return texts.summary(factory), {key: texts.choices(p) for key, p in texts.parameters(factory).items()}
