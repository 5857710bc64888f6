"""Monte-Carlo tree search in many games at once.

    search = Search(game, states, rng, sims=200, evaluate=policy.evaluate)
    search.run(200)
    search.visits()  # [B, A]

tree.py selects leaves and backs up values; evaluator.py asks the network about leaves; rollouts.py is the search with
playouts, or in halma with learned chances in their place; values.py the search with alphabeta's learned values.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from amoba_agents.mcts import values
from amoba_agents.mcts.chances import NONE, Chances
from amoba_agents.mcts.evaluator import Evaluate, Evaluator
from amoba_agents.mcts.playouts import GREEDY, RANDOM
from amoba_agents.mcts.rollouts import search
from amoba_agents.mcts.tree import Integers, expand_and_backup, select_all, trees
from amoba_env.agent import Actions, Streams
from amoba_env.core.interrupt import call
from amoba_env.core.rules import MEN, N_ACTIONS, N_CELLS
from amoba_env.core.state import CELLS, EMPTY, RUNNING, STATUS, States
from amoba_env.games import Game

Playout = Literal["random", "greedy"]

C = 2.0
CUT = 6  # moves of a playout with men; playouts with stones go on to the end of the game
MOVES_PER_MAN = 20  # an average number; trees have room for this many


class Search:
    """The trees of B positions. The result in one tree does not depend on the others."""

    def __init__(
        self,
        game: Game,
        states: States,
        rng: Streams,
        sims: int,
        c: float = C,
        uct: bool = False,
        playout: Playout = "greedy",
        cut: int = -1,
        evaluate: Evaluate | None = None,
        leaves: int = 1,
        learned: Chances | values.Values | None = None,
    ) -> None:
        """Prepare searches of up to `sims` simulations in all.

        Args:
            game: the rules.
            states: int16[B, S], the roots, none of them over.
            rng: uint64[B], the random stream of each, advanced in place.
            sims: the trees have room for this many simulations.
            c: the weight of exploration: moves with few visits.
            uct: choose by UCT, without priors.
            playout: how playouts choose moves, if there is no `evaluate`.
            cut: playouts end after this many moves; -1: CUT with men, at the end of the game with stones.
            evaluate: evaluates leaves instead of playouts, those of all games at once.
            leaves: the number of leaves of a game that are evaluated at once.
            learned: chances of halma (chances.py) or values of stones (values.py) take the place of playouts, without
                `evaluate`. With values the search ends where a result is proven.
        """
        self.game, self.roots, self.rng = game, states, rng
        self.uct, self.c = uct, c
        self._values = learned if isinstance(learned, values.Values) else None
        self._chances = learned if isinstance(learned, Chances) else NONE
        self.evaluator = None if evaluate is None else Evaluator(game, evaluate)
        self._kind = GREEDY if playout == "greedy" else RANDOM
        self._cut = cut if cut >= 0 else CUT if game.moves_men else game.n_actions
        leaf_nodes = sims + 2 * leaves + 1
        nodes = leaf_nodes * (1 if self._values is None else values.NODES_OF_A_SIM)
        self.trees = trees(len(states), nodes, leaf_nodes * edges_per_leaf(game, states, learned), leaves)

    def run(self, sims: int) -> None:
        """Run this many more simulations in each game; with `evaluate` rounded up to a multiple of `leaves`."""
        rules = self.game.rules
        if self.evaluator is None and self._values is not None:
            call(values.search, rules, self.roots, self.rng, self.trees, sims, self.uct, self.c, self._values)
            return
        if self.evaluator is None:
            options = self.uct, self.c, self._kind, self._cut, self._chances
            call(search, rules, self.roots, self.rng, self.trees, sims, *options)
            return
        leaves_per_tree = self.trees.leaf.shape[1]
        if self.trees.first[0, 0] < 0:
            self._round(self.evaluator)  # expand the roots
        for _ in range(0, sims, leaves_per_tree):
            self._round(self.evaluator)

    def _round(self, evaluator: Evaluator) -> None:
        game, leaves_per_tree = self.game, self.trees.leaf.shape[1]
        count = len(self.roots) * leaves_per_tree
        leaves = np.empty((count, self.roots.shape[1]), np.int16)
        logits, values = np.zeros((count, game.n_actions), np.float32), np.zeros((count, game.players), np.float32)
        call(select_all, game.rules, self.trees, self.roots, self.uct, self.c, leaves)
        rows = np.flatnonzero(leaves[:, STATUS] == RUNNING)
        if rows.size:
            logits[rows], values[rows] = evaluator(leaves[rows])
        expand_and_backup(game.rules, self.trees, leaves, self.rng, logits, values)

    def visits(self) -> Integers:
        """The visit counts of the moves at the root, in the board's own numbering: int32[B, A]."""
        out = np.zeros((len(self.roots), self.game.n_actions), np.int32)
        for b in range(len(out)):
            rows = self._edges(b)
            out[b, self.trees.action[b, rows]] = self.trees.visits[b, rows]
        return out

    def values(self) -> NDArray[np.float64]:
        """The mean value of each move at the root for the player who makes it, NaN if it was not visited: float64[B,
        A].
        """
        out = np.full((len(self.roots), self.game.n_actions), np.nan)
        for b in range(len(out)):
            rows = self._edges(b)
            tried = self.trees.visits[b, rows] > 0
            total, visits = self.trees.total[b, rows][tried], self.trees.visits[b, rows][tried]
            out[b, self.trees.action[b, rows][tried]] = total / visits
        return out

    def best(self) -> Actions:
        """The move to play in each game: proven results first, then the most visits, then the highest total value:
        int32[B].
        """
        out = np.empty(len(self.roots), np.int32)
        for b in range(len(out)):
            rows = self._edges(b)
            tree = self.trees
            order = np.lexsort((tree.total[b, rows], tree.visits[b, rows], tree.proof[b, rows]))
            out[b] = tree.action[b, rows][order[-1]]
        return out

    def seat_values(self, b: int) -> list[float]:
        """For each seat the mean value of the moves that it made in the simulations of tree b; NaN: it made none."""
        tree, total, visits = self.trees, np.zeros(self.game.players), np.zeros(self.game.players)
        for node in np.flatnonzero(tree.first[b] >= 0):
            first, seat = tree.first[b, node], tree.seat[b, node]
            edges = slice(first, first + tree.degree[b, node])
            total[seat] += tree.total[b, edges].sum()
            visits[seat] += tree.visits[b, edges].sum()
        found: list[float] = np.where(visits > 0, total / np.maximum(visits, 1), np.nan).tolist()
        return found

    def line(self, b: int, action: int, length: int) -> tuple[int, ...]:
        """A move at the root of tree b and the moves after it that were visited most, at most `length` in all."""
        tree, rows, found = self.trees, self._edges(b), [action]
        edge = rows.start + int(np.flatnonzero(tree.action[b, rows] == action)[0])
        while len(found) < length and (node := int(tree.child[b, edge])) >= 0 and tree.first[b, node] >= 0:
            first = int(tree.first[b, node])
            edge = first + int(tree.visits[b, first : first + int(tree.degree[b, node])].argmax())
            if tree.visits[b, edge] == 0:
                break
            found.append(int(tree.action[b, edge]))
        return tuple(found)

    def _edges(self, b: int) -> slice:
        first = int(self.trees.first[b, 0])
        return slice(first, first + int(self.trees.degree[b, 0]))


def edges_per_leaf(game: Game, states: States, learned: Chances | values.Values | None = None) -> int:
    """The number of edges that a tree needs room for with each leaf."""
    if isinstance(learned, values.Values):
        return values.MOST_MOVES + values.NODES_OF_A_SIM
    if game.moves_men:
        return int(min(game.rules[N_ACTIONS], MOVES_PER_MAN * game.rules[MEN]))
    free = (states[:, CELLS:] <= EMPTY).sum(axis=1).max(initial=1)
    return int(free + game.rules[N_ACTIONS] - game.rules[N_CELLS])


PLAYOUTS: tuple[str, ...] = get_args(Playout)
