"""The time of a move: from the manager's limits and the delays of this machine."""

from __future__ import annotations

from collections.abc import Callable

from amoba_agents.gomocup.protocol import UNLIMITED

TURN_MS = 1000  # the time of a turn if the manager sets none
MARGIN_MS = 50  # reserved in each turn, for pipes and delays that cannot be measured
SHARE = 20  # a move takes at most 1 / SHARE of what is left of a game's time
BREAKS_MS = 60  # also reserved on a fully loaded machine, which may pause this process that long
LEAST_MS = 10
FORGET = 0.8  # measurements decay by this factor with each better move
SHORTEST_MS = 1  # of a move that is measured


class TimeManager:
    """Gives each move its milliseconds, and measures how long moves take.

    A turn is limited by `timeout_turn` and by a share of the time that is left for the game. That time is the last
    `time_left` of the manager, or `timeout_match`, minus the moves since. On a busy machine a program wakes up late, so
    it answers later than planned. So the delay of past moves is reserved in addition to MARGIN_MS, and a part of
    BREAKS_MS: the less processor time this process got in past moves, the more. That shows the load before a move is
    late.

    Attributes:
        info: the numbers that INFO commands gave, by key in lower case.
        delay: milliseconds by which recent moves were late.
        waiting: the part of their time in which recent moves waited, mostly for the processor, from 0 to 1.
    """

    def __init__(self, now: Callable[[], float], used: Callable[[], float], info: dict[str, int]) -> None:
        """A clock that has measured nothing yet.

        Args:
            now: returns seconds, such as time.perf_counter.
            used: returns the seconds of processor time that this process has used, such as time.process_time.
            info: see the class.
        """
        self.info, self.delay, self.waiting = info, 0.0, 0.0
        self._now, self._processor = now, used
        self._begun, self._begun_with = now(), used()
        self._given: int | None = None
        self._given_at = 0.0
        self._told = False  # whether the manager has said time_left since the last move
        self._used = 0.0  # since the game began, or since the manager said time_left

    def new_game(self) -> None:
        """A game begins: all of its time is left, unless the manager has just said time_left."""
        if not self._told:
            self.info.pop("time_left", None)
        self._used = 0.0

    def told_time_left(self) -> None:
        """The manager has just said time_left."""
        self._told = True
        self._used = 0.0

    def begin(self) -> None:
        """A command that may ask for a move has arrived: its time runs from now on."""
        self._begun, self._begun_with = self._now(), self._processor()
        self._given = None

    def give(self) -> int:
        """The milliseconds that the player may think from now on."""
        left = self.info.get("time_left", self.info.get("timeout_match") or UNLIMITED)
        if left < UNLIMITED:
            left = max(0, left - int(self._used))
        turn = self.info.get("timeout_turn", TURN_MS if left >= UNLIMITED else left)
        reserve = MARGIN_MS + int(self.delay) + int(BREAKS_MS * self.waiting)
        spare = min(turn, left // SHARE) - reserve - int(self._elapsed())
        self._given, self._given_at = max(LEAST_MS, spare), self._now()
        return self._given

    def end(self, measure: bool = True) -> None:
        """The move is made: subtract its time from the game's and, with `measure`, note how late it was."""
        if self._given is None:
            return
        self._told = False
        self._used += self._elapsed()
        if measure:
            late = (self._now() - self._given_at) * 1000 - self._given
            self.delay = max(late, self.delay * FORGET)
            self.measure()
        self._given = None

    def measure(self) -> None:
        """Measure how much of the time since begin() this process has waited. A short time says nothing."""
        if (elapsed := self._elapsed()) >= SHORTEST_MS:
            used = (self._processor() - self._begun_with) * 1000
            self.waiting = max(1 - used / elapsed, self.waiting * FORGET)

    def _elapsed(self) -> float:
        return (self._now() - self._begun) * 1000
