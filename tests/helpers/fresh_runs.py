"""A script, run again and again in processes that import the package anew, but not Numba, which takes longer."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Self

# Numba is imported, and compiles for the first time, once for all runs: each is a fork of this process, with variables
# of its own, and imports the package anew.
FORKS = """
import atexit, json, os, sys
import numba, numpy as np

numba.njit(lambda array: array[0])(np.zeros(1))
for line in sys.stdin:
    process = os.fork()
    if process == 0:
        os.environ.update(json.loads(line))
        numba.core.config.reload_config()
        assert not any(name.startswith("amoba") for name in sys.modules)
        exec(SCRIPT)
        sys.stdout.flush()
        atexit._run_exitfuncs()
        os._exit(0)
    if os.waitpid(process, 0)[1]:
        print("failed", flush=True)
"""


class FreshRuns:
    """Runs of a script that prints one line, each in a process of its own."""

    def __init__(self, script: str, folder: Path, **more: str) -> None:
        """`folder` is the current one of all runs, and `more` are variables of their environment."""
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "0", "AMOBA_REGISTER": "0", **more}  # 0: starts sooner
        command = [sys.executable, "-c", f"SCRIPT = {script!r}\n{FORKS}"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=environment, cwd=folder, stdin=pipe, stdout=pipe, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def words(self, **more: str) -> list[str]:
        """What a run with these variables prints: `failed` after an error, which stderr shows."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(more), file=self.process.stdin, flush=True)
        return self.process.stdout.readline().split()
