"""Start the server, and end it cleanly."""

from __future__ import annotations

import gc
import shlex
import socket
import sys
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import uvicorn

from amoba_agents.gomocup import Gomocup
from amoba_env import games
from amoba_experiments.rooms import questions
from amoba_experiments.rooms.seats import safe_name
from amoba_experiments.web import archive
from amoba_experiments.web.guard import MOST_BYTES
from amoba_experiments.web.hub import Hub, warm
from amoba_experiments.web.journal import ROOMS, Journal
from amoba_experiments.web.participants import FILE, Participants
from amoba_experiments.web.server import app
from amoba_experiments.web.server_players import ServerPlayers
from amoba_experiments.web.study import Study, load

Say = Callable[[str], None]


def serve(
    host: str,
    port: int,
    data: Path,
    browser: bool,
    engines: Mapping[str, str],
    names: tuple[str, ...],
    rooms: int,
    connections: int,
    study: Path | None,
    say: Say,
) -> None:
    """Serve until Ctrl-C. Raises ValueError for a bad engine or study, OSError for an unusable address or folder."""
    players = ServerPlayers(engines)
    for name in engines:
        _try_engine(players, name, say)
    planned = _study(data, study, players, rooms)
    with closing(listen(host, port)) as listening:
        participants = None if planned is None else Participants.begin(data, planned)
        hub = Hub(data, players, rooms)
        say("compiling the rules and the players (some minutes the first time, later seconds)")
        for name in games.GAMES.working():
            game = games.make(name)
            warm(game, players, ["greedy", questions.adviser(game)] if name in ("gomoku", "halma") else [])
        players.catalogue()
        anywhere = host in ("0.0.0.0", "::")
        shown = address(listening) if anywhere else host
        own = (socket.gethostname(), f"{socket.gethostname()}.local", socket.getfqdn()) if anywhere else (host,)
        url = f"http://{f'[{shown}]' if ':' in shown else shown}:{listening.getsockname()[1]}/"
        ready = partial(_ready, url, data, browser, participants, say)
        config = uvicorn.Config(
            app(hub, (*names, *own), connections, participants, ready),
            log_level="warning",
            ws="websockets-sansio",
            ws_max_size=MOST_BYTES,
            ws_per_message_deflate=True,
            ws_ping_interval=20,
            timeout_graceful_shutdown=2,
            h11_max_incomplete_event_size=MOST_BYTES * 2,
            server_header=False,
        )
        _tune_python()
        with suppress(KeyboardInterrupt):  # uvicorn raises it again at its end
            uvicorn.Server(config).run(sockets=[listening])
    say("ended; all rooms continue after the next start")


def _try_engine(players: ServerPlayers, name: str, say: Say) -> None:
    """Start an engine once, and print its answer to ABOUT.

    Raises:
        ValueError: the program does not exist, or it exits. A silent engine may only be slow.
    """
    try:
        engine, _ = players.agent(name)
        if isinstance(engine, Gomocup):
            engine.check()
            if introduction := engine.introduction():
                say(f"--engine {name}: {introduction}")
    except ValueError as error:
        raise ValueError(f"--engine {name}: {str(error).removeprefix('gomocup: ')}") from None
    except TimeoutError:
        say(f"--engine {name}: no answer to START in time; an engine that is late in a game loses, see start_ms")


def _tune_python() -> None:
    """Let no move wait for garbage, nor for threads that read long games.

    Collecting all garbage takes 0.4 seconds with 1,000 rooms, so it is rare; new objects are looked at often. Python
    switches between threads after half a millisecond in place of five.
    """
    sys.setswitchinterval(0.0005)
    gc.collect()
    gc.freeze()  # imported and compiled objects are never garbage
    gc.set_threshold(50, 10, 20_000)


def _study(data: Path, file: Path | None, players: ServerPlayers, rooms: int) -> Study | None:
    """The study in a file, if it is given. Raises ValueError if it does not fit the folder or the server."""
    if file is None:
        if (data / FILE).exists():
            raise ValueError(f"--study: expected the file of the study in {data}, or another --data")
        return None
    study = load(file)
    study.check_players(players)
    if rooms < (needed := len(study.participants) * len(study.games)):
        raise ValueError(f"--rooms: expected at least {needed:,} for all games of this study, got {rooms:,}")
    return study


def _ready(url: str, data: Path, browser: bool, participants: Participants | None, say: Say) -> None:
    say(f"serving {url} (Ctrl-C ends it); rooms and games are kept in {data}")
    if participants is not None:
        say(f"the participants' links: amoba study {shlex.quote(str(data))} --links {url}")
    elif browser:
        webbrowser.open(url)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at a host and port. Raises OSError.

    The protocol is given explicitly, because asyncio sets TCP_NODELAY only then. Without it each answer but the first
    on a connection waits 40 ms for the acknowledgement of the previous one.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        found = socket.create_server((host, port), family=family, reuse_port=False)
    except OSError as error:
        raise OSError(f"cannot listen at {host}:{port}: {error.strerror or error}; see --host and --port") from None
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, found.detach())
    found.setblocking(False)
    return found


def address(listening: socket.socket) -> str:
    """This machine's address in its network, so that links from the page work on other devices; else its name.

    Nothing is sent: connecting a datagram socket only chooses the address.
    """
    far = "2001:db8::1" if listening.family == socket.AF_INET6 else "192.0.2.1"
    with socket.socket(listening.family, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect((far, 9))
            return str(asking.getsockname()[0])
        except OSError:  # no network
            return socket.gethostname()


def forget(data: Path, name: str) -> str:
    """Remove a person from the data; return a report.

    Raises:
        ValueError: the folder has no rooms, or nobody of this name.
    """
    name = safe_name(name)
    if not (data / ROOMS).exists():
        raise ValueError(f"--data: expected a folder with rooms, got {str(data)!r}")
    with closing(Journal(data / ROOMS)) as journal:
        rooms, runs = journal.forget(name), archive.forget(data, name)
    if not rooms and not runs:
        raise ValueError(f"--forget: expected the name of somebody in {data}, got {name!r}")
    return f"{name}: {rooms} rooms were removed; in {runs} runs of games the name is {archive.FORGOTTEN.name!r} now"
