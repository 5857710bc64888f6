"""Compiled code is kept on disk, and is never stale after an edit to any file of the core (core/jit.py)."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from amoba_env.core import jit

pytestmark = pytest.mark.compiled

PACKAGE = jit.CORE.parent

# The quickest way through three compiled functions in two files: play.winning_cells calls place.winning_cells,
# and that calls place.is_full. The position is a row of three in tic-tac-toe, put there by hand.
SCRIPT = """
import numpy as np
from amoba_env import games
from amoba_env.core import play
from amoba_env.core.state import CELLS, ENDING, LINE, TO

game = games.make("tictactoe")
state = game.start()
state[CELLS : CELLS + 3] = 0
state[TO], state[ENDING] = 2, LINE
marks = np.zeros(9, np.int8)
play.winning_cells(game.rules, state, marks)
stats = play.winning_cells.stats
print(play.__file__, marks.sum(), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


# Numba is imported, and compiles for the first time, once for all runs: each is a fork of this process, with variables
# of its own, and imports the package anew.
FORKS = """
import json, os, sys
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
        os._exit(0)
    if os.waitpid(process, 0)[1]:
        print("failed", flush=True)
"""


class Runs:
    """Runs of the script on the copy of the package in a folder, each in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        environment = {
            **os.environ,
            "PYTHONPATH": str(folder),
            "PYTHONDONTWRITEBYTECODE": "1",  # two edits in a second leave stale bytecode, which is not our subject
            "NUMBA_CACHE_DIR": str(folder / "cache"),
            "NUMBA_DISABLE_JIT": "0",
            "NUMBA_BOUNDSCHECK": "0",
            "AMOBA_REGISTER": "0",  # starts sooner
        }
        command = [sys.executable, "-c", f"SCRIPT = {SCRIPT!r}\n{FORKS}"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=environment, cwd=folder, stdin=pipe, stdout=pipe, text=True)

    def __enter__(self) -> "Runs":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def run(self, **more: str) -> tuple[int, int, int]:
        """Marked cells, cache hits, cache misses."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(more), file=self.process.stdin, flush=True)
        file, *numbers = self.process.stdout.readline().split()
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
        edit(place, "NOWHERE and s[CELLS + cell] != me", "NOWHERE and s[CELLS + cell] == me")
        assert runs.run() == (0, 0, 1), "an edit to a callee in another file should be seen"
        edit(
            place,
            "NOWHERE and s[CELLS + cell] == me:\n            return False\n    if",
            "NOWHERE and s[CELLS + cell] != me:\n            return False\n    if",
        )
        assert runs.run() == (3, 1, 0), "another process should load the code of the old sources from the disk"
        # Code that looks for indices out of bounds is kept apart.
        assert runs.run(NUMBA_BOUNDSCHECK="1") == (3, 0, 1)
    with_bounds = [folder for folder in (tmp_path / "cache" / "amoba").iterdir() if folder.name.endswith("-bounds")]
    assert len(with_bounds) == 1


@pytest.mark.parametrize("name", sorted(path.name for path in jit.CORE.glob("*.py")))
def test_an_edit_to_any_file_changes_the_digest(name: str, tmp_path: Path) -> None:
    # The digest of a folder is that of its own files and of the core's; here the folder is a copy of the core.
    digest = jit.digest.__wrapped__
    for path in jit.CORE.glob("*.py"):
        shutil.copy(path, tmp_path)
    before = digest(tmp_path)
    assert before == digest(tmp_path)
    (tmp_path / name).write_text((tmp_path / name).read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert digest(tmp_path) != before


def test_the_core_is_part_of_every_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    core, folder = tmp_path / "core", tmp_path / "folder"
    core.mkdir()
    folder.mkdir()
    (core / "place.py").write_text("1")
    monkeypatch.setattr(jit, "CORE", core)
    before = jit.digest.__wrapped__(folder)
    (core / "place.py").write_text("2")
    assert jit.digest.__wrapped__(folder) != before


def test_a_folder_shares_the_digest_of_its_package(tmp_path: Path) -> None:
    folder = tmp_path / "package" / "folder"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").write_text("")
    digest = jit.digest.__wrapped__
    before = digest(folder)
    assert before == digest(folder.parent)
    (folder.parent / "beside.py").write_text("1")
    assert digest(folder) != before
    (tmp_path / "outside.py").write_text("1")
    assert digest(folder) == digest(folder.parent)


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
