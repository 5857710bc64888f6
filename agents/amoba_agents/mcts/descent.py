"""From the root of a tree to a leaf."""

import numpy as np

from amoba_agents.mcts import tree as tr
from amoba_agents.mcts.gumbel import root_edge
from amoba_agents.mcts.tree import Trees
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.play import apply
from amoba_env.core.rules import Rules
from amoba_env.core.state import State


@jit
def descend(rules: Rules, tree: Trees, b: int, k: int, s: State, c: float) -> None:
    """Continue path k of tree b from its leaf, whose position is `s`, to another leaf, and record it.

    Afterwards `s` is that leaf's position. A move with a proven result ends the path.
    """
    node, length = np.int64(tree.leaf[b, k]), np.int64(tree.length[b, k])
    proven = False
    while tree.first[b, node] >= 0 and s[st.STATUS] == st.RUNNING and length < tr.MAX_LENGTH and not proven:
        edge = root_edge(tree, b, c) if node == 0 and len(tree.plan) > 0 else tr.best_edge(tree, b, node, c)
        tree.path[b, k, length, 0] = node
        tree.path[b, k, length, 1] = edge
        length += 1
        tree.visits[b, edge] += 1
        tree.total[b, edge] -= 1.0
        proven = tree.proof[b, edge] != tr.UNKNOWN
        apply(rules, s, np.int64(tree.action[b, edge]))
        if tree.child[b, edge] < 0:
            tree.child[b, edge] = tree.used[b, tr.NODES]
            tree.used[b, tr.NODES] += 1
        node = np.int64(tree.child[b, edge])
    tree.leaf[b, k] = node
    tree.length[b, k] = length
