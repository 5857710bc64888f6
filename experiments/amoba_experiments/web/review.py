"""Analysis of finished games in the background, with limits: values of positions and better moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from amoba_env.position import Position
from amoba_env.record import Record
from amoba_experiments.positions.analyse import summary
from amoba_experiments.positions.judge import Effort, Judgement, judge

MOST_MS = 300  # milliseconds of search for a position
MOST_GAME_MS = 60_000  # and for a game
HINT_MS = 150


class Review:
    """The analysis of a game so far; the steps of run() add to it."""

    def __init__(self, record: Record, at: tuple[int, int]) -> None:
        """`at`: Room.at of the end of the game."""
        self.record, self.at, self.stopped, self.over = record, at, False, False
        self.total = len(record.positions)
        self.effort = Effort(ms=max(1, min(MOST_MS, MOST_GAME_MS // self.total)))
        self.found: list[Judgement | None] = []
        self.why = ""

    def run(self) -> Iterator[None]:
        """Evaluate the positions one after the other, until the end or until `stopped` is set."""
        try:
            for position in self.record.positions:
                if self.stopped:
                    break
                self.found.append(judge(position, self.effort))
                yield
        except Exception as error:  # after any error the review ends, so nobody waits for ever
            self.why = str(error) or type(error).__name__
        finally:
            self.over = True

    def json(self) -> dict[str, Any]:
        """The progress, and the rows and curves of `amoba analyse` so far."""
        found = list(self.found)
        rows = summary(self.record, found) if found else {"positions": [], "curve": {}}
        return {"done": len(found), "total": self.total, "running": not self.over, "why": self.why, **rows}


def seen_after(position: Position, move: str) -> dict[str, Any] | None:
    """The result of a short search after a move: `value` for its player (1: a win) and `line`; None: no result."""
    after = position.play(move)
    judgement = judge(after, Effort(ms=HINT_MS))
    if judgement is None or after.over:
        return None
    line = judgement.best[0].line if judgement.best else ""
    return {"value": round(judgement.values[position.to_move], 2), "line": f"{move} {line}".strip()}
