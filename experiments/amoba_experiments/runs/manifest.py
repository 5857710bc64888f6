"""The manifest of a run: the match, and the code and files with which it is played."""

from __future__ import annotations

import functools
import json
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

import amoba_env
from amoba_experiments.arena.code import changed, code_of
from amoba_experiments.arena.fingerprints import changes, fingerprints
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.files import differences

FORMAT = 3  # of files and random streams; runs of another format cannot be continued


class Manifest(Struct):
    """The content of run.json, without its checksum."""

    match: dict[str, Any]
    shard: Annotated[int, Meta(ge=1)]
    format: int
    code: dict[str, str]
    fingerprints: dict[str, dict[str, str]]  # of each agent
    versions: dict[str, str | None]
    commit: str | None


def manifest_of(match: Match) -> dict[str, Any]:
    """The manifest of a new match: its settings, the code, the agents' files, and versions."""
    what = {**asdict(match), "options": dict(match.rules.options)}
    with_ = {name: _version(name) for name in ("amoba", "numpy", "numba", "pyarrow")}
    return {
        "format": FORMAT,
        "match": json.loads(json.dumps(what)),
        "code": code_of(match.game),
        "fingerprints": fingerprints(match),
        "versions": {"python": platform.python_version(), **with_},
        "commit": _commit(Path(amoba_env.__file__).parent.parent),
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


@functools.cache  # the running code does not change
def _commit(root: Path) -> str | None:
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--dirty=+changes", "--abbrev=40", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def difference(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """The differences of two manifests that can change games, as text; "": none."""
    same = ("match", "format")
    different = differences({key: there[key] for key in same}, {key: here[key] for key in same})
    different += filter(None, [changed(there["code"], here["code"])])
    return "; ".join(different + changes(there["fingerprints"], here["fingerprints"]))
