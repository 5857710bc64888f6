"""The source files that determine the games of a match: the arena, the rules and the players.

They are found by following imports from the arena and from each player. Edits to other files, such as drawings or
pages, do not matter to a run.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import amoba_agents
import amoba_env
from amoba_agents.registry import AGENTS, read_agent
from amoba_agents.sources import OWN_PACKAGES, digest_of_file, source_digests
from amoba_env.games import GAMES

PACKAGES = {  # name -> folder
    "amoba_experiments": Path(__file__).parents[2],
    "amoba_agents": Path(amoba_agents.__file__).parents[1],
    "amoba_env": Path(amoba_env.__file__).parents[1],
}
ARENA = "amoba_experiments.arena.shard"  # reaches the rules, openings, seating, random streams and columns
APART = (  # imported, but no game depends on them: drawings; files of openings, whose texts are in the match
    "amoba_env.draw.",
    "amoba_experiments.arena.opening_files.",
)
SHOWN = 3  # changed modules that a message names

COMMENT = re.compile(r"#.*")
IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\S+)[ \t]+import[ \t]+(\([^)]*\)|.+)|import[ \t]+(.+))", re.MULTILINE)


def code_of(game: str, agents: Iterable[str]) -> dict[str, str]:
    """A digest of each module of amoba that plays this game with these agents, and of a game from another package.

    Raises:
        ValueError: an unknown game or agent.
    """
    factory = GAMES.function(game)
    roots = {ARENA, factory.__module__}.union(*(_modules(text) for text in agents))
    return _digests(roots) | source_digests(factory, GAMES.module(game))


def code_of_all() -> str:
    """One digest for all players of amoba_agents together."""
    return digest_of(_digests({ARENA, *_built_in()}))


def _digests(roots: Iterable[str]) -> dict[str, str]:
    return {name: _loaded(file) for name, file in sorted(closure(roots).items())}


@functools.cache
def _loaded(file: Path) -> str:
    """The digest of a file as it was at the first call: an edit does not change the code of a process that runs."""
    return digest_of_file(file)


def changed(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """Which modules of two results of code_of() differ, in words; empty if none does."""
    names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    if not names:
        return ""
    if not there.keys() & here.keys():
        return "it was begun by another version of amoba"
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"the code of {', '.join(names[:SHOWN])}{more} has changed"


def digest_of(code: Mapping[str, str]) -> str:
    """One digest for a result of code_of()."""
    return hashlib.sha256(repr(sorted(code.items())).encode()).hexdigest()[:16]


def _built_in() -> set[str]:
    """The modules of all players of amoba_agents."""
    return {place.partition(":")[0] for place in AGENTS.own.values() if isinstance(place, str)}


def _modules(agent: str) -> set[str]:
    """The module in which a player begins. A player from another package may use any module of ours."""
    factory = AGENTS.function(read_agent(agent)[0])
    while isinstance(factory, functools.partial):
        factory = factory.func
    module = str(getattr(factory, "__module__", ""))
    return {module} if module.partition(".")[0] in OWN_PACKAGES else _built_in()


def closure(roots: Iterable[str]) -> dict[str, Path]:
    """The files of these modules and of all modules of amoba that they import, at once or later, by name."""
    found: dict[str, Path] = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        file = None if name in found or f"{name}.".startswith(APART) else _file(name)
        if file is not None:
            found[name] = file
            waiting += imports(file)
    return found


@functools.cache
def _file(module: str) -> Path | None:
    """The source of a module of amoba; None for any other name."""
    top, *parts = module.split(".")
    if top not in PACKAGES:
        return None
    place = PACKAGES[top].joinpath(top, *parts)
    return next((each for each in (place / "__init__.py", place.with_suffix(".py")) if each.is_file()), None)


@functools.cache
def imports(file: Path) -> tuple[str, ...]:
    """The modules that a source file imports anywhere, as `import a.b` or `from a import b`.

    Found in the text: parsing all files would take half a second of every command that writes a run.
    """
    return tuple(_imports(COMMENT.sub("", file.read_text(encoding="utf-8"))))


def _imports(text: str) -> Iterator[str]:
    for package, names, modules in IMPORT.findall(text):
        for each in (names or modules).strip("()").split(","):
            name = each.split(" as ")[0].strip()
            inside = f"{package}.{name}"
            yield name if not package else inside if _file(inside) else package
