"""Rows of any numbers, through every public way in: one ValueError, or a position that all can be asked of."""

import pickle
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from border import GAMES, ROWS, WAYS, ask_all, begun, comes_in, raw_position, spoiled, valid_rows
from effort import cases

from amoba_agents import make_agent
from amoba_agents.seat import Seat
from amoba_agents.values.exact import Solver
from amoba_env import Position, games
from amoba_env.batch import observe
from amoba_env.border import WORDS
from amoba_env.core import check as core
from amoba_env.core import endings as en
from amoba_env.core import opening_rules as op
from amoba_env.core import play
from amoba_env.core import state as st

TICTACTOE, HALMA, RENJU = games.make("tictactoe"), games.make("halma"), games.make("renju", size=9)
SWAP2, RIF26 = games.make("gomoku", size=7, opening="swap2"), games.make("renju", size=9, opening="rif26")
SHORT = games.make("halma", max_plies=20, adjudicate=True)

Row = np.ndarray[Any, np.dtype[np.int16]]


# --- Any numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_positions_of_games_come_in(game: games.Game) -> None:
    """What games lead to, forfeits too, is let in by every way; but what is over cannot be played on."""
    dice = np.random.default_rng(0)
    for row in valid_rows(game):
        for way in WAYS:
            told = comes_in(way, game, row, dice)
            assert told in (
                "",
                "options['position']: expected a position with a move, got the end of a game",
            ) or told.startswith("no game of"), (
                way,
                told,
            )


@pytest.mark.parametrize("way", WAYS)
def test_any_numbers(way: str) -> None:
    """Each row is refused with one sentence, or all goes on; both come about."""
    seen: Counter[bool] = Counter()
    for seed in range(max(110, cases(15 * len(GAMES)))):
        dice, game = np.random.default_rng(seed), GAMES[seed % len(GAMES)]
        row = spoiled(game, valid_rows(game)[seed % ROWS], dice)
        told, wrong = comes_in(way, game, row, dice), comes_in("check", game, row, dice)
        assert wrong in told, "what is wrong with the row should be said, whichever way it comes"
        assert "\n" not in told
        seen[told == ""] += 1
    assert seen[False] > 0
    assert seen[True] > 0 or way == "record"  # few of these rows are what their text gives back


# --- What is wrong ----------------------------------------------------------------------------------------------


def stones(row: Row, *cells: int) -> None:
    """Stones of both in turn."""
    row[st.CELLS + np.array(cells, int)] = np.arange(len(cells)) % 2
    row[st.PLY] = len(cells)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("game", "numbers", "fault"),
    [
        (HALMA, {st.TO_MOVE: 7}, core.SEAT),
        (TICTACTOE, {st.TO_MOVE: -1}, core.SEAT),
        (HALMA, {st.STATUS: 3}, core.RESULT),
        (HALMA, {st.STATUS: -3}, core.RESULT),
        (TICTACTOE, {st.ENDING: 10}, core.ENDING_MISMATCH),
        (TICTACTOE, {st.ENDING: en.LINE}, core.ENDING_MISMATCH),
        (TICTACTOE, {st.STATUS: 0}, core.ENDING_MISMATCH),
        (TICTACTOE, {st.STATUS: 0, st.ENDING: en.LINE}, core.ENDING_MISMATCH),
        (TICTACTOE, {st.STATUS: 0, st.ENDING: en.GOAL}, core.ENDING_MISMATCH),
        (TICTACTOE, {st.STATUS: 0, st.ENDING: en.FULL_BOARD}, core.ENDING_MISMATCH),
        (TICTACTOE, {st.STATUS: st.NOBODY, st.ENDING: en.NO_MOVES}, core.ENDING_MISMATCH),
        (TICTACTOE, {st.STATUS: 0, st.ENDING: en.RESIGNED}, core.ENDING_MISMATCH),
        (RENJU, {st.STATUS: 1, st.ENDING: en.FORBIDDEN}, core.ENDING_MISMATCH),
        (HALMA, {st.STATUS: 1, st.ENDING: en.ILLEGAL}, core.ENDING_MISMATCH),
        (HALMA, {st.STATUS: 0, st.ENDING: en.LINE}, core.ENDING_MISMATCH),
        (HALMA, {st.STATUS: st.NOBODY, st.ENDING: en.DISTANCE}, core.ENDING_MISMATCH),
        (SHORT, {st.STATUS: st.NOBODY, st.ENDING: en.MAX_PLIES}, core.ENDING_MISMATCH),
        (HALMA, {st.PLY: -1}, core.PLIES),
        (SHORT, {st.PLY: 20}, core.TOO_LONG),
        (TICTACTOE, {st.PLY: 1}, core.COUNT),
        (HALMA, {st.FROM: 3}, core.LAST),
        (HALMA, {st.FROM: 3, st.TO: 37}, core.LAST),
        (TICTACTOE, {st.FROM: 0, st.TO: 1}, core.LAST),
        (TICTACTOE, {st.TO: 9}, core.LAST),
        (SWAP2, {st.TO: 52}, core.LAST),
        (TICTACTOE, {st.BLACK: 1}, core.COLOR),
        (RENJU, {st.BLACK: 2}, core.COLOR),
        (TICTACTOE, {st.PHASE: 1}, core.PHASE_UNKNOWN),
        (HALMA, {st.PHASE: 10}, core.PHASE_UNKNOWN),
        (RIF26, {st.PHASE: op.PUT_TWO}, core.PHASE_UNKNOWN),
        (SWAP2, {st.PHASE: op.FOURTH}, core.PHASE_UNKNOWN),
        (RIF26, {st.PHASE: op.CHOOSE}, core.PHASE_STONES),
        (RIF26, {st.LEFT: 2}, core.PHASE_STONES),
        (RIF26, {st.TO_MOVE: 1}, core.TURN),
        (RIF26, {st.CELLS: st.OFFERED}, core.PHASE_STONES),
        (RIF26, {st.CHOICES: 1}, core.COUNT),
        (RIF26, {st.CHOICES: 100}, core.CHOICES_RANGE),
        (TICTACTOE, {st.CHOICES: 1}, core.CHOICES_RANGE),
        (TICTACTOE, {st.LEFT: 1}, core.PHASE_STONES),
        (HALMA, {st.LEFT: 1}, core.MEN_COUNT),
        (TICTACTOE, {st.CELLS + 3: 2}, core.OWNER),
        (TICTACTOE, {st.CELLS + 3: st.OFFERED}, core.OWNER),
        (HALMA, {st.CELLS: 0}, core.MEN_COUNT),
    ],
    ids=lambda value: value.name if isinstance(value, games.Game) else "",
)
def test_what_is_wrong(game: games.Game, numbers: dict[int, int], fault: int) -> None:
    row = game.start()
    for slot, number in numbers.items():
        row[slot] = number
    with pytest.raises(ValueError, match=f"^{re.escape(WORDS[fault])}; {game.name} has seats"):
        Position(game, row)


@pytest.mark.plain
def test_the_values_of_a_row() -> None:
    row = RIF26.start()
    row[[st.TO_MOVE, st.TO, st.LEFT, st.CELLS + 3]] = 1, 3, 2, 0
    with pytest.raises(ValueError, match=r".") as raised:
        Position(RIF26, row)
    assert str(raised.value) == (
        f"{WORDS[core.COUNT]}; renju has seats 0..1, got player to move 1, status -1, ending 0, moves played 0, "
        "last move from -1, to 3, black 0, phase put_three, left 2, choices 0, cells by owner {-1: 80, 0: 1}"
    )


@pytest.mark.plain
def test_who_is_to_move_can_move() -> None:
    full = TICTACTOE.start()
    stones(full, *range(9))
    with pytest.raises(ValueError, match=r"^the player to move has no legal move, .* player to move 0,"):
        Position(TICTACTOE, full)
    shut_in = Position.from_text(HALMA, "1/2/3rrww/3rrw/3gg/3ggw/3ggww/1r/r w").state
    shut_in[st.TO_MOVE] = 1
    with pytest.raises(ValueError, match=r"^the player to move has no legal move, .* player to move 1,"):
        Position(HALMA, shut_in)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("row", "message"),
    [
        (np.zeros(18, int), r"expected a position of tictactoe, shape \(19,\), got \(18,\)"),
        (np.zeros((1, 19), int), r"shape \(19,\), got \(1, 19\)"),
        (np.zeros(19), "expected whole numbers as a position of tictactoe, got float64"),
        (np.zeros(19, bool), "expected whole numbers as a position of tictactoe, got bool"),
        (["x"] * 19, "expected whole numbers as a position of tictactoe, got <U1"),
        ([2**70] * 19, "expected whole numbers as a position of tictactoe, got object"),
        ([65536] + [0] * 18, "expected numbers from -32768 to 32767 as a position of tictactoe, got 65536"),
        (
            TICTACTOE.start().astype(np.uint16),
            "expected numbers from -32768 to 32767 as a position of tictactoe, got 65535",
        ),
    ],
)
def test_what_is_no_row(row: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Position(TICTACTOE, row)


# --- What may be ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, ">i2"])
def test_rows_in_other_arrays(dtype: Any) -> None:
    row = Position.from_moves(TICTACTOE, "b2 a3").state
    for given in (row.astype(dtype), row.tolist(), np.repeat(row.astype(dtype), 2)[::2]):
        position = Position(TICTACTOE, given)
        assert position.state.tolist() == row.tolist()
        ask_all(position, np.random.default_rng(1))


def test_positions_that_no_game_reaches() -> None:
    """Set up by hand: one colour alone, a row that has not been counted, men anywhere."""
    alone = TICTACTOE.start()
    alone[st.CELLS : st.CELLS + 3], alone[st.PLY] = 1, 3
    men = HALMA.start(2)
    men[st.CELLS :] = men[st.CELLS :][::-1]
    for game, row in ((TICTACTOE, alone), (HALMA, men)):
        ask_all(Position(game, row), np.random.default_rng(2))


# --- Further ways -----------------------------------------------------------------------------------------------


def test_a_position_cannot_be_written_into() -> None:
    position = Position.start(TICTACTOE)
    position.state[st.TO_MOVE] = 77
    with pytest.raises(AttributeError):
        position.state = HALMA.start()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        position.game = HALMA  # type: ignore[misc]
    assert position == Position.start(TICTACTOE)


@pytest.mark.plain
def test_states_of_environments() -> None:
    env = begun(TICTACTOE)
    state = env.get_state()
    for part, message in (
        ({"_stream": np.zeros(0, np.uint64)}, "expected a random stream, uint64"),
        ({"_stream": [1]}, "expected a random stream, uint64"),
        ({"agent_selection": "player_2"}, "expected one of 2 agents, got agent_selection 'player_2'"),
    ):
        with pytest.raises(ValueError, match=message):
            env.set_state(state | part)
    with pytest.raises(ValueError, match=r"expected what get_state\(\) returns"):
        env.set_state({name: value for name, value in state.items() if name not in ("_state", "_stream")})
    env.set_state(state)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("seats", "message"), [([0, 2], "expected a seat of tictactoe, 0..1, got 2"), ([0], "expected 2 seats")]
)
def test_seats_that_look(seats: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        observe(TICTACTOE, TICTACTOE.batch(2), np.array(seats))
    with pytest.raises(ValueError, match=r"first: expected a seat, 0\.\.2, or 2 seats, got array\(\[0, 7\]\)"):
        HALMA.batch(2, np.array([0, 7]))


@pytest.mark.plain
def test_the_solver() -> None:
    row = TICTACTOE.start()
    row[st.TO_MOVE] = 5
    solver = Solver(TICTACTOE)
    for ask in (solver.values, solver.move_values):
        with pytest.raises(ValueError, match="position 1: the player to move is not a seat"):
            ask(np.array([TICTACTOE.start(), row]))
    with pytest.raises(ValueError, match="the player to move is not a seat"):
        Solver(TICTACTOE, row)


@pytest.mark.plain
def test_a_player_at_a_board() -> None:
    seat = Seat(make_agent("greedy"), Position.start(TICTACTOE))
    message = r"expected a position of games\.make\('tictactoe'\), got one of games\.make\('halma'"
    with pytest.raises(ValueError, match=message):
        seat.act(Position.start(HALMA))
    with pytest.raises(ValueError, match="the game is over"):
        seat.act(Position.from_moves(TICTACTOE, "a3 a2 b3 b2 c3"))


def test_a_pickle_says_what_is_wrong() -> None:
    row = HALMA.start()
    row[st.TO_MOVE] = 7
    with pytest.raises(ValueError, match=r"^the player to move is not a seat; .* got player to move 7,"):
        pickle.loads(pickle.dumps(raw_position(HALMA, row)))
    lost = HALMA.start()
    play.forfeit(HALMA.rules, lost, en.RESIGNED)
    assert pickle.loads(pickle.dumps(raw_position(HALMA, lost))) == Position(HALMA, lost)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("game", "text", "origin", "to"),
    [
        (TICTACTOE, "o2/1x1/3 x 2", -1, 8),  # no stone there
        (TICTACTOE, "3/3/3 x 0", -1, 4),
        (SWAP2, "7/7/7/7/7/7/7 x 0", -1, 3),
        (HALMA, None, 0, 1),
    ],
)
def test_last_moves_that_left_no_trace(game: games.Game, text: str | None, origin: int, to: int) -> None:
    row = (Position.start(game) if text is None else Position.from_text(game, text)).state
    Position(game, row)
    row[st.FROM], row[st.TO] = origin, to
    with pytest.raises(ValueError, match=r"^the last move does not fit the cells"):
        Position(game, row)
