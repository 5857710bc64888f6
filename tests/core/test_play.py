"""What holds in every game: who begins, undo by copy, forfeits, batches, random moves and openings."""

import random

import numpy as np
import pytest
from both import anything, both

from amoba_env import games
from amoba_env.core import endings as en
from amoba_env.core import play
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.batch import random_actions, random_games, step_rows, update_digests
from amoba_env.core.rng import below, streams

EVERY_GAME = [
    ("tictactoe", {}),
    ("gomoku", {"size": 5}),
    ("halma", {"players": 2}),
    ("halma", {"players": 3}),
    ("chinese_checkers", {"players": 6, "anti_spoiling": True}),
    ("square_halma", {"size": 8, "players": 2}),
]
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
        if after[st.PLY] >= 60:
            break


@every_game
@pytest.mark.parametrize("ending", [en.ILLEGAL, en.RESIGNED])
@pytest.mark.parametrize("plies", [0, 1, 2, 4])
def test_forfeit(name: str, options: dict[str, int], ending: int, plies: int) -> None:
    pair = both(name, 1, **options)
    pair.walk(anything, plies)
    game, state, loser = pair.game, pair.state, pair.slow.to_move
    board = state[st.CELLS :].copy()
    play.forfeit(game.rules, state, ending)

    others = [seat for seat in range(game.players) if seat != loser]
    rewards, places = np.zeros(game.players), np.zeros(game.players, np.int64)
    won = np.zeros(game.n_cells, np.uint8)
    play.rewards(game.rules, state, True, rewards)
    play.places(game.rules, state, places)
    play.winning_cells(game.rules, state, won)
    assert state[st.STATUS] == (others[0] if len(others) == 1 else st.NOBODY)
    assert en.NAMES[state[st.ENDING]] == ("illegal" if ending == en.ILLEGAL else "resigned")
    assert state[st.TO_MOVE] == loser
    assert np.array_equal(state[st.CELLS :], board)
    assert rewards[loser] == -1
    assert rewards[others].tolist() == [1 / len(others)] * len(others)
    play.rewards(game.rules, state, False, rewards)
    assert rewards[loser] == -1
    assert rewards[others].tolist() == [0 if ending == en.ILLEGAL else 1 / len(others)] * len(others)
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
        going = [row for row in range(count) if alone[row][st.STATUS] == st.RUNNING and row != 3]
        rows = np.array(dice.sample(going, len(going)), np.int64)
        actions = np.empty(len(rows), np.int32)
        for i, row in enumerate(rows):
            found = play.moves(game.rules, alone[row], legal)
            wild = dice.random() < 1 / 8
            actions[i] = dice.randrange(-5, game.n_actions + 5) if wild else dice.choice(legal[:found])
            if not play.step(game.rules, alone[row], int(actions[i])):
                play.forfeit(game.rules, alone[row], en.ILLEGAL)
        step_rows(game.rules, states, rows, actions)
        update_digests(digests, rows, actions)
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
        played, free = 0, []
        while played < plies and slow_state[st.STATUS] == st.RUNNING:
            if not free or game.rules[ru.FAMILY] != ru.PLACE or slow_state[st.PHASE]:
                free = legal[: play.moves(game.rules, slow_state, legal)].tolist()
            chosen = below(slow_stream, len(free))
            assert play.step(game.rules, slow_state, free[chosen])
            free[chosen] = free[-1]  # a stone leaves all other cells free
            free.pop()
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
        assert (state[st.STATUS], state[st.PLY]) == (st.RUNNING, 7)


def test_no_opening_is_longer_than_the_game() -> None:
    game = games.make("tictactoe")
    state = game.start()
    assert not play.random_opening(game.rules, state, streams(3, 0, 1), 9)
    assert np.array_equal(state, game.start())


@pytest.mark.plain
def test_random_actions() -> None:
    """Those of the mask, all equally likely, also where they are few among many; 0 where there is none."""
    masks = np.zeros((3, 100), np.int8)
    masks[0, [3, 97]], masks[1, 50:] = 1, 1
    rows = np.repeat(masks, 300, axis=0)
    out = np.empty(len(rows), np.int32)
    random_actions(rows, streams(0, 0, len(rows)), out)
    few, many, none = out.reshape(3, 300)
    assert 110 < (few == 3).sum() < 190
    assert (few[few != 3] == 97).all()
    assert many.min() >= 50
    assert len(set(many.tolist())) > 45
    assert (none == 0).all()


@pytest.mark.plain
def test_random_games() -> None:
    """As many moves as in the games alone."""
    rules = games.make("tictactoe").rules
    plies = 0
    for number in range(20):
        state = games.make("tictactoe").start()
        plies += play.random_plies(rules, state, streams(3, number, 1), 99)
        assert state[st.STATUS] != st.RUNNING
    assert random_games(rules, streams(3, 0, 20)) == plies
