"""Renju: the labelled corpus, positions by hand, who wins, and what becomes of forbidden points."""

from collections import Counter

import numpy as np
import pytest
from effort import cases
from naive import Point
from naive_renju import kind
from renju_boards import core_kinds, corpus, drawn, free_cells, state_of

from amoba_env import Position, draw, games, renju_v0
from amoba_env.core import endings as en
from amoba_env.core import play, renju
from amoba_env.core import state as st
from amoba_env.games import Game
from amoba_env.notation import cell_name

RENJU = games.make("renju")
LOSE = games.make("renju", forbidden="lose")

# --- The corpus -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(8))
def test_the_corpus(part: int) -> None:
    for entry in corpus()[part::8][: cases(42)]:
        black, white = set(entry["black"]), set(entry["white"])
        expected = dict(zip(entry["forbidden"], entry["kinds"], strict=True)) | dict.fromkeys(entry["five"], "five")
        assert core_kinds(15, black, white) == expected, entry["id"]
        if "focus" in entry:
            row, column = entry["focus"]
            assert expected.get((column, row), "legal") == entry["focus_verdict"]
        check_moves(state_of(RENJU, black, white), set(free_cells(15, black, white)), expected)
        check_white(state_of(RENJU, black, white, to_move=1), set(entry["white_five"]))


def test_the_corpus_has_all_kinds() -> None:
    assert len(corpus()) == 329
    kinds = Counter(kind for entry in corpus() for kind in entry["kinds"])
    assert kinds == {"double_three": 457, "double_four": 213, "overline": 124}
    assert sum(len(entry["five"]) for entry in corpus()) == 525


def check_moves(state: np.ndarray, free: set[Point], kinds: dict[Point, str]) -> None:
    """Which cells the core masks and which win, one by one and all at once."""
    forbidden = {p for p, what in kinds.items() if what != "five"}
    legal = np.zeros(225, np.int32)
    count = play.moves(RENJU.rules, state, legal)
    assert legal[:count].tolist() == sorted(y * 15 + x for x, y in free - forbidden)
    for x, y in free:
        cell = y * 15 + x
        assert play.is_legal(RENJU.rules, state, cell) == ((x, y) not in forbidden)
        assert renju.is_forbidden(RENJU.rules, state, 0, cell) == ((x, y) in forbidden)
        for game in (RENJU, LOSE):
            after = state.copy()
            if play.step(game.rules, after, cell):
                lost = (x, y) in forbidden
                assert (after[st.ENDING] == en.LINE) == (kinds.get((x, y)) == "five")
                assert (after[st.ENDING] == en.FORBIDDEN) == lost
                assert after[st.STATUS] == (1 if lost else 0 if kinds.get((x, y)) == "five" else -1)
            else:
                assert game is RENJU
                assert np.array_equal(after, state)


def check_white(state: np.ndarray, fives: set[Point]) -> None:
    """White may play everywhere, and wins there."""
    legal = np.zeros(225, np.int32)
    for cell in legal[: play.moves(RENJU.rules, state, legal)].tolist():
        after = state.copy()
        assert play.step(RENJU.rules, after, cell)
        assert (after[st.STATUS] == 1) == ((cell % 15, cell // 15) in fives)
    assert (state[st.CELLS :] == -1).sum() == play.moves(RENJU.rules, state, legal)


# --- By hand ----------------------------------------------------------------------------------------------------

# Black puts the stone +.
BY_HAND = {
    "a lone stone": (["+"], ""),
    "a three": (["xx+"], ""),
    "two threes": (["xx+", "..x", "..x"], "double_three"),
    "two threes with gaps": (["x.x+", "...x", "....", "...x"], "double_three"),
    "three threes": (["x...x", ".x..x", "..xx+", "....."], "double_three"),
    "a three and a row of three that white has closed": (["oxx+", "...x", "...x"], ""),
    "a three and one without the room for a straight four": (["o.xx+.o", "....x", "....x"], ""),
    "a three and a four": (["oxxx+", "....x", "....x"], ""),
    "two threes and a four": (["oxxx+", "...xx", "..x.x"], "double_three"),
    "a straight four is one four": ([".xxx+."], ""),
    "two fours": (["oxxx+", "....x", "....x", "....x"], "double_four"),
    "two fours that touch white at one end": (["oxxx+.", "....x", "....x", "....x", "....o"], "double_four"),
    "four stones that white has closed at both ends are no four": (["oxxx+o", "....x", "....x", "....x"], ""),
    "X.XXX.X": (["x.x+x.x"], "double_four"),
    "XX.XX.XX": (["xx.+x.xx"], "double_four"),
    "XXX.X.XXX": (["xxx.+.xxx"], "double_four"),
    "X.XXX.X, one gap white's": (["xox+x.x"], ""),
    "XX.XXX.XX makes no five": (["xx.x+x.xx"], ""),
    "a six": (["xxx+xx"], "overline"),
    "a nine": (["xxxx+xxxx"], "overline"),
    "a six and a four": (["xxx+xx", "...x", "...x", "...x"], "overline"),
    "a five": (["xxx+x"], "five"),
    "a five and a six": (["xxx+x", "...x", "...x", "...x", "...x", "...x"], "five"),
    "a five and two fours": (["..xx+xx", ".x..x", "x...x", "....x", "x"], "five"),
    "a five and two threes": (["xxxx+", "...xx", "..x.x"], "five"),
    "a five that would be six is not a five": (["xxxxx.+"], ""),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name: str) -> None:
    lines, what = BY_HAND[name]
    for corner in ((4, 4), (2, 5), (5, 3)):  # with room for everything around
        black, white, p = drawn(lines, corner)
        assert p is not None
        assert core_kinds(15, black, white).get(p, "") == what
        assert kind(frozenset(black), free_cells(15, black, white), p) == what


# The row of three needs an end cell, and a cell beyond it for the five.
@pytest.mark.parametrize(("x", "what"), [(0, ""), (1, "double_three"), (2, "double_three"), (9, "double_three")])
def test_threes_at_the_rim(x: int, what: str) -> None:
    for lines, corner in ((["xx+", "...", "..x", "..x"], (x, 5)), (["+xx", "...", "x..", "x.."], (12 - x, 5))):
        black, white, p = drawn(lines, corner)
        assert p is not None
        assert core_kinds(15, black, white).get(p, "") == what


# --- Who wins ---------------------------------------------------------------------------------------------------


def after(game: Game, lines: list[str], to_move: int) -> Position:
    """The position after the stone + of a drawing, whose corner is (3, 3)."""
    black, white, p = drawn(lines, (3, 3))
    assert p is not None
    return Position(game, state_of(game, black, white, to_move)).play(p[1] * 15 + p[0])


def cells_named(position: Position) -> str:
    assert position.outcome is not None
    return " ".join(cell_name(position.game, cell) for cell in position.outcome.cells)


@pytest.mark.plain
@pytest.mark.parametrize("game", [RENJU, LOSE], ids=["mask", "lose"])
@pytest.mark.parametrize(
    ("lines", "to_move", "winner", "cells"),
    [
        (["oo+oo"], 1, 1, "d12 e12 f12 g12 h12"),
        (["oo+ooo"], 1, 1, "d12 e12 f12 g12 h12 i12"),
        (["oooo+oooo"], 1, 1, "d12 e12 f12 g12 h12 i12 j12 k12 l12"),
        (["ooo+", "...o", "...o", "...o"], 1, None, ""),
        (["oo+", "..o", "..o"], 1, None, ""),
        (["xx+xx"], 0, 0, "d12 e12 f12 g12 h12"),
        (["xxx+x", "...x", "...x", "...x", "...x", "...x"], 0, 0, "d12 e12 f12 g12 h12"),  # and a six
    ],
)
def test_who_wins(game: Game, lines: list[str], to_move: int, winner: int | None, cells: str) -> None:
    position = after(game, lines, to_move)
    if winner is None:
        assert not position.over
        return
    assert position.outcome is not None
    assert (position.outcome.winner, position.outcome.ending) == (winner, "line")
    assert cells_named(position) == cells
    again = Position.from_text(game, position.text)
    assert again == position


@pytest.mark.plain
@pytest.mark.parametrize("name", [name for name in BY_HAND if BY_HAND[name][1] not in ("", "five")])
def test_forbidden_points_are_masked_or_lose(name: str) -> None:
    lines, what = BY_HAND[name]
    words = what.replace("_", "-")
    with pytest.raises(ValueError, match=rf"illegal move \w+: forbidden for black \({words}\)"):
        after(RENJU, lines, to_move=0)
    lost = after(LOSE, lines, to_move=0)
    assert lost.outcome is not None
    assert (lost.outcome.winner, lost.outcome.ending, lost.outcome.cells) == (1, "forbidden", ())
    assert lost.outcome.rewards == (-1.0, 1.0)
    assert lost.outcome.places == (2, 1)
    assert Position.from_text(LOSE, lost.text) == lost
    for game in (RENJU, LOSE):  # white may take the point
        assert not after(game, lines, to_move=1).over


def test_a_six_of_black_is_no_win_where_it_stands() -> None:
    # No move leads here; by hand it can be set up, and the game goes on.
    black, white, _ = drawn(["xxxxxx", "o.o.o.", "......", "o.o.o."], (3, 3))
    position = Position.from_cells(RENJU, state_of(RENJU, black, white)[st.CELLS :])
    assert not position.over
    assert position.to_move == 0


@pytest.mark.parametrize("options", [{}, {"opening": "rif26"}], ids=str)
def test_the_forbidden_points_are_those_of_the_black_stones(options: dict[str, str]) -> None:
    """Whoever has them: after a swap, or where the second seat began."""
    game = games.make("renju", **options)
    black, white, p = drawn(["xx+", "..x", "..x"], (4, 4))
    assert p is not None
    state = state_of(game, white, black, to_move=1)
    state[st.PHASE] = state[st.LEFT] = 0
    assert play.is_legal(game.rules, state, p[1] * 15 + p[0])
    state[st.BLACK] = 1
    assert not play.is_legal(game.rules, state, p[1] * 15 + p[0])


# --- The environment --------------------------------------------------------------------------------------------


# Three empty cells; black would make a six on each of them. White's last stone is the one at g9.
STUCK = [
    "xxx+xxoox",
    "xooxooxxo",
    "xxooxxoox",
    "xoxxooxoo",
    "+xx+xxxox",
    "xoxxooxxo",
    "xooooxooo",
    "ooxxooxoo",
    "xxooxooox",
]
BEFORE_STUCK = "/".join(line.replace("+", "1") for line in STUCK).replace("xxx1xxoox", "xxx1xx1ox") + " o 77 -"


def test_the_board_where_all_is_forbidden() -> None:
    black, white, _ = drawn(STUCK)
    assert core_kinds(9, black, white) == dict.fromkeys([(3, 0), (0, 4), (3, 4)], "overline")


@pytest.mark.plain
def test_no_legal_cell_is_a_draw() -> None:
    env = renju_v0.raw_env(size=9)
    env.reset(options={"position": BEFORE_STUCK})
    assert env.agent_selection == "player_1"
    env.step(env.encode("player_1", "g9"))
    assert env.outcome is not None
    assert (env.outcome.ending, env.outcome.winner, env.outcome.places) == ("no_moves", None, (1, 1))
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert not env.observe("player_0")["action_mask"].any()
    assert Position.from_text(env.game, env.position.text) == env.position
    assert draw.status(env.game, env.position.state) == "draw after 78 moves (no moves)"


def test_no_legal_cell_loses_where_forbidden_points_lose() -> None:
    position = Position.from_text(games.make("renju", size=9, forbidden="lose"), BEFORE_STUCK).play("g9")
    assert not position.over
    assert position.legal_moves() == ["d9", "a5", "d5"]
    for move in position.legal_moves():
        outcome = position.play(move).outcome
        assert outcome is not None
        assert (outcome.ending, outcome.winner) == ("forbidden", 1)


def test_white_is_never_stuck() -> None:
    # The same board, white to move: white may fill it.
    position = Position.from_text(games.make("renju", size=9), BEFORE_STUCK)
    assert position.legal_moves() == ["d9", "g9", "a5", "d5"]
