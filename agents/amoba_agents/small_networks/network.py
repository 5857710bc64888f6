"""A small network that reads a position in a few microseconds: values for all seats, and logits of the legal moves.

It sees the board as the player to move does, and has one of two inputs:

- `LINES`, for games of two where every winning set is a line: each empty cell has the sum of four vectors, one for the
  pattern of each line through it (line_rows.py). Added up over the cells, these features are what the rest reads. The
  logit of a cell is the product of its features and a *query*.
- `CELLS`, for all other games: a vector for each pair of a cell and whose stone or man is on it, added up over the
  board. The logit of an action is the product of its *key* and the query.

Two layers read the sum. From the last one come the value of each seat and the query.

Features are whole numbers, in units of 1 / UNIT: the sums do not depend on their order, and processors add many at a
time. (Vectors looked up and added, then small layers: Y. Nasu, "Efficiently updatable neural-network-based evaluation
functions for computer shogi", 2018. Line patterns: the Gomoku engine Rapfi, Jin et al., arXiv:2503.13178.)
"""

import functools
import json
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.made_for import RETRAIN, warn_of_rules
from amoba_agents.small_networks.line_rows import DIRECTIONS, NO_GRID, LineGrid, grid_for, write_rows
from amoba_agents.sources import digest_of_file, read_file
from amoba_agents.values.winning_sets import in_lines
from amoba_env import checks
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.play import moves
from amoba_env.core.rules import Rules
from amoba_env.core.state import State, States
from amoba_env.games import Game
from amoba_env.options import Options

LINES, CELLS = range(2)
UNIT = 128  # of features
QUERY_UNIT = 64  # of the query where it meets features or keys
MOST_QUERY = 1 << 14
SUM_SCALE = 16.0  # sums over cells are divided by this

# The games that GAME.npz is for.
PACKAGE: dict[str, Options] = {"chinese_checkers": {"players": 2, "men": 10}}

Halves = NDArray[np.int16]
Reals = NDArray[np.float32]


class SmallNetwork(NamedTuple):
    """The weights, and what is known of the board."""

    kind: int  # LINES or CELLS
    table: Halves  # [rows, C] in units of 1 / UNIT
    bias: Halves  # [C]
    first: Reals  # [C, H]
    first_bias: Reals  # [H]
    second: Reals  # [H, H]
    second_bias: Reals  # [H]
    value: Reals  # [H, players] logits of the seats, counted from the player to move
    value_bias: Reals  # [players]
    query: Reals  # [H, K]; with LINES K is C
    query_bias: Reals  # [K]
    keys: Halves  # [A, K] with CELLS, in units of 1 / UNIT; actions as the player to move numbers them
    own: Halves  # [A] with CELLS: what is added to the logit of each action
    grid: LineGrid  # with LINES


class SmallScratch(NamedTuple):
    """Room for one search."""

    rows: NDArray[np.int32]  # [cells, DIRECTIONS] of the table
    features: Halves  # [cells, C]
    sums: NDArray[np.int32]  # [C]
    read: Reals  # [C]
    one: Reals  # [H]
    two: Reals  # [H]
    odds: Reals  # [players]
    query: Reals  # [K]
    whole: Halves  # [K] the query in units of 1 / QUERY_UNIT
    board: Halves  # [cells] of the position that was read before
    codes: NDArray[np.int32]  # [points, DIRECTIONS, 2] of the same, see line_rows.py


@jit
def scratch_for(rules: Rules, net: SmallNetwork) -> SmallScratch:
    """Room for one search."""
    cells, channels, hidden, keys = rules[ru.N_CELLS], net.table.shape[1], net.first.shape[1], net.query.shape[1]
    return SmallScratch(
        np.zeros((cells, DIRECTIONS), np.int32),
        np.zeros((cells, channels), np.int16),
        np.zeros(channels, np.int32),
        np.zeros(channels, np.float32),
        np.zeros(hidden, np.float32),
        np.zeros(hidden, np.float32),
        np.zeros(net.value.shape[1], np.float32),
        np.zeros(keys, np.float32),
        np.zeros(keys, np.int16),
        np.full(cells, st.EMPTY, np.int16),
        net.grid.empty.copy(),
    )


@jit
def _add_lines(rules: Rules, s: State, net: SmallNetwork, x: SmallScratch) -> None:
    """Write the features of the empty cells, and their sum."""
    write_rows(rules, s, net.grid, x.board, x.codes, x.rows)
    for k in range(len(x.sums)):
        x.sums[k] = 0
    for cell in range(rules[ru.N_CELLS]):
        if s[st.CELLS + cell] < 0:
            _cell_features(net.table, net.bias, x.rows[cell], x.features[cell], x.sums)


@jit
def _cell_features(table: Halves, bias: Halves, rows: NDArray[np.int32], out: Halves, sums: NDArray[np.int32]) -> None:
    """Write the features of one cell, and add them."""
    a, b, c, d = table[rows[0]], table[rows[1]], table[rows[2]], table[rows[3]]
    for k in range(len(out)):
        out[k] = a[k] + b[k] + c[k] + d[k] + bias[k]
    for k in range(len(out)):
        out[k] = max(out[k], np.int16(0))
    for k in range(len(out)):
        sums[k] += out[k]


@jit
def _add_cells(rules: Rules, s: State, net: SmallNetwork, x: SmallScratch) -> None:
    """Write the sum of the rows of all stones or men."""
    n, players, seat = rules[ru.N_CELLS], rules[ru.PLAYERS], np.int64(s[st.TO_MOVE])
    for k in range(len(x.sums)):
        x.sums[k] = net.bias[k]
    for cell in range(n):
        owner = np.int64(s[st.CELLS + cell])
        if owner >= 0:
            seen = rules[rules[ru.VIEW] + seat * n + cell] if rules[ru.FAMILY] == ru.HALMA else cell
            row = net.table[(owner - seat) % players * n + seen]
            for k in range(len(x.sums)):
                x.sums[k] += row[k]
    for k in range(len(x.sums)):
        x.sums[k] = max(x.sums[k], np.int32(0))


@jit
def _layer(given: Reals, weights: Reals, bias: Reals, out: Reals, rectified: bool) -> None:
    """A fully connected layer."""
    for j in range(len(out)):
        out[j] = bias[j]
    for k in range(len(given)):
        row, number = weights[k], given[k]
        if number != 0:
            for j in range(len(out)):
                out[j] += number * row[j]
    if rectified:
        for j in range(len(out)):
            out[j] = max(out[j], np.float32(0))


@jit
def _product(one: Halves, other: Halves) -> int:
    """The dot product of two vectors."""
    found = np.int32(0)
    for k in range(len(one)):
        found = np.int32(found + np.int32(np.int32(one[k]) * np.int32(other[k])))
    return found


@jit
def read_network(
    rules: Rules, s: State, net: SmallNetwork, x: SmallScratch, legal: NDArray[np.int32], logits: Reals, values: Reals
) -> int:
    """Read a position that is not over.

    Args:
        rules: of the game.
        s: the position, in no phase of an opening.
        net: the network.
        x: room.
        legal: int32[A], overwritten by the legal actions.
        logits: float32[A], overwritten by their logits.
        values: float32[players], overwritten by the value of each seat, -1 / (players - 1) .. 1. They add up to 0.

    Returns:
        The number of legal actions.
    """
    seat, players, n = np.int64(s[st.TO_MOVE]), np.int64(rules[ru.PLAYERS]), np.int64(rules[ru.N_CELLS])
    count = moves(rules, s, legal)
    if net.kind == LINES:
        _add_lines(rules, s, net, x)
    else:
        _add_cells(rules, s, net, x)
    scale = np.float32(1 / (UNIT * SUM_SCALE) if net.kind == LINES else 1 / UNIT)
    for k in range(len(x.sums)):
        x.read[k] = np.float32(x.sums[k]) * scale
    _layer(x.read, net.first, net.first_bias, x.one, True)
    _layer(x.one, net.second, net.second_bias, x.two, True)
    _layer(x.two, net.value, net.value_bias, x.odds, False)
    _layer(x.two, net.query, net.query_bias, x.query, False)
    most, total = x.odds[0], np.float32(0)
    for i in range(players):
        most = max(most, x.odds[i])
    for i in range(players):
        x.odds[i] = math.exp(x.odds[i] - most)
        total += x.odds[i]
    for i in range(players):
        values[(seat + i) % players] = (x.odds[i] / total * players - 1) / (players - 1)
    for k in range(len(x.whole)):
        x.whole[k] = np.rint(max(-MOST_QUERY, min(MOST_QUERY, x.query[k] * QUERY_UNIT)))
    unit = np.float32(1 / (UNIT * QUERY_UNIT))
    for i in range(count):
        action = np.int64(legal[i])
        if net.kind == LINES:
            logits[i] = np.float32(_product(x.features[action], x.whole)) * unit
            continue
        if rules[ru.FAMILY] == ru.HALMA:
            at = rules[ru.VIEW] + seat * n
            action = np.int64(rules[at + action // n]) * n + rules[at + action % n]
        logits[i] = np.float32(_product(net.keys[action], x.whole)) * unit + np.float32(net.own[action]) / UNIT
    return count


ARRAYS = tuple(name for name in SmallNetwork._fields if name not in ("kind", "grid"))


def kind_for(game: Game) -> int:
    """LINES or CELLS."""
    return LINES if in_lines(game) else CELLS


def table_rows(game: Game) -> int:
    """How many rows the table of a game's network has."""
    if kind_for(game) == LINES:
        return grid_for(game).patterns * (2 if game.rules[ru.COLORED] else 1)
    return game.players * game.n_cells


def is_small_network(file: Path) -> bool:
    """Whether a file has a network of this kind."""
    try:
        return _has_arrays(file, digest_of_file(file))
    except Exception:  # whatever NumPy and its unzipping raise for a file of another kind
        return False


@functools.lru_cache(maxsize=64)
def _has_arrays(file: Path, digest: str) -> bool:
    with open(file, "rb") as content, np.load(content) as found:
        return set(ARRAYS) <= set(found.files)


def package_file(game: Game) -> Path | None:
    """The package's network for a game; None: it has none."""
    needed = PACKAGE.get(game.name)
    if needed is None or any(game.options[name] != value for name, value in needed.items()):
        return None
    return Path(__file__).with_name(f"{game.name}.npz")


def small_network(game: Game, file: str | Path) -> SmallNetwork:
    """The network in a file.

    Raises:
        ValueError: it is not such a file, or its network is for another game.
    """
    return read_file(file, _read, game)


def _read(file: Path, game: Game) -> SmallNetwork:
    if not is_small_network(file):
        raise ValueError(f"{file} is not a file of a small network: expected the arrays {', '.join(ARRAYS)}")
    with np.load(file) as found:
        arrays = {name: np.ascontiguousarray(found[name]) for name in ARRAYS}
        made_for = json.loads(str(found["made_for"])) if "made_for" in found.files else {}
    options = checks.mapping("options", checks.mapping("made_for", made_for).get("options", {}))
    if made_for.get("game", game.name) != game.name:
        raise ValueError(f"{file} was trained for {made_for['game']}, not for {game.name}")
    kind = kind_for(game)
    channels, hidden = arrays["first"].shape[-2:] if arrays["first"].ndim == 2 else (0, 0)
    keys = channels if kind == LINES else arrays["query"].shape[-1]
    actions, key = (game.n_actions, keys) if kind == CELLS else (1, 1)
    halves: dict[str, tuple[int, ...]] = {"table": (table_rows(game), channels), "bias": (channels,)}
    halves |= {"keys": (actions, key), "own": (actions,)}
    layers: dict[str, tuple[int, ...]] = {"first": (channels, hidden), "second": (hidden, hidden)}
    layers |= {"value": (hidden, game.players), "query": (hidden, keys)}
    biases = {f"{name}_bias": shape[1:] for name, shape in layers.items()}
    for name, shape in (halves | layers | biases).items():  # compiled code does not check its indices
        dtype = np.dtype(np.int16 if name in halves else np.float32)
        if arrays[name].dtype != dtype or arrays[name].shape != shape:
            raise ValueError(
                f"{file} is for another board or other rules: expected {name} as {dtype} of shape {shape}, "
                f"got {arrays[name].dtype} of shape {arrays[name].shape}"
            )
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{file}: expected finite numbers in {name}")
    warn_of_rules(str(file), options, game, (*RETRAIN, "size", "board"))
    return SmallNetwork(kind=kind, grid=grid_for(game) if kind == LINES else NO_GRID, **arrays)


def blank() -> SmallNetwork:
    """A network of one row, for calls that need none."""
    half, real = np.zeros((1, 1), np.int16), np.zeros((1, 1), np.float32)
    return SmallNetwork(
        CELLS, half, half[0], real, real[0], real, real[0], real, real[0], real, real[0], half, half[0], NO_GRID
    )


def rows_of(game: Game, states: States) -> NDArray[np.int32]:
    """The rows of the table that a network of LINES reads, int32[B, cells, DIRECTIONS]; 0 for other than empty
    cells.
    """
    out = np.zeros((len(states), game.n_cells, DIRECTIONS), np.int32)
    _write_all_rows(game.rules, states, grid_for(game), out)
    return out


@jit
def _write_all_rows(rules: Rules, states: States, grid: LineGrid, out: NDArray[np.int32]) -> None:
    board, codes = np.full(rules[ru.N_CELLS], st.EMPTY, np.int16), grid.empty.copy()
    for b in range(len(states)):
        write_rows(rules, states[b], grid, board, codes, out[b])
