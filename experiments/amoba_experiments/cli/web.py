"""Commands for games in the browser: a server, and players that join its rooms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rich.console import Console

from amoba_experiments.cli.command import Argument, Option
from amoba_experiments.cli.shared import app, err, example, out, refuse

WANTED = "pip install 'amoba[web]'"


@app.command(epilog=example("amoba serve"))
def serve(
    host: Annotated[
        str, Option(help="Address to listen on; with 0.0.0.0 everybody in the network can connect.")
    ] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="Port to listen on; 0: any free one.")] = 8000,
    data: Annotated[Path, Option(metavar="DIR", help="Folder for rooms and finished games.")] = Path("amoba-data"),
    browser: Annotated[bool, Option("--open/--no-open", help="Open the page in the browser.")] = True,
    engine: Annotated[
        list[str] | None, Option(metavar="NAME=COMMAND", help="A Gomocup engine as a player; may be repeated.")
    ] = None,
    name: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="Another host name of this server, besides localhost; may be repeated."),
    ] = None,
    rooms: Annotated[int, Option(min=1, max=1_000_000, help="At most this many rooms.")] = 10_000,
    connections: Annotated[
        int, Option(min=1, max=1_000_000, help="At most this many pages from one address are open at a time.")
    ] = 200,
    forget: Annotated[
        str | None, Option(metavar="NAME", help="Remove this person from the data; no server is started.")
    ] = None,
) -> None:
    """Start a server: people and machines play in the browser, alone and over a network."""
    try:
        from amoba_experiments.web import run
    except ImportError as error:
        raise ImportError(f"{error}; amoba serve wants {WANTED}") from None
    if forget is not None:
        refuse("with --forget", "host", "port", "browser", "engine", "name", "rooms", "connections")
        out.print(run.forget(data, forget), markup=False)
        return
    engines = {}
    for text in engine or ():
        key, equals, command = text.partition("=")
        if not equals or not command:
            raise ValueError(f"--engine {text!r}: expected NAME=COMMAND")
        engines[key] = command
    run.serve(
        host,
        port,
        data,
        browser,
        engines,
        tuple(name or ()),
        rooms,
        connections,
        lambda line: err.print(line, markup=False, soft_wrap=True),
    )


@app.command(epilog=example("amoba join 'http://localhost:8000/#room=ID&invite=SECRET' --agent level:3"))
def join(
    url: Annotated[str, Argument(metavar="URL", help="The link of an invitation.")],
    agent: Annotated[str, Option(metavar="AGENT", help="The player.")] = "level:5",
    name: Annotated[str | None, Option(help="Its name in the room.", show_default="the agent's text")] = None,
    seed: Annotated[int | None, Option(min=0, help="Seed of its choices.", show_default="random")] = None,
    games: Annotated[int, Option("-n", "--games", min=1, max=1_000_000, help="Leave after this many games.")] = 1,
) -> None:
    """Send a player of this package to a room of a server."""
    try:
        from amoba_experiments.web.remote import play
    except ImportError as error:
        raise ImportError(f"{error}; amoba join wants {WANTED}") from None
    import secrets

    number = secrets.randbits(32) if seed is None else seed
    play(url, agent, name, number, games, lambda line: _say(out, line))


def _say(console: Console, line: str) -> None:
    console.print(line, markup=False, soft_wrap=True)
