"""The core against the slow referee of naive.py: the same game, compared after every move."""

import random
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import GOALS, STAR, TIPS, Naive, NaivePlace, Point, referee, step_distance

from amoba_env import games
from amoba_env.core import play
from amoba_env.core.rng import below, streams
from amoba_env.core.rules import BACK, VIEW, table
from amoba_env.core.state import (
    CELLS,
    ENDING,
    ENDINGS,
    FROM,
    ILLEGAL,
    NOBODY,
    NOT_OVER,
    NOWHERE,
    PLY,
    RESIGNED,
    RUNNING,
    STATUS,
    TO,
    TO_MOVE,
)
from amoba_env.games import Game
from amoba_env.games.rows import k_in_a_row

SEEDS = st.integers(0, 2**32 - 1)
OUTSIDE = (1, 2, 100, 2**31, 2**32, 2**62)  # so far from the first and the last action


class Both:
    """A game played by the core and by the referee at once."""

    def __init__(self, game: Game, slow: Naive, dice: random.Random) -> None:
        self.game, self.slow, self.dice = game, slow, dice
        self.state = game.start()
        self.legal = np.empty(game.n_actions, np.int32)
        self.mask = np.empty(game.n_actions, np.int8)
        self.planes = np.empty((game.board.height, game.board.width, game.players + 1), np.int8)

    def set_up(self, owner: dict[Point, int], to_move: int = 0) -> None:
        """Go on from a position that was put together by hand."""
        self.slow.owner, self.slow.to_move = dict(owner), to_move
        self.slow.ply = len(owner) if isinstance(self.slow, NaivePlace) else 0
        self.state[CELLS:] = self.slow.cells
        self.state[TO_MOVE], self.state[PLY] = to_move, self.slow.ply
        self.slow.settle()
        play.settle(self.game.rules, self.state)
        self.compare()

    def play(self, action: int) -> None:
        self.slow.play(action)
        assert play.step(self.game.rules, self.state, action)
        origin, to = divmod(action, self.game.n_cells) if self.game.moves_men else (NOWHERE, action)
        assert self.state[[FROM, TO]].tolist() == [origin, to]
        self.compare()

    def walk(self, choose: Callable[["Both"], int], plies: int = 10_000) -> str:
        """Play to the end, or at most so many plies; return how it ended, if it did."""
        self.compare()
        for _ in range(plies):
            if not self.expected:
                break
            self.play(choose(self))
        return self.slow.ending

    def compare(self) -> None:
        before = self.state.copy(), self.game.rules.copy()
        self.expected = self.slow.legal_actions()
        self.compare_position()
        self.compare_actions()
        self.compare_views()
        self.compare_result()
        self.compare_settled()
        assert np.array_equal(self.state, before[0]), "a question changed the position"
        assert np.array_equal(self.game.rules, before[1]), "a question changed the rules"

    def compare_position(self) -> None:
        slow = self.slow
        assert self.state[CELLS:].tolist() == slow.cells
        assert self.state[PLY] == slow.ply
        assert ENDINGS[self.state[ENDING]] == slow.ending
        outcome = NOBODY if slow.winner is None else slow.winner
        assert self.state[STATUS] == (outcome if slow.over else RUNNING)
        if not slow.over:
            assert self.state[TO_MOVE] == slow.to_move

    def compare_actions(self) -> None:
        n, rules = self.game.n_actions, self.game.rules
        found = play.moves(rules, self.state, self.legal)
        assert self.legal[:found].tolist() == self.expected
        some = self.dice.sample(range(n), min(n, 20))
        outside = [edge for far in OUTSIDE for edge in (-far, n - 1 + far)]
        for action in (*self.expected, *some, *outside):
            assert play.is_legal(rules, self.state, action) == (action in self.expected), action

    def compare_views(self) -> None:
        rules = self.game.rules
        for seat in range(self.game.players):
            legal = self.expected if seat == self.slow.to_move else []
            seen = [play.turned(rules, seat, action, VIEW) for action in legal]
            assert [play.turned(rules, seat, action, BACK) for action in seen] == legal
            expected = np.zeros_like(self.mask)
            expected[seen] = 1
            play.mask(rules, self.state, seat, self.mask)
            assert np.array_equal(self.mask, expected)
            play.observe(rules, self.state, seat, self.planes, self.mask)
            assert np.array_equal(self.mask, expected)
            assert np.array_equal(self.planes, self.planes_seen_by(seat))

    def planes_seen_by(self, seat: int) -> np.ndarray:
        board, players, slow = self.game.board, self.game.players, self.slow
        planes = np.zeros((board.height, board.width, players + 1), np.int8)
        for point, cell in zip(slow.board, table(self.game.rules, VIEW)[seat], strict=True):
            x, y = slow.board[cell]
            planes[y, x, players] = 1
            if point in slow.owner:
                planes[y, x, (slow.owner[point] - seat) % players] = 1
        return planes

    def compare_result(self) -> None:
        rules, players, slow = self.game.rules, self.game.players, self.slow
        rewards, places = np.full(players, 9.0), np.full(players, 9)
        won = np.full(self.game.n_cells, 9, np.int8)
        play.rewards(rules, self.state, rewards)
        play.places(rules, self.state, places)
        play.winning_cells(rules, self.state, won)
        lose = -1 / (players - 1)
        decided = slow.winner is not None
        assert rewards.tolist() == [1 if seat == slow.winner else lose * decided for seat in range(players)]
        assert rewards.sum() == 0
        assert places.tolist() == slow.places()
        assert {point for point, mark in zip(slow.board, won, strict=True) if mark == 1} == slow.winning_cells()
        assert won.max() <= 1

    def compare_settled(self) -> None:
        """The board alone tells whether the game is over."""
        again = self.state.copy()
        again[STATUS], again[ENDING] = RUNNING, NOT_OVER
        play.settle(self.game.rules, again)
        assert np.array_equal(again, self.state)


def anything(pair: Both) -> int:
    return pair.dice.choice(pair.expected)


def forward(pair: Both) -> int:
    """A halma move that lowers the distance most; sometimes any, lest players block each other for ever."""
    if pair.dice.random() < 0.1:
        return anything(pair)
    tip = TIPS[pair.slow.to_move]
    left = [step_distance(point, tip) for point in pair.slow.board]
    gain = {action: left[action // 37] - left[action % 37] for action in pair.expected}
    return pair.dice.choice([action for action in gain if gain[action] == max(gain.values())])


def both(name: str, seed: int = 0, **options: int | str | bool) -> Both:
    game = games.make(name, **options)
    return Both(game, referee(name, game.options), random.Random(seed))


# --- Placing games ----------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 8), min_size=9, max_size=9))
@settings(max_examples=100)
def test_tictactoe(choices: list[int]) -> None:
    pair = both("tictactoe")
    pair.compare()
    for choice in choices:
        if pair.expected:
            pair.play(pair.expected[choice % len(pair.expected)])


@given(st.sampled_from([5, 6, 10]), st.sampled_from(["freestyle", "exact"]), SEEDS)
@settings(max_examples=40)
def test_gomoku(size: int, rule: str, seed: int) -> None:
    assert both("gomoku", seed, size=size, rule=rule).walk(anything) in ("line", "full_board")


# Width, height, k, exact.
RECTANGLES = st.tuples(st.integers(1, 7), st.integers(1, 7), st.integers(2, 5), st.booleans()).filter(
    lambda shape: shape[2] <= max(shape[:2])
)


def rectangle(shape: tuple[int, int, int, bool], seed: int) -> Both:
    width, height, k, exact = shape
    game = k_in_a_row("rows", {}, width, height, k, exact)
    return Both(game, NaivePlace(width, height, k, exact), random.Random(seed))


@given(RECTANGLES, SEEDS)
@settings(max_examples=100)
def test_rectangles(shape: tuple[int, int, int, bool], seed: int) -> None:
    rectangle(shape, seed).walk(anything)


@pytest.mark.parametrize(("k", "ending"), [(1, "line"), (4, "full_board")])
def test_the_first_stone_wins_or_none_can(k: int, ending: str) -> None:
    assert rectangle((3, 2, k, False), 0).walk(anything) == ending


@given(st.one_of(RECTANGLES, st.just((10, 10, 5, True)), st.just((10, 10, 5, False))), SEEDS)
@settings(max_examples=80)
def test_dense_boards(shape: tuple[int, int, int, bool], seed: int) -> None:
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
    for rule in ("freestyle", "exact"):
        pair = both("gomoku", rule=rule)
        pair.set_up({point: 0 for i, point in enumerate(row) if i != gap})
        pair.play(row[gap][1] * 10 + row[gap][0])
        wins = rule == "freestyle" or length == 5
        assert pair.slow.ending == ("line" if wins else "")
        assert pair.slow.winning_cells() == (set(row) if wins else set())


@pytest.mark.parametrize(
    ("drawing", "freestyle", "exact"),
    [
        ("xxxx+x ...... ...... ...... ...... ......", True, False),  # six along the rim
        ("xxxx+o ...... ...... ...... ...... ......", True, True),  # a stone of the other ends the row
        (".xxxx+ x..... ...... ...... ...... ......", True, True),  # a row does not run on in the next line
        ("x..... .x.... ..+... ...x.. ....x. .....x", True, False),  # six from corner to corner
        (".....x ....x. ...x.. ..+... .x.... o.....", True, True),
        ("xx+xxx ..x... ..x... ..x... ..x... ......", True, True),  # a six and a five at once: the five counts
        ("..x... ..x... xx+xxx ..x... ..x... ..x...", True, False),  # two sixes
        ("xx+oxx xxx... ..o... .x.... x..... ......", False, False),  # broken in every direction
    ],
)
def test_rows_by_hand(drawing: str, freestyle: bool, exact: bool) -> None:
    # The stones x and o stand, and x puts the one on +.
    chars = {(x, y): char for y, line in enumerate(drawing.split()) for x, char in enumerate(line)}
    stones = {point: "xo".index(char) for point, char in chars.items() if char in "xo"}
    x, y = next(point for point, char in chars.items() if char == "+")
    for rule, wins in (("freestyle", freestyle), ("exact", exact)):
        pair = both("gomoku", size=6, rule=rule)
        pair.set_up(stones)
        pair.play(y * 6 + x)
        assert pair.slow.ending == ("line" if wins else "")


def test_the_move_that_fills_the_board_can_win() -> None:
    pair = both("tictactoe")
    for action in (0, 1, 2, 3, 4, 5, 7, 6, 8):
        pair.play(action)
    assert (pair.slow.ending, pair.slow.winner, pair.slow.ply) == ("line", 0, 9)


def test_two_rows_at_once_are_both_marked() -> None:
    pair = both("tictactoe")
    for action in (0, 3, 1, 4, 5, 6, 8, 7, 2):
        pair.play(action)
    assert len(pair.slow.winning_cells()) == 5


# --- Halma ------------------------------------------------------------------------------------------------------


@given(st.sampled_from([2, 3]), st.sampled_from([1, 2, 3, 4, 20, 60]), st.booleans(), SEEDS)
@settings(max_examples=60)
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


@given(st.sampled_from([2, 3]), st.integers(1, 6), st.booleans(), SEEDS)
@settings(max_examples=80)
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


def test_nobody_can_move() -> None:
    # No move leads here, because a man can always go back (the next test); but a position by hand does.
    pair = both("halma", players=3)
    pair.set_up({point: i % 3 for i, point in enumerate(STAR)})
    assert (pair.slow.ending, pair.slow.winner) == ("no_moves", None)


@given(st.sampled_from([2, 3]), st.integers(0, 200), SEEDS)
@settings(max_examples=40)
def test_a_man_can_always_go_back(players: int, plies: int, seed: int) -> None:
    pair = both("halma", seed, players=players)
    play.random_plies(pair.game.rules, pair.state, np.array([seed], np.uint64), plies)
    for move in pair.legal[: play.moves(pair.game.rules, pair.state, pair.legal)].tolist():
        after = pair.state.copy()
        assert play.step(pair.game.rules, after, move)
        after[STATUS], after[TO_MOVE] = RUNNING, pair.state[TO_MOVE]
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
    assert pair.slow.board[pair.state[TO]] in pair.slow.winning_cells()


# --- Every game -------------------------------------------------------------------------------------------------

EVERY_GAME = [("tictactoe", {}), ("gomoku", {"size": 5}), ("halma", {"players": 2}), ("halma", {"players": 3})]
every_game = pytest.mark.parametrize(("name", "options"), EVERY_GAME, ids=lambda value: str(value))


@every_game
def test_any_seat_can_begin(name: str, options: dict[str, int]) -> None:
    for first in range(games.make(name, **options).players):
        pair = both(name, first, **options)
        pair.state[:] = pair.game.start(first)
        pair.slow.to_move = first
        pair.walk(anything, plies=20)


@every_game
def test_undo_by_copy(name: str, options: dict[str, int]) -> None:
    # The rows of a batch lie side by side: a move in one must not reach into the next.
    game, dice = games.make(name, **options), random.Random(1)
    rows = game.batch(3)
    legal = np.empty(game.n_actions, np.int32)
    while found := play.moves(game.rules, rows[1], legal):
        before = rows.copy()
        step = int(dice.choice(legal[:found]))
        assert play.step(game.rules, rows[1], step)
        after = rows[1].copy()
        assert not np.array_equal(after, before[1])
        assert np.array_equal(rows[[0, 2]], before[[0, 2]])
        rows[1] = before[1]
        assert play.step(game.rules, rows[1], step)
        assert np.array_equal(rows[1], after)
        if after[PLY] >= 60:
            break


@every_game
@pytest.mark.parametrize("ending", [ILLEGAL, RESIGNED])
@pytest.mark.parametrize("plies", [0, 1, 2, 4])
def test_forfeit(name: str, options: dict[str, int], ending: int, plies: int) -> None:
    pair = both(name, 1, **options)
    pair.walk(anything, plies)
    game, state, loser = pair.game, pair.state, pair.slow.to_move
    board = state[CELLS:].copy()
    play.forfeit(game.rules, state, ending)

    others = [seat for seat in range(game.players) if seat != loser]
    rewards, places = np.zeros(game.players), np.zeros(game.players, np.int64)
    won = np.zeros(game.n_cells, np.int8)
    play.rewards(game.rules, state, rewards)
    play.places(game.rules, state, places)
    play.winning_cells(game.rules, state, won)
    assert state[STATUS] == (others[0] if len(others) == 1 else NOBODY)
    assert ENDINGS[state[ENDING]] == ("illegal" if ending == ILLEGAL else "resigned")
    assert state[TO_MOVE] == loser
    assert np.array_equal(state[CELLS:], board)
    assert rewards[loser] == -1
    assert rewards[others].tolist() == [1 / len(others)] * len(others)
    assert places[loser] == game.players
    assert set(places[others]) == {1}
    assert not won.any()

    assert play.moves(game.rules, state, pair.legal) == 0
    assert not any(play.is_legal(game.rules, state, action) for action in range(game.n_actions))
    for seat in range(game.players):
        play.mask(game.rules, state, seat, pair.mask)
        assert not pair.mask.any()


@every_game
def test_a_batch_of_games_is_the_games_alone(name: str, options: dict[str, int]) -> None:
    # Rows in any order, one of them left out, and an action in eight is any number: an illegal one loses.
    game, dice, count = games.make(name, **options), random.Random(2), 8
    states, digests = game.batch(count), np.zeros(count, np.uint64)
    alone = [row.copy() for row in states]
    legal = np.empty(game.n_actions, np.int32)
    for _ in range(12):
        going = [row for row in range(count) if alone[row][STATUS] == RUNNING and row != 3]
        rows = np.array(dice.sample(going, len(going)), np.int64)
        actions = np.empty(len(rows), np.int64)
        for i, row in enumerate(rows):
            found = play.moves(game.rules, alone[row], legal)
            wild = dice.random() < 1 / 8
            actions[i] = dice.randrange(-5, game.n_actions + 5) if wild else dice.choice(legal[:found])
            if not play.step(game.rules, alone[row], actions[i]):
                play.forfeit(game.rules, alone[row], ILLEGAL)
        play.step_rows(game.rules, states, rows, actions, digests)
        assert np.array_equal(states, alone)
    assert digests[3] == 0
    assert len(set(digests.tolist())) == count


@every_game
def test_random_plies(name: str, options: dict[str, int]) -> None:
    game = games.make(name, **options)
    state, slow_state = game.start(), game.start()
    stream, slow_stream = streams(1, 0, 1), streams(1, 0, 1)
    legal = np.empty(game.n_actions, np.int32)
    for plies in (0, 1, 2, 50):
        played = 0
        while played < plies and (found := play.moves(game.rules, slow_state, legal)):
            play.step(game.rules, slow_state, int(legal[below(slow_stream, found)]))
            played += 1
        assert play.random_plies(game.rules, state, stream, plies) == played
        assert np.array_equal(state, slow_state)
        assert np.array_equal(stream, slow_stream)


@every_game
def test_random_openings(name: str, options: dict[str, int]) -> None:
    # Half of all games of tic-tac-toe are over after seven moves; an opening is not.
    game = games.make(name, **options)
    for index in range(10):
        state = game.start()
        assert play.random_opening(game.rules, state, streams(3, index, 1), 7)
        assert (state[STATUS], state[PLY]) == (RUNNING, 7)


def test_no_opening_is_longer_than_the_game() -> None:
    game = games.make("tictactoe")
    state = game.start()
    assert not play.random_opening(game.rules, state, streams(3, 0, 1), 9)
    assert np.array_equal(state, game.start())
