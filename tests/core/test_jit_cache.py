"""Machine code is kept on disk, is never stale after an edit, and damage to it costs time only (core/jit.py)."""

import errno
import hashlib
import importlib
import logging
import os
import pickle
import pkgutil
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fresh_runs import FreshRuns
from numpy.typing import NDArray

import amoba_agents
import amoba_env
from amoba_env.core import compiling, content, jit

PACKAGE = Path(jit.__file__).parents[1]

# The quickest way through three compiled functions in two files: play.winning_cells calls place.winning_cells,
# and that calls place.is_full. The position is a row of three in tic-tac-toe, put there by hand.
SCRIPT = """
import numpy as np
from amoba_env import games
from amoba_env.core import play
from amoba_env.core.endings import LINE
from amoba_env.core.state import CELLS, ENDING, TO

game = games.make("tictactoe")
state = game.start()
state[CELLS : CELLS + 3] = 0
state[TO], state[ENDING] = 2, LINE
marks = np.zeros(9, np.int8)
play.winning_cells(game.rules, state, marks)
stats = play.winning_cells.stats
print(play.__file__, marks.sum(), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


class Runs(FreshRuns):
    """Runs of the script on the copy of the package in a folder, each in a process of its own."""

    def __init__(self, folder: Path, script: str = SCRIPT) -> None:
        self.folder = folder
        super().__init__(
            script,
            folder,
            PYTHONPATH=str(folder),
            PYTHONDONTWRITEBYTECODE="1",  # two edits in a second leave stale bytecode, which is not our subject
            NUMBA_CACHE_DIR=str(folder / "cache"),
            NUMBA_BOUNDSCHECK="0",
        )

    def run(self, **more: str) -> tuple[int, int, int]:
        """Marked cells, cache hits, cache misses."""
        file, *numbers = self.words(**more)
        assert Path(file).is_relative_to(self.folder), "the script ran another copy, or failed: see above"
        marked, hits, misses = map(int, numbers)
        return marked, hits, misses


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path.name} no longer has the line that this test edits: {old}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_kept_on_disk_and_never_stale(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "amoba_env", ignore=shutil.ignore_patterns("__pycache__"))
    place = tmp_path / "amoba_env" / "core" / "place.py"
    with Runs(tmp_path) as runs:
        assert runs.run() == (3, 0, 1)
        edit(place, "NOWHERE and s[st.CELLS + cell] != me", "NOWHERE and s[st.CELLS + cell] == me")
        assert runs.run() == (0, 0, 1), "an edit to a callee in another file should be seen"
        edit(
            place,
            "NOWHERE and s[st.CELLS + cell] == me:\n            return False\n    if",
            "NOWHERE and s[st.CELLS + cell] != me:\n            return False\n    if",
        )
        assert runs.run() == (3, 1, 0), "another process should load the code of the old sources from the disk"
        place.write_text("# A comment, and everything a line farther down.\n" + place.read_text(encoding="utf-8"))
        assert runs.run() == (3, 1, 0), "a comment changes no machine code"
        # Code that looks for indices out of bounds is kept apart.
        assert runs.run(NUMBA_BOUNDSCHECK="1") == (3, 0, 1)


# Two packages of somebody else: a function of `second` calls one of `first`, which uses constants of a third file.
FIRST = """
from typing import NamedTuple
import numpy as np
from amoba_env.core.jit import jit
from first import constants
from first.constants import WEIGHTS

class Pair(NamedTuple):
    one: np.ndarray
    two: np.ndarray

@jit
def inner(pair):
    return pair.one[0] * constants.UNIT + WEIGHTS[0]
"""
SECOND = """
from amoba_env.core.jit import jit
from first import values

@jit
def outer(pair):
    return values.inner(pair) + 1
"""
ACROSS = """
import numpy as np
from first.values import Pair
from second import outer

result = outer(Pair(one=np.full(1, 1), two=np.full(1, 2)))
import first.values
print(first.values.__file__, result, sum(outer.stats.cache_hits.values()), sum(outer.stats.cache_misses.values()))
"""


def test_edits_in_another_package_are_seen(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "amoba_env", ignore=shutil.ignore_patterns("__pycache__"))
    first = tmp_path / "first"
    first.mkdir()
    (first / "__init__.py").write_text("")
    (first / "constants.py").write_text("import numpy as np\nUNIT = 10\nWEIGHTS = np.array([100])\n")
    (first / "values.py").write_text(FIRST)
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "__init__.py").write_text(SECOND)
    with Runs(tmp_path, ACROSS) as runs:
        assert runs.run() == (111, 0, 1)
        assert runs.run() == (111, 1, 0)
        edit(first / "values.py", "UNIT + ", "UNIT - ")
        assert runs.run() == (-89, 0, 1), "the function that is called, an attribute of a module"
        edit(first / "constants.py", "UNIT = 10", "UNIT = 20")
        assert runs.run() == (-79, 0, 1), "a constant of a module"
        edit(first / "constants.py", "[100]", "[200]")
        assert runs.run() == (-179, 0, 1), "a constant array"
        edit(first / "values.py", "one: np.ndarray\n    two: np.ndarray", "two: np.ndarray\n    one: np.ndarray")
        assert runs.run() == (-179, 0, 1), "the order of fields, of the same types, in an argument"
        edit(first / "constants.py", "UNIT", "OTHER = 3\nUNIT")
        assert runs.run() == (-179, 1, 0), "what is not used does not count"


def test_all_that_our_functions_refer_to_is_known() -> None:
    """Else their machine code would not be kept."""
    from numba.core.dispatcher import Dispatcher

    found = 0
    for package in (amoba_env, amoba_agents):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, Dispatcher) and value.py_func.__module__ == module.name:
                    assert len(content.digest(value.py_func)) == 64
                    found += 1
    assert found > 250


def plain(array: NDArray[np.int64]) -> int:
    """Something to compile."""
    return int(array[0]) + 1


class Disk:
    """Machine code in a folder, as new processes find it."""

    def __init__(self, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
        self.folder, self._log = folder / "amoba", caplog

    def call(self) -> tuple[int, int]:
        """Call the function in a process that begins; the number of hits and of lines that were logged."""
        compiling.tell_of_damage.cache_clear()
        compiling.tell_of_disk.cache_clear()
        self._log.clear()
        for _ in range(2):  # the second function meets the same trouble, which is told once
            function: Any = jit.jit(plain)
            assert function(np.arange(3)) == 1
        return sum(function.stats.cache_hits.values()), len(self._log.records)

    @property
    def files(self) -> list[Path]:
        return sorted(self.folder.iterdir())

    @property
    def file(self) -> Path:
        """The machine code."""
        (found,) = self.folder.glob("*.bin")
        return found


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[Disk]:
    monkeypatch.setattr(jit.config, "CACHE_DIR", str(tmp_path))
    jit.cache_root.cache_clear()
    with caplog.at_level(logging.WARNING, "amoba_env"):
        yield Disk(tmp_path, caplog)
    jit.cache_root.cache_clear()


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def sealed(data: bytes) -> bytes:
    """What is written in good faith by something else."""
    return hashlib.sha256(data).digest() + data


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:10],
        lambda data: data[:-1],
        lambda data: flipped(data, 0),
        lambda data: flipped(data, len(data) - 1),
        lambda data: data + b"more",
        lambda data: sealed(b"no pickle"),
        lambda data: sealed(pickle.dumps({"other": 1})),
        lambda data: sealed(pickle.dumps((b"other",))),
    ],
)
def test_damaged_machine_code_is_compiled_and_written_again(disk: Disk, damage: Callable[[bytes], bytes]) -> None:
    disk.call()
    (file,) = disk.files
    assert disk.call() == (1, 0)
    file.write_bytes(damage(file.read_bytes()))
    assert disk.call() == (1, 1), "it is told once, and the second function finds the new file"
    assert disk.call() == (1, 0)
    assert disk.files == [file]


def test_a_folder_in_the_place_of_a_file(disk: Disk) -> None:
    disk.call()
    (file,) = disk.files
    file.unlink()
    file.mkdir()
    assert disk.call() == (0, 2)  # it is neither read nor written
    assert disk.files == [file]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EDQUOT])
def test_what_cannot_be_written_is_compiled_each_time(disk: Disk, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(path: Path, data: bytes) -> None:
        path.touch()
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as full:
        full.setattr(Path, "write_bytes", fails)
        assert disk.call() == (0, 1)
        assert disk.files == []
    assert disk.call() == (1, 0)


def test_a_cache_that_is_no_folder(disk: Disk) -> None:
    disk.folder.write_text("")
    assert disk.call()[0] == 0


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files, where the user's own cache cannot be written."""
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(jit.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(jit.tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"amoba-{os.getuid()}"


def test_a_temporary_cache_is_the_users_alone(nowhere: Path) -> None:
    root = jit.cache_root.__wrapped__
    for _ in range(2):  # made, and found again
        assert root() == nowhere
        assert nowhere.lstat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("kind", ["open", "link", "file", "other"])
def test_a_temporary_cache_of_somebody_else_is_left_alone(
    nowhere: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies in a cache is unpickled: anybody could put it there under a name that is known before."""
    if kind == "open":
        nowhere.mkdir()
        nowhere.chmod(0o777)
    elif kind == "link":
        (nowhere.parent / "theirs").mkdir(mode=0o700)
        nowhere.symlink_to(nowhere.parent / "theirs")
    elif kind == "file":
        nowhere.write_text("")
    else:
        nowhere.mkdir(mode=0o700)
        monkeypatch.setattr(jit.os, "getuid", lambda: 12345)
        nowhere.rename(nowhere.parent / "amoba-12345")
    fresh = jit.cache_root.__wrapped__()
    assert fresh.parent == nowhere.parent
    assert fresh.name not in ("theirs", nowhere.name, "amoba-12345")
    assert fresh.lstat().st_mode & 0o777 == 0o700
    assert list(fresh.iterdir()) == []
    jit._remove(fresh, -1)
    assert fresh.exists()  # another process's end is not its own
    jit._remove(fresh, os.getpid())
    assert not fresh.exists()


def test_the_users_choice_counts(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit.config, "CACHE_DIR", str(nowhere.parent / "chosen"))
    assert jit.cache_root.__wrapped__() == nowhere.parent / "chosen" / "amoba"


def test_what_nobody_loads_for_a_month_is_deleted(disk: Disk) -> None:
    disk.folder.mkdir()
    old, recent, other = (disk.folder / name for name in ("old.bin", "recent.bin", "other"))
    now = time.time()
    for file, days in ((old, 31), (recent, 29), (other, 31)):
        file.touch()
        os.utime(file, (now - days * jit.DAY, now - days * jit.DAY))
    jit._remove_unused.cache_clear()
    disk.call()
    assert {recent, other} < set(disk.files)
    assert old not in disk.files, "another version, or another processor"
    recent.unlink()
    os.utime(disk.file, (now - 31 * jit.DAY, now - 31 * jit.DAY))
    assert disk.call()[0] == 1
    assert disk.file.stat().st_mtime > now - jit.DAY, "what is loaded is in use"
