"""The bracket of a knockout tournament as text.

1 lookahead:2  31 ┐
                  ├ lookahead:2 ┐
4 random        1 ┘             │
"""

from __future__ import annotations

from collections.abc import Sequence

ABBREVIATED = "…"


def draw(rounds: Sequence[Sequence[Sequence[tuple[str, str]]]], champion: str, width: int) -> str:
    """The bracket, from the first round on the left to the champion on the right.

    Args:
        rounds: of each lineup the names and the points of its agents; a bye has one agent.
        champion: the name of the last winner.
        width: columns of the text, at most; names are cut to fit.
    """
    points = [max((len(score) for pair in each for _, score in pair), default=0) for each in rounds]
    room = (width - sum(points) - 5 * len(rounds)) // (len(rounds) + 1)
    canvas: list[list[str]] = [[] for _ in range(4 * len(rounds[0]) - 1)]
    x = 0
    for number, each in enumerate(rounds):
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
    _put(canvas, len(canvas) // 2, x, _cut(champion, room))
    return "\n".join(line for line in ("".join(row).rstrip() for row in canvas) if line)


def _cut(name: str, room: int) -> str:
    return name if len(name) <= room else f"{name[: max(room - 1, 0)]}{ABBREVIATED}"


def _put(canvas: list[list[str]], y: int, x: int, text: str) -> None:
    row = canvas[y]
    row.extend(" " * (x + len(text) - len(row)))
    row[x : x + len(text)] = text
