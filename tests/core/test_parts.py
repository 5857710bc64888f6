"""What compiled functions call is not made machine code; the order of compiling and loading changes no result."""

import os
import subprocess
import sys
from pathlib import Path

MODULE = """
import numpy as np
from amoba_env.core.jit import jit

@jit
def fibonacci(n):
    if n < 0:
        raise ValueError("negative")
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

@jit
def zeros(n):
    return np.zeros(n, np.int64)

@jit
def total(n):
    return fibonacci(n) * (zeros(n) + 2).sum()
"""
# Calls in an order, after some files were deleted; each time in a process of its own, with the files that are left.
SCRIPT = """
import os, sys
from pathlib import Path
import numpy as np, numba

@numba.njit
def theirs(n):
    return total(n)

for gone, order in RUNS:
    for each in Path(CACHE).glob(gone or "-"):
        each.unlink()
    if os.fork() == 0:
        from module import fibonacci, total, zeros
        calls = {"f": fibonacci, "z": zeros, "t": total, "n": theirs}
        said = [calls[each](3).tolist() if each == "z" else calls[each](3) for each in order]
        try:
            calls[order[0]](-1)
        except ValueError as error:
            said.append(str(error).split()[0])
        misses = [sum(each.stats.cache_misses.values()) for each in (fibonacci, zeros, total)]
        print((said, misses), flush=True)
        os._exit(0)
    assert os.wait()[1] == 0, order
"""
RESULTS = {"f": 2, "z": [0, 0, 0], "t": 12, "n": 12}


def run(folder: Path, runs: list[tuple[str, str]]) -> list[list[int]]:
    """Check the results of the runs; return how many times each of the three functions was compiled in each run."""
    path, cache = os.pathsep.join([str(folder), *sys.path]), folder / "cache"
    environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(cache)}
    environment |= {"AMOBA_REGISTER": "0", "NUMBA_DISABLE_JIT": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", f"RUNS, CACHE = {runs!r}, {str(cache / 'amoba')!r}\n{SCRIPT}"]
    lines = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    results = [eval(line) for line in lines]
    assert [said for said, _ in results] == [[*(RESULTS[each] for each in order), "negative"] for _, order in runs]
    return [misses for _, misses in results]


def test_results_do_not_depend_on_the_order_of_compiling_and_loading(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(MODULE)
    assert run(tmp_path, [("", "t")]) == [[1, 1, 1]]
    names = sorted(each.name.split("-")[0] + ".part" * (".part" in each.name) for each in tmp_path.glob("cache/*/*"))
    assert names == ["module.fibonacci.part", "module.total", "module.zeros.part"]
    assert run(tmp_path, [("-", each) for each in ("fzt", "tzf", "z")]) == [[0, 0, 0]] * 3, "each is compiled once"
    run(tmp_path, [("module.total-*", "nfz"), ("*.part.bin", "tzf"), ("*.part.bin", "nfz")])
