"""Halma: the search tree of greedy and lookahead as data: their first moves, and the moves that may follow.

Every number comes from the search of the player itself (halma/plan.py). The value of a first move is the result of a
search after it, one move less deep, and at most the value of standing still. The player draws from the best moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma.plan import all_best, find_men
from amoba_agents.halma.reach import MAN, MEN_MAX
from amoba_agents.players.lookahead import Lookahead
from amoba_env.agent import Agent
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import call
from amoba_env.games import Game
from amoba_env.position import Position, trusted

Men = NDArray[np.int16]  # [M] the cell + 1 of each man, as players remember them; or empty
NOTHING: Men = np.zeros(0, np.int16)


class FirstMove(NamedTuple):
    """A first move and its consequences."""

    number: int  # its place in the order by man, then by target cell
    action: int
    after: Position  # with the same seat to move again, as in the search
    men: Men  # the cells of the men after it
    distance: int  # own distance after the move
    value: int  # own distance at the end of its best line; 0: all home before the last move
    best: bool  # it has the least value: the player draws from these moves


def as_lookahead(agent: Agent) -> Lookahead:
    """The agent, which has to be greedy or lookahead: they are of one class. ValueError for other players."""
    if not isinstance(agent, Lookahead):
        raise ValueError(f"expected greedy or lookahead:DEPTH, which search their own moves, got {agent.name}")
    return agent


def first_moves(agent: Agent, position: Position, men: Men = NOTHING) -> list[FirstMove]:
    """The first moves of a search, in the order by which ties are broken.

    Args:
        agent: greedy or lookahead.
        position: of a game in which men move.
        men: int16[M], the numbers of the men, if they are known.

    Raises:
        ValueError: another player or game, or the game is over.
    """
    agent, game = as_lookahead(agent), position.game
    if not game.moves_men:
        raise ValueError(f"expected a game where men move, such as halma, got {game.name}")
    if position.over:
        raise ValueError("the game is over")
    best, _ = _search(agent, position, men, agent.depth)
    work = np.zeros(MAN + MEN_MAX, np.int32)
    find_men(game.rules, position.state, men, work)
    men = (work[MAN : MAN + game.rules[ru.MEN]] + 1).astype(np.int16)
    number = {cell: man for man, cell in enumerate((men - 1).tolist())}
    ordered = sorted(position.legal_actions().tolist(), key=lambda each: (number[each // game.n_cells], each))
    lines = []
    for i, action in enumerate(ordered):
        after, moved = (
            _after_move(position, action),
            np.where(men == action // game.n_cells + 1, action % game.n_cells + 1, men),
        )
        distance = after.distance(position.to_move)
        value = distance
        if agent.depth > 1:
            value = 0 if _is_home(after) else _search(agent, after, moved, agent.depth - 1)[1]
        if not agent.greedy:
            value = min(value, position.distance(position.to_move))
        lines.append(FirstMove(i, action, after, moved, distance, value, action in best))
    return lines


def second_moves(agent: Agent, line: FirstMove) -> list[FirstMove]:
    """The moves that the same search, one move less deep, finds after a first move; empty if none are left."""
    depth = as_lookahead(agent).depth
    return [] if depth == 1 or _is_home(line.after) else first_moves(Lookahead(depth - 1), line.after, line.men)


def _search(agent: Lookahead, position: Position, men: Men, depth: int) -> tuple[set[int], int]:
    game = position.game
    out = np.zeros(game.rules[ru.MEN] * game.n_cells, np.int32)
    count, value = call(all_best, game.rules, position.state.copy(), men, depth, agent.greedy, out)
    return set(out[:count].tolist()), int(value)


def _after_move(position: Position, action: int) -> Position:
    """The position after a move while the others stand still. The move does not end the game."""
    state, (origin, to) = position.state.copy(), divmod(action, position.game.n_cells)
    state[st.CELLS + to], state[st.CELLS + origin] = state[st.TO_MOVE], st.EMPTY
    state[st.FROM], state[st.TO] = origin, to
    return trusted(position.game, state)


def _is_home(position: Position) -> bool:
    return position.distance(position.to_move) == all_home(position.game, position.to_move)


def all_home(game: Game, seat: int) -> int:
    """The distance of a seat when all its men are home."""
    goal = ru.table(game.rules, ru.GOALS)[seat]
    return int(ru.table(game.rules, ru.STEPS)[seat][goal].sum())
