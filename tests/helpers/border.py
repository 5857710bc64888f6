"""Every public way by which a row of numbers comes in, and all that can be asked of it behind the border."""

import copy
import pickle
from collections.abc import Callable
from functools import cache

import numpy as np

from amoba_env import Position, Record, draw, games, notation, symmetry
from amoba_env.aec import BoardGameEnv
from amoba_env.batch import observe
from amoba_env.border import checked
from amoba_env.core import endings as en
from amoba_env.core import play
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.state import State
from amoba_env.explain import explain
from amoba_env.games import Game
from amoba_env.position import outcome, why_illegal
from amoba_env.single import SingleEnv
from amoba_env.vector import BatchEnv

ROWS = 8  # of each game
PLIES = 6  # so far a position is played on

GAMES = [
    games.make("tictactoe"),
    games.make("gomoku", size=6),
    games.make("gomoku", rule="exact"),
    games.make("gomoku", size=7, rule="caro"),
    games.make("gomoku", size=7, opening="swap2"),
    games.make("renju", size=9),
    games.make("renju", forbidden="lose"),
    games.make("renju", size=9, opening="rif26"),
    games.make("renju", size=9, opening="soosyrv8", forbidden="lose"),
    games.make("renju", size=9, opening="taraguchi10"),
    games.make("renju", size=9, opening="yamaguchi"),
    games.make("omok", size=9, forbidden="lose"),
    games.make("amoba", board="#...#/...../..#../...../#...#", patterns="xxx,x...x", players=4),
    games.make("halma"),
    games.make("halma", players=2, max_plies=20),
    games.make("chinese_checkers", players=6, anti_spoiling=True),
    games.make("square_halma", players=2, size=8, adjudicate=True, max_plies=30),
]

Dice = np.random.Generator


# --- Rows -------------------------------------------------------------------------------------------------------


@cache
def valid_rows(game: Game) -> list[State]:
    """Positions of random games, by the number of a seed; do not write into them."""
    return [valid_row(game, np.random.default_rng(seed)) for seed in range(ROWS)]


def valid_row(game: Game, dice: Dice) -> State:
    """A position of a random game: at its start, in its middle, at its end or after a forfeit."""
    position = Position.start(game, int(dice.integers(game.players)))
    for _ in range(int(dice.integers(2 * game.n_cells))):
        if position.over:
            break
        position = position.play(int(dice.choice(position.legal_actions())))
    row = position.state
    if not position.over and dice.random() < 0.2:
        play.forfeit(game.rules, row, int(dice.choice([en.ILLEGAL, en.RESIGNED])))
    return row


def spoiled(game: Game, row: State, dice: Dice) -> State:
    """The row with one to three other numbers, most of them near to what is possible."""
    row = row.copy()
    for _ in range(int(dice.integers(1, 4))):
        slot = int(dice.choice([dice.integers(st.CELLS), dice.integers(st.CELLS, len(row))]))
        ends = [game.n_cells, game.n_actions, int(game.rules[ru.PLY_LIMIT]), 2**15 - 2, -(2**15)]
        row[slot] = dice.choice(
            [
                dice.integers(-2, game.players),
                dice.integers(-3, 12),
                min(abs(int(row[slot])), 999) + dice.choice([-1, 1]),
                min(dice.choice(ends) + dice.integers(2), 2**15 - 1),
                dice.integers(-(2**15), 2**15),
            ],
            p=[0.4, 0.2, 0.2, 0.1, 0.1],
        )
    if dice.random() < 0.5:  # men and moves counted right, so that more of these rows are positions
        if game.moves_men:
            row[st.CELLS :] = (
                dice.permutation(game.start()[st.CELLS :]) if dice.random() < 0.5 else row[st.CELLS :][::-1]
            )
        else:
            row[st.PLY] = (row[st.CELLS :] >= 0).sum() + row[st.CHOICES] % 20
    return row


# --- Behind the border --------------------------------------------------------------------------------------------


def ask_all(position: Position, dice: Dice) -> None:
    """Ask a position everything, and the positions after it."""
    game = position.game
    for _ in range(PLIES):
        legal, ended = position.legal_actions(), position.outcome
        assert (len(legal) == 0) == position.over == (ended is not None), position.state.tolist()
        assert all(position.is_legal(action) for action in legal[:5].tolist())
        for text in (str(position), repr(position), position._repr_svg_(), draw.status(game, position.state)):
            assert text
        assert position.last_move is None or position.last_move in position.text
        assert pickle.loads(pickle.dumps(position)) == position
        assert not game.moves_men or position.distance(position.to_move) >= 0
        action = int(dice.integers(game.n_actions))
        assert position.is_legal(action) or why_illegal(game, position.state, action)
        if position.over:
            break
        position = position.play(int(dice.choice(legal)))


def play_on(env: BoardGameEnv, dice: Dice) -> None:
    """Go on in an environment, every agent looking at every step."""
    for _ in range(PLIES):
        for agent in env.possible_agents:
            seen = env.observe(agent)
        assert env.outcome is None or env.position.over
        if not env.agents or env.position.over:
            return
        legal = np.flatnonzero(seen["action_mask"] if agent == env.agent_selection else env.last()[0]["action_mask"])
        env.step(int(dice.choice(legal)) if len(legal) else 0)


# --- The ways in ----------------------------------------------------------------------------------------------------


def raw_position(game: Game, row: State) -> Position:
    """A position with a row that nobody has checked."""
    position = Position.__new__(Position)
    position._game, position._state = game, row
    return position


def begun(game: Game) -> BoardGameEnv:
    env = BoardGameEnv(game.name, game, on_illegal="lose")
    env.reset(seed=1)
    return env


def through_check(game: Game, row: State, dice: Dice) -> None:
    assert np.array_equal(checked(game, row), row)


def through_position(game: Game, row: State, dice: Dice) -> None:
    ask_all(Position(game, row), dice)


def through_pickle(game: Game, row: State, dice: Dice) -> None:
    ask_all(pickle.loads(pickle.dumps(raw_position(game, row))), dice)


def through_copy(game: Game, row: State, dice: Dice) -> None:
    ask_all(copy.deepcopy(raw_position(game, row)), dice)


def to_act(game: Game, row: State) -> str:
    """The agent to move, in a row that may be spoiled."""
    return f"player_{int(row[st.TO_MOVE]) % game.players}"


def through_set_state(game: Game, row: State, dice: Dice) -> None:
    env = begun(game)
    env.set_state(env.get_state() | {"_state": row, "agent_selection": to_act(game, row)})
    play_on(env, dice)


def through_pickled_env(game: Game, row: State, dice: Dice) -> None:
    env = begun(game)
    env._state, env.agent_selection = row, to_act(game, row)
    play_on(pickle.loads(pickle.dumps(env)), dice)


def through_options(game: Game, row: State, dice: Dice) -> None:
    env = begun(game)
    env.reset(options={"position": Position(game, row), "random_plies": int(dice.integers(3))})
    play_on(env, dice)


def through_single(game: Game, row: State, dice: Dice) -> None:
    env = SingleEnv(game.name, opponent="random", **game.options)
    _, info = env.reset(seed=3, options={"position": Position(game, row)})
    for _ in range(PLIES):
        _, _, over, cut, info = env.step(int(dice.choice(np.flatnonzero(info["action_mask"]))))
        if over or cut:
            break
    assert env.position.text


def through_pickled_single(game: Game, row: State, dice: Dice) -> None:
    env = SingleEnv(game.name, opponent="random", **game.options)
    env.reset(seed=3)
    env._batch.states[0] = row
    twin = pickle.loads(pickle.dumps(env))
    assert twin.action_masks().shape == (game.n_actions,)
    assert (twin.outcome is None) == (not twin.position.over)


def through_vector(game: Game, row: State, dice: Dice) -> None:
    env = BatchEnv(game.name, 3, opponent=None, **game.options)
    _, info = env.reset(seed=3, options={"position": Position(game, row)})
    _steps(env, info["action_mask"], dice)


def through_pickled_vector(game: Game, row: State, dice: Dice) -> None:
    env = BatchEnv(game.name, 3, opponent="random", **game.options)
    env.reset(seed=3)
    env._batch.states[1] = row
    twin = copy.deepcopy(env)
    _steps(twin, twin.action_masks(), dice)


def _steps(env: BatchEnv, masks: np.ndarray, dice: Dice) -> None:
    for _ in range(PLIES):
        actions = [int(dice.choice(np.flatnonzero(mask))) if mask.any() else 0 for mask in masks]
        masks = env.step(np.array(actions))[4]["action_mask"]


def through_observe(game: Game, row: State, dice: Dice) -> None:
    for seat in range(game.players):
        observe(game, np.array([game.start(), row]), np.array([0, seat]))


def through_drawings(game: Game, row: State, dice: Dice) -> None:
    which = int(dice.integers(4))
    if which == 0:
        assert draw.text(game, row)
    elif which == 1:
        assert draw.status(game, row)
    elif which == 2:
        assert draw.svg(game, row)
    else:
        assert draw.html(game, [game.start(), row], [0])


def through_functions(game: Game, row: State, dice: Dice) -> None:
    which = int(dice.integers(5))
    if which == 0:
        outcome(game, row)
    elif which == 1:
        assert notation.position_text(game, row)
    elif which == 2:
        assert why_illegal(game, row, -1)
    elif which == 3:
        for image in symmetry.images(game, row):
            ask_all(Position(game, image), dice)
    else:
        ask_all(Position(game, symmetry.canonical(game, row)), dice)


def through_record(game: Game, row: State, dice: Dice) -> None:
    record = Record(game, start=Position(game, row))
    assert record.html()


def through_explain(game: Game, row: State, dice: Dice) -> None:
    position = Position(game, row)
    if game.rules[ru.FAMILY] == ru.RENJU:
        for cell in np.flatnonzero(position.cells == -1)[:3].tolist():
            assert str(explain(position, cell))


WAYS: dict[str, Callable[[Game, State, Dice], None]] = {
    name.removeprefix("through_"): way for name, way in list(globals().items()) if name.startswith("through_")
}


def comes_in(way: str, game: Game, row: State, dice: Dice) -> str:
    """Bring a row in by this way and ask all: "" if that went well, or else the text of the ValueError."""
    try:
        WAYS[way](game, row, dice)
    except ValueError as error:
        return str(error)
    return ""
