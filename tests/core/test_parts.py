"""Compiled functions as parts of others (core/parts.py)."""

import os
import subprocess
import sys
from pathlib import Path

MODULE = """
from amoba_env.core.jit import jit

@jit
def fibonacci(n):
    if n < 0:
        raise ValueError("negative")
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

@jit
def twice(n):
    return 2 * fibonacci(n)
"""
SCRIPT = """
import numba
from module import fibonacci, twice

@numba.njit
def theirs(n):
    return twice(n)

for function in (twice, theirs, fibonacci):
    try:
        function(-1)
    except ValueError as error:
        print(*error.args, function(10))
for each in (twice, fibonacci, twice.part, fibonacci.part):
    print(sum(each.stats.cache_hits.values()), sum(each.stats.cache_misses.values()))
"""


def test_parts_call_themselves_and_raise(tmp_path: Path) -> None:
    path = os.pathsep.join([str(tmp_path), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    environment |= {"AMOBA_REGISTER": "0", "NUMBA_DISABLE_JIT": "0", "PYTHONDONTWRITEBYTECODE": "1"}

    def run() -> list[str]:
        command = [sys.executable, "-c", SCRIPT]
        return subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, check=True
        ).stdout.splitlines()

    (tmp_path / "module.py").write_text(MODULE)
    answers = ["negative 110", "negative 110", "negative 55"]
    assert run() == [*answers, "0 1", "0 1", "0 1", "0 1"], "each function is compiled once"
    assert run() == [*answers, "1 0", "1 0", "1 0", "0 0"], "a part of a part is in it"
    (tmp_path / "module.py").write_text(MODULE.replace("2 * ", "3 * "))
    assert run() == ["negative 165", "negative 165", "negative 55", "0 1", "1 0", "0 1", "1 0"]


ARRAYS = """
import numpy as np
from amoba_env.core.jit import jit

@jit
def zeros(n):
    return np.zeros(n, np.int64)

@jit
def total(n):
    return zeros(n).sum()
"""


def test_results_do_not_depend_on_what_was_loaded_first(tmp_path: Path) -> None:
    """What Python calls returns an array also if a caller of its part was loaded from the disk before it."""
    path = os.pathsep.join([str(tmp_path), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    environment |= {"AMOBA_REGISTER": "0", "NUMBA_DISABLE_JIT": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    (tmp_path / "module.py").write_text(ARRAYS)

    def run(calls: str) -> str:
        command = [sys.executable, "-c", f"from module import total, zeros; print({calls})"]
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout

    assert run("zeros(2)") == "[0 0]\n"
    assert run("total(3), zeros(2)") == "0 [0 0]\n", "the caller is compiled from a part of the disk"
    assert run("total(3), zeros(2)") == "0 [0 0]\n", "both are read from the disk"
