"""The symmetries of a game: turns and reflections of the board that leave the rules unchanged.

Candidates are the linear maps of the grid that map steps between neighbours to such steps: 8 on a square grid and 12 on
a hexagonal one. A candidate is a symmetry if it maps cells to cells and neighbours to neighbours, and also

- in games of stones: winning sets and their guards to winning sets and guards, and the first position and its legal
  moves to themselves (some openings of renju begin in the centre, which no board of even size has in its middle);
- in the halma family: homes and goals to homes and goals of seats in the same order of play. (With three seats a
  reflection reverses the order of play, so it is not a symmetry.)

So tic-tac-toe has eight symmetries, and halma has three:

    >>> from amoba_env import games, symmetry
    >>> [len(symmetry.symmetries(games.make(name)).cells) for name in ("tictactoe", "halma")]
    [8, 3]
"""

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.border import checked
from amoba_env.core import play
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.board import HEX, SQUARE, Board
from amoba_env.core.state import State, States
from amoba_env.games import Game

Map = NDArray[np.int32]  # [n] cell -> its image


class Symmetries(NamedTuple):
    """The symmetry group of a game; the first symmetry is the identity."""

    cells: NDArray[np.int32]  # [g, n] cell -> its image
    actions: NDArray[np.int32]  # [g, n_actions] action -> its image
    seats: NDArray[np.int32]  # [g, players] seat -> the seat it becomes


@functools.lru_cache(maxsize=64)
def symmetries(game: Game) -> Symmetries:
    """The symmetry group of a game. The arrays are shared between callers and read-only."""
    found = [(cells, seats) for cells in board_maps(game.board) for seats in _seats(game, cells)]
    cells, seats = (np.array(part, np.int32) for part in zip(*found, strict=True))
    group = Symmetries(cells, np.array([_actions(game, row) for row in cells], np.int32), seats)
    for array in group:
        array.setflags(write=False)
    return group


class SeenSymmetries(NamedTuple):
    """The symmetries that leave every seat its place, as they act on what an agent sees; the first is the identity."""

    points: NDArray[np.int64]  # [g, H * W] the image has at point i of its planes what stood at points[g, i]
    actions: NDArray[np.int64]  # [g, n_actions] action a of the image is the action actions[g, a] of the game


@functools.lru_cache(maxsize=64)
def seen_symmetries(game: Game) -> SeenSymmetries:
    """The images of observations, masks and policies, for learning: the game is the same on each of them.

        seen = seen_symmetries(game)
        planes.reshape(N, H * W, C)[:, seen.points[k]], mask[:, seen.actions[k]], policy[:, seen.actions[k]]

    The arrays are shared between callers and read-only.
    """
    group = symmetries(game)
    own = (group.seats == np.arange(game.players)).all(axis=1)
    site = ru.table(game.rules, ru.SITE)[0].astype(np.int64)  # every seat sees the board as seat 0 does
    height, width, _ = game.observation_shape
    points = np.tile(np.arange(height * width), (int(own.sum()), 1))
    np.put_along_axis(points, site[group.cells[own]], site[None], axis=1)
    found = SeenSymmetries(points, np.argsort(group.actions[own], axis=1))
    for array in found:
        array.setflags(write=False)
    return found


def board_maps(board: Board) -> list[Map]:
    """The maps of a board onto itself that map neighbours to neighbours, the identity first."""
    steps = HEX if board.double_width else SQUARE
    index = {point: cell for cell, point in enumerate(map(tuple, board.coords.tolist()))}
    corner, points = board.coords.min(axis=0), board.coords - board.coords[0]
    around = board.neighbor.astype(np.int32)
    found: dict[tuple[int, ...], Map] = {}  # on a single row of cells two candidates give the same map
    for image in [steps[:2], *((one, other) for one in steps for other in steps)]:
        linear = np.array(image).T @ np.linalg.inv(np.array(steps[:2]).T)
        if set(map(tuple, _moved(np.array(steps), linear))) != set(steps):
            continue
        moved = _moved(points, linear)
        cells = [index.get(point, st.NOWHERE) for point in map(tuple, moved - moved.min(axis=0) + corner)]
        carry = np.array([*cells, st.NOWHERE], np.int32)  # NOWHERE is -1, the last
        if st.NOWHERE not in cells and np.array_equal(np.sort(carry[around]), np.sort(around[cells])):
            found.setdefault(tuple(cells), carry[:-1])
    return list(found.values())


def _moved(points: NDArray[np.signedinteger[Any]], linear: NDArray[np.float64]) -> NDArray[np.int64]:
    moved: NDArray[np.int64] = np.rint(points @ linear.T).astype(np.int64)
    return moved


def _seats(game: Game, cells: Map) -> Iterator[tuple[int, ...]]:
    """The seat that each seat becomes under a map; nothing if the map is not a symmetry of the game."""
    seats = range(game.players)
    if not game.moves_men:
        start, legal = game.start(), np.empty(game.n_actions, np.int32)
        owners, first = game.cells(start), legal[: play.moves(game.rules, start, legal)]
        same = np.array_equal(_winning(game, np.arange(game.n_cells, dtype=np.int32)), _winning(game, cells))
        if same and (owners[cells] == owners).all() and np.array_equal(np.sort(cells[first]), first):
            yield tuple(seats)
        return
    men = game.rules[ru.MEN]
    areas = [ru.table(game.rules, slot)[:, :men] for slot in (ru.HOMES, ru.GOALS)]
    steps = ru.table(game.rules, ru.STEPS)
    for turn in seats:
        image = tuple((seat + turn) % game.players for seat in seats)
        if all(
            all(set(cells[area[seat]]) == set(area[image[seat]]) for area in areas)
            and (steps[image[seat]][cells] == steps[seat]).all()
            for seat in seats
        ):
            yield image
            return


def _winning(game: Game, cells: Map) -> NDArray[np.int32]:
    """The images of the winning sets, each with its guards, sorted."""
    image = np.append(cells, np.int32(st.NOWHERE))  # NOWHERE is -1, the last
    sets, guards = (
        np.sort(image[ru.table(game.rules, slot)].reshape(int(game.rules[ru.N_SETS]), -1))
        for slot in (ru.SETS, ru.GUARDS)
    )
    rows = np.hstack([sets, guards])
    return rows[np.lexsort(rows.T)]


def _actions(game: Game, cells: Map) -> Map:
    if game.moves_men:
        return (cells[:, None] * game.n_cells + cells).ravel()
    return np.append(cells, np.arange(game.n_cells, game.n_actions, dtype=np.int32))  # such as choices of a colour


def images(game: Game, state: State) -> States:
    """A position under every symmetry of its game: int16[g, CELLS + n_cells], itself first.

    Raises:
        ValueError: the row is not a position of the game; the message says why.
    """
    state = checked(game, state)
    group = symmetries(game)
    rows = np.tile(state, (len(group.cells), 1))
    np.put_along_axis(rows[:, st.CELLS :], group.cells.astype(np.intp), state[st.CELLS :][None], axis=1)
    men = rows[:, st.CELLS :] >= 0
    owners = np.take_along_axis(group.seats, np.maximum(rows[:, st.CELLS :], 0).astype(np.intp), axis=1)
    rows[:, st.CELLS :][men] = owners[men]
    rows[:, st.TO_MOVE] = group.seats[:, state[st.TO_MOVE]]
    if state[st.STATUS] >= 0:
        rows[:, st.STATUS] = group.seats[:, state[st.STATUS]]
    for slot in (st.FROM, st.TO):
        if state[slot] != st.NOWHERE:
            rows[:, slot] = (group.cells if game.moves_men else group.actions)[:, state[slot]]
    return rows


def canonical(game: Game, state: State) -> State:
    """The canonical form: the same row for all symmetric positions, int16[CELLS + n_cells], a new row.

    Positions with equal canonical forms have the same value. While the game goes on the last move is left out: it makes
    no difference. Raises ValueError if the row is not a position of the game.
    """
    rows = images(game, state)
    alike = rows.copy()
    alike[:, [st.FROM, st.TO]] = st.NOWHERE
    least = np.lexsort(alike.T[::-1])[0]
    chosen: State = (alike if state[st.STATUS] == st.RUNNING else rows)[least].copy()
    return chosen
