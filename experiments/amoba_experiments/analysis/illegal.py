"""Games lost by illegal moves: a defect of the player, so results name it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from amoba_env.core import endings as en
from amoba_experiments.arena.games import Games


def illegal_moves(matches: Iterable[tuple[Sequence[str], Games]]) -> list[str]:
    """A line for each player that lost games by illegal moves.

    Args:
        matches: the agents, as Games.seating numbers them, and their games. Games with an incident, which
            gives the reason, do not count.
    """
    games: dict[str, int] = {}
    lost: dict[str, int] = {}
    for names, played in matches:
        illegal = (played.ending == en.ILLEGAL) & (played.incident == "")
        last = played.seating[np.arange(len(illegal)), played.places.argmax(axis=1)]  # who made the move
        for name in dict.fromkeys(names):
            own = [number for number, other in enumerate(names) if other == name]
            games[name] = games.get(name, 0) + int(np.isin(played.seating, own).any(axis=1).sum())
            lost[name] = lost.get(name, 0) + int((illegal & np.isin(last, own)).sum())
    return [f"{name} lost {lost[name]:,} of {games[name]:,} games by illegal moves" for name in games if lost[name]]
