"""Who sits on which seat in a game of a match, and which seat makes the first move."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import gcd

import numpy as np
from numpy.typing import NDArray

from amoba_env.core.rng import STARTER, below
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.openings import streams_of


def seats_and_starters(
    match: Match, index: NDArray[np.int64], seeds: Sequence[int]
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Which agent sits on each seat, and which seat moves first, in game index[i] of seeds[i].

    Args:
        match: see Match for `paired`, `rotate` and `start`.
        index: int64[G], the number of each game among the games of its seed.
        seeds: [G], the seed of each game.

    Returns:
        int8[G, players], the agent on each seat, by its number in match.agents; int8[G], the seat that moves first.
    """
    players = len(match.agents)
    if match.paired:
        seating = np.array(list(permutations(range(players))))[index % match.orders]
        index = index // match.orders  # who begins is part of the opening
    turn = _turns(index, len(match.openings), players)
    if not match.paired:
        place = turn % players if match.rotate else np.zeros_like(index)
        seating = (np.arange(players) + place[:, None]) % players
    if match.start == "random":
        drawn = streams_of(seeds, index, STARTER)
        starter = np.array([below(drawn[i : i + 1], players) for i in range(len(drawn))])
    elif match.start == "rotate":
        starter = (turn // players if match.rotate else turn) % players
    else:
        starter = np.zeros_like(index)
    return seating.astype(np.int8), starter.astype(np.int8)


def _turns(index: NDArray[np.int64], openings: int, players: int) -> NDArray[np.int64]:
    """The turn of each game, which decides who has which seat: the number of the game, or a greater one.

    The openings of a match are played in order, again and again. If their number and that of the players have a common
    divisor, an opening would always meet the same seats. So the turns skip a few numbers before the first opening.
    """
    more = 0
    while gcd(openings + more, players) > 1:
        more += 1
    return index + more * (index // openings) if openings else index
