"""The core against the slow referee of naive.py: the same game, compared after every move."""

import random
from itertools import product

import numpy as np
import pytest
from both import SEEDS, Both, anything, both, forward
from effort import cases
from hypothesis import given, settings
from hypothesis import strategies as hs
from naive import NaivePlace, Point
from naive_races import GOALS, STAR

from amoba_env.core import play
from amoba_env.core import state as st
from amoba_env.games.rows import GUARD_WEIGHTS, k_in_a_row

# --- Placing games ----------------------------------------------------------------------------------------------


@given(hs.lists(hs.integers(0, 8), min_size=9, max_size=9))
@settings(max_examples=cases(100))
def test_tictactoe(choices: list[int]) -> None:
    pair = both("tictactoe")
    pair.compare()
    for choice in choices:
        if pair.expected:
            pair.play(pair.expected[choice % len(pair.expected)])


@given(hs.sampled_from([5, 6, 10]), hs.sampled_from(list(GUARD_WEIGHTS)), SEEDS)
@settings(max_examples=cases(40))
def test_gomoku(size: int, rule: str, seed: int) -> None:
    assert both("gomoku", seed, size=size, rule=rule).walk(anything) in ("line", "full_board")


# Width, height, k, rule.
RULES = hs.sampled_from(list(GUARD_WEIGHTS))
RECTANGLES = hs.tuples(hs.integers(1, 7), hs.integers(1, 7), hs.integers(2, 5), RULES).filter(
    lambda shape: shape[2] <= max(shape[:2])
)


def rectangle(shape: tuple[int, int, int, str], seed: int) -> Both:
    width, height, k, rule = shape
    game = k_in_a_row("rows", {}, width, height, k, rule)
    return Both(game, NaivePlace(width, height, k, rule), random.Random(seed))


@given(RECTANGLES, SEEDS)
@settings(max_examples=cases(100))
def test_rectangles(shape: tuple[int, int, int, str], seed: int) -> None:
    rectangle(shape, seed).walk(anything)


@pytest.mark.plain
@pytest.mark.parametrize(("k", "ending"), [(1, "line"), (4, "full_board")])
def test_the_first_stone_wins_or_none_can(k: int, ending: str) -> None:
    assert rectangle((3, 2, k, "freestyle"), 0).walk(anything) == ending


@given(hs.one_of(RECTANGLES, hs.tuples(hs.just(10), hs.just(10), hs.just(5), RULES)), SEEDS)
@settings(max_examples=cases(80))
def test_dense_boards(shape: tuple[int, int, int, str], seed: int) -> None:
    # Stones that complete nothing fill the board; so the cells left over complete something, and often more than k.
    first = rectangle(shape, seed)
    slow = NaivePlace(*shape)
    for point in first.dice.sample(slow.board, len(slow.board)):
        slow.owner[point] = first.dice.randrange(2)
        if slow.winning_runs():
            del slow.owner[point]
    for seat, action in product((0, 1), slow.legal_actions()):
        pair = Both(first.game, NaivePlace(*shape), first.dice)
        pair.set_up(slow.owner, to_move=seat)
        pair.play(action)


@pytest.mark.parametrize("axis", [(1, 0), (0, 1), (1, 1), (1, -1)])
@pytest.mark.parametrize(
    ("length", "gap"), [(length, gap) for length in range(5, 10) for gap in range(length - 5, 5)]
)  # the last stone joins two parts of four stones at most
def test_long_rows(axis: tuple[int, int], length: int, gap: int) -> None:
    dx, dy = axis
    x, y = (0, 9) if dy < 0 else (0, 0)
    row = [(x + i * dx, y + i * dy) for i in range(length)]
    for rule in GUARD_WEIGHTS:
        pair = both("gomoku", rule=rule)
        pair.set_up({point: 0 for i, point in enumerate(row) if i != gap})
        pair.play(row[gap][1] * 10 + row[gap][0])
        wins = "exact" not in rule or length == 5
        assert pair.slow.ending == ("line" if wins else "")
        assert pair.slow.winning_cells() == (set(row) if wins else set())


@pytest.mark.parametrize(
    ("drawing", "wins"),
    [
        ("xxxx+x. ....... ....... ....... ....... ....... .......", "1010"),  # six along the rim
        ("xxxx+o. ....... ....... ....... ....... ....... .......", "1111"),  # the rim does not block
        (".xxxx+o x...... ....... ....... ....... ....... .......", "1111"),  # a row does not run on in the next line
        ("oxxxx+o ....... ....... ....... ....... ....... .......", "1100"),  # blocked at both ends
        (".xxxx+o ....... ....... ....... ....... ....... .......", "1111"),  # at one end
        ("xxxx+xo ....... ....... ....... ....... ....... .......", "1010"),  # a six at the rim and a stone
        ("o...... xxx+xxo ....... ....... ....... ....... .......", "1010"),
        ("oxxxx+o .....x. .....x. .....x. .....x. ....... .......", "1111"),  # another five is not blocked
        ("oxxxx+o .....x. .....x. .....x. .....x. .....o. .......", "1111"),  # nor one at the rim
        ("o...... .x..... ..x.... ...x... ....+.. .....x. ......o", "1100"),
        ("x...... .x..... ..+.... ...x... ....x.. .....x. .......", "1010"),  # six from the corner
        (".....x. ....x.. ...x... ..+.... .x..... o...... .......", "1111"),
        ("xx+xxx. ..x.... ..x.... ..x.... ..x.... ....... .......", "1111"),  # a six and a five at once: one counts
        ("..x.... ..x.... xx+xxx. ..x.... ..x.... ..x.... .......", "1010"),  # two sixes
        ("xx+oxx. xxx.... ..o.... .x..... x...... ....... .......", "0000"),  # broken in every direction
    ],
)
def test_rows_by_hand(drawing: str, wins: str) -> None:
    # The stones x and o stand, and x puts the one on +.
    chars = {(x, y): char for y, line in enumerate(drawing.split()) for x, char in enumerate(line)}
    stones = {point: "xo".index(char) for point, char in chars.items() if char in "xo"}
    x, y = next(point for point, char in chars.items() if char == "+")
    for rule, won in zip(GUARD_WEIGHTS, wins, strict=True):
        pair = both("gomoku", size=7, rule=rule)
        pair.set_up(stones)
        pair.play(y * 7 + x)
        assert pair.slow.ending == ("line" if won == "1" else "")


# --- Halma ------------------------------------------------------------------------------------------------------


@given(hs.sampled_from([2, 3]), hs.sampled_from([1, 2, 3, 4, 20, 60]), hs.booleans(), SEEDS)
@settings(max_examples=cases(60))
def test_halma(players: int, max_plies: int, adjudicate: bool, seed: int) -> None:
    pair = both("halma", seed, players=players, max_plies=max_plies, adjudicate=adjudicate)
    assert pair.walk(anything) == ("distance" if adjudicate else "max_plies")


@pytest.mark.parametrize("players", [2, 3])
def test_halma_to_the_goal(players: int) -> None:
    winners = set()
    for seed in range(12):
        pair = both("halma", seed, players=players, max_plies=300)
        if pair.walk(forward) == "goal":
            winners.add(pair.slow.winner)
    assert winners == set(range(players))


@given(hs.sampled_from([2, 3]), hs.integers(1, 6), hs.booleans(), SEEDS)
@settings(max_examples=cases(80))
def test_crowded_halma(players: int, gaps: int, adjudicate: bool, seed: int) -> None:
    # Few empty cells and any number of men: players are often skipped, and chains of jumps are long.
    pair = both("halma", seed, players=players, max_plies=30, adjudicate=adjudicate)
    dice = pair.dice
    owner = {point: dice.randrange(players) for point in STAR}
    for point in dice.sample(STAR, gaps):
        del owner[point]
    pair.set_up(owner, to_move=dice.randrange(players))
    pair.walk(anything)


def men(*lines: str) -> dict[Point, int]:
    """The men of a drawing of the star: r, w, g."""
    return {(x, y): "rwg".index(char) for y, line in enumerate(lines) for x, char in enumerate(line) if char in "rwg"}


def action(origin: Point, to: Point) -> int:
    index = sorted(STAR, key=lambda point: (point[1], point[0])).index
    return index(origin) * 37 + index(to)


BLOCKED = men(
    "      .",
    "     . .",
    "g . . . r r w",  # the white man can neither step nor jump
    " . . . . . r",
    "  . . . . r",
    " . . . . . .",
    ". . . . . . .",
    "     . .",
    "      r",
)


def test_a_player_who_cannot_move_is_skipped() -> None:
    pair = both("halma", players=3)
    pair.set_up(BLOCKED)
    pair.play(action((6, 8), (5, 7)))
    assert pair.slow.to_move == 2
    pair.play(action((0, 2), (2, 2)))
    assert pair.slow.to_move == 0
    pair.play(action((8, 2), (6, 2)))  # now white can jump
    assert pair.slow.to_move == 1


def test_two_players_are_skipped() -> None:
    pair = both("halma", players=3)
    pair.set_up(BLOCKED | {(2, 2): 0, (4, 2): 0, (1, 3): 0, (2, 4): 0})
    pair.play(action((6, 8), (5, 7)))
    assert pair.slow.to_move == 0


def test_with_two_players_one_moves_twice() -> None:
    pair = both("halma", players=2)
    pair.set_up({point: seat for point, seat in BLOCKED.items() if seat != 2})
    pair.play(action((6, 8), (5, 7)))
    pair.play(action((5, 7), (6, 8)))
    assert (pair.slow.to_move, pair.slow.ply) == (0, 2)


@pytest.mark.plain
def test_nobody_can_move() -> None:
    # No move leads here, because a man can always go back (the next test); but a position by hand does.
    pair = both("halma", players=3)
    pair.set_up({point: i % 3 for i, point in enumerate(STAR)})
    assert (pair.slow.ending, pair.slow.winner) == ("no_moves", None)


@given(hs.sampled_from([2, 3]), hs.integers(0, 200), SEEDS)
@settings(max_examples=cases(40))
def test_a_man_can_always_go_back(players: int, plies: int, seed: int) -> None:
    pair = both("halma", seed, players=players)
    play.random_plies(pair.game.rules, pair.state, np.array([seed], np.uint64), plies)
    for move in pair.legal[: play.moves(pair.game.rules, pair.state, pair.legal)].tolist():
        after = pair.state.copy()
        assert play.step(pair.game.rules, after, move)
        after[st.STATUS], after[st.TO_MOVE] = st.RUNNING, pair.state[st.TO_MOVE]
        assert play.is_legal(pair.game.rules, after, move % 37 * 37 + move // 37)


@pytest.mark.parametrize("adjudicate", [False, True])
def test_home_on_the_last_ply_is_a_win(adjudicate: bool) -> None:
    pair = both("halma", max_plies=1, adjudicate=adjudicate)
    pair.set_up({point: 0 for point in GOALS[0] if point != (4, 2)} | {(3, 3): 0, (12, 2): 1, (0, 2): 2})
    pair.play(action((3, 3), (4, 2)))
    assert (pair.slow.ending, pair.slow.winner) == ("goal", 0)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_position_by_hand_can_be_over(seat: int) -> None:
    pair = both("halma", players=3)
    pair.set_up(dict.fromkeys(GOALS[seat], seat) | {(6, 4): (seat + 1) % 3})
    assert (pair.slow.ending, pair.slow.winner) == ("goal", seat)


def test_a_position_by_hand_names_a_stone_that_won() -> None:
    pair = both("gomoku")
    pair.set_up({(3 + i, 7 - i): 1 for i in range(5)}, to_move=0)
    assert (pair.slow.ending, pair.slow.winner) == ("line", 1)
    assert pair.slow.board[pair.state[st.TO]] in pair.slow.winning_cells()
