"""Who of a room's people is there, and since when the others are away.

A person is present with a screen open, and for AWAY ms after the last request. Nothing of this is stored: after a
restart everybody counts as seen when the server started.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from amoba_experiments.web.live_room import LiveRoom, Stay
from amoba_experiments.web.timers import DayTime

if TYPE_CHECKING:
    from amoba_experiments.web.screens import ScreenQueue

AWAY = 10_000  # milliseconds without a screen or a request, from which on a person is away
CLAIM = 60_000  # milliseconds for which a person must have been away, and the other one there, before a claim
PAUSE = 3_600_000  # the same before the other one may end a pause, in a game without a clock


class Presence:
    """The people of all rooms."""

    def __init__(self, clock: DayTime, tell: Callable[[LiveRoom], None]) -> None:
        """`tell` sends a room to its screens."""
        self._clock, self._tell, self._start = clock, tell, clock.now()

    def enter(self, live: LiveRoom, screen: ScreenQueue) -> None:
        """A screen is opened."""
        live.listeners.append(screen)
        self._screens(live, screen.holder, 1)

    def leave(self, live: LiveRoom, screen: ScreenQueue) -> None:
        """A screen is closed."""
        if screen in live.listeners:
            live.listeners.remove(screen)
            self._screens(live, screen.holder, -1)

    def _screens(self, live: LiveRoom, who: int | None, more: int) -> None:
        self.seen(live, who)
        if who is not None:
            live.stays[who].screens += more
        self._set(live)

    def seen(self, live: LiveRoom, who: int | None) -> None:
        """A person shows a sign of life."""
        if who is None:
            return
        now, back = self._clock.now(), self._away(live, who)
        if who not in live.stays or back:
            live.stays[who] = Stay(now, now)
            self._set(live)
        live.stays[who].last = now
        if back:
            self._tell(live)

    def shown(self, live: LiveRoom, who: int | None) -> dict[str, Any]:
        """For a screen: by seat, for how many milliseconds its person is away; after how many `who` may claim."""
        now, people = self._clock.now(), live.room.people
        away = [
            now - self._last(live, holder) if holder in people and self._away(live, holder) else None
            for holder in live.room.holders
        ]
        return {"away": away, "claim": min(self._claims(live, who).values(), default=None)}

    def left(self, live: LiveRoom, who: int) -> tuple[int, ...]:
        """The seats against which `who` may claim a win or a draw now, or end their pause; the longest away first."""
        return tuple(seat for seat, wait in self._claims(live, who).items() if not wait)

    def _claims(self, live: LiveRoom, who: int | None) -> dict[int, int]:
        """By seat whose person is away, the longest first: the milliseconds after which `who` may claim, or resume."""
        stay, room = None if who is None else live.stays.get(who), live.room
        paused = room.phase == "paused" and not room.left  # with a clock the pause has an end of its own
        if stay is None or not (paused or room.phase == "playing"):
            return {}
        due, others = self._clock.now() - (PAUSE if paused else CLAIM), room.people - {who}
        away = [
            (self._last(live, holder), seat)
            for seat, holder in enumerate(room.holders)
            if holder in others and self._away(live, holder) and (seat == room.by or not paused)
        ]
        return {seat: max(0, last - due, stay.begun - due) for last, seat in sorted(away)}

    def _here(self, live: LiveRoom, who: int) -> bool:
        return who in live.stays and live.stays[who].screens > 0

    def _last(self, live: LiveRoom, who: int) -> int:
        return live.stays[who].last if who in live.stays else self._start

    def _away(self, live: LiveRoom, who: int) -> bool:
        return not self._here(live, who) and self._clock.now() - self._last(live, who) >= AWAY

    def _set(self, live: LiveRoom) -> None:
        """Set the alarm for the moment from which the next person is away."""
        if live.bell is None and live.listeners:
            gone = [self._last(live, who) + AWAY for who in live.room.people if not self._here(live, who)]
            if later := [when for when in gone if when > self._clock.now()]:
                live.bell = self._clock.call_at(min(later), self._rings, live)

    def _rings(self, live: LiveRoom) -> None:
        live.bell = None
        if any(self._away(live, who) for who in live.room.people):
            self._tell(live)
        self._set(live)
