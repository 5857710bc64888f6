"""`amoba compile` fills the folder of machine code, and `--clear` empties it."""

from pathlib import Path

import pytest
from commands import Run, refused

from amoba_env.core import jit
from amoba_experiments.cli import compiling


def test_filled_and_emptied(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMOBA_COMPILE", "now")  # the command sets it too, and this puts it back
    monkeypatch.setattr(compiling, "PLAYERS", ("random", "endgame"))  # the second plays other games
    code, out, _ = run("compile tictactoe --quiet")
    assert code == 0
    assert str(jit.cache_root()) in out
    monkeypatch.setattr(jit.config, "CACHE_DIR", str(tmp_path))
    jit.cache_root.cache_clear()
    try:
        folder = jit.cache_root()
        folder.mkdir()
        for name in ("code.bin", "code.bin.12-34", "other"):
            (folder / name).write_bytes(bytes(500_000))
        assert run("compile --clear")[:2] == (0, f"2 files, 1.0 MB, deleted in {folder}\n")
        assert [each.name for each in folder.iterdir()] == ["other"]
        assert run("compile --clear")[:2] == (0, f"0 files, 0.0 MB, deleted in {folder}\n")
        refused(run, "compile tictactoe --clear", "--clear")
    finally:
        jit.cache_root.cache_clear()
