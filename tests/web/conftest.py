"""Servers of rooms for tests: in this process, without a socket."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from amoba_experiments.web.hub import Hub
from amoba_experiments.web.server import app


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(app(Hub(tmp_path / "data"), ("testserver",)), base_url="http://127.0.0.1") as found:
        yield found


@pytest.fixture
def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
