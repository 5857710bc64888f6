"""The lists of games and players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from amoba_experiments.cli.shared import (
    Json,
    app,
    check_writable,
    err,
    example,
    out,
    write_json,
)

if TYPE_CHECKING:
    from amoba_env.registry import Registry


@app.command("games", epilog=example("amoba games"))
def list_games(json_file: Json = None) -> None:
    """List the games and their options."""
    from amoba_env import games

    _list(games.GAMES, json_file)


@app.command("agents", epilog=example("amoba agents"))
def list_agents(json_file: Json = None) -> None:
    """List the players and their options. A player is written as lookahead:2 or lookahead:2,ties=thesis."""
    from amoba_agents import AGENTS

    _list(AGENTS, json_file)


def _list(registry: Registry[Any], file: str | None) -> None:
    from rich.table import Table

    from amoba_env import options

    check_writable(file)
    found = {}
    for name in registry:
        try:
            found[name] = registry.function(name)
        except ValueError as error:  # from another package
            err.say(f"amoba: {error}")
    for line in registry.refused:
        err.say(f"amoba: {line}")
    if file != "-":
        table = Table(registry.kind, "description and options", box=None, pad_edge=False)
        for name, factory in found.items():
            told = map(options.line, options.parameters(factory).values())
            table.add_row(name, "\n".join([options.summary(factory), *told]))
        out.print(table)
    described = [(name, *options.described(factory)) for name, factory in found.items()]
    write_json([{registry.kind: name, "summary": what, "options": each} for name, what, each in described], file)
