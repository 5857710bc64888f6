"""Who wins at the limit of moves in training."""

import numpy as np
import pytest

from amoba_env import Position, games
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_experiments.training.move_limit import limited, winners_at_limit
from amoba_experiments.training.settings import adjudicated


@pytest.mark.parametrize(
    ("red", "white", "green", "winners"),
    [
        (18, 17, 8, {1}),  # white is nearest
        (36, 7, 4, {2}),  # white is nearest, with a man in red's goal
        (29, 7, 4, {2}),  # green is farthest, but has no man in the goal of another
        (29, 31, 7, {1, 2}),  # all have one; white and green are nearest
        (18, 12, 8, {0, 1, 2}),  # all are ten steps from their goals
    ],
)
def test_who_blocks_least_wins_at_the_limit(red: int, white: int, green: int, winners: set[int]) -> None:
    """Of players who are equal one is drawn."""
    game = games.make("halma")
    cells = np.full(game.board.n_cells, st.EMPTY, np.int16)
    for seat, (away, absent) in enumerate(((red, 7), (white, 29), (green, 31))):  # five men of each are in its goal
        cells[np.setdiff1d(ru.table(game.rules, ru.GOALS)[seat], absent)] = cells[away] = seat
    same = np.tile(np.concatenate([np.zeros(st.CELLS, np.int16), cells]), (600, 1))
    won, counts = np.unique(winners_at_limit(game, same, np.random.default_rng(0)), return_counts=True)
    assert set(won.tolist()) == winners
    assert counts.min() > 0.8 * 600 / len(winners)


def test_two_players_do_not_block() -> None:
    """At the beginning all men stand in the goal of the other: the nearest wins all the same."""
    before = Position.start(games.make("halma", players=2))
    after = max(map(before.play, before.legal_moves()), key=lambda position: -position.distance(0))
    both, draw = np.stack([before.state, after.state]), np.random.default_rng(0)
    assert winners_at_limit(after.game, both, draw).tolist() == [st.NOBODY, 0]


def test_the_limit_of_a_stage() -> None:
    halma, gomoku = games.make("halma"), games.make("gomoku")
    assert limited(halma, 90).most_plies == 90
    assert limited(halma, 0) == halma
    assert limited(gomoku, 90) == gomoku
    short = games.make("halma", max_plies=30)  # the game's own limit is the lower one
    assert limited(short, 90).most_plies == 30
    assert adjudicated(short, 90)["max_plies"] == 30
