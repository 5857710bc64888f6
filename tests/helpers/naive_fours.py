"""Wins by fours (VCF), as a person looks for them: plain sets of points. Nothing of amoba_env.

Who is to move puts fours, each of which the other has to answer at the one point that stops it, until one cannot be
stopped: it has two points, or the one point is forbidden.
"""

from __future__ import annotations

from typing import NamedTuple

import naive_renju
from naive_renju import DIRECTIONS, Cells, Point, run

MOST = 300  # positions looked at


class TooLong(Exception):
    """There are too many fours to look at."""


class Side(NamedTuple):
    """How a colour wins."""

    exact: bool  # six or more do not count
    forbidden: bool  # has the forbidden points of renju


class Stones(NamedTuple):
    """A position, the attacker to move."""

    mine: Cells
    theirs: Cells
    free: Cells


def near(cell: Point, direction: Point) -> list[Point]:
    """The cells of the line that can be in one row of five with this one."""
    (x, y), (dx, dy) = cell, direction
    return [(x + i * dx, y + i * dy) for i in range(-4, 5) if i != 0]


def is_five(stones: Cells, p: Point, side: Side) -> bool:
    """Does the stone p make a row that wins?"""
    rows = [len(run(stones, p, direction)) for direction in DIRECTIONS]
    return 5 in rows if side.exact else max(rows) >= 5


def fives(stones: Cells, free: Cells, side: Side) -> set[Point]:
    """The points where a stone wins: next to another stone."""
    beside = {(x + dx, y + dy) for x, y in stones for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & free
    return {p for p in beside if is_five(stones, p, side)}


def is_four(stones: Cells, free: Cells, p: Point, side: Side) -> bool:
    """Can the side win with one more stone after p? Then three of its stones are near p in a line."""
    for direction in DIRECTIONS:
        line = near(p, direction)
        if sum(q in stones for q in line) >= 3:
            if any(e in free and is_five(stones | {p}, e, side) for e in line):
                return True
    return False


def is_forbidden(stones: Cells, free: Cells, p: Point, side: Side) -> bool:
    """May the side not put a stone on p?"""
    return side.forbidden and naive_renju.kind(stones, free, p) not in ("", "five")


def win(stones: Stones, me: Side, other: Side, seen: dict[Stones, list[Point]] | None = None) -> list[Point]:
    """A way to win by fours, the attacker's stones; empty if there is none."""
    seen = {} if seen is None else seen
    if stones not in seen:
        if len(seen) == MOST:
            raise TooLong
        seen[stones] = []
        seen[stones] = _win(stones, me, other, seen)
    return seen[stones]


def _win(stones: Stones, me: Side, other: Side, seen: dict[Stones, list[Point]]) -> list[Point]:
    mine, theirs, free = stones
    at_once = fives(mine, free, me)
    if at_once:
        return [min(at_once)]
    danger = fives(theirs, free, other)
    if len(danger) > 1:
        return []
    in_line = {e for stone in mine for direction in DIRECTIONS for e in near(stone, direction)}
    for p in sorted(danger or in_line & free):
        rest = follow(stones, p, me, other, seen)
        if rest is not None:
            return [p, *rest]
    return []


def follow(
    stones: Stones, p: Point, me: Side, other: Side, seen: dict[Stones, list[Point]] | None = None
) -> list[Point] | None:
    """How the win goes on if p is a four that wins, or None; the attacker has no five at once."""
    mine, theirs, free = stones
    if not is_four(mine, free, p, me) or is_forbidden(mine, free, p, me):
        return None
    mine, free = mine | {p}, free - {p}
    if fives(theirs, free, other):
        return None
    answers = fives(mine, free, me)
    if len(answers) > 1:
        return []
    (answer,) = answers
    if is_forbidden(theirs, free, answer, other):
        return []
    return win(Stones(mine, theirs | {answer}, free - {answer}), me, other, seen) or None
