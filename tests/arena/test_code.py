"""The digests of the code that plays: an edit to it is named, wherever it is, and one to other code is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from amoba_experiments.arena import code


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a copy of all sources, whose digests code_of() takes, each time as in a new process."""
    copies = {}
    for name, folders in code.FOLDERS.items():
        copies[name] = tuple(tmp_path / folder.name for folder in folders)
        for folder, place in zip(folders, copies[name], strict=True):
            shutil.copytree(folder, place, ignore=shutil.ignore_patterns("__pycache__", "*.onnx", "*.npz"))
    monkeypatch.setattr(code, "FOLDERS", copies)
    monkeypatch.setattr(code, "packages", code.packages.__wrapped__)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("amoba_env/core/place.py", "amoba_env"),
        ("amoba_agents/players/lookahead.py", "amoba_agents"),
        ("arena/seating.py", "amoba_experiments.arena"),
        ("statistics/sequential.py", "amoba_experiments.arena"),
    ],
)
def test_an_edit(copy: Path, file: str, name: str) -> None:
    before, all_before = code.code_of("tictactoe"), code.code_of_all()
    assert code.changed(before, code.code_of("tictactoe")) == ""
    with (copy / file).open("a") as out:
        out.write("# an edit\n")
    assert code.changed(before, code.code_of("tictactoe")) == f"the code of {name} has changed"
    assert code.code_of_all() != all_before


def test_files_that_come_move_and_go(copy: Path) -> None:
    before = code.code_of("tictactoe")
    (copy / "amoba_env" / "more.py").touch()
    (copy / "amoba_env" / "notes.txt").touch()
    (copy / "arena" / "seating.py").rename(copy / "arena" / "seats.py")
    (copy / "amoba_agents" / "seat.py").unlink()
    found = code.changed(before, code.code_of("tictactoe"))
    assert found == "the code of amoba_env, amoba_agents, amoba_experiments.arena has changed"
    (copy / "amoba_env" / "more.py").unlink()
    assert "amoba_env" not in code.changed(before, code.code_of("tictactoe"))


def test_the_code_of_this_process_does_not_change() -> None:
    assert code.packages() is code.packages()
    assert code.code_of("tictactoe").keys() == code.FOLDERS.keys()
