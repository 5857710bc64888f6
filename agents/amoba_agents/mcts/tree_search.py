"""Monte-Carlo tree search in many games at once.

    search = TreeSearch(game, states, rng, sims=200, leaf=playouts(game))
    search.run(200)
    search.visits()  # [B, A]

The tree is in tree.py, the leaves are in leaves.py, and the loops in simulate.py.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.mcts import tree as tr
from amoba_agents.mcts.gumbel import improve, plans_for
from amoba_agents.mcts.leaf_foresight import SAMPLES, WIDTH, answers_for
from amoba_agents.mcts.leaf_stones import MOST_MOVES, THREATS, THREATS_OF_A_SIM
from amoba_agents.mcts.leaves import CHANCES, FORESIGHT, NETWORK, NOTHING, STONES, Leaf
from amoba_agents.mcts.simulate import NODES_OF_A_SIM, How, expand_and_backup, select_all, simulate
from amoba_agents.mcts.tree import Floats, Integers
from amoba_env.agent import Actions, Streams
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import call
from amoba_env.core.state import States
from amoba_env.games import Game

# Positions [K, S] -> logits [K, A] of actions relative to the player to move, and values [K, players]. The result must
# not depend on the last move.
Evaluate = Callable[[Game, States], tuple[Floats, Floats]]

C, C_OF_CHANCES = 2.0, 1.0  # the weight of exploration by default, see usual_c()
EDGES_PER_MAN = 20  # average number, for the size of trees
EDGES = 4_000_000  # of all trees in memory, or logits of their nodes from a network: some 100 MB


class Roots(NamedTuple):
    """Results of a search at B roots with at most M moves each. The action of unused places is NOWHERE."""

    actions: Integers  # [B, M] in the board's own numbering
    priors: Floats  # [B, M]
    visits: Integers  # [B, M] -1 in unused places
    values: NDArray[np.float64]  # [B, M] mean values for the player to move; NaN: not visited
    proofs: NDArray[np.int8]  # [B, M] LOST, UNKNOWN or WON, see tree.py

    def best(self) -> Actions:
        """The move to play in each game, int32[B]: by proven results, then by visits, then by value."""
        order = np.lexsort((np.nan_to_num(self.values, nan=-np.inf), self.visits, self.proofs))
        return np.take_along_axis(self.actions, order[:, -1:], 1)[:, 0]


class Improved(NamedTuple):
    """Results of a search with `gumbel` at B roots, see gumbel.py. The action of unused places is NOWHERE."""

    actions: Integers  # [B, M] in the board's own numbering
    policy: Floats  # [B, M]
    chosen: Actions  # [B]
    values: Floats  # [B] to the player to move, -1 .. 1


class TreeSearch:
    """The trees of B positions. The result in one tree does not depend on the others."""

    def __init__(
        self,
        game: Game,
        states: States,
        rng: Streams,
        sims: int,
        leaf: Leaf | Evaluate,
        c: float | None = None,
        leaves: int = 1,
        length: int = tr.MAX_LENGTH,
        gumbel: bool = False,
        noise: bool = False,
    ) -> None:
        """Prepare searches of up to `sims` simulations in all.

        Args:
            game: the rules.
            states: int16[B, S], the roots, none of them over.
            rng: uint64[B], the random stream of each, advanced in place.
            sims: the trees have room for this many simulations.
            leaf: the evaluation (leaves.py), or a network in Python, which gets the leaves of all games at once.
            c: the weight of exploration, for moves with few visits; by default usual_c().
            leaves: with a network, the number of leaves of a game that are evaluated at once.
            length: with foresight, the most own moves from the root to a leaf.
            gumbel: search the root by sequential halving (gumbel.py), with a small network.
            noise: with `gumbel`, draw the considered moves at random.
        """
        self.game, self.roots, self.rng, self.leaf = game, states, rng, leaf
        c = usual_c(leaf) if c is None else float(c)
        self.how = How(c, min(THREATS, sims * THREATS_OF_A_SIM), length, noise)
        kind = leaf.kind if isinstance(leaf, Leaf) else NOTHING.kind
        leaf_nodes = sims + 2 * leaves + 1
        nodes = leaf_nodes * (NODES_OF_A_SIM if isinstance(leaf, Leaf) and len(leaf.work) > 1 else 1)
        edges = leaf_nodes * edges_per_leaf(game, states, kind)
        plan = plans_for(sims) if gumbel else tr.NO_PLAN
        self.trees = tr.trees(len(states), nodes, edges, game.n_actions, game.players, leaves, plan)
        self.answers = answers_for(len(states), edges if kind == FORESIGHT else 0)
        self._known: dict[bytes, tuple[Floats, Floats]] = {}
        self._room = -(-sims // leaves) * leaves  # simulations that the trees have room for

    def run(self, sims: int) -> None:
        """Run this many more simulations in each game; with a network rounded up to a multiple of `leaves`.

        A game gets fewer if leaves can prove results and its root is proven or has a single move.

        Raises ValueError for more simulations, all together, than the search was made for.
        """
        step = 1 if isinstance(self.leaf, Leaf) else self.trees.leaf.shape[1]
        if sims > self._room:
            raise ValueError(f"sims: expected at most the {self._room} simulations that are left, got {sims}")
        self._room -= -(-sims // step) * step
        if not len(self.roots):
            return
        if isinstance(self.leaf, Leaf):
            what = self.game.rules, self.roots, self.rng, self.trees, self.answers
            call(simulate, *what, sims, self.how, self.leaf)
            return
        if self.trees.first[0, 0] < 0:
            self._round(self.leaf)  # expand the roots
        for _ in range(0, sims, step):
            self._round(self.leaf)

    def _round(self, evaluate: Evaluate) -> None:
        game = self.game
        count = len(self.roots) * self.trees.leaf.shape[1]
        leaves = np.empty((count, self.roots.shape[1]), np.int16)
        logits, values = np.zeros((count, game.n_actions), np.float32), np.zeros((count, game.players), np.float32)
        call(select_all, game.rules, self.trees, self.roots, self.how.c, leaves)
        rows = np.flatnonzero(leaves[:, st.STATUS] == st.RUNNING)
        if rows.size:
            logits[rows], values[rows] = self._evaluated(evaluate, leaves[rows])
        expand_and_backup(game.rules, self.trees, leaves, self.rng, logits, values)

    def _evaluated(self, evaluate: Evaluate, states: States) -> tuple[Floats, Floats]:
        """The logits and values of positions. Each position is evaluated once, also after transpositions."""
        alike = states.copy()
        alike[:, [st.FROM, st.TO]] = st.NOWHERE
        keys = [row.tobytes() for row in alike]
        new = sorted({key: row for row, key in enumerate(keys) if key not in self._known}.values())
        if new:
            for row, *found in zip(new, *evaluate(self.game, states[new]), strict=True):
                self._known[keys[row]] = found[0], found[1]
        logits, values = zip(*(self._known[key] for key in keys), strict=True)
        return np.array(logits), np.array(values)

    def root(self) -> Roots:
        """The moves at the roots, with their priors, visits, values and proofs."""
        tree, rows = self.trees, np.arange(len(self.roots))[:, None]
        degree = tree.degree[:, :1]
        place = np.arange(degree.max(initial=1))
        unused, edges = place >= degree, np.maximum(tree.first[:, :1], 0) + place
        edges[unused] = 0
        actions, visits = tree.action[rows, edges], tree.visits[rows, edges]
        actions[unused], visits[unused] = st.NOWHERE, -1
        values = np.where(visits > 0, tree.total[rows, edges] / np.maximum(visits, 1), np.nan)
        proofs = np.where(unused, np.int8(-2), tree.proof[rows, edges])
        return Roots(actions, np.where(unused, np.float32(0), tree.prior[rows, edges]), visits, values, proofs)

    def improved(self) -> Improved:
        """The improved policies, the moves to play, and the values of the roots."""
        root, count = self.root(), len(self.roots)
        policy, chosen = np.zeros(root.actions.shape, np.float32), np.empty(count, np.int32)
        values = np.empty(count, np.float32)
        improve(self.trees, policy, chosen, values)
        return Improved(root.actions, policy, chosen, values)

    def visits(self) -> Integers:
        """The visit counts of the moves at the root, in the board's own numbering: int32[B, A]."""
        root, out = self.root(), np.zeros((len(self.roots), self.game.n_actions), np.int32)
        rows, places = np.nonzero(root.visits > 0)
        out[rows, root.actions[rows, places]] = root.visits[rows, places]
        return out

    def values(self) -> NDArray[np.float64]:
        """The mean value of each move at the root for its player, float64[B, A]; NaN: not visited."""
        root, out = self.root(), np.full((len(self.roots), self.game.n_actions), np.nan)
        rows, places = np.nonzero(root.visits > 0)
        out[rows, root.actions[rows, places]] = root.values[rows, places]
        return out

    def best(self) -> Actions:
        """See Roots."""
        return self.root().best()

    def seat_values(self, b: int) -> list[float]:
        """The mean value for each seat in the simulations of tree b; 0 without simulations."""
        found: list[float] = (self.trees.seats[b] / max(1, self.visits()[b].sum())).tolist()
        return found

    def line(self, b: int, action: int, length: int) -> tuple[int, ...]:
        """A move at the root of tree b and the most visited moves after it, at most `length` in all."""
        tree, found = self.trees, [action]
        edge = int(tree.first[b, 0]) + int(np.flatnonzero(self.root().actions[b] == action)[0])
        while len(found) < length and (node := int(tree.child[b, edge])) >= 0 and tree.first[b, node] >= 0:
            first = int(tree.first[b, node])
            edge = first + int(tree.visits[b, first : first + int(tree.degree[b, node])].argmax())
            if tree.visits[b, edge] == 0:
                break
            found.append(int(tree.action[b, edge]))
        return tuple(found)


def usual_c(leaf: Leaf | Evaluate) -> float:
    """The weight of exploration by default: 1 with learned chances of halma, else 2."""
    return C_OF_CHANCES if isinstance(leaf, Leaf) and leaf.kind == CHANCES else C


def edges_per_leaf(game: Game, states: States, kind: int) -> int:
    """The number of edges that a tree needs for each leaf of a kind."""
    if kind == STONES:
        return MOST_MOVES + NODES_OF_A_SIM
    if kind == FORESIGHT:
        return WIDTH
    if game.moves_men:
        return int(min(game.rules[ru.N_ACTIONS], EDGES_PER_MAN * game.rules[ru.MEN]))
    free = (states[:, st.CELLS :] <= st.EMPTY).sum(axis=1).max(initial=1)
    return int(free + game.rules[ru.N_ACTIONS] - game.rules[ru.N_CELLS]) + (NODES_OF_A_SIM if kind == NETWORK else 0)


def searched(
    game: Game, states: States, rng: Streams, sims: int, leaf: Leaf | Evaluate, leaves: int = 1, **how: Any
) -> Iterator[tuple[slice, TreeSearch]]:
    """Search positions, as many at a time as fit in memory; yield their numbers and the search. See TreeSearch."""
    kind = leaf.kind if isinstance(leaf, Leaf) else NOTHING.kind
    numbers = edges_per_leaf(game, states, kind) if isinstance(leaf, Leaf) else game.n_actions
    numbers *= SAMPLES if kind == FORESIGHT else 1  # answers take room too
    step = max(1, EDGES // (numbers * (sims + 2 * leaves + 1)))
    for first in range(0, len(states), step):
        part = slice(first, first + step)
        search = TreeSearch(game, states[part], rng[part], sims, leaf, leaves=leaves, **how)
        search.run(sims)
        yield part, search
