"""Commands that play live games: in the terminal, in the browser, in a room of a server, for a manager of engines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from amoba_env.extras import needs
from amoba_experiments.cli.command import Argument, Flag
from amoba_experiments.cli.shared import (
    GameOptions,
    app,
    err,
    example,
    game_from,
    out,
    refuse,
)


@app.command(epilog=example("amoba play gomoku --against level:3"))
def play(
    game: Annotated[str | None, Argument(metavar="GAME", help="Name of a game, see `amoba games`.")] = None,
    seat: Annotated[int, Flag(min=0, help="Your seat.")] = 0,
    against: Annotated[
        str, Flag(metavar="AGENT", help="The player on the other seats; people: other people at this screen.")
    ] = "greedy",
    first: Annotated[int, Flag(min=0, help="The seat that begins.")] = 0,
    seed: Annotated[int | None, Flag(min=0, help="Seed of the agents' random choices.", show_default="random")] = None,
    position: Annotated[str | None, Flag(metavar="TEXT", help="Begin at this position.")] = None,
    record: Annotated[Path | None, Flag(metavar="FILE", help="Begin where the game in this file ends.")] = None,
    resume: Annotated[Path | None, Flag(metavar="FILE", help="Continue a game that `save FILE` wrote.")] = None,
    option: GameOptions = None,
) -> None:
    """Play a game yourself, in the terminal."""
    import secrets

    from amoba_agents import make_agent
    from amoba_env import games, records
    from amoba_experiments.people import terminal

    if resume is not None:
        refuse("with --resume", "game", "seat", "against", "first", "seed", "position", "record", "option")
        terminal.resume(resume, out)
        return
    if record is not None:
        refuse("with --record: the game in the file goes on", "position", "first")
    if position is not None:
        refuse("with --position, which says whose turn it is", "first")
    if game is None:
        raise ValueError(f"expected a game ({', '.join(games.GAMES)}) or --resume FILE, got none")
    rules, start = game_from(game, option), position or ""
    if record is not None:
        options = games.options_from_text(game, option or ())
        last = records.read(record, None, game, **options)[-1]
        rules, start = last.game, last.positions[-1].text
    agents = [] if against == "people" else [make_agent(against)]
    number = secrets.randbits(32) if seed is None else seed
    terminal.play(rules, seat, agents, number, first, out, start=start)


@app.command(epilog=example("amoba serve"))
def serve(
    host: Annotated[
        str, Flag(help="Address to listen on; with 0.0.0.0 everybody in the network can connect.")
    ] = "127.0.0.1",
    port: Annotated[int, Flag(min=0, max=65535, help="Port to listen on; 0: any free one.")] = 8000,
    data: Annotated[Path, Flag(metavar="DIR", help="Folder for rooms and finished games.")] = Path("amoba-data"),
    browser: Annotated[bool, Flag("--open/--no-open", help="Open the page in the browser.")] = True,
    engine: Annotated[
        list[str] | None, Flag(metavar="NAME=COMMAND", help="A Gomocup engine as a player; may be repeated.")
    ] = None,
    name: Annotated[
        list[str] | None,
        Flag(metavar="NAME", help="Another host name of this server, besides localhost; may be repeated."),
    ] = None,
    rooms: Annotated[int, Flag(min=1, max=1_000_000, help="At most this many rooms.")] = 10_000,
    connections: Annotated[
        int, Flag(min=1, max=1_000_000, help="Most connections of players, and of spectators, from one address.")
    ] = 200,
    study: Annotated[
        Path | None,
        Flag(metavar="FILE", help="Run the study in this YAML file, and nothing else; see `amoba study`."),
    ] = None,
    forget: Annotated[
        str | None, Flag(metavar="NAME", help="Remove this person from the data; no server is started.")
    ] = None,
) -> None:
    """Start a server: people and machines play in the browser, alone and over a network."""
    with needs("web", "rooms"):
        from amoba_experiments.web import serve as server
    if forget is not None:
        refuse("with --forget", "host", "port", "browser", "engine", "name", "rooms", "connections", "study")
        out.print(server.forget(data, forget), markup=False)
        return
    engines = {}
    for text in engine or ():
        key, equals, command = text.partition("=")
        if not equals or not command:
            raise ValueError(f"--engine {text!r}: expected NAME=COMMAND")
        engines[key] = command
    server.serve(
        host,
        port,
        data,
        browser,
        engines,
        tuple(name or ()),
        rooms,
        connections,
        study,
        err.say,
    )


@app.command(epilog=example("amoba join 'http://localhost:8000/#room=ID&invite=SECRET' --agent level:3"))
def join(
    url: Annotated[str, Argument(metavar="URL", help="The link of an invitation.")],
    agent: Annotated[str, Flag(metavar="AGENT", help="The player.")] = "level:5",
    name: Annotated[str | None, Flag(help="Its name in the room.", show_default="the agent's text")] = None,
    seed: Annotated[int | None, Flag(min=0, help="Seed of its choices.", show_default="random")] = None,
    games: Annotated[int, Flag("-n", "--games", min=1, max=1_000_000, help="Leave after this many games.")] = 1,
) -> None:
    """Send a player of this package to a room of a server."""
    with needs("web", "rooms"):
        from amoba_experiments.web import remote
    import secrets

    number = secrets.randbits(32) if seed is None else seed
    remote.play(url, agent, name, number, games, out.say)


@app.command(epilog=example("amoba gomocup --agent alphabeta"))
def gomocup(
    agent: Annotated[
        str, Flag(metavar="AGENT", help="The player. It keeps the time limits that the manager sets.")
    ] = "alphabeta",
) -> None:
    """Run as an engine for Piskvork, c-gomoku-cli and other programs that speak the Gomocup protocol."""
    import os

    from amoba_experiments.gomocup import Brain

    if sys.stdin is None:
        raise ValueError("the standard input is closed: expected commands of a manager")
    engine = Brain(agent, lambda count: os.read(0, count), lambda line: os.write(manager, f"{line}\n".encode()))
    manager = os.dup(1)
    os.dup2(2, 1)  # whatever else is printed goes to the standard error
    try:
        engine.serve()
    finally:
        os.dup2(manager, 1)
