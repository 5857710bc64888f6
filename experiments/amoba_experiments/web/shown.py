"""Rooms as they are sent: the part that everybody sees is written once for all screens, whole and as a change."""

from __future__ import annotations

from typing import Any

import msgspec

from amoba_experiments.rooms.room import Room
from amoba_experiments.web import view
from amoba_experiments.web.live_room import LiveRoom

MOST_SHOWN = 64  # rooms that are kept in this form


class Shown:
    """A room, and what is new in it since the room that was shown before."""

    def __init__(self, live: LiveRoom, before: Shown | None) -> None:
        self.room, self.n, self.all = live.room, live.n, view.room(live.room, live.n)
        self.text = msgspec.json.encode(self.all)
        self.since = None if before is None else before.room
        self.change = b"" if before is None else msgspec.json.encode(view.change(before.all, self.all))

    def message(self, has: Room | None, own: dict[str, Any]) -> str:
        """The message for a screen that has the room `has`: a change if possible; `own` is the screen's own part."""
        if has is self.room:
            text = msgspec.json.encode({"type": "change", "n": self.n})
        else:
            text = self.change if has is not None and has is self.since else self.text
        return (text[:-1] + b"," + msgspec.json.encode(own)[1:]).decode()


class ShownRooms:
    """The rooms that were shown last."""

    def __init__(self) -> None:
        self._by_id: dict[str, Shown] = {}

    def of(self, live: LiveRoom) -> Shown:
        """The room now."""
        found = self._by_id.get(live.id)
        if found is None or found.room is not live.room:
            found = self._by_id[live.id] = Shown(live, found)
            if len(self._by_id) > MOST_SHOWN:
                self.drop(next(iter(self._by_id)))
        return found

    def drop(self, id: str) -> None:
        """Forget a room."""
        self._by_id.pop(id, None)
