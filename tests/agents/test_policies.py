"""The study of policies: its table agrees with the games."""

from __future__ import annotations

import io
import itertools
import json
import shutil
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from commands import Run
from rich.console import Console

from amoba_agents.networks import trained
from amoba_agents.values.exact import regret
from amoba_env import Position, games
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_experiments.analysis.page import charts
from amoba_experiments.analysis.tournament import play_tournament, summarize
from amoba_experiments.studies import policies
from amoba_experiments.studies.section import markdown, print_section, put, text

SHIPPED = policies.shipped()


@pytest.mark.parametrize(("names", "lines"), [(3, 1), (4, 2), (5, 3)])
def test_long_names_of_curves_stand_below_the_title(names: int, lines: int) -> None:
    """Names that do not fit beside the title get lines of their own, four in each."""
    curve = charts.Curve([0, 1], [0.2, 0.4], [[0.1, 0.3], [0.3, 0.5]])
    panel = charts.Axes("minutes", {f"search, seed {number}": curve for number in range(names)})
    picture = ElementTree.fromstring(charts.curves("<a> & b: points against the panel", [panel], 0.5))
    assert picture.get("aria-label") == "<a> & b: points against the panel"
    texts = [each for each in picture if each.get("class") == "left"]
    assert len({each.get("y") for each in texts}) == lines
    assert len([mark for each in texts for mark in each]) == names


def test_cells() -> None:
    assert text({"share": 0.5, "ci95": [0.4, 0.625]}) == "50.0 %\n[40.0, 62.5]"
    assert text({"share": 0.5, "ci95": None}) == "50.0 %\nunknown"
    assert text({"elo": 12.4, "ci95": [-3.0, 30.6]}) == "+12\n[-3, +31]"
    assert text({"elo": -700.0, "ci95": None}) == "-700\nunknown"
    assert text({"mean": 0.25}) == "0.2500"


def test_put_into_a_document() -> None:
    document = "# A\n\n<!-- one -->\nold\n<!-- end of one -->\n\n<!-- two -->\nother\n<!-- end of two -->\n"
    once = put(document, "one", "## New\n")
    assert once == document.replace("old\n", "\n## New\n\n")
    assert put(once, "one", "## New\n") == once
    for bad in ("", "<!-- one -->", "<!-- end of one -->\n<!-- one -->"):
        with pytest.raises(ValueError, match="expected the lines <!-- one --> and <!-- end of one -->,"):
            put(bad, "one", "x")


def test_games_are_found_from_the_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for game in SHIPPED:
        assert policies.comparison(game).agents[-1] == "trained"
    for name in ("renju.onnx", "gomoku.onnx", "gomoku.md", "halma.jsonl"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(trained, "POLICIES", tmp_path)
    assert policies.shipped() == ["gomoku", "renju"]
    with pytest.raises(ValueError, match=r"gomoku\.onnx is not an ONNX model"):
        policies.comparison("gomoku")
    with pytest.raises(ValueError, match="trained: the package has policies for gomoku, renju, not for halma"):
        policies.comparison("halma")
    with pytest.raises(ValueError, match="games: expected a multiple of 6, such as 96, got 8"):
        policies.comparison("gomoku", 8)


def test_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 moves in half a second, by a fake clock."""
    game = games.make("halma")
    seen = policies.positions(game, ("random:6",), 3)
    assert len(seen) > 3 * policies.ROWS
    assert (seen[:, st.STATUS] == st.RUNNING).all()
    ticks = itertools.count(0, 0.5)
    monkeypatch.setattr(policies.time, "process_time", lambda: next(ticks))
    assert policies.speed(game, "greedy", seen, 0) == 128
    assert next(ticks) == 0.5 * 2 * (policies.CALLS + 1)


def test_the_table_says_what_the_games_say() -> None:
    what = policies.comparison("tictactoe", 12, seed=5)
    lost: dict[int, Counter[int]] = {number: Counter() for number in range(len(what.agents))}
    game = games.make("tictactoe")

    def watch(index: np.ndarray, agents: np.ndarray, states: States, actions: np.ndarray) -> None:
        for agent, state, action in zip(agents.tolist(), states, actions.tolist(), strict=True):
            lost[agent][regret(Position(game, state), action)] += 1

    expected = summarize(what, play_tournament(what, None, 1, watch=watch))
    begun: list[str] = []
    result = policies.compare([what], 2, begin=begun.append)
    assert len(begun) == what.pairings + 1
    (found,), (strength, mistakes) = result["tournaments"], result["tables"]
    for table in (strength, mistakes):
        assert [row["player"] for row in table["rows"]] == [row["agent"] for row in expected["standings"]]
    assert all(row["moves/s"] > 0 for row in strength["rows"])
    for row, known, cells in zip(found["standings"], expected["standings"], mistakes["rows"], strict=True):
        assert (row["elo"], row["elo_ci95"], row["points"]) == (known["elo"], known["elo_ci95"], known["points"])
        counts = lost[row["number"] - 1]
        assert (row["regret"]["moves"], row["regret"]["lost_1"]) == (counts.total(), counts[1])
        assert cells["regret a move"]["mean"] == pytest.approx((counts[1] + 2 * counts[2]) / counts.total())
        assert cells["moves that lose value"]["share"] == pytest.approx(1 - counts[0] / counts.total())
    by_name = {row["player"]: row["regret a move"]["mean"] for row in mistakes["rows"]}
    assert by_name["perfect"] == 0 <= by_name["trained"] < by_name["random"]
    assert all(each in markdown(result) for each in what.agents)
    screen = Console(file=io.StringIO(), width=200)
    print_section(result, screen)
    table_lines = screen.file.getvalue().partition(result["notes"][0])[0].splitlines()  # type: ignore[attr-defined]
    assert max(len(line.rstrip()) for line in table_lines) <= 80  # narrow terminals


def test_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run) -> None:
    shutil.copytree(trained.POLICIES, tmp_path / "policies", ignore=shutil.ignore_patterns("[!t]*.*"))
    monkeypatch.setattr(trained, "POLICIES", tmp_path / "policies")
    begin, end = "<!-- policies-table -->", "<!-- end of policies-table -->"
    Path("page.md").write_text(f"# Page\n\n{begin}\n{end}\n")
    code, out, err = run("reproduce policies --games 6 --out o --into page.md")
    assert code == 0, err
    assert "trained" in out
    for file in ("o/policies-table.md", "o/policies-table.json", "page.md"):
        assert f"written: {file}\n" in err
    made = Path("o/policies-table.md").read_text()
    page = Path("page.md").read_text()
    assert page == f"# Page\n\n{begin}\n\n{made}\n{end}\n"
    assert json.loads(Path("o/policies-table.json").read_text())["games"] == 6
