"""Players from text: "random", "lookahead:2", "lookahead:2,ties=thesis", "trained,temperature=0.5".

The text is a name, then after a colon or comma the options, separated by commas. The first option may stand without
its name. A comma in quotes belongs to the value, and so do the quotes. A factory makes the player: its parameters
are the options, and the first line of its docstring describes the player.

A script adds a player with `register("name", factory)`. An installed package adds one with an entry point of the
group `amoba.agents`; the package is imported only when the player is used:

    [project.entry-points."amoba.agents"]
    name = "its_module:factory"
"""

import functools
import importlib
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points

from amoba_agents.sources import NOT_KNOWN, digest_of_file, files_read, source_digests
from amoba_env import checks
from amoba_env import options as texts
from amoba_env.agent import Agent, checked_agent
from amoba_env.games import Game
from amoba_env.options import Value

GROUP = "amoba.agents"

# Built-in players are texts, "module:factory", so that a player is imported only when it is first used.
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
    "endgame": "players.endgame:Endgame",
    "mcts": "mcts.player:Mcts",
    "perfect": "players.perfect:Perfect",
    "level": "players.levels:Level",
    "trained": "networks.trained:Trained",
    "gomocup": "gomocup:Gomocup",
    "person": "players.person:PersonAgent",
}

OPTION = re.compile(r"""(?:"[^"]*"|'[^']*'|[^,])+""")  # one option of a text


def register(name: str, factory: Callable[..., Agent]) -> None:
    """Add a player. Raises ValueError if the name is taken or contains a colon or comma."""
    if checks.text("the name of an agent", name) in AGENTS or set(name) & set(":,"):
        raise ValueError(f"agent name {name!r} is taken or has ':' or ',' in it")
    AGENTS[name] = factory


@functools.cache
def _entry_points() -> tuple[Mapping[str, EntryPoint], tuple[str, ...]]:
    """The players of installed packages, and a message for each that is refused."""
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
    """The names of all players: built-in, registered, and from installed packages."""
    return [*AGENTS, *(name for name in _entry_points()[0] if name not in AGENTS)]


def refused() -> tuple[str, ...]:
    """A message for each player of an installed package that is not available because its name is taken."""
    return _entry_points()[1]


def factory_of(name: str) -> Callable[..., Agent]:
    """The factory of a player. Raises ValueError if there is no such player, or its package cannot be imported."""
    if checks.text("the name of an agent", name) in AGENTS:
        known = AGENTS[name]
        return _import_factory(known) if isinstance(known, str) else known
    entry = _entry_points()[0].get(name)
    if entry is None:
        raise ValueError(f"unknown agent {checks.brief(name)}; the agents: {', '.join(names())}")
    try:
        factory: Callable[..., Agent] = entry.load()
        texts.parameters(factory)
    except Exception as error:  # whatever the import of a package may raise
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"agent {name!r} of package {_package(entry)} cannot be loaded: {reason}") from error
    return factory


def _import_factory(text: str) -> Callable[..., Agent]:
    module, _, name = text.partition(":")
    factory: Callable[..., Agent] = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    return factory


def _name(text: str) -> str:
    return re.split("[:,]", text.strip(), maxsplit=1)[0]


def read_agent(text: str) -> tuple[str, dict[str, Value]]:
    """The name and the options of a player's text. Raises ValueError with a message that says what is possible."""
    whole = checks.text("an agent", text).strip()
    name = _name(whole)
    rest = whole[len(name) + 1 :]
    factory = factory_of(name)
    parts = [part.strip() for part in OPTION.findall(rest) if part.strip()]
    if parts and not re.match(r"\w+\s*=", parts[0]):
        first = next(iter(texts.parameters(factory)), None)
        if first is None:
            raise ValueError(f"{name} takes no options, but {checks.brief(whole)} gives {checks.brief(parts[0])}")
        parts[0] = f"{first}={parts[0]}"
    return name, texts.parse(name, factory, parts)


def make_agent(text: str) -> Agent:
    """The player that a text describes. Raises ValueError with a message that says what is possible."""
    name, options = read_agent(text)
    return checked_agent(factory_of(name)(**options))


def fingerprint(text: str, game: Game) -> dict[str, str]:
    """Digests of everything that determines how a player plays, except amoba's own sources.

    Returns:
        A digest for each thing that the player depends on: the package or script that defines it, the files that it
            reads when it is made and in load(), and those that it names by reads(), see amoba_env.agent.Agent. It is
            NOT_KNOWN if the file cannot be read or is not known, as with the files of another program.

    Raises:
        ValueError: as make_agent.
    """
    with files_read() as files:
        agent, name = make_agent(text), _name(text)
        agent.load(game)
    found = source_digests(factory_of(name), "" if name in AGENTS else _entry_points()[0][name].module)
    for each, file in {**files, **agent.reads(game)}.items():
        found[each] = NOT_KNOWN
        if file is not None:
            with suppress(OSError):
                found[each] = digest_of_file(file)
    return found


def describe(name: str) -> tuple[str, dict[str, str]]:
    """The description of a player in one line, and its options with their defaults as text.

    Raises:
        ValueError: as factory_of.
    """
    factory = factory_of(name)
    return texts.summary(factory), {key: texts.choices(p) for key, p in texts.parameters(factory).items()}
