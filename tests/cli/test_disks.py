"""Full disks, locks, folders of others, a deleted working folder, a screen that knows only ASCII."""

from __future__ import annotations

import ast
import io
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import Run, refused

import amoba_agents
import amoba_env
import amoba_experiments
from amoba_env import files
from amoba_experiments import cli
from amoba_experiments.arena.match import Match
from amoba_experiments.cli.errors import LONGEST, shortened
from amoba_experiments.runs.files import locked
from amoba_experiments.runs.play_match import play_match

OLD = "what was there\n"


@pytest.fixture
def full() -> Iterator[None]:
    """A limit on the size of files stands in for a full disk: every write fails half way."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    "line",
    [
        "report run -o old.html",
        "report run -o old.md",
        "convert game.sgf old.jsonl",
        "draw tictactoe -o old.svg",
        "draw tictactoe -o old.png",
        "draw tictactoe --moves 'a1 b2' -o old.html",
        "explain halma -o old.svg --player greedy",
        "forbidden positions.jsonl --json old.json",
        "games --json old.json",
        "analyse tictactoe 'a1 b2' --nodes 9 -o old.svg --quiet",
        "stats run --csv old.csv",
        "match tictactoe random greedy --games 2 --quiet --json old.json",
    ],
)
def test_a_full_disk_leaves_the_old_file(line: str, run: Run, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    play_match(Match("tictactoe", ("greedy", "random"), 2), "run", jobs=1)
    Path("game.sgf").write_text("(;GM[4]SZ[15];B[hh];W[ii])")
    Path("positions.jsonl").write_text('{"black": [[7, 7], [8, 8]], "white": [[1, 1]]}\n' * 3)
    old = next(Path(word) for word in line.split() if word.startswith("old."))
    assert run(line)[0] == 0  # which compiles what it needs
    old.write_text(OLD)
    before = sorted(tmp_path.rglob("*"))
    request.getfixturevalue("full")
    code, _, err = run(line)
    assert (code, err.count("amoba: ")) == (2, 1), err
    assert f"{old.name}': file too large" in err
    assert old.read_text() == OLD
    assert sorted(tmp_path.rglob("*")) == before


def test_written_whole(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    link.symlink_to(file)
    files.write(link, "one")
    file.chmod(0o600)
    files.write(link, b"two")
    assert (link.is_symlink(), file.read_text(), file.stat().st_mode & 0o777) == (True, "two", 0o600)
    with pytest.raises(UnicodeEncodeError), files.written_whole(file) as temporary:
        temporary.write_text("half \udcff", encoding="utf-8")
    assert file.read_text() == "two"
    assert sorted(tmp_path.iterdir()) == [file, link]
    link.unlink()
    for name in (tmp_path / ("n" * 255), tmp_path / ("\u6f22" * 85)):
        files.check_writable(name)
        assert not name.exists()
        files.write(name, "three")
        assert name.read_text() == "three"
    link.symlink_to(later := tmp_path / "later")
    files.check_writable(link)
    assert (link.is_symlink(), later.exists()) == (True, False)
    write = "from amoba_env.files import write; write('/dev/stdout', 'through a pipe')"
    assert subprocess.run([sys.executable, "-c", write], capture_output=True, check=True).stdout == b"through a pipe"
    with pytest.raises(FileNotFoundError) as missing:
        files.write(tmp_path / "none" / "file", "")
    assert missing.value.filename == str(tmp_path / "none" / "file")
    with pytest.raises(OSError, match="No space left"):
        files.write("/dev/full", "four")


WRITERS = {"write_text", "write_bytes", "savefig"}
DIRECT = {  # files that are not somebody's results
    "amoba_env/core/jit.py": "a cache, which has checksums",
    "amoba_experiments/runs/checksums.py": "lines are added",
    "amoba_experiments/training/network_files.py": "in a temporary folder",
}


def test_all_files_are_written_whole() -> None:
    """No source but these opens a file to write; numbers and tables go to the temporary name of written_whole()."""
    found = set()
    for package in (amoba_env, amoba_agents, amoba_experiments):
        root = Path(package.__file__).parents[1]
        for file in (root / package.__name__).rglob("*.py"):
            text = file.read_text()
            for node in ast.walk(ast.parse(text)):
                if not isinstance(node, ast.Call):
                    continue
                method = getattr(node.func, "attr", "")
                modes = {each.value for each in node.args if isinstance(each, ast.Constant)}
                opens = "open" in (method, getattr(node.func, "id", "")) and modes & {"w", "wb", "a", "ab", "a+b", "x"}
                if method in WRITERS or (opens and "written_whole(" not in text):
                    found.add(file.relative_to(root).as_posix())
    assert found == {*DIRECT}


# --- Folders ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "manifest"),
    [
        ("match tictactoe random greedy --games 2 --out mine", "run.json"),
        ("tournament tictactoe random greedy --games 2 --out mine", "tournament.json"),
        ("train tictactoe --out mine", "recipe.yaml"),
        ("train tictactoe --out mine --resume", "recipe.yaml"),
    ],
)
def test_a_folder_of_somebody_else(line: str, manifest: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text(OLD)
    refused(run, line, f"mine has files but no {manifest}")
    assert [each.name for each in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_two_processes_do_not_train_in_one_folder(run: Run, tmp_path: Path) -> None:
    with locked(tmp_path / "policy"):
        code, _, err = run("train tictactoe --out policy")
    assert (code, err.splitlines()[-1]) == (2, "amoba: policy is in use by another process")


def test_a_deleted_working_folder(tmp_path: Path) -> None:
    script = (
        "import os, sys; from amoba_experiments import cli; os.makedirs(sys.argv[1]); os.chdir(sys.argv[1]); "
        "os.rmdir(sys.argv[1]); sys.argv[1:] = ['draw', 'tictactoe', '-o', 'x.svg']; cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "gone")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        2,
        "amoba: the current folder does not exist any more: change to another one\n",
    )


# --- Words -----------------------------------------------------------------------------------------------------------


def test_a_screen_that_knows_only_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(
        sys, "argv", ["amoba", "tournament", "tictactoe", "random", "greedy", "--games", "2", "--quiet"]
    )
    with pytest.raises(SystemExit) as stop:
        cli.main()
    screen.flush()
    assert stop.value.code == 0
    assert b"greedy" in screen.buffer.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "line",
    ["stats LONG", "perft tictactoe 2 --position 'LONG'", "draw gomoku -o LONG.svg", "match gomoku greedy 'LONG'"],
)
@pytest.mark.parametrize("text", ["a" * 9000, "it is long " * 900])
def test_long_inputs_are_not_quoted_whole(line: str, text: str, run: Run) -> None:
    if " " in text and "'" not in line:
        line = line.replace("LONG", "'LONG'")
    code, _, err = run(line.replace("LONG", text))
    assert code == 2
    assert len(err) < 700


def test_shortened() -> None:
    assert shortened("no such file: 'a b'") == "no such file: 'a b'"
    assert shortened(f"{'b' * 5000!r}: the name is too long") == f"'{'b' * 99}...': the name is too long"
    assert len(shortened("word " * 9000)) < LONGEST + 9
