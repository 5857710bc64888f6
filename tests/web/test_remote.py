"""Programs in rooms of a server: the small client, and players of the package with `amoba join`."""

from __future__ import annotations

import io
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import Run
from rooms_http import serving

from amoba_agents import make_agent
from amoba_env import games
from amoba_experiments.web import remote
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.server import app
from clients import with_network


class Line:
    """A connection that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def send(self, text: str) -> None:
        self.sent.append(text)


@pytest.mark.parametrize(
    ("by", "offer", "sent"), [(2, None, ['{"do": "machine"}']), (1, None, []), (2, "draw", ['{"do": "decline"}'])]
)
def test_a_program_goes_on_with_a_machine_where_somebody_left(by: int, offer: str | None, sent: list[str]) -> None:
    line, guest = Line(), SimpleNamespace(game=games.make("halma"))
    program = remote.RemotePlayer(make_agent("greedy"), guest, 0, 1, print)  # type: ignore[arg-type]
    asked = None if offer is None else {"what": offer}
    message = {"type": "room", "phase": "left", "offer": asked, "agreed": False, "by": by, "mine": [1], "mover": None}
    program.take(line, message)  # type: ignore[arg-type]
    assert line.sent == sent


def test_programs_at_a_room(tmp_path: Path, run: Run) -> None:
    """The small client and a player of this package against each other, over a real connection."""
    with serving(app(Hub(tmp_path))) as url:
        made = with_network.ask(f"{url}api/rooms", {"game": "tictactoe", "seats": ["guest", "guest"]})  # type: ignore[dict-item]
        links = [f"{url}#room={made['room']}&invite={invite}" for invite in made["invites"]]
        states: list[str] = []
        other = threading.Thread(target=lambda: states.append(with_network.play(links[1])), daemon=True)
        other.start()
        code, out, err = run(f"join '{links[0]}' --agent greedy --seed 1")
        other.join(60)
        assert (code, err) == (0, "")
        assert out.startswith(f"sits at tictactoe\ngame 1: {states[0]} after ")
        with pytest.raises(ValueError, match="expected a link"):
            remote.Guest("http://127.0.0.1:1/")
        with pytest.raises(ValueError, match="this invitation"):
            remote.Guest(links[0]).sit("x")
        made = with_network.ask(f"{url}api/rooms", {"game": "gomoku", "seats": ["guest", "guest"]})  # type: ignore[dict-item]
        link = f"{url}#room={made['room']}&invite={made['invites'][0]}"
        with pytest.raises(ValueError, match="gomoku is too large to solve"):
            remote.play(link, "perfect", None, 1, 1, print)
        remote.Guest(link).sit("x")  # the invitation is still good
    with pytest.raises(OSError, match="no server answers"):
        remote.Guest(links[0])


@pytest.mark.parametrize("answer", ["{}", "[1]", "<html>"])
def test_another_server_is_not_taken_for_one_of_amoba(answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "urlopen", lambda *_, **__: io.StringIO(answer))
    with pytest.raises(OSError, match=r"no server of amoba answers at 127\.0\.0\.1/api/rooms/x"):
        remote.Guest("http://127.0.0.1/#room=x&invite=y")


def test_an_address_that_is_none() -> None:
    with pytest.raises(OSError, match=r"no server of amoba answers at 127\.0\.0\.1:abc/api"):
        remote.Guest("http://127.0.0.1:abc/#room=x&invite=y")
