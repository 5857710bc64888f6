"""Servers of rooms for tests: in this process, without a socket."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from rooms_http import serving
from starlette.testclient import TestClient

from amoba_env import games
from amoba_experiments.web.hub import Hub, warm
from amoba_experiments.web.server import app
from amoba_experiments.web.server_players import ServerPlayers

HERE = ("127.0.0.1", 50_000)  # other addresses may not send as much


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(app(Hub(tmp_path / "data"), ("testserver",)), base_url="http://127.0.0.1", client=HERE) as found:
        yield found


@pytest.fixture
def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on a port of its own; what it runs is compiled first, since a page does not wait for ever."""
    for game, player in (("tictactoe", "level:10"), ("renju", "random"), ("halma", "level:5")):
        warm(games.make(game), ServerPlayers(), [player])
    with serving(app(Hub(tmp_path_factory.mktemp("rooms")))) as found:
        yield found
