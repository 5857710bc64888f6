"""Positions and outcomes, for scripts. A position is a game and one row of numbers, its state:

>>> from amoba_env import Position, games
>>> position = Position.start(games.make("tictactoe")).play("b2").play("a3")
>>> print(position)
3(o). .
2 . x .
1 . . .
  a b c
>>> position.text
'o2/1x1/3 x 2 a3'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amoba_env import checks, draw, notation
from amoba_env.border import checked
from amoba_env.core import endings as en
from amoba_env.core import halma, play, renju
from amoba_env.core import opening_rules as op
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.state import State
from amoba_env.draw.marks import forbidden_points, winning_cells
from amoba_env.games import Game

OnIllegal = Literal["raise", "lose", "zero_sum"]


class Outcome(NamedTuple):
    """How a game ended."""

    winner: int | None  # seat; None: a draw, a truncated game, or several who share the win after a forfeit
    places: tuple[int, ...]  # by seat, 1 is best; seats that share a place have the same number
    rewards: tuple[float, ...]  # by seat; they sum to zero, except after an illegal action, see outcome()
    ending: str  # "line" or another name of core.endings.NAMES
    cells: tuple[int, ...]  # the winning cells, ascending

    @property
    def truncated(self) -> bool:
        """Whether the game ended at the limit of plies."""
        return self.ending == en.NAMES[en.MAX_PLIES]


def outcome(game: Game, state: State, on_illegal: OnIllegal = "lose") -> Outcome | None:
    """The outcome of a position, or None while the game goes on.

    Whoever played an illegal action has lost: its reward is -1 and the others get 0, as with PettingZoo's
    TerminateIllegalWrapper. With on_illegal="zero_sum" the others have won and get 1 / (players - 1) each.

    Raises:
        ValueError: the row is not a position of the game; the message says why.
    """
    return _outcome(game, checked(game, state), on_illegal)


def _outcome(game: Game, state: State, on_illegal: OnIllegal = "lose") -> Outcome | None:
    if state[st.STATUS] == st.RUNNING:
        return None
    rewards, places = np.zeros(game.players), np.zeros(game.players, np.int64)
    play.rewards(game.rules, state, on_illegal == "zero_sum", rewards)
    play.places(game.rules, state, places)
    return Outcome(
        winner=int(state[st.STATUS]) if state[st.STATUS] >= 0 else None,
        places=tuple(places.tolist()),
        rewards=tuple(rewards.tolist()),
        ending=en.NAMES[state[st.ENDING]],
        cells=tuple(sorted(winning_cells(game, state))),
    )


class Position:
    """A position of a game. It is immutable: play() returns a new one. Positions can be compared and hashed."""

    __slots__ = ("_game", "_state")

    def __init__(self, game: Game, state: ArrayLike) -> None:
        """A copy of a state row, int16[CELLS + n], see core/state.py. ValueError if it is not a position."""
        self._game, self._state = game, checked(game, state)

    @classmethod
    def start(cls, game: Game, first: int = 0) -> Position:
        """The first position, seat `first` to move."""
        return trusted(game, game.start(first))

    @classmethod
    def from_text(cls, game: Game, text: str) -> Position:
        """The position of a text: its board, see amoba_env.notation, or the moves that lead to it from the start.

        On a board of one row a text is always a board.

        Raises:
            ValueError: it is neither; the message quotes the wrong part.
        """
        if game.board.height > 1 and not notation.is_board(text) and notation.without_comments(text).strip():
            return cls.from_moves(game, text)
        return trusted(game, notation.parse_position(game, text))

    @classmethod
    def from_cells(cls, game: Game, cells: object, to_move: int | None = None) -> Position:
        """The position with these owners of cells, [n] or [H, W] (-1: empty). ValueError if it is impossible."""
        return trusted(game, notation.position_from_cells(game, cells, to_move))

    @classmethod
    def from_moves(cls, game: Game, moves: str | Iterable[int | str], first: int = 0) -> Position:
        """The position after these moves: "b2 a3", see notation.moves_in, or a list of texts or actions.

        Raises:
            ValueError: an illegal move; the message has its number.
        """
        return played(cls.start(game, first), moves)[-1]

    @property
    def game(self) -> Game:
        """The rules."""
        return self._game

    @property
    def state(self) -> State:
        """The state row, int16[CELLS + n], a copy."""
        state: State = self._state.copy()
        return state

    @property
    def to_move(self) -> int:
        """The seat whose turn it is."""
        return int(self._state[st.TO_MOVE])

    @property
    def ply(self) -> int:
        """The number of moves played."""
        return int(self._state[st.PLY])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._state[st.STATUS] != st.RUNNING)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None."""
        return _outcome(self.game, self._state)

    @property
    def rewards(self) -> NDArray[np.float64]:
        """The rewards of `outcome` by seat, float64 (players,), 0 while the game goes on.

        They are those of the environments with the default `on_illegal`.
        """
        ended = self.outcome
        return np.zeros(self.game.players) if ended is None else np.array(ended.rewards)

    def observation(self, seat: int | None = None) -> NDArray[np.int8]:
        """The observation of a seat (default: the one to move), as in the environments: int8 (H, W, C), a new array.

        In halma the board is turned to the seat; action_mask(relative=True) is the mask that goes with it.

        Raises:
            ValueError: no such seat.
        """
        planes, _ = observed(self.game, self._state, self._seat(seat))
        return planes.transpose(1, 2, 0).copy()

    def action_mask(self, seat: int | None = None, relative: bool = False) -> NDArray[np.int8]:
        """The legal actions: int8 (A,), 1 for legal, a new array; all 0 when the game is over.

        By default these are board actions, as in legal_actions() and play(). A policy sees observation() and plays
        actions that are relative to the seat, as in the environments:

            action = policy(position.observation(), position.action_mask(relative=True))
            position = position.play(position.decode(action))

        The two differ in games like halma, where each seat sees the board turned.

        Args:
            seat: default: the seat to move; for any other seat the mask is all 0.
            relative: whether the actions are relative to the seat.

        Raises:
            ValueError: no such seat.
        """
        if relative:
            return observed(self.game, self._state, self._seat(seat))[1]
        mask = np.zeros(self.game.n_actions, np.int8)
        if self._seat(seat) == self.to_move:
            mask[self.legal_actions()] = 1
        return mask

    def _seat(self, seat: int | None) -> int:
        return self.to_move if seat is None else self.game.seat(seat)

    def encode(self, move: int | str, seat: int | None = None) -> int:
        """The action of a move relative to a seat, as in the environments.

        Args:
            move: a text or a board action, as for play().
            seat: default: the one to move.

        Raises:
            ValueError: no such move or seat.
        """
        return encode(self.game, self._seat(seat), move)

    def decode(self, action: int, seat: int | None = None) -> str:
        """The move, as text, of an action relative to a seat (default: the one to move), as in the environments.

        Raises:
            ValueError: no such action or seat.
        """
        return decode(self.game, self._seat(seat), action)

    @property
    def cells(self) -> NDArray[np.int16]:
        """Owner of each cell, int16[n], a copy: a seat or -1."""
        cells: NDArray[np.int16] = self._state[st.CELLS :].copy()
        return cells

    @property
    def text(self) -> str:
        """The position in notation."""
        return notation.position_text(self.game, self._state)

    @property
    def last_move(self) -> str | None:
        """The move that led here, in notation, if known."""
        action = notation.last_action(self.game, self._state)
        return None if action is None else notation.move_text(self.game, action)

    def legal_actions(self) -> NDArray[np.int32]:
        """The legal actions, int32[k], ascending; none when the game is over."""
        legal = np.empty(self.game.n_actions, np.int32)
        return legal[: play.moves(self.game.rules, self._state, legal)]

    def legal_moves(self) -> list[str]:
        """The legal actions in notation."""
        return [notation.move_text(self.game, action) for action in self.legal_actions().tolist()]

    def is_legal(self, action: int) -> bool:
        """Whether the player to move may play this action. ValueError if it is not a whole number."""
        number = int(checks.whole("action", action))
        return 0 <= number < self.game.n_actions and bool(play.is_legal(self.game.rules, self._state, number))

    def play(self, move: int | str) -> Position:
        """The position after a move: an action or its text. ValueError if it is neither, or illegal."""
        action = notation.parse_move(self.game, move) if isinstance(move, str) else _action(move)
        after = self.state
        if not (0 <= action < self.game.n_actions and play.step(self.game.rules, after, action)):
            raise ValueError(why_illegal(self.game, after, action))
        return trusted(self.game, after)

    def distance(self, seat: int) -> int:
        """The sum of the step distances of a seat's men. ValueError: the seat does not exist, or stones do not move.

        In `halma` it is 8 if all men are in the goal; the thesis subtracts these 8.
        """
        if not self.game.moves_men:
            raise ValueError(f"{self.game.name} has no distances")
        return int(halma.distance(self.game.rules, self._state, self._seat(seat)))

    def __str__(self) -> str:
        """The board as a drawing."""
        return draw.text(self.game, self._state)

    def _repr_svg_(self) -> str:
        return draw.svg(self.game, self._state)

    def __repr__(self) -> str:
        return f"Position.from_text({self.game!r}, {self.text!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.game == other.game and np.array_equal(self._state, other._state)

    def __hash__(self) -> int:
        return hash((self.game, self._state.tobytes()))

    def __reduce__(self) -> tuple[object, ...]:
        return Position, (self.game, self._state)  # copies and pickles are checked like any row


def trusted(game: Game, state: State) -> Position:
    """A position from a row that the core itself has reached; the row is neither checked nor copied."""
    position = Position.__new__(Position)
    position._game, position._state = game, state
    return position


def observed(game: Game, state: State, seat: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """What a seat sees of a row that the core itself has reached: planes int8 (C, H, W), mask int8 (A,); new arrays."""
    height, width, channels = game.observation_shape
    planes, mask = np.empty((channels, height, width), np.int8), np.empty(game.n_actions, np.int8)
    play.observe(game.rules, state, seat, planes, mask)
    return planes, mask


def _action(move: object) -> int:
    try:
        return checks.whole("move", move)
    except ValueError:
        raise ValueError(f"expected a move, a text or a whole number, got {checks.brief(move)}") from None


def played(start: Position, moves: str | Iterable[int | str]) -> list[Position]:
    """The position at the start and after each of these moves, see Position.from_moves."""
    positions = [start]
    texts = notation.moves_in(start.game, moves) if isinstance(moves, str) else checks.listed("moves", moves)
    for number, move in enumerate(texts, start=1):
        try:
            positions.append(positions[-1].play(move))
        except ValueError as error:
            raise ValueError(f"move {number}: {error}") from None
    return positions


def encode(game: Game, seat: int, move: int | str) -> int:
    """The action, relative to `seat`, of a move (text or board action). ValueError: no such move."""
    action = notation.parse_move(game, move) if isinstance(move, str) else game.action(_action(move))
    return int(play.renumber(game.rules, seat, action, ru.VIEW))


def decode(game: Game, seat: int, action: int) -> str:
    """The move, as text, of an action relative to `seat`. ValueError: no such action."""
    return notation.move_text(game, int(play.renumber(game.rules, seat, game.action(action), ru.BACK)))


def why_illegal(game: Game, state: State, action: int) -> str:
    """One sentence: why an action is illegal, and what is legal. ValueError if the row is not a position."""
    state = checked(game, state)
    if state[st.STATUS] != st.RUNNING:
        return "the game is over"
    try:
        action = game.action(action)
    except ValueError as error:
        return str(error)
    move, who = notation.move_text(game, action), game.color(state, int(state[st.TO_MOVE]))
    if not game.moves_men:
        return f"illegal move {move}: {_why_not_placed(game, state, action, who)}"
    origin = action // game.n_cells
    if state[st.CELLS + origin] != state[st.TO_MOVE]:
        return f"illegal move {move}: {who} has no man on {notation.cell_name(game, origin)}"
    reached = np.zeros(game.n_cells, np.int16)
    count = halma.reach(game.rules, state, origin, np.zeros(game.n_cells, np.uint8), reached)
    if count == 0:
        return f"illegal move {move}: the man on {notation.cell_name(game, origin)} cannot move"
    goals = ", ".join(notation.cell_name(game, cell) for cell in sorted(reached[:count].tolist()))
    return f"illegal move {move}: the man on {notation.cell_name(game, origin)} can go to {goals}"


def _why_not_placed(game: Game, state: State, action: int, who: str) -> str:
    if state[st.PHASE] != op.PLAYING:
        legal = trusted(game, state).legal_moves()
        return f"{who} has to {draw.task(state)}: {', '.join(legal[:12])}{', ...' if len(legal) > 12 else ''}"
    if action >= game.n_cells:
        return "the opening is over"
    if state[st.CELLS + action] == st.EMPTY:
        kind = renju.KINDS[forbidden_points(game, state)[action]]
        return f"forbidden for {who} ({kind.replace('_', '-')})"
    return "the cell is taken"
