"""Halma: what greedy and lookahead see when they choose a move, as data: their first moves and what may follow.

Every figure is one of the search that plays (plan.py). The value of a first move is what the search finds behind it,
one move less deep, and never more than standing still; the best moves are those that the player draws from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma.plan import all_best, find_men
from amoba_agents.halma.reach import MAN, MEN_MAX
from amoba_agents.players.lookahead import Lookahead
from amoba_env.agent import Agent
from amoba_env.core import rules as tables
from amoba_env.core.state import CELLS, EMPTY, FROM, TO, TO_MOVE
from amoba_env.games import Game
from amoba_env.position import Position, trusted

Men = NDArray[np.int16]  # [M] where each man stands, from 1 on: as players remember them; or nothing
NOTHING: Men = np.zeros(0, np.int16)


class Line(NamedTuple):
    """A first move, and what comes of it."""

    number: int  # in the order man, then cell of arrival
    action: int
    after: Position  # the same seat to move again, as the search has it
    men: Men  # who is where then
    distance: int  # own distance there
    value: int  # the own distance at the end of its best line, or standing still; 0: all home before the last move
    best: bool  # of least value: the player draws from these


def known_depth(agent: Agent) -> int:
    """How many own moves ahead a player looks. Raises ValueError for one that does not search so."""
    if not isinstance(agent, Lookahead):
        raise ValueError(f"{agent.name} does not look at its own moves ahead; greedy and lookahead:D do")
    return agent.depth


def first_moves(agent: Agent, position: Position, men: Men = NOTHING) -> list[Line]:
    """The first moves of a search, in the order that ties go by.

    Args:
        agent: greedy or lookahead.
        position: of a game in which men move.
        men: int16[M], the numbers of the men, if they are known.

    Raises:
        ValueError: another player or game, or the game is over.
    """
    depth, game = known_depth(agent), position.game
    if not game.moves_men:
        raise ValueError(f"{game.name}: own moves ahead are looked at where men move, such as in halma")
    if position.over:
        raise ValueError("the game is over")
    best, _ = _search(agent, position, men, depth)
    work = np.zeros(MAN + MEN_MAX, np.int32)
    find_men(game.rules, position.state, men, work)
    men = (work[MAN : MAN + game.rules[tables.MEN]] + 1).astype(np.int16)
    number = {cell: man for man, cell in enumerate((men - 1).tolist())}
    ordered = sorted(position.legal_actions().tolist(), key=lambda each: (number[each // game.n_cells], each))
    lines = []
    for i, action in enumerate(ordered):
        after, moved = (
            _again(position, action),
            np.where(men == action // game.n_cells + 1, action % game.n_cells + 1, men),
        )
        distance = after.distance(position.to_move)
        value = distance
        if depth > 1:
            value = 0 if _home(after) else _search(agent, after, moved, depth - 1)[1]
        if not _greedy(agent):
            value = min(value, position.distance(position.to_move))
        lines.append(Line(i, action, after, moved, distance, value, action in best))
    return lines


def second_moves(agent: Agent, line: Line) -> list[Line]:
    """What the same search, one move less deep, sees behind a first move; nothing where there is no move left."""
    depth = known_depth(agent)
    return [] if depth == 1 or _home(line.after) else first_moves(Lookahead(depth - 1), line.after, line.men)


def _search(agent: Agent, position: Position, men: Men, depth: int) -> tuple[set[int], int]:
    game = position.game
    out = np.zeros(game.rules[tables.MEN] * game.n_cells, np.int32)
    count, value = all_best(game.rules, position.state.copy(), men, depth, _greedy(agent), out)
    return set(out[:count].tolist()), int(value)


def _greedy(agent: Agent) -> bool:
    return isinstance(agent, Lookahead) and agent.greedy


def _again(position: Position, action: int) -> Position:
    """After a move, as if the others stood still; the game does not end by it."""
    state, (origin, to) = position.state.copy(), divmod(action, position.game.n_cells)
    state[CELLS + to], state[CELLS + origin] = state[TO_MOVE], EMPTY
    state[FROM], state[TO] = origin, to
    return trusted(position.game, state)


def _home(position: Position) -> bool:
    return position.distance(position.to_move) == all_home(position.game, position.to_move)


def all_home(game: Game, seat: int) -> int:
    """The distance of a seat with all men home."""
    goal = tables.table(game.rules, tables.GOAL)[seat]
    return int(tables.table(game.rules, tables.STEPS)[seat][goal].sum())
