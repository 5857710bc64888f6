"""The time of short commands, as whole processes with byte code and machine code on the disk.

The first step of an environment, alone and with an opponent, is also measured with an empty cache of machine code.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from amoba_experiments.bench import Measurement, compare, seconds

COMMANDS = ("--help", "games", "match halma greedy greedy greedy --games 10 --quiet")
OURS, PEER = "import amoba_env", "import gymnasium"
FIRST = "import gymnasium; env = gymnasium.make('amoba_env:amoba/Gomoku-v0'{}); env.reset(seed=0); env.step(0)"
STEPS = {"first step": FIRST.format(""), "first step against greedy": FIRST.format(", opponent='greedy'")}
PETTINGZOO = "from pettingzoo.classic import connect_four_v3 as c; env = c.env(); env.reset(seed=0); env.step(0)"
OPENSPIEL = "import pyspiel; pyspiel.load_game('connect_four').new_initial_state().apply_action(0)"
PEERS = {"PettingZoo connect_four": ("pettingzoo", PETTINGZOO), "OpenSpiel connect_four": ("pyspiel", OPENSPIEL)}


def measure(runs: int) -> list[Measurement]:
    """Seconds of each process, run in turns."""
    amoba = shutil.which("amoba", path=sysconfig.get_path("scripts")) or "amoba"
    processes = {f"amoba {line}".removesuffix(" --quiet"): (amoba, *line.split()) for line in COMMANDS}
    processes |= {line: (sys.executable, "-c", line) for line in (OURS, PEER)}
    peers = {name: (sys.executable, "-c", line) for name, (package, line) in PEERS.items() if find_spec(package)}
    steps = {name: (sys.executable, "-c", line) for name, line in STEPS.items()}
    taken: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        # Without byte code on the disk every process would compile its imports.
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        for turn in range(runs + 1):  # the first turn warms up
            turns = {name: seconds(_run, process, environment) for name, process in (processes | peers).items()}
            for name, process in steps.items():
                cache = environment | {"NUMBA_CACHE_DIR": str(Path(folder) / f"{name} {turn}"), "AMOBA_COMPILE": ""}
                turns[f"{name}, empty cache"] = seconds(_run, process, cache)
                _run(process, cache | {"AMOBA_COMPILE": "now"})  # fills the cache
                turns[f"{name}, warm cache"] = seconds(_run, process, cache)
            for name, value in turns.items():
                taken.setdefault(name, []).append(value)
    found = {name: values[1:] for name, values in taken.items()}
    results: list[Measurement] = []
    for name, ours in found.items():
        if name == PEER or name in PEERS:
            continue
        beside: Iterable[str | None] = [PEER] if name == OURS else PEERS if name.startswith("first step") else [None]
        for peer in beside:
            if peer is None or peer in found:
                results.append(compare(name, "s", ours, peer, found[peer] if peer else ()))
            else:
                results.append(compare(f"{name}; {peer} is not installed", "s", ours))
    return results


def _run(process: Sequence[str], environment: Mapping[str, str]) -> None:
    subprocess.run(process, env=environment, check=True, stdout=subprocess.DEVNULL)
