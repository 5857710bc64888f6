"""How long a move may take: from the limits that the manager sets, and from the delays of this machine."""

from __future__ import annotations

from collections.abc import Callable

from amoba_agents.gomocup.protocol import UNLIMITED

TURN_MS = 1000  # the time of a turn if the manager sets none
MARGIN_MS = 50  # kept back in each turn, for pipes and for the delays that cannot be measured here
SHARE = 20  # a move takes at most 1 / SHARE of what is left of a game's time
LEAST_MS = 10
FORGET = 0.8  # the measured delay falls by this factor with each move that is on time


class Clock:
    """Gives each move its milliseconds, and measures how long moves take.

    A turn is limited by `timeout_turn` and by a share of the time that is left for the game. That time is the last
    `time_left` of the manager, or `timeout_match`, less what moves have taken since. On a busy machine a program wakes
    up late and so answers later than it planned. The delay of past moves is therefore kept back in addition to
    MARGIN_MS.

    Attributes:
        info: the numbers that INFO commands gave, by key in lower case.
        delay: milliseconds by which recent moves were late.
    """

    def __init__(self, now: Callable[[], float], info: dict[str, int]) -> None:
        """A clock that has measured nothing yet; `now` returns seconds, such as time.perf_counter."""
        self.info, self.delay = info, 0.0
        self._now = now
        self._begun = now()
        self._given: int | None = None
        self._given_at = 0.0
        self._used = 0.0  # since the game began, or since the manager said time_left

    def new_game(self) -> None:
        """A game begins: all of its time is left."""
        self.info.pop("time_left", None)
        self._used = 0.0

    def told_time_left(self) -> None:
        """The manager has just said time_left."""
        self._used = 0.0

    def begin(self) -> None:
        """A command that may ask for a move has arrived: its time runs from now on."""
        self._begun = self._now()
        self._given = None

    def give(self) -> int:
        """The milliseconds that the player may think from now on."""
        left = self.info.get("time_left", self.info.get("timeout_match") or UNLIMITED)
        if left < UNLIMITED:
            left = max(0, left - int(self._used))
        turn = self.info.get("timeout_turn", TURN_MS if left >= UNLIMITED else left)
        spare = min(turn, left // SHARE) - MARGIN_MS - int(self.delay) - int(self._elapsed())
        self._given, self._given_at = max(LEAST_MS, spare), self._now()
        return self._given

    def end(self, measure: bool = True) -> None:
        """The move is made: subtract its time from the game's and, with `measure`, note how late it was."""
        if self._given is None:
            return
        self._used += self._elapsed()
        if measure:
            late = (self._now() - self._given_at) * 1000 - self._given
            self.delay = max(late, self.delay * FORGET)
        self._given = None

    def _elapsed(self) -> float:
        return (self._now() - self._begun) * 1000
