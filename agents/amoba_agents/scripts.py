"""Players in a file of Python, without a package: "./corner.py", or "./corner.py:3" with an option.

The file defines one class derived from Agent. If it defines several, the text names one: "./players.py::Corner:3".
"""

from __future__ import annotations

import importlib.util
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from amoba_agents.sources import read_file
from amoba_env import checks
from amoba_env.agent import Agent
from amoba_env.registry import Registry

NAME = re.compile(r"(?P<file>(?:[A-Za-z]:[\\/])?[^:,]+\.py)(?:::(?P<player>\w+))?(?=[:,]|$)")
LOADING = threading.Lock()  # a file is run once, however many threads make its player


class Players(Registry[Agent]):
    """The catalogue of players, and those in files. Only the catalogue is listed."""

    def __getitem__(self, name: str) -> Callable[..., Agent]:
        found = NAME.fullmatch(name)
        return super().__getitem__(name) if found is None else _player(found["file"], found["player"])

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and NAME.fullmatch(name) is not None)

    def module(self, name: str) -> str:
        """See Registry."""
        return "" if NAME.fullmatch(name) else super().module(name)


def _player(file: str, player: str | None) -> Callable[..., Agent]:
    """A class in a file. ValueError says what the file has."""
    try:
        with LOADING:
            module = read_file(file, _run)
    except OSError as error:
        raise ValueError(f"{file}: no player can be read from it: {error.strerror or error}") from None
    known = {
        name: each
        for name, each in vars(module).items()
        if isinstance(each, type) and issubclass(each, Agent) and each.__module__ == module.__name__
    }
    if player is None and len(known) == 1:
        return next(iter(known.values()))
    if player in known:
        return known[player]
    if not known:
        raise ValueError(f"{file}: expected a class derived from amoba_env.agent.Agent, got none")
    names = ", ".join(f"{file}::{name}" for name in known)
    raise ValueError(f"{file}: expected one of the players {names}, got {checks.brief(player)}")


def _run(file: Path) -> ModuleType:
    """Import a file as a submodule of this one: source_digests() skips it, since read_file() notes the file."""
    name = f"{__name__}.{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a file may raise
        del sys.modules[name]
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"{file} cannot be run: {reason}") from error
    return module
