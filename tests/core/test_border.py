"""Rows of any numbers, through every public way in: one ValueError, or a position that all can be asked of."""

import pickle
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
    ("game", "numbers", "message"),
    [
        (HALMA, {st.TO_MOVE: 7}, "player to move 7: expected a seat from 0 to 2"),
        (TICTACTOE, {st.TO_MOVE: -1}, "player to move -1: expected a seat from 0 to 1"),
        (
            HALMA,
            {st.STATUS: 3},
            "status 3: expected a seat from 0 to 2 (who won), -1 (the game goes on) or -2 (nobody won)",
        ),
        (HALMA, {st.STATUS: -3}, "status -3: expected a seat from 0 to 2"),
        (TICTACTOE, {st.ENDING: 10}, "ending 10 (expected 0 to 9) does not fit status -1"),
        (TICTACTOE, {st.ENDING: en.LINE}, "ending 1 ('line') does not fit status -1"),
        (TICTACTOE, {st.STATUS: 0}, "ending 0 (none) does not fit status 0"),
        (TICTACTOE, {st.STATUS: 0, st.ENDING: en.LINE}, "ending 1 ('line') does not fit status 0 and the last move"),
        (
            TICTACTOE,
            {st.STATUS: 0, st.ENDING: en.GOAL},
            "ending 2 ('goal') does not fit status 0 and the last move in tictactoe",
        ),
        (TICTACTOE, {st.STATUS: 0, st.ENDING: en.FULL_BOARD}, "ending 3 ('full_board') does not fit status 0"),
        (TICTACTOE, {st.STATUS: st.NOBODY, st.ENDING: en.NO_MOVES}, "ending 4 ('no_moves') does not fit status -2"),
        (TICTACTOE, {st.STATUS: 0, st.ENDING: en.RESIGNED}, "ending 8 ('resigned') does not fit status 0"),
        (RENJU, {st.STATUS: 1, st.ENDING: en.FORBIDDEN}, "ending 9 ('forbidden') does not fit status 1"),
        (HALMA, {st.STATUS: 1, st.ENDING: en.ILLEGAL}, "ending 7 ('illegal') does not fit status 1"),
        (HALMA, {st.STATUS: 0, st.ENDING: en.LINE}, "ending 1 ('line') does not fit status 0"),
        (HALMA, {st.STATUS: st.NOBODY, st.ENDING: en.DISTANCE}, "ending 6 ('distance') does not fit status -2"),
        (SHORT, {st.STATUS: st.NOBODY, st.ENDING: en.MAX_PLIES}, "ending 5 ('max_plies') does not fit status -2"),
        (HALMA, {st.PLY: -1}, "moves played -1: expected a number from 0 to 32767"),
        (SHORT, {st.PLY: 20}, "moves played 20: expected at most 19 while the game goes on"),
        (TICTACTOE, {st.PLY: 1}, "moves played 1: the board has 0 stones"),
        (HALMA, {st.FROM: 3}, "last move from 3 to -1: expected two cells from 0 to 36, or -1 and -1"),
        (HALMA, {st.FROM: 3, st.TO: 37}, "last move from 3 to 37: expected two cells from 0 to 36, or -1 and -1"),
        (TICTACTOE, {st.FROM: 0, st.TO: 1}, "last move from 0 to 1: expected from -1, to an action from 0 to 8 or -1"),
        (TICTACTOE, {st.TO: 9}, "last move from -1 to 9: expected from -1, to an action from 0 to 8 or -1"),
        (SWAP2, {st.TO: 52}, "last move from -1 to 52: expected from -1, to an action from 0 to 51 or -1"),
        (TICTACTOE, {st.BLACK: 1}, "black 1: expected 0"),
        (RENJU, {st.BLACK: 2}, "black 2: expected a seat from 0 to 1"),
        (TICTACTOE, {st.PHASE: 1}, "phase 'put_three' is not part of this opening"),
        (HALMA, {st.PHASE: 10}, "phase 10: expected a number from 0 to 9"),
        (RIF26, {st.PHASE: op.PUT_TWO}, "phase 'put_two' is not part of this opening"),
        (SWAP2, {st.PHASE: op.FOURTH}, "phase 'fourth' is not part of this opening"),
        (RIF26, {st.PHASE: op.CHOOSE}, "phase 'choose' with 3 left does not fit 0 stones and 0 offered cells"),
        (RIF26, {st.LEFT: 2}, "phase 'put_three' with 2 left does not fit 0 stones and 0 offered cells"),
        (RIF26, {st.TO_MOVE: 1}, "player to move 1: in phase 'put_three' it is seat 0"),
        (RIF26, {st.CELLS: st.OFFERED}, "phase 'put_three' with 3 left does not fit 0 stones and 1 offered cells"),
        (RIF26, {st.CHOICES: 1}, "moves played 0: the board has 0 stones and 1 choices were made"),
        (RIF26, {st.CHOICES: 100}, "choices 100: expected a number from 0 to 99"),
        (TICTACTOE, {st.CHOICES: 1}, "choices 1: expected 0"),
        (TICTACTOE, {st.LEFT: 1}, "phase 'play' with 1 left does not fit 0 stones and 0 offered cells"),
        (HALMA, {st.LEFT: 1}, "left 1: halma has no opening, so expected 0"),
        (TICTACTOE, {st.CELLS + 3: 2}, "a cell is owned by 2: expected a seat from 0 to 1, or -1"),
        (TICTACTOE, {st.CELLS + 3: st.OFFERED}, "a cell is owned by -2: expected a seat from 0 to 1, or -1"),
        (HALMA, {st.CELLS: 0}, "red has 7 men, expected 6"),
    ],
    ids=lambda value: value.name if isinstance(value, games.Game) else "",
)
def test_what_is_wrong(game: games.Game, numbers: dict[int, int], message: str) -> None:
    row = game.start()
    for slot, number in numbers.items():
        row[slot] = number
    with pytest.raises(ValueError, match=r".") as raised:
        Position(game, row)
    assert str(raised.value).startswith(message)


@pytest.mark.plain
def test_who_is_to_move_can_move() -> None:
    full = TICTACTOE.start()
    stones(full, *range(9))
    with pytest.raises(ValueError, match=r"^black is to move and has no legal move, but status is -1$"):
        Position(TICTACTOE, full)
    shut_in = Position.from_text(HALMA, "1/2/3rrww/3rrw/3gg/3ggw/3ggww/1r/r w").state
    shut_in[st.TO_MOVE] = 1
    with pytest.raises(ValueError, match=r"^white is to move and has no legal move"):
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
        with pytest.raises(ValueError, match="position 1: player to move 5"):
            ask(np.array([TICTACTOE.start(), row]))
    with pytest.raises(ValueError, match="player to move 5"):
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
    with pytest.raises(ValueError, match=r"^player to move 7: expected a seat from 0 to 2$"):
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
    with pytest.raises(ValueError, match=r"last move .* it does not fit the cells"):
        Position(game, row)
