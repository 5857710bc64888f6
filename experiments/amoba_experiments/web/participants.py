"""The participants of a study on a server: their links, their answers to the text of consent, and how far they are.

    DIR/study.json    the study, the secret of the links, and the answers

Ids and keys of rooms follow from the secret, so nothing else is stored: a participant is as far as their rooms are.
"""

from __future__ import annotations

import asyncio
import base64
import functools
import hmac
import json
import secrets
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from amoba_env import checks
from amoba_env.files import write
from amoba_experiments.reading import converted, read_json
from amoba_experiments.rooms.room import Refusal, Room
from amoba_experiments.runs.files import locked
from amoba_experiments.web import archive
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.journal import ROOMS, Journal
from amoba_experiments.web.study import Planned, Study, plan, study_of

FILE = "study.json"
AGREED: Final = "agreed"
DECLINED: Final = "declined"
WITHDREW: Final = "withdrew"


class Answer(Struct, omit_defaults=True):
    """A participant's last answer; of those who do not take part nothing else is stored."""

    answer: Literal["agreed", "declined", "withdrew"]
    at: int | None = None  # milliseconds; only if they agreed


class _Stored(Struct, forbid_unknown_fields=True):
    study: dict[str, Any]
    secret: str
    answers: dict[str, Answer]


class _Message(Struct):
    """A message of a participant: look, agree, decline, or start game `number`."""

    participant: str
    key: str
    do: Literal["look", "agree", "decline", "start"] = "look"
    number: int = 0


class Participants:
    """The participants of a study in a folder."""

    def __init__(self, folder: Path, stored: _Stored) -> None:
        self.file, self.study, self.secret = folder / FILE, study_of(stored.study), stored.secret
        self.answers = stored.answers
        self.plan = functools.cache(lambda id: plan(self.study, id))
        self._lock = asyncio.Lock()

    @classmethod
    def read(cls, folder: Path) -> Participants:
        """Those in a folder. Raises ValueError if it has no study, or a damaged one."""
        if not (folder / FILE).exists():
            raise ValueError(f"expected a folder with a study, got {str(folder)!r} (no {FILE})")
        try:
            return cls(folder, converted(read_json(folder / FILE), _Stored))
        except ValueError as error:
            raise ValueError(f"{folder / FILE}: expected a study: {error}") from None

    @classmethod
    def begin(cls, folder: Path, study: Study) -> Participants:
        """Those of a study that begins or goes on in a folder. Raises ValueError for a folder of anything else."""
        with locked(folder):
            if not (folder / FILE).exists():
                if (folder / ROOMS).exists():
                    raise ValueError(f"--data: expected a new folder for a study, got {str(folder)!r}, which has rooms")
                found = cls(folder, _Stored(msgspec.to_builtins(study), secrets.token_hex(16), {}))
            else:
                found = cls.read(folder)
                found._change(study)
            found.save({})
        found._finish_withdrawals(folder)
        return found

    def _change(self, study: Study) -> None:
        """Change the settings: all of them until somebody has answered, then only add participants."""
        old, new = (msgspec.to_builtins(each) for each in (self.study, study))
        added = new["participants"][: len(old["participants"])] == old["participants"]
        other = [name for name in old if old[name] != new[name] and not (name == "participants" and added)]
        if other and self.answers:
            raise ValueError(
                f"--study: {', '.join(other)}: expected the same as in {self.file}, since participants have answered; "
                "more participants can be added at the end"
            )
        self.study = study
        self.plan.cache_clear()

    def save(self, new: Mapping[str, Answer]) -> None:
        """Write the file with new answers; only its owner can read it. Raises OSError, and then nothing has changed."""
        answers = {**self.answers, **new}
        stored = _Stored(msgspec.to_builtins(self.study), self.secret, answers)
        write(self.file, json.dumps(msgspec.to_builtins(stored), indent=1, ensure_ascii=False) + "\n")
        self.file.chmod(0o600)
        self.answers = answers

    def key(self, *of: object) -> str:
        """An HMAC with the secret as key: the key of a participant's link, or the id or the key of a room."""
        made = hmac.digest(self.secret.encode(), "/".join(map(str, of)).encode(), "sha256")
        return base64.urlsafe_b64encode(made[:16]).decode().rstrip("=")

    def _finish_withdrawals(self, folder: Path) -> None:
        """Remove what a killed withdrawal left."""
        if gone := {id for id in self.answers if self.answer(id) == WITHDREW}:
            with closing(Journal(folder / ROOMS)) as journal:
                _remove(folder, journal, gone)

    def links(self, url: str) -> dict[str, str]:
        """The link of each participant who has not withdrawn, by id."""
        start, open_ = url.rstrip("/"), (id for id in self.study.participants if self.answer(id) != WITHDREW)
        return {id: f"{start}/#participant={id}&key={self.key(id)}" for id in open_}

    def room(self, id: str, entry: int) -> str:
        """The id of the room of a participant for a game of the study."""
        return self.key("room", id, entry)

    def answer(self, id: str) -> str | None:
        """A participant's last answer."""
        return self.answers[id].answer if id in self.answers else None

    def check(self, id: str) -> None:
        """Raise ValueError for an unknown participant."""
        if id not in self.study.participants:
            raise ValueError(f"expected a participant of {self.file}, got {checks.brief(id)}")

    async def message(self, hub: Hub, given: dict[str, Any]) -> dict[str, Any]:
        """Do what a participant asks, and return how far they are. Raises Refusal for a wrong link."""
        message = converted(given, _Message)
        id = message.participant
        if id not in self.study.participants or not hmac.compare_digest(self.key(id).encode(), message.key.encode()):
            raise Refusal("this link is not valid: please check that it is complete")
        async with self._lock:
            if message.do in ("agree", "decline") and self.answer(id) in (None, DECLINED):
                new = Answer(AGREED, hub.clock.now()) if message.do == "agree" else Answer(DECLINED)
                await asyncio.to_thread(self.save, {id: new})
            place = self._place(hub, id)
            if message.do == "start" and self.answer(id) == AGREED and message.number == place:
                await self._start(hub, id, place)
        return self._seen(hub, id, place)

    def _place(self, hub: Hub, id: str) -> int:
        """The number of games that a participant has finished."""
        rooms = (hub.rooms.get(self.room(id, each.entry)) for each in self.plan(id))
        return next(
            (number for number, live in enumerate(rooms) if live is None or live.room.phase != "over"),
            len(self.study.games),
        )

    async def _start(self, hub: Hub, id: str, place: int) -> None:
        if place < len(self.plan(id)):
            entry, _, _, settings = self.plan(id)[place]
            if (room := self.room(id, entry)) not in hub.rooms:
                await hub.open(settings, id, ids=(id, room, self.key("seat", id, entry)))

    def _seen(self, hub: Hub, id: str, place: int) -> dict[str, Any]:
        """How far a participant is, for the page."""
        study, answer = self.study, self.answer(id)
        found: dict[str, Any] = {"title": study.title, "answer": answer}
        if answer in (None, DECLINED):
            return found | {"consent": study.consent}
        if answer == WITHDREW:
            return found
        found |= {"done": place, "games": len(study.games), "allow": study.allow, "blind": study.blind}
        if place == len(study.games):
            return found | {"thanks": study.thanks}
        next = self.plan(id)[place]
        there = (room := self.room(id, next.entry)) in hub.rooms
        mine = {"room": room, "key": self.key("seat", id, next.entry)} if there else {}
        return found | {"next": _told(next)} | mine

    def why_not(self, room: Room, message: dict[str, Any]) -> str | None:
        """Why a participant cannot send this to their room; None: they can."""
        do, allow = message.get("ask") or message.get("do"), self.study.allow
        may = ["move", "resign", *allow, *(["resume"] if "pause" in allow else [])]
        if do not in may:
            return "this study does not allow that"
        if do == "undo" and room.phase == "over":
            return "the game is over"
        return "the game has not begun" if do == "resign" and not room.moves else None


def _told(planned: Planned) -> dict[str, Any]:
    """What a participant is told of their next game."""
    settings = planned.settings
    game, seat = settings.make(), int(planned.seat)
    begins = None if settings.first == "drawn" else settings.first == planned.seat
    clock = None if settings.clock is None else msgspec.to_builtins(settings.clock)
    return {"game": game.name, "color": game.color(game.start(), seat), "begins": begins, "clock": clock}


def withdraw(data: Path, id: str) -> str:
    """Remove a participant's data; return a report.

    First it is written that they withdrew, so that after a kill their link is closed and the next call, or the next
    start of the server, removes the rest.

    Raises:
        ValueError: no study, an unknown participant, or a server that runs.
    """
    Participants.read(data).check(id)
    with closing(Journal(data / ROOMS)) as journal:  # locks the folder: a server would write its own answers again
        participants = Participants.read(data)
        participants.save({id: Answer(WITHDREW)})
        rooms, games = _remove(data, journal, {id})
    return f"{id} has withdrawn: {rooms} rooms and {games} finished games were removed"


def _remove(data: Path, journal: Journal, people: set[str]) -> tuple[int, int]:
    return journal.withdraw(people), archive.withdraw(data, people)
