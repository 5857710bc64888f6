"""Static evaluation of a position for the player to move: counted, or learned from games.

Both use the counts of open sets in the work row (lines.py), whatever the lines and the size of the board. The *counted*
value, for every game, is a weighted number of all open sets. The *learned* value, for rows of five, is a small network:

1. The code of an empty cell says how many open sets of each need go through it. A table has a vector of CHANNELS
   numbers for each pair of codes (own and the opponent's), and in renju for each colour.
2. The vectors of all empty cells are added up.
3. Two layers make a value of the sum.

The first of these layers also gives the policy of learned_order.py.

The file has the small layers from which the table is computed (network()). All numbers are integers, so values are the
same on every machine. workshop.search_networks learns them from alphabeta's own games. (A table of cell features, added
up, is an idea of the Gomoku engine Rapfi, Jin et al., "Rapfi: Distilling Efficient Neural Network for the Game of
Gomoku", arXiv:2503.13178.)
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.lines import StoneWork
from amoba_agents.sources import arrays_like, read_file
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules, table
from amoba_env.core.state import State

StoneNetwork = NDArray[
    np.int64
]  # one row: tables of vectors, tables of keys, then the layers; empty for counted values

TEMPO_NUMERATOR, TEMPO_DENOMINATOR = 5, 4  # the factor for the sets of the player to move
MOST_VALUE = 20_000

COUNTED: StoneNetwork = np.zeros(0, np.int64)  # for counted values
FILE = Path(__file__).with_name("values.npz")
ROW = 5  # the learned values are for winning sets of this many cells

# A code distinguishes this number of counts of sets of need 2, of need 3, and of need 4 (with one stone).
KINDS_2, KINDS_3, KINDS_4 = 4, 6, 8
CODES = KINDS_2 * KINDS_3 * KINDS_4
MANY = np.array([0, 1, 2, 3, 4, 5, 5, 6, 6, 6] + [7] * (li.FIELD - 9), np.int64)  # count of need 4 -> its kind
INPUTS = KINDS_2 + KINDS_3 + KINDS_4  # of the small layers, for each seat
PLAIN, RENJU_BLACK, RENJU_WHITE = range(3)  # the table, by whose turn it is

# Fixed-point numbers: bits after the point.
LAYER_BITS, TABLE_BITS = 11, 11
# Three numbers of a vector are packed into one word, so a vector is added with eleven additions. A sum must stay
# between -512 and 512 (2 ** 20 in these units): only more than a hundred of the most extreme cells would exceed that.
LANES, LANE_BITS = 3, 21
WORDS = -(-li.CHANNELS // LANES)
MOST_IN_VECTOR = 8  # a vector's numbers are between -8 and 8
KEY_WORDS, KEY_BITS = (
    -(-(li.KEYS + 1) // LANES),
    6,
)  # words of a cell's key, and bits after the point of its numbers, see learned_order.py
QUERY_HEAD = (li.HIDDEN + 1) * li.KEYS  # numbers of the query layer,
HEAD = (li.CHANNELS + 1) * li.HIDDEN + li.HIDDEN + 1 + QUERY_HEAD  # and of all layers
VALUE_UNIT = 30  # learned values are log odds in units of 1 / VALUE_UNIT


@jit
def evaluate(rules: Rules, s: State, w: StoneWork, network: StoneNetwork, seat: int) -> int:
    """The value of a position for the seat, which is to move, -MOST_VALUE .. MOST_VALUE."""
    value = counted(w, seat) if len(network) == 0 else learned(rules, s, w, network, seat)
    return max(-MOST_VALUE, min(MOST_VALUE, value))


@jit
def counted(w: StoneWork, seat: int) -> int:
    """The value by weighted numbers of open sets."""
    both = w[w[li.VALUE]]
    own, others = both >> li.SEAT_BITS * seat & li.SEAT_FIELDS, both >> li.SEAT_BITS * (1 - seat) & li.SEAT_FIELDS
    return own * TEMPO_NUMERATOR // TEMPO_DENOMINATOR - others


@jit
def code_of(counts: int) -> int:
    """The code of a cell's packed counts of one seat, 0 .. CODES - 1."""
    two, three = min(counts >> 2 * li.BITS & li.FIELD, KINDS_2 - 1), min(counts >> li.BITS & li.FIELD, KINDS_3 - 1)
    return (two * KINDS_3 + three) * KINDS_4 + MANY[counts & li.FIELD]


@jit
def learned(rules: Rules, s: State, w: StoneWork, network: StoneNetwork, seat: int) -> int:
    """The value by the network."""
    read_position(rules, s, w, network, seat)
    hidden, at = np.uintp(w[li.LAYER]), np.uintp(len(network) - HEAD + (li.CHANNELS + 1) * li.HIDDEN)
    odds = network[at + np.uintp(li.HIDDEN)] << LAYER_BITS
    for j in range(np.uintp(li.HIDDEN)):
        odds += (w[hidden + j] >> TABLE_BITS) * network[at + j]
    return odds * VALUE_UNIT >> 2 * LAYER_BITS


@jit
def read_position(rules: Rules, s: State, w: StoneWork, network: StoneNetwork, seat: int) -> None:
    """Compute LAYER for the seat. (Unsigned indices need no check for negative ones.)"""
    counts, sums, hidden = w[li.CELL_COUNTS], np.uintp(w[li.SUMS]), np.uintp(w[li.LAYER])
    first = CODES * CODES * WORDS if rules[ru.BLACK_ONLY] and seat != s[st.BLACK] else 0
    for k in range(np.uintp(WORDS)):
        w[sums + k] = 0
    for cell in range(rules[ru.N_CELLS]):
        both = w[counts + cell]
        if both != 0 and s[st.CELLS + cell] == st.EMPTY:
            own, other = code_of(both >> li.SEAT_BITS * seat), code_of(both >> li.SEAT_BITS * (1 - seat))
            row = np.uintp(first + (own * CODES + other) * WORDS)
            for k in range(np.uintp(WORDS)):
                w[sums + k] += network[row + k]
    at = np.uintp(len(network) - HEAD)
    bias = at + np.uintp(li.CHANNELS * li.HIDDEN)
    for j in range(np.uintp(li.HIDDEN)):
        w[hidden + j] = network[bias + j] << TABLE_BITS
    for k in range(li.CHANNELS):
        word = sums + np.uintp(k // LANES)
        x = w[word] << 64 - LANE_BITS >> 64 - LANE_BITS  # the lowest number, with its sign
        w[word] = w[word] - x >> LANE_BITS
        if x > 0:
            for j in range(np.uintp(li.HIDDEN)):
                w[hidden + j] += x * network[at + j]
        at += np.uintp(li.HIDDEN)
    for j in range(np.uintp(li.HIDDEN)):
        w[hidden + j] = max(w[hidden + j], 0)


def fits(rules: Rules) -> bool:
    """Whether the learned values fit this game: all winning sets have ROW cells."""
    sets = table(rules, ru.SETS)
    return bool(rules[ru.SET_SIZE] == ROW and rules[ru.N_SETS] > 0 and (sets != st.NOWHERE).all())


def network(rules: Rules, file: str | Path = "") -> StoneNetwork:
    """The network of a file (by default the package's) for a game that it fits, int64[length]; made once."""
    return read_file(file or FILE, _network, bool(rules[ru.BLACK_ONLY]))


def _network(file: Path, renju: bool) -> StoneNetwork:
    layers = arrays_like(FILE, file)
    inputs, vectors, key_inputs, keys = (
        layers[name].astype(np.int64) for name in ("inputs", "vectors", "key_inputs", "keys")
    )
    names = ("hidden", "hidden_bias", "value", "value_bias", "query", "query_bias")
    head = [layers[name].ravel() for name in names]
    kinds = (RENJU_BLACK, RENJU_WHITE) if renju else (PLAIN,)
    tables = [packed(vectors_of(inputs, vectors, kind)).ravel() for kind in kinds]
    tables += [packed(vectors_of(key_inputs, keys, kind, KEY_BITS)).ravel() for kind in kinds]
    return np.concatenate([*tables, *head]).astype(np.int64)


def vectors_of(
    inputs: NDArray[np.int64], vectors: NDArray[np.int64], kind: int, bits: int = TABLE_BITS
) -> NDArray[np.int64]:
    """A table of vectors, or of keys, [CODES * CODES, numbers of each].

    Args:
        inputs: [2 * INPUTS + 3, hidden], the first layer: terms of the own code, the opponent's, and the kind.
        vectors: [hidden, numbers of each], the second layer.
        kind: whose turn it is.
        bits: bits after the point.
    """
    first = np.array([inputs[features(code)].sum(axis=0) for code in range(CODES)])
    second = np.array([inputs[INPUTS + features(code)].sum(axis=0) for code in range(CODES)])
    # The vector of a cell without sets is 0, so such cells can be left out.
    both = first[:, None] + second[None] + inputs[2 * INPUTS + kind]
    found = np.maximum(both.reshape(CODES * CODES, -1), 0)
    summed = ((found - found[0]).astype(np.float64) @ vectors.astype(np.float64)).astype(np.int64)  # exact, and fast
    half = 1 << 2 * LAYER_BITS - bits - 1
    return np.clip((summed + half) >> 2 * LAYER_BITS - bits, -MOST_IN_VECTOR << bits, MOST_IN_VECTOR << bits)


def packed(vectors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Vectors [N, numbers], packed LANES numbers a word: [N, words]."""
    n, numbers = vectors.shape
    words = -(-numbers // LANES)
    lanes = np.zeros((n, words * LANES), np.int64)
    lanes[:, :numbers] = vectors
    return (lanes.reshape(n, words, LANES) << np.arange(LANES) * LANE_BITS).sum(axis=2)


def features(code: int) -> NDArray[np.intp]:
    """The inputs that are on for a code: three numbers, 0 .. INPUTS - 1."""
    two, rest = divmod(code, KINDS_3 * KINDS_4)
    three, four = divmod(rest, KINDS_4)
    return np.array([two, KINDS_2 + three, KINDS_2 + KINDS_3 + four])
