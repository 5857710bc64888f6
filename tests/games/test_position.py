"""Positions as values: how games end, equality, copies, and what cannot be."""

import copy
import doctest
import pickle
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from environments import Variant, every_variant
from errors import bad_value

import amoba_env.position
from amoba_env import Outcome, Position, draw, games
from amoba_env.core import endings as en
from amoba_env.core import play
from amoba_env.core import state as st
from amoba_env.games import Game

TICTACTOE, SIX, EXACT = (
    games.make("tictactoe"),
    games.make("gomoku", size=6),
    games.make("gomoku", size=6, rule="exact"),
)
HALMA, TWO = games.make("halma"), games.make("halma", players=2)

# The last man of red is a step from its goal; white has nine steps left, and green eleven.
ALMOST_HOME = "r/rr/2r1r2/2r3/ww3/ww2gg/ww3gg/gg/1 r 30 -"


# --- How games end ----------------------------------------------------------------------------------------------


def forfeited(game: Game, moves: str, ending: int) -> Position:
    state = Position.from_moves(game, moves).state
    play.forfeit(game.rules, state, ending)
    return Position(game, state)


def cut(moves: str, **options: Any) -> Position:
    return Position.from_moves(games.make("halma", **options), [moves])


def after(game: Game, text: str, move: str) -> Position:
    return Position.from_text(game, text).play(move)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("make", "outcome", "status"),
    [
        (
            partial(Position.from_moves, TICTACTOE, "a3 a2 b3 b2 c3"),
            Outcome(0, (1, 2), (1.0, -1.0), "line", (0, 1, 2)),
            "black (x) won after 5 moves (line)",
        ),
        (
            partial(Position.from_moves, TICTACTOE, "a3 c1 b3 b1 b2 a1"),
            Outcome(1, (2, 1), (-1.0, 1.0), "line", (6, 7, 8)),
            "white (o) won after 6 moves (line)",
        ),
        (
            partial(after, TICTACTOE, "1xx/x2/x1o x", "a3"),
            Outcome(0, (1, 2), (1.0, -1.0), "line", (0, 1, 2, 3, 6)),
            "black (x) won after 6 moves (line)",
        ),
        (
            partial(after, SIX, "xxx1xx/6/6/6/6/ooo1o1 x", "d6"),
            Outcome(0, (1, 2), (1.0, -1.0), "line", (0, 1, 2, 3, 4, 5)),
            "black (x) won after 10 moves (line)",
        ),
        (
            partial(after, EXACT, "xxx1x1/6/6/6/6/ooo3 x", "d6"),
            Outcome(0, (1, 2), (1.0, -1.0), "line", (0, 1, 2, 3, 4)),
            "black (x) won after 8 moves (line)",
        ),
        (
            partial(Position.from_moves, TICTACTOE, "a3 b3 c3 a2 c2 a1 b2 c1 b1"),
            Outcome(None, (1, 1), (0.0, 0.0), "full_board", ()),
            "draw after 9 moves (full board)",
        ),
        (
            partial(after, HALMA, ALMOST_HOME, "f6-g7"),
            Outcome(0, (1, 2, 3), (1.0, -0.5, -0.5), "goal", (0, 1, 2, 5, 6, 7)),
            "red (r) won after 31 moves (goal)",
        ),
        (
            partial(cut, "f2-d4", max_plies=1),
            Outcome(None, (1, 1, 1), (0.0, 0.0, 0.0), "max_plies", ()),
            "no result after 1 move (max plies)",
        ),
        (
            partial(cut, "f2-d4", max_plies=1, players=2),
            Outcome(None, (1, 1), (0.0, 0.0), "max_plies", ()),
            "no result after 1 move (max plies)",
        ),
        (
            partial(cut, "f2-d4", max_plies=1, adjudicate=True),
            Outcome(0, (1, 2, 2), (1.0, -0.5, -0.5), "distance", ()),
            "red (r) won after 1 move (distance)",
        ),
        (
            partial(cut, "e3-c3", max_plies=1, adjudicate=True),
            Outcome(None, (1, 1, 1), (0.0, 0.0, 0.0), "distance", ()),
            "draw after 1 move (distance)",
        ),
        (
            partial(forfeited, TICTACTOE, "b2", en.ILLEGAL),
            Outcome(0, (1, 2), (0.0, -1.0), "illegal", ()),
            "black (x) won after 1 move (illegal)",
        ),
        (
            partial(forfeited, TICTACTOE, "b2 a1", en.RESIGNED),
            Outcome(1, (2, 1), (-1.0, 1.0), "resigned", ()),
            "white (o) won after 2 moves (resigned)",
        ),
        (
            partial(forfeited, HALMA, "", en.ILLEGAL),
            Outcome(None, (3, 1, 1), (-1.0, 0.0, 0.0), "illegal", ()),
            "red (r) lost after 0 moves (illegal)",
        ),
        (
            partial(forfeited, HALMA, "f2-d4", en.RESIGNED),
            Outcome(None, (1, 3, 1), (0.5, -1.0, 0.5), "resigned", ()),
            "white (w) lost after 1 move (resigned)",
        ),
        (
            partial(forfeited, TWO, "f2-d4", en.RESIGNED),
            Outcome(0, (1, 2), (1.0, -1.0), "resigned", ()),
            "red (r) won after 1 move (resigned)",
        ),
    ],
    ids=lambda value: value.ending if isinstance(value, Outcome) else "",
)
def test_outcomes(make: Callable[[], Position], outcome: Outcome, status: str) -> None:
    position = make()  # not before: what plays is compiled then
    assert position.outcome == outcome
    assert outcome.truncated == (outcome.ending == "max_plies")
    assert sum(outcome.rewards) == (-1 if outcome.ending == "illegal" else 0)
    assert position.rewards.tolist() == list(outcome.rewards)
    zero_sum = amoba_env.position.outcome(position.game, position.state, "zero_sum")
    assert zero_sum is not None
    assert sum(zero_sum.rewards) == 0
    assert zero_sum._replace(rewards=outcome.rewards) == outcome
    assert draw.status(position.game, position.state) == status
    assert position.over
    assert position.legal_moves() == []
    assert position.legal_actions().dtype == np.int32
    with pytest.raises(ValueError, match=r"^the game is over$"):
        position.play(0)


def test_an_outcome_is_plain_python() -> None:
    outcome = after(HALMA, ALMOST_HOME, "f6-g7").outcome
    assert outcome is not None
    assert [type(value) for value in outcome] == [int, tuple, tuple, str, tuple]
    assert {type(number) for number in (*outcome.places, *outcome.cells)} == {int}
    assert {type(number) for number in outcome.rewards} == {float}


# --- Values -----------------------------------------------------------------------------------------------------


def test_what_a_position_tells() -> None:
    position = Position.from_moves(TICTACTOE, "b2 a3", first=1)
    assert (position.to_move, position.ply, position.over, position.last_move) == (1, 2, False, "a3")
    assert position.cells.tolist() == [0, -1, -1, -1, 1, -1, -1, -1, -1]
    assert position.legal_actions().tolist() == [1, 2, 3, 5, 6, 7, 8]
    assert position.legal_moves() == ["b3", "c3", "a2", "c2", "a1", "b1", "c1"]
    assert [action for action in range(-9, 18) if position.is_legal(action)] == position.legal_actions().tolist()
    assert Position.start(TICTACTOE).last_move is None
    assert position.text in repr(position)


@pytest.mark.plain
def test_distances() -> None:
    position = Position.from_text(HALMA, ALMOST_HOME)
    assert [position.distance(seat) for seat in range(3)] == [9, 9, 11]
    assert [Position.start(HALMA).distance(seat) for seat in range(3)] == [40, 40, 40]
    with pytest.raises(ValueError, match=r"^tictactoe has no distances$"):
        Position.start(TICTACTOE).distance(0)


def test_playing_gives_a_new_position() -> None:
    start = Position.start(TICTACTOE)
    assert start.play("b2") == start.play(4) == start.play(np.int64(4))
    assert start == Position.start(TICTACTOE)
    start.cells[:] = 1
    start.state[:] = 1
    assert start == Position.start(TICTACTOE)
    state = TICTACTOE.start()
    position = Position(TICTACTOE, state)
    state[st.CELLS] = 1
    assert position == start


@pytest.mark.plain
def test_equality_and_hash() -> None:
    start = Position.start(TICTACTOE)
    twin = Position.from_text(TICTACTOE, "3/3/3")
    assert start == twin
    assert hash(start) == hash(twin)
    others = [start.play("b2"), Position.start(TICTACTOE, 1), Position.start(SIX), Position.start(EXACT)]
    assert len({start, twin, *others}) == 5
    assert start not in others
    assert (start == "3/3/3 x 0 -", start == 3, start is None) == (False, False, False)
    lost = forfeited(TICTACTOE, "", en.ILLEGAL)
    assert lost != start
    assert (lost.state[st.STATUS], lost.state[st.ENDING]) == (1, en.ILLEGAL)


@pytest.mark.plain
@pytest.mark.parametrize("make", [partial(Position.start, TICTACTOE), partial(after, HALMA, ALMOST_HOME, "f6-g7")])
def test_copies(make: Callable[[], Position]) -> None:
    position = make()
    for twin in (copy.copy(position), copy.deepcopy(position), pickle.loads(pickle.dumps(position))):
        assert twin == position
        assert hash(twin) == hash(position)
        assert twin.game == position.game


def test_the_examples_in_the_docstring() -> None:
    result = doctest.testmod(amoba_env.position)
    assert result.attempted > 0
    assert result.failed == 0


# --- What seats see ---------------------------------------------------------------------------------------------


@every_variant
def test_what_seats_see_is_what_the_environment_shows(variant: Variant) -> None:
    env, dice = variant.raw_env(), random.Random(5)
    env.reset()
    for _ in range(40):
        position = env.position
        for seat, agent in enumerate(env.possible_agents):
            shown = env.observe(agent)
            found = {
                "observation": position.observation(seat),
                "action_mask": position.action_mask(seat, relative=True),
            }
            for name, array in found.items():
                assert (array.dtype, array.shape) == (shown[name].dtype, shown[name].shape)
                assert np.array_equal(array, shown[name])
                assert array.flags.writeable
                assert array.flags.c_contiguous
            assert position.action_mask(seat).any() == shown["action_mask"].any()
        assert np.array_equal(position.observation(), position.observation(position.to_move))
        assert np.array_equal(
            position.action_mask(relative=True), position.action_mask(position.to_move, relative=True)
        )
        assert position.rewards.tolist() == list(env.rewards.values())
        if position.over:
            break
        mask = position.action_mask()
        assert mask.dtype == np.int8
        assert np.flatnonzero(mask).tolist() == position.legal_actions().tolist()
        action = dice.choice(np.flatnonzero(mask).tolist())
        number = position.encode(action)
        assert position.action_mask(relative=True)[number] == 1
        assert number == env.encode(env.agent_selection, action) == position.encode(position.decode(number))
        assert position.decode(number) == env.decode(env.agent_selection, number)
        env.step(number)
        assert env.position == position.play(action) == position.play(position.decode(number))
    assert position.ply > 3


@pytest.mark.plain
def test_a_mask_and_play_have_the_same_numbers() -> None:
    position = Position.start(HALMA).play("f2-d4")
    first = position.play(int(position.action_mask().argmax()))
    assert first.ply == 2
    assert not np.array_equal(position.action_mask(), position.action_mask(relative=True))  # white sees it turned
    assert position.encode("k5-i5") != position.encode("k5-i5", seat=0)
    assert position.decode(position.encode("k5-i5", seat=2), np.int64(2)) == "k5-i5"


# --- What cannot be ---------------------------------------------------------------------------------------------


@pytest.mark.plain
@pytest.mark.parametrize("seat", [-1, 3])
@pytest.mark.parametrize(
    "ask",
    [
        Position.distance,
        Position.observation,
        Position.action_mask,
        lambda position, seat: position.action_mask(seat, relative=True),
        lambda position, seat: position.encode("f2-d4", seat),
        lambda position, seat: position.decode(0, seat),
    ],
)
def test_no_such_seat(ask: Callable[[Position, int], Any], seat: int) -> None:
    with pytest.raises(ValueError, match=rf"expected a seat of halma, 0\.\.2, got {seat}"):
        ask(Position.start(HALMA), seat)


@pytest.mark.parametrize("ask", [Position.encode, Position.decode])
@pytest.mark.parametrize("action", [-1, 9, 2**70])
def test_no_such_action_to_translate(ask: Callable[[Position, int], Any], action: int) -> None:
    with pytest.raises(ValueError, match=rf"expected an action of tictactoe, 0\.\.8, got {action}"):
        ask(Position.start(TICTACTOE), action)


def test_is_legal_wants_an_integer() -> None:
    with bad_value("action"):
        Position.start(TICTACTOE).is_legal(1.5)  # type: ignore[arg-type]


def test_repr_gives_the_position_back() -> None:
    position = Position.start(HALMA).play("e3-f4")
    assert eval(repr(position), {"Position": Position, "games": games}) == position


@pytest.mark.plain
def test_the_last_move_is_by_the_player_before() -> None:
    with pytest.raises(ValueError, match="last move 'a3' is not by the player before"):
        Position.from_text(TICTACTOE, "x2/3/3 x 1 a3")
