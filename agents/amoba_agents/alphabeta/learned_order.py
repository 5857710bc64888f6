"""A learned policy: which cells the search tries first, learned from the moves of searches.

The network of stone_values.py maps the position to one layer. Another layer maps that to a *query* of KEYS numbers. A
table has a *key* of KEYS numbers, and a bias, for each pair of a cell's codes. The score of a cell is the dot product
of query and key plus the bias: the logit of the probability that the search chooses the cell.
"""

import numpy as np

from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta import stone_values as sv
from amoba_agents.alphabeta.lines import StoneWork
from amoba_agents.alphabeta.stone_values import StoneNetwork
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

SCORE_BITS = 7
SCORE_UNIT = 1 << SCORE_BITS  # scores are logits in units of 1 / SCORE_UNIT
MOST_IN_QUERY = 8


@jit
def score_by_policy(
    rules: Rules, s: State, w: StoneWork, network: StoneNetwork, seat: int, scores: int, first: int, end: int
) -> None:
    """Write the scores of the empty cells w[first:end] for the seat, which is to move, to w[scores + cell].

    LAYER must hold the position, from read_position().

    Keys are packed as stone_values.py packs vectors, queries in the opposite order. Then the upper part of the product
    of two words is the dot product of their numbers: one multiplication instead of three. The eight numbers of a key
    and its bias fill three words.
    """
    _make_query(w, network)
    query, counts = w[li.QUERY], w[li.CELL_COUNTS]
    word_0 = ((1 << sv.KEY_BITS) << 2 * sv.LANE_BITS) + (w[query] << sv.LANE_BITS) + w[query + 1]
    word_1 = (w[query + 2] << 2 * sv.LANE_BITS) + (w[query + 3] << sv.LANE_BITS) + w[query + 4]
    word_2 = (w[query + 5] << 2 * sv.LANE_BITS) + (w[query + 6] << sv.LANE_BITS) + w[query + 7]
    keys = sv.CODES * sv.CODES * sv.WORDS
    if rules[ru.BLACK_ONLY]:
        keys += keys + (sv.CODES * sv.CODES * sv.KEY_WORDS if seat != s[st.BLACK] else 0)
    for i in range(first, end):
        both = w[counts + w[i]]
        own, other = sv.code_of(both >> li.SEAT_BITS * seat), sv.code_of(both >> li.SEAT_BITS * (1 - seat))
        row = np.uintp(keys + (own * sv.CODES + other) * sv.KEY_WORDS)
        product = network[row] * word_0 + network[row + np.uintp(1)] * word_1 + network[row + np.uintp(2)] * word_2
        # The dot product is in bits 2 * LANE_BITS to 62; another product reaches into bit 63.
        w[scores + w[i]] = product << 1 >> 2 * sv.LANE_BITS + 1 + 2 * sv.KEY_BITS - SCORE_BITS


@jit
def _make_query(w: StoneWork, network: StoneNetwork) -> None:
    """Compute QUERY from LAYER."""
    layer, at = w[li.LAYER], np.uintp(len(network) - sv.QUERY_HEAD)
    most = MOST_IN_QUERY << sv.KEY_BITS
    for k in range(li.KEYS):
        number = network[at + np.uintp(li.HIDDEN * li.KEYS + k)] << sv.TABLE_BITS + sv.LAYER_BITS
        for j in range(li.HIDDEN):
            number += w[layer + j] * network[at + np.uintp(j * li.KEYS + k)]
        w[w[li.QUERY] + k] = max(-most, min(most, number >> sv.TABLE_BITS + 2 * sv.LAYER_BITS - sv.KEY_BITS))
