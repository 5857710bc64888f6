"""How long short commands take, as whole processes whose byte code and machine code are on the disk already."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence

from amoba_experiments.bench import Result, compare, seconds

COMMANDS = ("--help", "games", "match halma greedy greedy greedy --games 10 --quiet")
OURS, PEER = "import amoba_env", "import gymnasium"


def measure(runs: int) -> list[Result]:
    """Seconds of each process. The processes are run in turns."""
    amoba = shutil.which("amoba", path=sysconfig.get_path("scripts")) or "amoba"
    processes = {f"amoba {line}".removesuffix(" --quiet"): (amoba, *line.split()) for line in COMMANDS}
    processes |= {line: (sys.executable, "-c", line) for line in (OURS, PEER)}
    with tempfile.TemporaryDirectory() as folder:
        # Where byte code may not be written, every process would compile all that it imports.
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        turns = [
            {name: seconds(_run, process, environment) for name, process in processes.items()} for _ in range(runs + 1)
        ]
    taken = {name: [turn[name] for turn in turns[1:]] for name in processes}  # the first turn warms up
    theirs = taken.pop(PEER)
    return [
        compare(name, "s", ours, PEER, theirs) if name == OURS else compare(name, "s", ours)
        for name, ours in taken.items()
    ]


def _run(process: Sequence[str], environment: Mapping[str, str]) -> None:
    subprocess.run(process, env=environment, check=True, stdout=subprocess.DEVNULL)
