"""The search behind an analysis: values of positions by seat, the best moves, and their lines.

    judgement = judge(position, Effort(ms=300))
    judgement.values, judgement.best[0].move, judgement.best[0].line

`alphabeta` searches the games that it plays, Monte-Carlo tree search all others. On tiny boards values are exact.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.alphabeta.alphabeta_player import expected_result
from amoba_agents.alphabeta.alphabeta_search import MATE, PROVEN
from amoba_agents.mcts.leaves import has_learned, learned, playouts
from amoba_agents.mcts.tree_search import TreeSearch
from amoba_agents.values import line_scores
from amoba_agents.values.exact import solver
from amoba_env import checks
from amoba_env.agent import plays
from amoba_env.core import state as st
from amoba_env.core.rng import streams
from amoba_env.games import Game
from amoba_env.notation import move_text
from amoba_env.position import Position

TINY = 16  # cells: exact values are found in milliseconds
LINE = 6  # moves of a line, the first included
NODES_PER_MS = 200  # of alphabeta, roughly
SCREENED = 4  # moves in the short search, for each move that is shown
MOST_SIMULATIONS = 20_000  # of a tree search
PART = 50  # simulations between two readings of the clock
MOST_MS, MOST_NODES = 3_600_000, 10**9


class Effort(NamedTuple):
    """The effort for a position: milliseconds or, if not 0, nodes, which give the same result everywhere."""

    ms: int = 300
    nodes: int = 0

    def share(self, share: float) -> AlphaBeta:
        """An alphabeta with this share of the effort."""
        return AlphaBeta(nodes=self.few(share)) if self.nodes else AlphaBeta(ms=max(1, int(self.ms * share)))

    def few(self, share: float) -> int:
        """This share of the effort in nodes: for searches that are too short for a clock."""
        return max(1, int((self.nodes or self.ms * NODES_PER_MS) * share))


def lost_value(players: int) -> float:
    """The value of a loss: -1 with two players, -1/2 with three."""
    return -1 / (players - 1)


class Candidate(NamedTuple):
    """A move and its value."""

    move: str
    value: float  # for the player who makes it, from lost_value() to 1 (a win)
    plies: int | None  # to the end of the game, at most, if the win or loss is proven
    line: str  # the move and the best moves after it
    action: int


class Judgement(NamedTuple):
    """The value of a position, and its best moves."""

    values: tuple[float, ...]  # by seat, each from lost_value() to 1 (a win)
    best: tuple[Candidate, ...]  # the best moves, the best first; none when the game is over


def judge(position: Position, effort: Effort, count: int = 1) -> Judgement | None:
    """The value of a position and its best moves; None in a phase of an opening if alphabeta searches the game.

    It may run in any thread: compiled code, where most of the time goes, lets other threads run.

    Args:
        position: of any game.
        effort: the effort of the search, without compiling.
        count: the number of best moves, at most.

    Raises:
        ValueError: an effort or a count out of range.
    """
    checks.whole("ms", effort.ms, 1, MOST_MS)
    two = searches_two(position.game)
    checks.whole("nodes", effort.nodes, 0, MOST_NODES if two else MOST_SIMULATIONS)
    count = min(checks.whole("best moves", count, 1, MOST_NODES), len(position.legal_actions()))
    if position.outcome is not None:
        return Judgement(position.outcome.rewards, ())
    if not two:
        return _by_tree(position, count, effort)
    if position.state[st.PHASE] != 0:
        return None
    found = _by_alphabeta(position, count, effort)
    if position.game.n_cells <= TINY:
        found = _exact(position, found)
    best = tuple(sorted(found, key=lambda each: (-each.value, (each.plies or 0) * (1 if each.value > 0 else -1))))
    worth = best[0].value
    return Judgement((worth, 0.0 - worth) if position.to_move == 0 else (0.0 - worth, worth), best)  # never -0.0


def searches_two(game: Game) -> bool:
    """Whether alphabeta searches this game; else the tree search does."""
    return plays(AlphaBeta(), game)


def _by_alphabeta(position: Position, count: int, effort: Effort) -> list[Candidate]:
    """Most of the effort, or half of it, goes to the best move, the rest to the next moves of a short search.

    Short searches have a limit of nodes: with a limit of time a busy machine might stop them before they have a value.
    The longer search decides: another move has a greater value only if that is proven.
    """
    best, most = _think(effort.share(0.9 if count == 1 else 0.5), position)
    ahead = AlphaBeta(nodes=effort.few(0.1 / count / LINE))
    found = [_candidate(position, best, most, ahead)]
    if count == 1:
        return found
    others = [action for action in _by_score(position) if action != best][: SCREENED * count]
    after = [position.play(action) for action in others]
    short = AlphaBeta(nodes=effort.few(0.1 / max(1, len(others))))
    running = iter(_values(short, [each for each in after if not each.over]))
    quick = [_end_value(each, position.to_move) if each.over else -next(running) for each in after]
    longer = AlphaBeta(nodes=effort.few(0.3 / (count - 1)))
    for i in sorted(range(len(others)), key=lambda i: -quick[i])[: count - 1]:
        value = quick[i]
        if not after[i].over:
            value = -_values(longer, [after[i]])[0]
            value -= (value > PROVEN) - (value < -PROVEN)  # a ply farther away than from there
        found.append(_candidate(position, others[i], value if value > PROVEN else min(value, most), ahead))
    return found


def _exact(position: Position, found: list[Candidate]) -> list[Candidate]:
    """The same moves with exact values, and in the first place the best move, if it is missing."""
    try:
        values: list[int] = solver(position.game).move_values(position.state[None])[0].tolist()
    except ValueError:
        return found  # a game that cannot be solved: with forbidden points, or an opening
    exact = [
        each._replace(value=float(values[each.action]), plies=each.plies if values[each.action] else None)
        for each in found
    ]
    if max(values) > max(each.value for each in exact):
        action = values.index(max(values))
        exact[0] = _named(position.game, float(values[action]), None, [action])
    return exact


def _by_score(position: Position) -> list[int]:
    """The legal moves by their line scores, the best first: only the first of them are searched."""
    rules, legal = position.game.rules, position.legal_actions()
    w = line_scores.workspace(rules, 1)
    line_scores.load(rules, w, position.state, np.int64(1))
    scores = w[w[line_scores.SCORE] + position.to_move * position.game.n_cells + legal]
    found: list[int] = legal[np.argsort(-scores, kind="stable")].tolist()
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
    assert position.outcome is not None
    winner = position.outcome.winner
    return 0 if winner is None else MATE - 1 if winner == seat else 1 - MATE


def _candidate(position: Position, action: int, value: int, ahead: AlphaBeta) -> Candidate:
    proven = abs(value) > PROVEN
    line, after = [action], position.play(action)
    while len(line) < LINE and not after.over:
        line.append(_think(ahead, after)[0])
        after = after.play(line[-1])
    return _named(position.game, float(expected_result(np.array(value))), MATE - abs(value) if proven else None, line)


def _named(game: Game, value: float, plies: int | None, line: Iterable[int]) -> Candidate:
    moves = list(line)
    texts = [move_text(game, each) for each in moves]
    return Candidate(texts[0], value, plies, " ".join(texts), moves[0])


def _by_tree(position: Position, count: int, effort: Effort) -> Judgement:
    """The moves with the most visits; the other seats have their mean values in the simulations."""
    simulations = effort.nodes or min(MOST_SIMULATIONS, 10 * effort.ms)
    leaf = learned(position.game) if has_learned(position.game) else playouts(position.game)
    search = TreeSearch(position.game, position.state[None], streams(0, position.ply, 1), simulations, leaf)
    search.run(0)  # compile before the clock starts
    until = time.perf_counter() + effort.ms / 1000
    for done in range(0, simulations, PART):
        search.run(min(PART, simulations - done))
        if not effort.nodes and time.perf_counter() > until:
            break
    visits, values, first = search.visits()[0], search.values()[0], int(search.best()[0])
    order = [first, *(each for each in np.argsort(-visits, kind="stable").tolist() if each != first and visits[each])]
    best = tuple(_named(position.game, float(values[each]), None, search.line(0, each, LINE)) for each in order[:count])
    seats = search.seat_values(0)
    seats[position.to_move] = best[0].value
    if position.game.players == 2:
        seats[1 - position.to_move] = 0.0 - best[0].value
    return Judgement(tuple(seats), best)
