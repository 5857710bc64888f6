"""The study of policies: its table agrees with the games, and every policy has a card and a log."""

from __future__ import annotations

import io
import itertools
import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any
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
from workshop import curves

DOCS = Path(__file__).parents[2] / "docs"
SHIPPED = policies.shipped()


def line(judge: str, step: int, wins: int, draws: int = 0, stage: str = "play", **more: Any) -> dict[str, Any]:
    losses = 100 - wins - draws
    counts = {"wins": wins, "losses": losses, "draws": draws, "ci95": [wins / 200, (wins + 100) / 200]}
    return {"stage": stage, "steps": step, "against": judge, "games": 100, "players": 2, **counts, **more}


def log(folder: Path, *lines: dict[str, Any]) -> Path:
    file = folder / "some.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return file


def on_the_way(policy: str) -> list[dict[str, Any]]:
    """A policy's evaluations, without the last matches and those between networks of a search."""
    lines = map(json.loads, (trained.POLICIES / f"{policy}.jsonl").read_text().splitlines())
    return [each for each in lines if each.get("stage") != "final" and "network" not in each]


# --- Curves --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", SHIPPED)
def test_every_policy_has_a_card_and_a_log(game: str) -> None:
    card = (trained.POLICIES / f"{game}.md").read_text()
    for words in (f"{game}.onnx", f"{game}.jsonl", "## Recipe", "## Measured"):
        assert words in card
    panels = curves.panels(curves.read(trained.POLICIES / f"{game}.jsonl"))
    lines = on_the_way(game)
    assert sum(len(curve.at) for panel in panels for curve in panel.curves.values()) == len(lines)
    for panel in panels:
        for curve in panel.curves.values():
            assert curve.at == sorted(set(curve.at))
            for share, (low, high) in zip(curve.share, curve.ci95, strict=True):
                assert 0 <= low <= share <= high <= 1


@pytest.mark.parametrize("game", SHIPPED)
def test_pictures_are_what_is_drawn_now(game: str) -> None:
    """After a change: python -m workshop.curves docs/pictures."""
    assert (DOCS / "pictures" / f"{game}-curves.svg").read_text() == curves.draw(game) + "\n"
    assert f"](../pictures/{game}-curves.svg)" in (DOCS / "results" / "policies.md").read_text()


@pytest.mark.parametrize("game", SHIPPED)
def test_a_picture_shows_the_log(game: str) -> None:
    """Heights read from the picture, against shares counted from the log."""
    players = on_the_way(game)[0]["players"]
    picture = curves.draw(game)
    root = ElementTree.fromstring(picture)
    paths = [(each.get("class", "").split(), each.get("d", "")) for each in root if each.tag.endswith("path")]
    rules = sorted({float(d.split()[1].split("h")[0]) for classes, d in paths if "rule" in classes})
    one, nothing = rules[0], rules[-1]
    drawn = []
    for classes, d in paths:
        if "line" in classes:
            heights = [float(point.split()[1]) for point in re.findall(r"[\d.]+ [\d.]+", d)]
            drawn += [(nothing - height) / (nothing - one) for height in heights]
    expected = []
    for each in on_the_way(game):
        half = 0.5 if players == 2 else 0.0
        expected.append((each["wins"] + half * each["draws"]) / each["games"])
        assert each["against"] in picture
    assert sorted(drawn) == pytest.approx(sorted(expected), abs=0.001)


def test_stages(tmp_path: Path) -> None:
    """Each stage has a panel, and counts its own steps."""
    stages = [
        line("random", 0, 40),
        line("greedy", 0, 10, 60),
        line("random", 500, 90),
        line("greedy", 1, 50, stage="play-2"),
        line("lookahead:2", 1, 30, stage="play-2"),
        line("greedy", 2, 60, 20, stage="play-2"),
    ]
    lines = curves.read(log(tmp_path, *stages))
    first, second = curves.panels(lines)
    assert [panel.unit for panel in (first, second)] == [curves.STEPS] * 2
    assert {judge: curve.at for judge, curve in first.curves.items()} == {"random": [0, 500], "greedy": [0]}
    assert first.curves["greedy"].share == [0.4]
    assert second.curves["greedy"].at == [1, 2]
    assert second.curves["greedy"].share == [0.5, 0.7]
    assert ElementTree.fromstring(charts.curves("<a> & b", [first], 0.5)).get("aria-label") == "<a> & b"
    _, second = curves.panels(curves.read(log(tmp_path, *({**each, "players": 3} for each in stages))))
    assert second.curves["greedy"].share == [0.5, 0.6]  # of three players a draw is not a half
    assert second.curves["greedy"].ci95 == [[0.25, 0.75], [0.3, 0.8]]


@pytest.mark.parametrize(("names", "lines"), [(3, 1), (4, 2), (5, 3)])
def test_long_names_of_curves_stand_below_the_title(names: int, lines: int) -> None:
    """Names that do not fit beside the title get lines of their own, four in each."""
    curve = charts.Curve([0, 1], [0.2, 0.4], [[0.1, 0.3], [0.3, 0.5]])
    panel = charts.Axes("minutes", {f"search, seed {number}": curve for number in range(names)})
    picture = ElementTree.fromstring(charts.curves("gomoku-15x15: points against the panel", [panel], 0.5))
    texts = [each for each in picture if each.get("class") == "left"]
    assert len({each.get("y") for each in texts}) == lines
    assert len([mark for each in texts for mark in each]) == names


def test_stages_of_imitation_are_one_curve(tmp_path: Path) -> None:
    """Stages of imitation that follow each other share a panel; a reference player stands where it first occurs."""
    stages = [
        line("greedy", 0, 40, stage="imitate"),
        line("greedy", 0, 50, stage="imitate-2"),
        line("random", 0, 90, stage="imitate-2"),
        line("greedy", 0, 60),
        line("greedy", 9, 70),
        line("greedy", 0, 80, stage="imitate-3"),
    ]
    first, second, third = curves.panels(curves.read(log(tmp_path, *stages)))
    assert [panel.unit for panel in (first, second, third)] == [curves.KNOWN_MOVES, curves.STEPS, curves.KNOWN_MOVES]
    assert {judge: curve.at for judge, curve in first.curves.items()} == {"greedy": [1, 2], "random": [2]}
    assert first.curves["greedy"].share == [0.4, 0.5]
    assert second.curves["greedy"].at == [0, 9]
    assert third.curves["greedy"].share == [0.8]


def test_intervals_of_points_are_as_wide_as_the_games_say(tmp_path: Path) -> None:
    """Close to the normal approximation for many games; draws alone give a narrow interval only after many."""
    (panel,) = curves.panels(curves.read(log(tmp_path, line("greedy", 0, 40, 30), line("greedy", 1, 0, 100))))
    (low, high), (below, above) = panel.curves["greedy"].ci95
    off = 1.96 * np.std([1.0] * 40 + [0.5] * 30 + [0.0] * 30) / 10
    assert (low, high) == pytest.approx((0.55 - off, 0.55 + off), abs=0.01)
    assert 0.45 < below < 0.5 < above < 0.55


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "some.jsonl has no evaluations"),
        ([line("greedy", 0, 50), {"steps": 1}], "some.jsonl, line 2 is not an evaluation"),
        ([line("greedy", 0, 50, games=99)], "some.jsonl, line 1 is not an evaluation"),
        ([line("greedy", 0, 0, games=0, losses=0)], "some.jsonl, line 1 is not an evaluation"),
        ([{"against": 3, **line("greedy", 0, 50), "wins": "many"}], "some.jsonl, line 1 is not an evaluation"),
    ],
)
def test_bad_logs(lines: list[dict[str, Any]], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        curves.read(log(tmp_path, *lines))
    (tmp_path / "text.jsonl").write_text("[]\n")
    with pytest.raises(ValueError, match=r"text\.jsonl, line 1 is not an evaluation"):
        curves.read(tmp_path / "text.jsonl")


# --- The table -----------------------------------------------------------------------------------------------------


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
    assert curves.shipped() == ["gomoku", "renju"]
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
    other = "<!-- policies-search --><!-- end of policies-search -->"
    Path("page.md").write_text(f"# Page\n\n{begin}\n{end}\n{other}")
    code, out, err = run("reproduce policies --what all --games 6 --out o --into page.md")
    assert code == 0, err
    assert "trained" in out
    for file in ("o/policies-table.md", "o/policies-table.json", "page.md"):
        assert f"written: {file}\n" in err
    made = Path("o/policies-table.md").read_text()
    page = Path("page.md").read_text()
    assert page.startswith(f"# Page\n\n{begin}\n\n{made}\n{end}\n<!-- policies-search -->\n\n")
    assert json.loads(Path("o/policies-table.json").read_text())["games"] == 6
