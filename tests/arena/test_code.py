"""Which source files determine the games of a match: found by imports, none forgotten, none that only shows games."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from amoba_agents.sources import digest_of_file
from amoba_experiments.arena import code

SOURCES = sorted(
    file for name, root in code.PACKAGES.items() for file in (root / name).rglob("*.py") if "clients" not in file.parts
)


def parsed(file: Path) -> set[str]:
    """The modules that a file imports, as Python's own parser sees them."""
    found = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import, which code.imports does not follow"
            names = {f"{node.module}.{each.name}" for each in node.names}
            found |= {each if code._file(each) else str(node.module) for each in names}
    return {each for each in found if code._file(each)}


def test_every_import_is_found() -> None:
    assert len(SOURCES) > 250
    for file in SOURCES:
        assert parsed(file) <= set(code.imports(file)), file


def test_what_plays_and_what_shows() -> None:
    found = code.code_of("gomoku", ["greedy", "level:3"])
    for name in (
        "amoba_env.core.place",
        "amoba_env.core.rng",
        "amoba_env.games.gomoku",
        "amoba_agents.players.lookahead",
        "amoba_agents.alphabeta.alphabeta_search",  # of the level, which imports it when it is first asked
        "amoba_agents.networks.inference",
        "amoba_experiments.arena.openings",
        "amoba_experiments.arena.seating",
        "amoba_experiments.statistics.sequential",  # says when a match with a rule ends
    ):
        assert name in found
    shown = ("amoba_env.draw", "amoba_env.records", "amoba_env.aec", "amoba_experiments.cli", "amoba_experiments.web")
    assert not [name for name in found if name.startswith(shown)]
    assert "amoba_agents.alphabeta.alphabeta_search" not in code.code_of("gomoku", ["greedy", "random"])


def test_a_player_from_elsewhere_may_use_any_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(code.AGENTS, "mine", lambda: None)  # type: ignore[arg-type, return-value]
    assert code.code_of("gomoku", ["mine"]).keys() >= code.code_of("gomoku", ["level:3", "mcts:9"]).keys()


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a copy of all sources, which code_of() looks at."""
    for name, root in code.PACKAGES.items():
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.onnx", "*.npz"))
    monkeypatch.setattr(code, "PACKAGES", dict.fromkeys(code.PACKAGES, tmp_path))
    monkeypatch.setattr(code, "_file", code._file.__wrapped__)  # these two as in a new process
    monkeypatch.setattr(code, "_loaded", digest_of_file)
    return tmp_path


def test_an_edit_to_a_drawing_and_one_to_the_rules(copy: Path) -> None:
    def now() -> dict[str, str]:
        return code.code_of("tictactoe", ["greedy", "random"])

    def edit(name: str) -> None:
        with (copy / name).open("a") as file:
            file.write("# an edit\n")

    before = now()
    for name in (
        "amoba_env/draw/palette.py",
        "amoba_experiments/cli/run.py",
        "amoba_agents/alphabeta/alphabeta_search.py",
    ):
        edit(name)  # none of them plays here
    assert code.changed(before, now()) == ""
    edit("amoba_env/games/rows.py")
    edit("amoba_experiments/arena/seating.py")
    assert code.changed(before, now()) == (
        "the code of amoba_env.games.rows, amoba_experiments.arena.seating has changed"
    )
    for name in ("core/rng.py", "core/place.py", "notation.py"):
        edit(f"amoba_env/{name}")
    assert code.changed(before, now()).endswith(" and 2 more has changed")
    older = {"rules": "01", "players": "23"}  # as version 0.1 wrote it
    assert code.changed(older, now()) == "it was begun by another version of amoba"
