"""The bracket of a knockout tournament as text.

1 lookahead:2  31 ┐
                  ├ lookahead:2 ┐
4 random        1 ┘             │
"""

from __future__ import annotations

from collections.abc import Sequence

from amoba_experiments.analysis.summary import points_text
from amoba_experiments.analysis.tournament.pairings import PairingResult

ABBREVIATED = "…"


def draw(
    rounds: Sequence[Sequence[PairingResult]], names: Sequence[str], marks: Sequence[Sequence[str]], width: int
) -> str:
    """The bracket, from the first round on the left to the champion on the right.

    Args:
        rounds: the results of each, in the order of their lineups.
        names: of the agents.
        marks: for each result, a mark that follows the points.
        width: columns of the text, at most; names are cut to fit.
    """
    entries = [
        [_entries(result, names, mark) for result, mark in zip(*each, strict=True)]
        for each in zip(rounds, marks, strict=True)
    ]
    champion = rounds[-1][0].winner
    last = "" if champion is None else names[champion]
    points = [max((len(score) for pair in each for _, score in pair), default=0) for each in entries]
    room = (width - sum(points) - 5 * len(rounds)) // (len(rounds) + 1)
    canvas: list[list[str]] = [[] for _ in range(4 * len(rounds[0]) - 1)]
    x = 0
    for number, each in enumerate(entries):
        step = 2 << number  # lines from one entry of this round to the next
        longest = min(room, max((len(name) for pair in each for name, _ in pair if len(pair) > 1), default=0))
        for slot, pair in enumerate(each):
            if len(pair) == 1:
                continue
            top, bottom = (step * entry + step // 2 - 1 for entry in (2 * slot, 2 * slot + 1))
            for y, (name, score), corner in zip((top, bottom), pair, "┐┘", strict=True):
                _put(canvas, y, x, f"{_cut(name, longest):<{longest}}  {score:>{points[number]}} {corner}")
            for y in range(top + 1, bottom):
                _put(canvas, y, x + longest + points[number] + 3, "├" if y == (top + bottom) // 2 else "│")
        x += longest + points[number] + 5
    _put(canvas, len(canvas) // 2, x, _cut(last, room))
    return "\n".join(line for line in ("".join(row).rstrip() for row in canvas) if line)


def _entries(result: PairingResult, names: Sequence[str], mark: str) -> list[tuple[str, str]]:
    return [
        (names[agent], f"{points_text(points)}{mark}")
        for agent, points in zip(result.lineup, result.points, strict=True)
    ]


def _cut(name: str, room: int) -> str:
    return name if len(name) <= room else f"{name[: max(room - 1, 0)]}{ABBREVIATED}"


def _put(canvas: list[list[str]], y: int, x: int, text: str) -> None:
    row = canvas[y]
    row.extend(" " * (x + len(text) - len(row)))
    row[x : x + len(text)] = text
