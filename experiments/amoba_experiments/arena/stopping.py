"""When to stop a match that has a stopping rule (`Match.until`)."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np

from amoba_experiments.arena.games import Games, joined
from amoba_experiments.arena.match import BLOCK, Match
from amoba_experiments.statistics.sequential import Counts, evaluate_rule, read_rule


def rule_is_met(match: Match, parts: Sequence[Games]) -> bool:
    """Whether `match.until` stops the match after these games; False if the match has no such rule."""
    if not match.until:
        return False
    return bool(evaluate_rule(read_rule(match.until), tally(joined(parts), match.paired))["stop"])


def tally(played: Games, paired: bool, first: int | None = None) -> Counts:
    """How often the match's first agent had each result, from the fewest points to the most.

    Counted are the `first` games (None: all), or pairs of games if they are paired.
    """
    points = np.where(played.winner < 0, 1, 2 * (played.winning_agent == 0))[:first]
    if paired:
        points = points.reshape(-1, 2).sum(axis=1)
    return np.bincount(points, minlength=5 if paired else 3).astype(np.int64)


def stopping_summary(match: Match, played: Games) -> dict[str, Any]:
    """The result of `evaluate_rule` after the last whole block, and `reason`: in words, why the match ended there.

    Games after a missing one, as in a run that lacks a file, do not count.
    """
    rule, gaps = read_rule(match.until), np.flatnonzero(played.index != np.arange(len(played.index)))
    count = int(gaps[0]) if gaps.size else len(played.index)
    whole = count if count == match.games else count // BLOCK * BLOCK
    so_far = f"{'the first ' if gaps.size else ''}{count:,} of at most {match.games:,} games"
    if not whole:
        return {"rule": rule.text, "stop": False, "reason": f"{so_far} are played: too few for a first evaluation"}
    found = evaluate_rule(rule, tally(played, match.paired, whole))
    width = found["half_width"]
    if rule.width is not None:
        rounded = None if width is None else width if found["stop"] else ceil(10 * width) / 10  # "20.0, not within 20"
        wide = "unbounded" if rounded is None else f"{rounded:.1f} to either side"
        known = f"the interval is {wide}, {'within' if found['stop'] else 'not within'} {rule.width:g}"
    elif found["stop"]:
        known = f"{found[found['accepted']]:g} Elo is accepted"
    else:
        known = f"neither {rule.elo0:g} nor {rule.elo1:g} Elo is accepted"
    if found["stop"]:
        end = f"stopped after {so_far}"
    else:
        end = f"all {count:,} games are played" if count == match.games else f"{so_far} are played"
    return {**found, "block": BLOCK, "most": match.games, "reason": f"{end}: {known}"}
