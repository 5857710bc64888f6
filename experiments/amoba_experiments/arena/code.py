"""The code that plays the games of a match, as digests: a run continues only with the code that began it."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import amoba_agents
import amoba_env
from amoba_agents.sources import digest_of_file, source_digests
from amoba_env.games import GAMES

HERE = Path(__file__).parent
FOLDERS = {
    "amoba_env": (Path(amoba_env.__file__).parent,),
    "amoba_agents": (Path(amoba_agents.__file__).parent,),
    "amoba_experiments.arena": (HERE, HERE.parent / "statistics"),  # statistics say when a match with a rule ends
}


def code_of(game: str) -> dict[str, str]:
    """A digest of each package of amoba that plays, and of a game from another package. ValueError: an unknown game."""
    return packages() | source_digests(GAMES.function(game), GAMES.module(game))


def code_of_all() -> str:
    """One digest for all packages of amoba that play."""
    return digest_of(packages())


@functools.cache
def packages() -> dict[str, str]:
    """Their digests at the first call: an edit does not change the code of a process that runs."""
    return {name: _of_folders(folders) for name, folders in FOLDERS.items()}


def _of_folders(folders: Iterable[Path]) -> str:
    """One digest for the Python files in these folders."""
    files = {file.relative_to(folder.parent).as_posix(): file for folder in folders for file in folder.rglob("*.py")}
    return digest_of({name: digest_of_file(file) for name, file in files.items()})


def changed(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """What differs in two results of code_of(), in words; empty if nothing does."""
    names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    return f"the code of {', '.join(names)} has changed" if names else ""


def digest_of(code: Mapping[str, str]) -> str:
    """One digest for several, by name."""
    return hashlib.sha256(repr(sorted(code.items())).encode()).hexdigest()[:16]
