"""Leaves: evaluation of positions, and priors of their moves.

    TreeSearch(game, states, rng, 200, playouts(game))
    TreeSearch(game, states, rng, 200, learned(game, "values.npz"))

Each kind has a module: leaf_playouts.py, leaf_chances.py, leaf_stones.py, leaf_foresight.py, and for the networks of
`amoba train` small_networks/network.py. simulate.py distinguishes them by a number. tree_search.py also accepts a
network in Python.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta import stone_values as sv
from amoba_agents.endgame.chances import ChanceNetwork, network
from amoba_agents.endgame.race_tables import RaceTables, tables_for
from amoba_agents.mcts.leaf_chances import file_for
from amoba_agents.mcts.leaf_chances import fits as has_chances
from amoba_agents.small_networks.network import (
    LINES,
    SmallNetwork,
    blank,
    is_small_network,
    package_file,
    small_network,
)
from amoba_env.core import rules as ru
from amoba_env.games import Game

PLAYOUTS, CHANCES, FORESIGHT, STONES, NETWORK = range(5)
CUT = 6  # moves of a playout with men; playouts with stones end with the game
LOG_FAILED = 15  # room for 2 ** 15 searches by fours that found nothing


class Leaf(NamedTuple):
    """A kind and its data. The other fields are empty: compiled code needs the same types for all kinds."""

    kind: int
    cut: int  # moves of a playout, at most
    tables: RaceTables  # of halma
    chances: ChanceNetwork
    stones: sv.StoneNetwork
    work: li.StoneWork  # of the empty board
    table: li.HashTable
    small: SmallNetwork


def _nothing() -> Leaf:
    small, large = np.zeros(1, np.int32), np.zeros((1, 1), np.int64)
    rank, byte = np.zeros((1, 1, 1), np.int32), np.zeros(1, np.uint8)
    tables = RaceTables(large, large, large, large, large[0], rank, byte.view(np.int8), byte)
    chances = ChanceNetwork(small[None], small, small[None], small, small, small)
    return Leaf(
        PLAYOUTS,
        0,
        tables,
        chances,
        sv.COUNTED,
        np.zeros(1, np.int64),
        np.zeros(1, np.uint64),
        blank(),
    )


NOTHING = _nothing()


def playouts(game: Game) -> Leaf:
    """Playouts in which all play as `greedy`: CUT moves with men, to the end of the game with stones."""
    return NOTHING._replace(cut=CUT if game.moves_men else game.n_actions)


def has_learned(game: Game) -> bool:
    """Whether learned() knows this game."""
    known = has_chances(game.rules) or (game.players == 2 and sv.fits(game.rules))
    return known or package_file(game) is not None


def small_file(game: Game, file: str | Path = "") -> Path | None:
    """The small network that learned() reads for this game, by default the package's; None: it reads another kind."""
    own = package_file(game)
    if not file:
        return own
    return Path(file) if own is not None or is_small_network(Path(file)) else None


def learned(game: Game, file: str | Path = "") -> Leaf:
    """Learned values from a file, by default the package's for a game that has_learned().

    In halma these are chances (leaf_chances.py), in five in a row alphabeta's values and move order (leaf_stones.py),
    in Chinese checkers a small network (amoba_agents.small_networks). A file can have a small network for any game;
    where every winning set is a line, its leaves are searched for wins by fours too.
    """
    rules = game.rules
    own = small_file(game, file)
    small = None if own is None else small_network(game, own)
    if small is not None and small.kind != LINES:
        return NOTHING._replace(kind=NETWORK, small=small)
    if game.moves_men:
        return NOTHING._replace(kind=CHANCES, tables=tables_for(rules), chances=network(file, file_for(game.players)))
    work = li.workspace(rules)
    table = li.hash_table(work, int(rules[ru.N_CELLS]), 0, log_failed=LOG_FAILED)
    if small is not None:
        return NOTHING._replace(kind=NETWORK, small=small, work=work, table=table)
    return NOTHING._replace(kind=STONES, stones=sv.network(rules, file), work=work, table=table)


def foresight(game: Game, chances: ChanceNetwork) -> Leaf:
    """A tree of own moves, in halma with three players (leaf_foresight.py)."""
    return NOTHING._replace(kind=FORESIGHT, tables=tables_for(game.rules), chances=chances)
