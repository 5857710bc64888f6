"""Servers of rooms for tests: in this process, without a socket."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
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
    """Not one of those that systems give to whoever asks for any port, so nobody takes it before the server does."""
    for port in range(20_000 + os.getpid() % 5000, 30_000):
        with socket.socket() as found, suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port")


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on a port of its own; what it runs is compiled first, since a page does not wait for ever."""
    for game, player in (("tictactoe", "level:10"), ("renju", "random"), ("halma", "level:5")):
        warm(games.make(game), ServerPlayers(), [player])
    with serving(app(Hub(tmp_path_factory.mktemp("rooms")))) as found:
        yield found
