"""Studies with people: their settings, links, consent, rooms, export and withdrawal."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from commands import Run
from rooms_http import LINE, do, look
from starlette.testclient import TestClient

from amoba_env import games
from amoba_experiments.web import archive, serve, study_tables
from amoba_experiments.web.guard import LOCAL
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.journal import Journal
from amoba_experiments.web.participants import Participants, finish_withdrawals, withdraw
from amoba_experiments.web.server import app
from amoba_experiments.web.server_players import ServerPlayers
from amoba_experiments.web.study import balanced_orders, load, plan, study_of

GIVEN: dict[str, Any] = {
    "title": "Two machines",
    "consent": "You play two games.",
    "participants": 3,
    "games": [
        {"game": "tictactoe", "opponent": "random", "condition": "easy"},
        {"game": "tictactoe", "opponent": "greedy", "condition": "hard", "seat": 1},
    ],
}


class Served:
    """A server with a study, and what its participants do."""

    def __init__(self, data: Path, **more: Any) -> None:
        self.data = data
        self.participants = Participants.begin(data, study_of(GIVEN | more))
        self.client = TestClient(
            app(Hub(data), ("testserver",), participants=self.participants), base_url="http://127.0.0.1"
        )

    def say(self, id: str, do: str = "look", number: int = 0, key: str | None = None) -> dict[str, Any]:
        key = self.participants.key(id) if key is None else key
        message = {"participant": id, "key": key, "do": do, "number": number}
        return dict(self.client.post("/api/study", json=message).json())

    def play(self, id: str) -> dict[str, Any]:
        """Begin the next game and play it to its end; return where the participant is then."""
        at = self.say(id)
        room = self.say(id, "start", at["done"])
        while (now := look(self.client, room["room"], room["key"]))["phase"] != "over":
            if now["targets"]:
                names = self.client.get(f"/api/rooms/{room['room']}/board").json()["names"]
                move = names[now["targets"]["cells"][0]]
                do(self.client, room["room"], room["key"], do="move", move=move, at=now["at"], took=5)
        return self.say(id)
