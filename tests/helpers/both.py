"""A game played by the core and by the slow referee of naive.py at once, compared after every move."""

import random
from collections.abc import Callable

import numpy as np
from hypothesis import strategies as hs
from naive import Naive, NaiveHalma, NaivePlace, Point, referee

from amoba_env import games
from amoba_env.core import endings as en
from amoba_env.core import opening_rules as op
from amoba_env.core import play
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.rules import table
from amoba_env.games import Game

SEEDS = hs.integers(0, 2**32 - 1)
OUTSIDE = (1, 2, 100, 2**31, 2**32, 2**62)  # so far from the first and the last action


class Both:
    """A game played by the core and by the referee at once."""

    def __init__(self, game: Game, slow: Naive, dice: random.Random) -> None:
        self.game, self.slow, self.dice = game, slow, dice
        self.state = game.start()
        assert game.moves_men or (table(game.rules, ru.VIEW) == np.arange(game.n_cells)).all(), "no seat is turned"
        self.points = np.array(slow.board)
        self.legal = np.empty(game.n_actions, np.int32)
        self.mask = np.empty(game.n_actions, np.int8)
        self.planes = np.empty((int(game.rules[ru.PLANES]), game.board.height, game.board.width), np.int8)

    def set_up(self, owner: dict[Point, int], to_move: int = 0) -> None:
        """Go on from a position that was put together by hand."""
        self.slow.owner, self.slow.to_move = dict(owner), to_move
        self.slow.ply = len(owner) if isinstance(self.slow, NaivePlace) else 0
        self.state[st.CELLS :] = self.slow.cells
        self.state[st.TO_MOVE], self.state[st.PLY] = to_move, self.slow.ply
        self.slow.settle()
        play.settle(self.game.rules, self.state)
        self.compare()

    def play(self, action: int) -> None:
        self.slow.play(action)
        assert play.step(self.game.rules, self.state, action)
        origin, to = divmod(action, self.game.n_cells) if self.game.moves_men else (st.NOWHERE, action)
        assert self.state[[st.FROM, st.TO]].tolist() == [origin, to]
        self.compare()

    def walk(self, choose: Callable[["Both"], int], plies: int = 10_000) -> str:
        """Play to the end, or at most this many plies; return how it ended, if it did."""
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
        assert self.state[st.CELLS :].tolist() == slow.cells
        assert self.state[st.PLY] == slow.ply
        phase, left = (slow.opening.phase, slow.opening.left) if slow.opening else ("play", 0)
        assert op.PHASES[self.state[st.PHASE]] == phase
        assert self.state[[st.BLACK, st.LEFT, st.CHOICES]].tolist() == [slow.black, left, slow.choices]
        assert en.NAMES[self.state[st.ENDING]] == slow.ending
        outcome = st.NOBODY if slow.winner is None else slow.winner
        assert self.state[st.STATUS] == (outcome if slow.over else st.RUNNING)
        if not slow.over:
            assert self.state[st.TO_MOVE] == slow.to_move

    def compare_actions(self) -> None:
        n, rules, expected = self.game.n_actions, self.game.rules, set(self.expected)
        found = play.moves(rules, self.state, self.legal)
        assert self.legal[:found].tolist() == self.expected
        some = self.dice.sample(range(n), min(n, 20))
        outside = [edge for far in OUTSIDE for edge in (-far, n - 1 + far)]
        for action in (*self.expected, *some, *outside):
            assert play.is_legal(rules, self.state, action) == (action in expected), action

    def compare_views(self) -> None:
        rules, cells = self.game.rules, np.array(self.slow.cells)
        for seat in range(self.game.players):
            legal = self.expected if seat == self.slow.to_move else []
            seen = [play.renumber(rules, seat, action, ru.VIEW) for action in legal]
            assert [play.renumber(rules, seat, action, ru.BACK) for action in seen] == legal
            expected = np.zeros_like(self.mask)
            expected[seen] = 1
            play.mask(rules, self.state, seat, self.mask)
            assert np.array_equal(self.mask, expected)
            play.observe(rules, self.state, seat, self.planes, self.mask)
            assert np.array_equal(self.mask, expected)
            assert np.array_equal(self.planes, self.planes_seen_by(seat, cells))

    def planes_seen_by(self, seat: int, cells: np.ndarray) -> np.ndarray:
        players, slow = self.game.players, self.slow
        planes = np.zeros_like(self.planes)
        if len(planes) > players + 1:
            planes[players + 1] = seat == slow.black
        if slow.opening:
            planes[players + 3] = op.PHASES.index(slow.opening.phase)
            planes[players + 4] = slow.opening.left
        x, y = self.points[table(self.game.rules, ru.VIEW)[seat]].T
        planes[players, y, x] = 1
        for other in range(players):
            planes[(other - seat) % players, y, x] = cells == other
        if slow.opening:
            planes[players + 2, y, x] = cells == st.OFFERED
        return planes

    def compare_result(self) -> None:
        rules, players, slow = self.game.rules, self.game.players, self.slow
        rewards, places = np.full(players, 9.0), np.full(players, 9)
        won = np.full(self.game.n_cells, 9, np.uint8)
        play.rewards(rules, self.state, True, rewards)
        play.places(rules, self.state, places)
        play.winning_cells(rules, self.state, won)
        lose = -1 / (players - 1)
        decided = slow.winner is not None
        assert rewards.tolist() == [1 if seat == slow.winner else lose * decided for seat in range(players)]
        assert abs(rewards.sum()) < 1e-12
        assert places.tolist() == slow.places()
        marked = {point for point, mark in zip(slow.board, won.tolist(), strict=True) if mark == 1}
        assert marked == slow.winning_cells()
        assert won.max() <= 1

    def compare_settled(self) -> None:
        """The board alone tells whether the game is over."""
        again = self.state.copy()
        again[st.STATUS], again[st.ENDING] = st.RUNNING, en.NOT_OVER
        play.settle(self.game.rules, again)
        assert np.array_equal(again, self.state)


def anything(pair: Both) -> int:
    return pair.dice.choice(pair.expected)


def forward(pair: Both) -> int:
    """A halma move that lowers the distance most; sometimes any, lest players block each other for ever."""
    if pair.dice.random() < 0.1:
        return anything(pair)
    slow = pair.slow
    assert isinstance(slow, NaiveHalma)
    left, n = [slow.race.left[slow.to_move][point] for point in slow.board], len(slow.board)
    gain = {action: left[action // n] - left[action % n] for action in pair.expected}
    return pair.dice.choice([action for action in gain if gain[action] == max(gain.values())])


def both(name: str, seed: int = 0, first: int = 0, **options: int | str | bool) -> Both:
    game = games.make(name, **options)
    pair = Both(game, referee(name, game.options), random.Random(seed))
    if first:
        pair.state, pair.slow.to_move = game.start(first), first
        pair.slow.black = first if name == "renju" or pair.slow.opening else 0
    return pair
