"""A Monte-Carlo tree search of many games at once, for players and for self-play.

    search = Search(game, states, rng, sims=200, evaluate=policy.evaluate)
    search.add_noise(alpha=0.3)
    search.run(200)
    search.visits()  # [B, A], what a policy can be trained on

See tree.py for how it goes down the trees, rollouts.py for what playouts do without a network.
"""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from amoba_agents.mcts.playouts import GREEDY, RANDOM
from amoba_agents.mcts.rollouts import search
from amoba_agents.mcts.tree import Floats, Integers, grow_all, select_all, trees
from amoba_env.agent import Actions, Streams
from amoba_env.core.rng import below
from amoba_env.core.rules import MEN, N_ACTIONS, N_CELLS
from amoba_env.core.state import CELLS, EMPTY, NOBODY, RUNNING, STATUS, States
from amoba_env.games import Game

# Positions [K, S] -> logits [K, A] as the player to move numbers actions, and what they are worth, [K, players].
Evaluate = Callable[[Game, States], tuple[Floats, Floats]]
# Positions [K, S] of a game of two -> who wins for sure, or NOBODY, int32[K]; and by which move, if who moves does.
Prove = Callable[[Game, States], tuple[Integers, Integers]]
Playout = Literal["random", "greedy"]

C = 2.0
CUT = 6  # moves of a playout with men, which seldom arrive; playouts with stones end by themselves
WAYS = 20  # moves a man, on average, that a tree has room for


class Search:
    """The trees of B positions; what is found in one does not depend on the others."""

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
        prove: Prove | None = None,
    ) -> None:
        """Prepare searches of up to `sims` simulations in all.

        Args:
            game: the rules.
            states: int16[B, S], the roots, none of them over.
            rng: uint64[B], the random stream of each, advanced in place.
            sims: there is room for so many.
            c: weight of moves that were tried less.
            uct: choose by UCT, without priors.
            playout: how leaves are played on, if there is no `evaluate`.
            cut: for so many moves; -1: CUT with men, to the end with stones.
            evaluate: judges leaves in the place of playouts, all games' at once.
            leaves: how many of a game are judged at a time.
            prove: with `evaluate`, in games of two: looks at leaves first; proven values are backed up.

        Raises:
            ValueError: `prove` where it cannot be.
        """
        if prove is not None and (evaluate is None or game.players != 2):
            raise ValueError("proofs go up the trees in games of two, where leaves are evaluated")
        self.game, self.roots, self.rng = game, states, rng
        self.uct, self.c, self.evaluate, self.prove = uct, c, evaluate, prove
        self._kind = GREEDY if playout == "greedy" else RANDOM
        self._cut = cut if cut >= 0 else CUT if game.moves_men else game.n_actions
        nodes = sims + 2 * leaves + 1
        self.trees = trees(len(states), nodes, nodes * width(game, states), leaves)

    def run(self, sims: int) -> None:
        """So many simulations more in each game; with `evaluate` rounded up to whole rounds of `leaves`."""
        rules = self.game.rules
        if self.evaluate is None:
            search(rules, self.roots, self.rng, self.trees, sims, self.uct, self.c, self._kind, self._cut)
            return
        ways = self.trees.leaf.shape[1]
        if self.trees.first[0, 0] < 0:
            self._round()  # the roots themselves
        for _ in range(0, sims, ways):
            self._round()

    def _round(self) -> None:
        assert self.evaluate is not None
        game, ways = self.game, self.trees.leaf.shape[1]
        count = len(self.roots) * ways
        leaves, winning = np.empty((count, self.roots.shape[1]), np.int16), np.zeros(count, np.int32)
        winners = np.empty(count, np.int32)
        select_all(game.rules, self.trees, self.roots, self.uct, self.c, leaves, winners)
        asked = np.flatnonzero((leaves[:, STATUS] == RUNNING) & (winners == NOBODY))
        if self.prove is not None:
            winners[asked], winning[asked] = self.prove(game, leaves[asked])
            asked = asked[(winners[asked] == NOBODY) | (self.trees.length.reshape(-1)[asked] == 0)]
        logits, worth = np.zeros((count, game.n_actions), np.float32), np.zeros((count, game.players), np.float32)
        if asked.size:
            logits[asked], worth[asked] = self.evaluate(game, leaves[asked])
        prove = self.prove is not None
        grow_all(game.rules, self.trees, leaves, self.rng, logits, worth, prove, winners, winning)

    def add_noise(self, alpha: float, share: float = 0.25) -> None:
        """Mix Dirichlet noise into the priors at the roots, as AlphaZero does in self-play."""
        self.run(0)
        if self.trees.first[0, 0] < 0:
            raise ValueError("the roots have no moves")
        for b in range(len(self.roots)):
            rows = self._edges(b)
            dice = np.random.default_rng([below(self.rng[b : b + 1], 1 << 31) for _ in range(2)])
            noise = dice.dirichlet(np.full(rows.stop - rows.start, alpha))
            self.trees.prior[b, rows] = (1 - share) * self.trees.prior[b, rows] + share * noise

    def visits(self) -> Integers:
        """How often each move was tried at the root, in the board's own numbering: int32[B, A]."""
        out = np.zeros((len(self.roots), self.game.n_actions), np.int32)
        for b in range(len(out)):
            rows = self._edges(b)
            out[b, self.trees.action[b, rows]] = self.trees.visits[b, rows]
        return out

    def values(self) -> NDArray[np.float64]:
        """What each move is worth to who makes it, the mean of what was found, NaN if it was not tried: [B, A]."""
        out = np.full((len(self.roots), self.game.n_actions), np.nan)
        for b in range(len(out)):
            rows = self._edges(b)
            tried = self.trees.visits[b, rows] > 0
            total, visits = self.trees.total[b, rows][tried], self.trees.visits[b, rows][tried]
            out[b, self.trees.action[b, rows][tried]] = total / visits
        return out

    def best(self) -> Actions:
        """The move tried most in each game, of equal ones that of most value, after what is proven: int32[B]."""
        out = np.empty(len(self.roots), np.int32)
        for b in range(len(out)):
            rows = self._edges(b)
            tree = self.trees
            order = np.lexsort((tree.total[b, rows], tree.visits[b, rows], tree.proof[b, rows]))
            out[b] = tree.action[b, rows][order[-1]]
        return out

    def _edges(self, b: int) -> slice:
        first = int(self.trees.first[b, 0])
        return slice(first, first + int(self.trees.degree[b, 0]))


def width(game: Game, states: States) -> int:
    """Edges that a node gets room for."""
    if game.moves_men:
        return int(min(game.rules[N_ACTIONS], WAYS * game.rules[MEN]))
    free = (states[:, CELLS:] <= EMPTY).sum(axis=1).max(initial=1)
    return int(free + game.rules[N_ACTIONS] - game.rules[N_CELLS])


PLAYOUTS: tuple[str, ...] = get_args(Playout)
