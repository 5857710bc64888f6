"""Which games have the same opening, so that they depend on each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from amoba_experiments.arena.games import Games
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.openings import read_opening


def game_clusters(match: Match, played: Games) -> np.ndarray:
    """int64[G]: games with the same number depend on each other. See `openings_of`."""
    return openings_of([(match, played)])


def openings_of(matches: Sequence[tuple[Match, Games]]) -> np.ndarray:
    """int64[G]: which opening each game of these matches has, in the order of the matches.

    A given opening counts as one, however it is written and often it is played, by whom, and whoever begins. A random
    opening is identified by its seed and number: paired games share it, and so do matches with the same seed. Without
    openings each game counts as one, or each group of paired games (all orders of the seats), identified in the same
    way: games of the same seed and number have the same random numbers.
    """
    sources: dict[tuple[str | int, ...], int] = {}
    given: dict[str, tuple[str | int, ...]] = {}  # moves, or the position, of each text
    sources_of, numbers = [], []
    for match, played in matches:
        part, game = match.origin(played.index)
        opening = game // match.orders
        texts, game_of = match.openings or ("",), match.rules
        drawn = np.array([not text or text.startswith("random") for text in texts])
        for text, random in zip(texts, drawn.tolist(), strict=True):
            if not random and text not in given:
                read = read_opening(game_of, text)
                given[text] = (*read.moves, f"position {read.given}")
        table = np.empty((len(texts), match.seeds), np.int64)
        for line, text in enumerate(texts):
            for seed in range(match.seeds):
                key = (text, match.seed + seed) if drawn[line] else given[text]
                table[line, seed] = sources.setdefault(key, len(sources))
        lines = opening % len(texts)
        sources_of.append(table[lines, part])
        numbers.append(np.where(drawn[lines], opening, 0))
    source, number = np.concatenate(sources_of), np.concatenate(numbers)
    found: np.ndarray = np.unique(source * (number.max() + 1) + number, return_inverse=True)[1].ravel()
    return found
