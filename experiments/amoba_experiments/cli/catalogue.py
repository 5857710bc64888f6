"""The lists of games and players."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from amoba_experiments.cli.shared import (
    Json,
    app,
    check_writable,
    err,
    example,
    out,
    write_json,
)

Describe = Callable[[str], tuple[str, dict[str, str]]]


@app.command("games", epilog=example("amoba games"))
def list_games(json_file: Json = None) -> None:
    """List the games and their options."""
    from amoba_env import games

    _list("game", games.GAMES, games.describe, json_file)


@app.command("agents", epilog=example("amoba agents"))
def list_agents(json_file: Json = None) -> None:
    """List the players and their options. A player is written as lookahead:2 or lookahead:2,ties=thesis."""
    import amoba_agents
    from amoba_agents.registry import refused

    _list("agent", amoba_agents.names(), amoba_agents.describe, json_file)
    for line in refused():
        err.print(f"amoba: {line}", soft_wrap=True, markup=False)


def _list(kind: str, names: Iterable[str], describe: Describe, json_file: str | None) -> None:
    from rich.table import Table

    check_writable(json_file)
    found = {}
    for name in names:
        try:
            found[name] = describe(name)
        except ValueError as error:  # a player of another package
            err.print(f"amoba: {error}", soft_wrap=True, markup=False)
    if json_file != "-":
        table = Table(kind, "what it is, and its options", box=None, pad_edge=False)
        for name, (summary, options) in found.items():
            texts = " ".join(f"{key}={value}" for key, value in options.items())
            table.add_row(name, "\n".join(filter(None, (summary, texts))))
        out.print(table)
    write_json([{kind: name, "summary": what, "options": each} for name, (what, each) in found.items()], json_file)
