"""The best moves of a position with their values and the moves that may follow: the search of an analysis."""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.alphabeta.search import MATE, PROVEN
from amoba_agents.mcts.search import Search
from amoba_env.core.rng import streams
from amoba_env.core.state import NOBODY, PHASE, RUNNING, STATUS
from amoba_env.games import Game
from amoba_env.position import Position

LINE = 6  # moves of a line, the first included
LINE_NODES = 2000  # of the search for each of the later ones
SCREEN_NODES = 100  # for each move, to find out which are worth a longer search
SCALE = 200  # the evaluation of alphabeta at which a value is tanh(1) = 0.76
SIMULATIONS = 2000  # of a tree search at most,
PART = 50  # with a look at the clock after so many


class Effort(NamedTuple):
    """How long a position is searched: milliseconds or, if not 0, nodes, which give the same result everywhere."""

    ms: int = 300
    nodes: int = 0

    def part(self, divisor: int) -> AlphaBeta:
        """An alphabeta with this part of the effort."""
        return AlphaBeta(nodes=max(1, self.nodes // divisor), ms=0 if self.nodes else max(1, self.ms // divisor))


class Candidate(NamedTuple):
    """A move and what it is worth."""

    action: int
    value: float  # for who makes it: 1 a win, 0 even or a draw, -1 a loss
    plies: int | None  # to the end of the game, if the win or loss is proven
    line: tuple[int, ...]  # the move and the best moves after it


def searches_two(game: Game) -> bool:
    """Whether alphabeta searches this game; else the tree search does."""
    try:
        AlphaBeta().memory(game)
    except ValueError:
        return False
    return True


def best_moves(position: Position, count: int, effort: Effort) -> list[Candidate]:
    """The best moves of a position, the best first.

    Args:
        position: not over, and in no phase of an opening where alphabeta plays the game.
        count: how many moves; there may be fewer.
        effort: of the search: alphabeta for two players who place stones, else Monte-Carlo tree search.
    """
    found = (_by_alphabeta if searches_two(position.game) else _by_tree)(position, count, effort)
    return sorted(found, key=lambda each: -each.value)


def _by_alphabeta(position: Position, count: int, effort: Effort) -> list[Candidate]:
    """Half of the effort goes to the best move, the other half to the moves that a short search ranks next."""
    best, value = _think(effort.part(2), position)
    found = [_candidate(position, best, value)]
    others = [action for action in position.legal_actions().tolist() if action != best]
    after = [position.play(action) for action in others]
    quick = AlphaBeta(nodes=SCREEN_NODES)
    running = [each for each in after if not each.over]
    values = iter(_values(quick, running))
    ranked = [(_end_value(each, position.to_move) if each.over else -next(values), i) for i, each in enumerate(after)]
    ranked.sort(key=lambda pair: -pair[0])
    for value, i in ranked[: count - 1]:
        if not after[i].over:
            value = -_values(effort.part(2 * (count - 1)), [after[i]])[0]
            value -= (value > PROVEN) - (value < -PROVEN)  # a ply farther away than from there
        found.append(_candidate(position, others[i], value))
    return found


def _think(player: AlphaBeta, position: Position) -> tuple[int, int]:
    actions, values = player.think(position.game, position.state[None], streams(0, position.ply, 1))
    return int(actions[0]), int(values[0])


def _values(player: AlphaBeta, positions: list[Position]) -> list[int]:
    """The values of positions that are not over for their players to move."""
    if not positions:
        return []
    states = np.array([each.state for each in positions])
    values: list[int] = player.think(positions[0].game, states, streams(0, 0, len(states)))[1].tolist()
    return values


def _end_value(position: Position, seat: int) -> int:
    winner = int(position.state[STATUS])
    return 0 if winner == NOBODY else MATE - 1 if winner == seat else 1 - MATE


def _candidate(position: Position, action: int, value: int) -> Candidate:
    proven = abs(value) > PROVEN
    line, after = [action], position.play(action)
    quick = AlphaBeta(nodes=LINE_NODES)
    while len(line) < LINE and not after.over:
        line.append(_think(quick, after)[0])
        after = after.play(line[-1])
    share = math.copysign(1.0, value) if proven else math.tanh(value / SCALE)
    return Candidate(action, share, MATE - abs(value) if proven else None, tuple(line))


def _by_tree(position: Position, count: int, effort: Effort) -> list[Candidate]:
    """The moves with the most visits."""
    sims = effort.nodes or SIMULATIONS
    search = Search(position.game, position.state[None], streams(0, position.ply, 1), sims)
    search.run(0)  # compile before the clock starts
    until = time.perf_counter() + effort.ms / 1000
    for done in range(0, sims, PART):
        search.run(min(PART, sims - done))
        if not effort.nodes and time.perf_counter() > until:
            break
    visits, values = search.visits()[0], search.values()[0]
    best = [int(search.best()[0])]
    best += [action for action in np.argsort(-visits, kind="stable").tolist() if action != best[0] and visits[action]]
    return [Candidate(each, float(values[each]), None, search.line(0, each, LINE)) for each in best[:count]]


def is_searched(position: Position) -> bool:
    """Whether a position has moves to analyse: it is not over, and in no phase of an opening."""
    return bool(position.state[STATUS] == RUNNING and position.state[PHASE] == 0)
