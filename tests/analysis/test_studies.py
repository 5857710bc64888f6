"""Studies: what their tables say is what the games say, and the same seed says it again."""

import json
from collections import Counter

import numpy as np
import pytest

from amoba_experiments.analysis.summary import difference_interval, summarize
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.statistics.intervals import wilson
from amoba_experiments.studies import STUDIES, first_move, halma_depths, thesis
from amoba_experiments.studies.section import Played, markdown, notes, play_section, put, text, text_table

SECTIONS = [(study, name) for study, sections in STUDIES.items() for name in sections]


def played(match: Match) -> Played:
    games = play_match(match, jobs=1)
    return Played(match, games, summarize(match, games, None))


def quiet(match: Match):  # type: ignore[no-untyped-def]
    return lambda count: None


@pytest.mark.parametrize(("study", "name"), SECTIONS)
def test_every_section(study: str, name: str) -> None:
    section = STUDIES[study][name]
    result = play_section(section, 6, 5, 1, quiet)
    if name == "seats":
        assert json.dumps(play_section(section, 6, 5, 2, quiet)) == json.dumps(result)
    assert len(result["matches"]) == len(section.matches(6, 5))
    text = markdown(result)
    most = max(each["match"]["seeds"] for each in result["matches"])
    assert ("Seed 5;" if most == 1 else f"Seeds 5 to {4 + most};") in text
    for table in result["tables"]:
        assert len({tuple(row) for row in table["rows"]}) == 1  # the same headings
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.endswith("|")


def test_figures_are_not_broken_in_narrow_terminals() -> None:
    row = {
        "player": "lookahead:2 with words",
        "by seed": "80.8 to 83.3 %",
        "points": {"share": 0.8, "ci95": [0.7, 0.9]},
    }
    assert text_table({"rows": [row]}).words == [0]


def test_difference_of_shares() -> None:
    """The first example of Newcombe (1998), method 10."""
    one, other = ({"share": wins / of, "ci95": wilson(wins, of)} for wins, of in ((56, 70), (48, 80)))
    assert difference_interval(one, other) == pytest.approx([0.0524, 0.3339], abs=5e-5)


def test_drawn_openings_are_the_same_in_gomoku_and_renju() -> None:
    matches = first_move.FORBIDDEN.matches(40, 3)
    found = {labels: played(match) for labels, match in matches.items() if "lookahead:2" not in labels}
    for player in ("random", "greedy"):
        gomoku, renju = (found[player, "4 random", game].games for game in ("gomoku", "renju"))
        np.testing.assert_array_equal(gomoku.opening, renju.opening)
        np.testing.assert_array_equal(renju.black, renju.starter)
        assert len(np.unique(gomoku.opening)) == 40
    both = {labels: one for labels, one in found.items() if labels[0] == "random"}
    for labels in matches:  # one player's games stand in for the others'
        both.setdefault(labels, both[("random", *labels[1:])])
    (table,) = first_move.FORBIDDEN.tables(both)
    row = table.rows[1]
    gomoku, renju = (both["random", "4 random", game].games for game in ("gomoku", "renju"))
    off = ((gomoku.winner == gomoku.starter).sum() - (renju.winner == renju.starter).sum()) / 40
    assert row["taken"]["share"] == pytest.approx(off)  # type: ignore[index]


def test_games_that_repeat_are_named() -> None:
    section = STUDIES["gomoku"]["first-move"]._replace(
        matches=lambda games, seed: {
            ("10x10", "freestyle", "greedy", "empty board"): Match(
                "gomoku", ("greedy", "greedy"), games, seed, "first", openings=("f5 e5 f6 e6 f7 e7 f8",)
            )
        }
    )
    result = play_section(section, 30, 1, 1, quiet)
    (found,) = (each["found"] for each in result["matches"])
    assert found["distinct_games"] <= 4
    assert f"empty board: {found['distinct_games']} of 30 games are distinct" in notes(result)[-1]


def test_who_was_first_to_move() -> None:
    one = played(Match("halma", ("lookahead:1",) * 3, 60, 2))
    cells = halma_depths._by_turn(one)
    turns = Counter((one.games.winner - one.games.starter) % 3)
    assert [cell["wins"] for cell in cells.values()] == [turns[i] for i in range(3)]  # type: ignore[index, call-overload]
    assert cells["first to move"]["wins"] == one.found["first_mover"]["wins"]  # type: ignore[index, call-overload]


def test_every_depth_sits_on_every_seat() -> None:
    matches = STUDIES["halma"]["conclusion"].matches(60, 0)
    duel = played(matches["3", "uniform", "2", "1"])
    assert np.bincount((duel.games.seating == 0).argmax(axis=1)).tolist() == [20, 20, 20]
    three = played(matches["all", "thesis"])
    assert set(Counter(map(tuple, three.games.seating.tolist())).values()) == {10}
    assert {match.agents for match in STUDIES["halma"]["star"].matches(60, 0).values()} >= {
        ("lookahead:3", "lookahead:2", "lookahead:2"),
        ("lookahead:3", "lookahead:2"),
    }


def test_marks_in_the_table() -> None:
    seats = [{"wins": wins, "share": wins / 10_000, "ci95": [0.0, 1.0]} for wins in (3336, 3372, 3292)]
    found = {"games": 10_000, "seats": seats, "rounds_mean": 14.71, "rounds_se": 0.03, "rounds_ci95": [14.65, 14.77]}
    published = thesis.THESIS[0]
    compared = thesis._compare(published, found)
    assert compared is not None
    assert min(compared["p_wins"]) > 0.99
    assert compared["p_rounds"] > 0.99
    few = thesis._compare(published, found | {"rounds_ci95": None})  # of too few games for an interval
    assert few is not None
    assert few["p_rounds"] is None
    seats[0]["wins"] = 2833
    found["rounds_mean"] = 14.3
    compared = thesis._compare(published, found)
    assert compared is not None
    assert compared["p_wins"][0] < thesis.CHANCE < compared["p_wins"][1]
    assert compared["p_rounds"] < thesis.CHANCE


def test_cells() -> None:
    assert text({"share": 0.5, "ci95": [0.4, 0.625]}) == "50.0 %\n[40.0, 62.5]"
    assert text({"share": 0.5, "ci95": None}) == "50.0 %\nunknown"
    assert text({"share": 0.25}) == "25.0 %"


def test_put_into_a_document() -> None:
    document = "# A\n\n<!-- one -->\nold\n<!-- end of one -->\n\n<!-- two -->\nother\n<!-- end of two -->\n"
    once = put(document, "one", "## New\n")
    assert once == document.replace("old\n", "\n## New\n\n")
    assert put(once, "one", "## New\n") == once
    for bad in ("", "<!-- one -->", "<!-- end of one -->\n<!-- one -->"):
        with pytest.raises(ValueError, match="expected the lines <!-- one --> and <!-- end of one -->,"):
            put(bad, "one", "x")
