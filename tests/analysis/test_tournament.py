"""Tournaments: the same for any jobs and after interruptions, tables against plain counts, and one clear error."""

import dataclasses
import json
import re
import shutil
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import Run, printed

from amoba_experiments.analysis.summary import points_text
from amoba_experiments.analysis.tournament import Tournament, play_tournament, summarize
from amoba_experiments.analysis.tournament.text import markdown, print_tournament
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.store import load, runs_in

FOUR = Tournament("tictactoe", ("greedy", "lookahead:3", "random", "greedy"), games=12, seed=3, openings=("random:2",))
HALMA = Tournament("halma", ("greedy", "random", "lookahead:2"), games=12, seed=1, options={"max_plies": 120})


def found(
    tournament: Tournament, folder: Path | None = None, jobs: int = 1, batch: int | None = None
) -> dict[str, Any]:
    return summarize(tournament, play_tournament(tournament, folder, jobs, batch))


def test_a_pairing_without_games_is_left_out_of_statistics(run: Run, tmp_path: Path) -> None:
    run("tournament tictactoe greedy random perfect --games 4 --out t --quiet")
    shutil.rmtree(tmp_path / "t" / "round-1" / "2-3" / "games")
    for line in ("stats t", "report t -o a.html"):
        code, _, err = run(line)
        assert (code, "2-3 has no games yet" in err) == (0, True)


def test_runs_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("1-10", "1-2", "2-3"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").touch()
    assert [folder.name for folder in runs_in(tmp_path)] == ["1-2", "1-10", "2-3"]


@pytest.mark.parametrize("format", ["round-robin", "gauntlet"])
def test_the_same_for_any_jobs_and_on_disk(format: str, tmp_path: Path) -> None:
    what = dataclasses.replace(FOUR, format=format)
    result = found(what)
    assert found(what, None, 2, 5) == result
    assert found(what, tmp_path / "t", 2, 7) == result
    shutil.rmtree(tmp_path / "t" / result["pairings"][-1]["run"])  # not begun when the process was killed
    assert found(what, tmp_path / "t") == result
    for each in result["pairings"]:
        assert load(tmp_path / "t" / each["run"]).num_rows == 12
    assert json.loads(json.dumps(result)) == result
    with pytest.raises(ValueError, match="holds another tournament: seed is 3 there, 4 here"):
        play_tournament(dataclasses.replace(what, seed=4), tmp_path / "t")
    with pytest.raises(ValueError, match=r"has files but no tournament\.json"):
        play_tournament(what, tmp_path)
    assert len(what.lineups) == len(result["pairings"])
    assert "greedy#2" in printed(print_tournament, result, 80)


def test_tables_against_a_plain_count() -> None:
    matches = play_tournament(FOUR, None, 1)
    result = summarize(FOUR, matches, 1.0)
    points = np.zeros((4, 4))
    for match in matches:
        for status, seating in zip(match.played.winner.tolist(), match.played.seating.tolist(), strict=True):
            for seat in (0, 1):
                one, other = match.lineup[seating[seat]], match.lineup[seating[1 - seat]]
                points[one, other] += 0.5 if status < 0 else status == seat
    assert {match.lineup for match in matches} == set(combinations(range(4), 2))
    table = result["standings"]
    assert [row["elo"] for row in table] == sorted((row["elo"] for row in table), reverse=True)
    for row, cells in zip(table, result["cross"], strict=True):
        one = row["number"] - 1
        assert (row["points"], row["games"]) == (points[one].sum(), 36)
        assert row["share"] == pytest.approx(points[one].sum() / 36)
        assert row["ci95"] is row["elo_ci95"] is None  # three pairings of six openings are too few
        for cell, below in zip(cells, table, strict=True):
            other = below["number"] - 1
            assert cell == (None if one == other else {"ahead": points[one, other], "of": 12})
    assert result["games_played"] == 72
    assert "nobody has the 20 openings that an interval needs" in result["warnings"][0]
    for each in result["pairings"]:
        assert sum(each["points"]) == each["games"] == 12
    assert sum(row["wins"] for row in table) == sum(int((match.played.winner >= 0).sum()) for match in matches)


def test_seats_are_balanced_and_no_pairing_has_the_games_of_another() -> None:
    matches = play_tournament(FOUR, None, 1)
    for match in matches:
        assert np.bincount(match.played.seating[:, 0]).tolist() == [6, 6]
        assert (match.played.opening[::2] == match.played.opening[1::2]).all()
    seeds = [match.match.seed for match in matches]
    assert len(set(seeds)) == 6
    unpaired = dataclasses.replace(FOUR, paired=False, games=5)
    assert [unpaired.match((0, 1)).rotate, unpaired.match((0, 1)).paired] == [True, False]
    assert play_match(FOUR.match((0, 1)), jobs=1).digest.tolist() == matches[0].played.digest.tolist()


def test_three_seats() -> None:
    result = found(HALMA)
    assert result["ratings"]["model"] == "Plackett-Luce"
    assert [each["agents"] for each in result["pairings"]] == [["greedy", "random", "lookahead:2"]]
    table = result["standings"]
    assert sum(row["points"] for row in table) == pytest.approx(12 * 1.5)
    assert sum(row["place_mean"] for row in table) == pytest.approx(6)
    assert table[2]["agent"] == "random"
    for row in table:
        assert row["points"] == pytest.approx(row["games"] * (3 - row["place_mean"]) / 2)
    two = found(dataclasses.replace(HALMA, agents=("greedy", "random")))
    assert [each["agents"] for each in two["pairings"]] == [
        ["greedy", "greedy", "random"],
        ["greedy", "random", "random"],
    ]
    assert [row["games"] for row in two["standings"]] == [36, 36]
    assert two["cross"][0][1]["of"] == 48
    assert sum(row["points"] for row in two["standings"]) == pytest.approx(36)
    gauntlet = Tournament("halma", ("greedy", "random", "lookahead:1", "greedy"), "gauntlet")
    assert gauntlet.lineups == [(0, 1, 2), (0, 1, 3), (0, 2, 3)]
    text = printed(print_tournament, found(dataclasses.replace(gauntlet, games=6)), 100)
    assert re.search(r" \d+½? of \d+ ", text)  # pairs differ
    text = " ".join(printed(print_tournament, result, 100).split())
    for words in ("place", "Times before each, of 12", "points in each lineup", "Plackett-Luce", "every order"):
        assert words in text


def test_points_as_text() -> None:
    assert [points_text(each) for each in (0, 0.5, 3, 61.5, 0.75, 7.25)] == ["0", "½", "3", "61½", "0.75", "7.25"]


@pytest.mark.parametrize("format", ["round-robin", "gauntlet"])
@pytest.mark.parametrize("width", [80, 100])
def test_what_is_shown_fits(format: str, width: int) -> None:
    what = dataclasses.replace(FOUR, agents=(*FOUR.agents, "lookahead:1,ties=thesis"), games=2, format=format)
    result = found(what)
    text = printed(print_tournament, result, width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    page = markdown(result)
    assert page.startswith(f"## {format}: tictactoe, 2 games per pairing, seed 3\n")
    rows = [line for line in page.splitlines() if line.startswith("| 1 |")]
    assert rows
    for line in page.splitlines():
        assert not line.startswith("|") or line.endswith("|")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agents": ("greedy",)}, "expected two agents or more, got 1"),
        ({"agents": ("greedy", "x")}, "unknown agent 'x'"),
        ({"games": 5}, "games: expected a multiple of 2, such as 4, got 5; with paired every opening"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": "gomoku", "agents": ("greedy", "perfect")}, "gomoku is too large to solve"),
        ({"openings": ("z9",)}, "opening 'z9'"),
    ],
)
def test_bad_tournaments(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(FOUR, **changes)


def test_openings_of_a_file_are_the_same_in_all_pairings() -> None:
    """Nine lines are nine openings, however often they are played and by whom: too few."""
    lines = tuple(f"{column}{row}" for column in "abc" for row in "123")
    what = dataclasses.replace(FOUR, openings=lines, games=72)
    assert all(row["ci95"] is row["elo_ci95"] is None for row in found(what)["standings"])


def test_players_that_draw_nearly_all_their_games() -> None:
    """Where the openings of a pairing do not differ, rounding must not make a variance negative."""
    what = Tournament("tictactoe", ("perfect", "lookahead:2", "lookahead:3"), games=40)
    for row in found(what)["standings"]:
        assert row["elo_ci95"][0] < row["elo"] < row["elo_ci95"][1]


def test_intervals_where_there_are_openings_enough() -> None:
    what = dataclasses.replace(FOUR, games=16)
    for row in found(what)["standings"]:
        for name, value in (("ci95", row["share"]), ("elo_ci95", row["elo"])):
            assert row[name] is None or row[name][0] <= value <= row[name][1]
    assert found(what)["standings"][0]["ci95"] is not None
    assert not any("openings that an interval needs" in line for line in found(what)["warnings"])


def test_what_too_few_openings_need() -> None:
    """More games of the same four openings would not help."""
    for openings, words in ((("b2 a1", "a1 b2", "c3 a1", "a2 b1"), "(--openings)"), (("random:2",), "(--games)")):
        what = Tournament("tictactoe", ("greedy", "random"), games=8, openings=openings)
        assert any(each.endswith(words) for each in summarize(what, play_tournament(what))["warnings"])
