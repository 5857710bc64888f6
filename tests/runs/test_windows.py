"""What differs on Windows. Other systems play it: its functions are put in place of theirs."""

import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from amoba_agents.gomocup import guard
from amoba_env import files
from amoba_experiments.runs.files import locked


def test_files_are_written_where_folders_cannot_be_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nor can the system be asked to write what was opened for reading."""
    as_usual, flush, writable = os.open, os.fsync, set()

    def opened(path: Any, flags: int, *more: Any, **others: Any) -> int:
        if os.path.isdir(path):
            raise PermissionError(13, "Permission denied", str(path))
        number = as_usual(path, flags, *more, **others)
        if flags & (os.O_RDWR | os.O_WRONLY):
            writable.add(number)
        return number

    def flushed(number: int) -> None:
        assert number in writable
        flush(number)

    monkeypatch.setattr(files, "FOLDERS_OPEN", False)
    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "fsync", flushed)
    files.write(tmp_path / "a.txt", "há")
    assert (tmp_path / "a.txt").read_bytes() == "há".encode()


def test_a_run_is_locked_without_fcntl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if sys.platform != "win32":
        import fcntl

        def locking(number: int, how: int, count: int) -> None:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise PermissionError(*error.args) from None

        monkeypatch.setitem(sys.modules, "fcntl", None)
        monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
        monkeypatch.setattr(sys, "platform", "win32")
    with locked(tmp_path / "run"), pytest.raises(ValueError, match="in use"), locked(tmp_path / "run"):
        pass
    with locked(tmp_path / "run"):
        pass


def test_engines_do_not_outlive_their_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard kills what it watched, and all that this started, in Windows' own way."""
    ran: list[list[str]] = []
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(subprocess, "run", lambda command, **how: ran.append(command))
    guard.watch(io.StringIO("5\n7\n-5\n"))
    assert ran == [["taskkill", "/T", "/F", "/PID", "7"]]


@pytest.mark.parametrize("encoding", ["cp1252", "cp437"])
def test_consoles_that_know_few_characters(encoding: str, tmp_path: Path) -> None:
    """Neither a table nor an error stops there, and nothing is escaped."""
    code = "from amoba_experiments.cli import main; main()"
    for words in (["match", "tictactoe", "random", "random", "--games", "3"], ["games", "--json", "☗/☖"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": encoding},
            cwd=tmp_path,
        )
        said = (done.stdout + done.stderr).decode(encoding)
        assert done.returncode == (2 if "--json" in words else 0)
        assert "Traceback" not in said
        assert "\\u" not in said
