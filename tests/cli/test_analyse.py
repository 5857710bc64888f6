"""`amoba analyse`: values, lines, the move that lost the game, the curve and the page."""

import json
from pathlib import Path

import pytest
from commands import Run, refused

from amoba_agents.mcts.leaves import learned
from amoba_agents.mcts.tree_search import TreeSearch
from amoba_env import Position, Record, games, records
from amoba_env.core.rng import streams
from amoba_experiments.positions.analyse import analysis
from amoba_experiments.positions.judge import Effort, judge

TICTACTOE = games.make("tictactoe")
FIRST, SECOND = TICTACTOE.colors
MOVES = "b2 b3 a3 c1 a2 c2 a1"  # an edge loses against the centre
QUICK = Effort(nodes=20_000)


def test_the_move_that_lost_is_found() -> None:
    result = analysis(Record(TICTACTOE, MOVES), QUICK, 9)
    rows = result["positions"]
    assert [(row["ply"], row["played"]) for row in rows] == list(enumerate(MOVES.split()))
    assert [row["kind"] for row in rows] == ["", "losing", "", "", "", "", ""]
    assert (rows[1]["to_move"], rows[1]["value"], rows[1]["loss"]) == (SECOND, -1.0, 1.0)
    assert {best["move"] for best in rows[1]["best"] if best["value"] > -0.5} == {"a1", "a3", "c1", "c3"}
    assert rows[6]["best"][0] == {"move": "a1", "value": 1.0, "plies": 1, "line": "a1"}
    curve = result["curve"][FIRST]
    assert [ply for ply, _ in curve] == list(range(8))
    assert {value for _, value in curve[2:]} == {1.0}


def test_best_moves_have_lines_of_best_play() -> None:
    position = Position.from_moves(games.make("gomoku", size=9), "e5 a1 e6 a9 e7 i1")
    found = judge(position, QUICK, 3)
    assert found is not None
    assert found.values == (1.0, -1.0)
    first, *others = found.best
    assert (first.value, first.plies) == (1.0, 3)  # an open four
    end = position
    for move in first.line.split():
        end = end.play(move)
    assert (end.over, end.ply) == (True, position.ply + 3)
    assert [each.value for each in others] == sorted((each.value for each in others), reverse=True)
    assert len({each.move for each in found.best}) == 3


def test_a_win_by_threes_is_not_called_too_short() -> None:
    """One three, and then more than one four."""
    text = "11/6o2x1/4oxxo1x1/5o5/2o4o3/1x4x4/1o1o2x4/1x2x6/9x1/2o2x1oo2/11 x 22 d5"
    found = judge(Position.from_text(games.make("gomoku", size=11), text), QUICK)
    assert found is not None
    assert found.best[0].plies is not None
    assert found.best[0].plies > 5


def test_a_game_that_is_over_has_no_best_move() -> None:
    judgements = [judge(position, QUICK) for position in Record(TICTACTOE, MOVES).positions]
    assert [len(each.best) for each in judgements if each] == [1] * 7 + [0]


def test_phases_of_an_opening_are_left_out() -> None:
    swap = games.make("gomoku", size=7, opening="swap2")
    assert judge(Position.start(swap), QUICK) is None


def test_colours_are_those_of_the_stones() -> None:
    """Where seat 1 begins, and after a swap: the curve is that of black."""
    game = games.make("renju", size=9)
    found = analysis(Record(game, "e5 a1 e6 a3 e7", first=1), Effort(nodes=200), 1)
    assert [row["to_move"] for row in found["positions"][:2]] == ["black", "white"]
    assert found["curve"]["black"][-1][1] > 0
    swapped = Record(games.make("gomoku", opening="swap"), "e5 f6 e6 swap g7")
    for row in analysis(swapped, Effort(nodes=50), 1)["positions"]:
        position = swapped.positions[row["ply"]]
        assert row["to_move"] == swapped.game.color(position.state, position.to_move)


def test_games_of_three_are_searched_by_a_tree() -> None:
    game = games.make("halma")
    record = Record(game, [int(Position.start(game).legal_actions()[0])])
    result = analysis(record, Effort(nodes=100), 2)
    assert [len(row["best"]) for row in result["positions"]] == [2, 2]
    assert {color: len(points) for color, points in result["curve"].items()} == dict.fromkeys(game.colors, 2)
    for row in result["positions"]:
        assert all(-1 <= best["value"] <= 1 for best in row["best"])
        assert all(best["line"].split()[0] == best["move"] for best in row["best"])


def test_learned_chances_explore_as_in_the_player() -> None:
    """The default of c is that of the leaf: 1 in halma with learned chances, in analyses too."""
    position = Position.start(games.make("halma", players=2))
    found = judge(position, Effort(nodes=100))
    assert found is not None
    values = []
    for c in (1.0, 2.0, None):
        state, leaf = position.state[None].copy(), learned(position.game)
        search = TreeSearch(position.game, state, streams(0, 0, 1), 100, leaf, c)
        search.run(100)
        values.append(search.values()[0, search.best()[0]])
    assert found.best[0].value == values[0] == values[2] != values[1]


def test_text_picture_page_and_json(run: Run, tmp_path: Path) -> None:
    picture, page, data = (tmp_path / name for name in ("curve.svg", "game.html", "analysis.json"))
    code, out, err = run(f"analyse tictactoe '{MOVES}' --nodes 2000 --best 2 -o {page} --json {data}")
    assert code == 0
    assert "b3 ??" in out
    assert f"move 2, {SECOND} b3 loses (-1.00); better" in out
    assert f"written: {page}" in err
    result = json.loads(data.read_text())
    assert (result["moves"], result["nodes"], len(result["positions"])) == (MOVES, 2000, 7)
    html = page.read_text()
    assert html.count('<tr class="losing">') == 1
    assert html.index('class="analysis"') < html.index("</main>")
    assert run(f"analyse tictactoe b2 --nodes 100 -o {picture}")[0] == 0
    assert picture.read_text().startswith("<svg xmlns")


def test_a_game_in_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    records.write([Record(TICTACTOE, "a1"), Record(TICTACTOE, MOVES)], file)
    code, out, _ = run(f"analyse tictactoe {file} --number 2 --nodes 500 --best 1 --json -")
    assert code == 0
    assert json.loads(out)["moves"] == MOVES
    refused(run, f"analyse tictactoe {file} --number 3", "expected 1..2")


def test_all_seats_have_their_values_in_games_of_three() -> None:
    """Black wins at once; red's move before lost, as it did not see that."""
    game = games.make("amoba", players=3, board="5x5", patterns="4")
    record = Record(game, "a3 a5 e5 b3 b5 e4 c3 d5 e1 d3")
    effort = Effort(nodes=2000)
    judgement = judge(record.positions[-2], effort)
    assert judgement is not None
    assert judgement.values == pytest.approx((1, -0.5, -0.5), abs=0.15)
    rows = analysis(record, effort, 1)["positions"]
    assert [row["ply"] for row in rows if row.get("kind") == "losing"] == [8]
