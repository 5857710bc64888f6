"""`amoba analyse`: the best moves in each position of a game, the moves that lost it, and the evaluation as a curve."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from amoba_env import Record, records
from amoba_env.core.state import NOBODY, STATUS
from amoba_env.games import Game
from amoba_env.notation import move_text
from amoba_env.options import Options
from amoba_env.position import Position
from amoba_experiments.analysis.page.charts import Curve, Panel, curves
from amoba_experiments.positions.candidates import Candidate, Effort, best_moves, is_searched

LOST = -0.8  # a value of this or less is called lost
MISTAKE = 0.4  # a move that loses so much of the value is called a mistake
KINDS = (".svg", ".html")


def record_of(game: Game, text: str, number: int = 1, options: Options | None = None) -> Record:
    """The game to analyse: moves in notation, or one of the games in a file.

    Args:
        game: the rules, for moves in notation.
        text: moves such as "h8 i9", or a file that ends in .sgf, .psq or .jsonl.
        number: of the game in the file, from 1 on.
        options: of the game, for a file.

    Raises:
        ValueError: an illegal move, a bad file, or no game of this number.
        OSError: the file cannot be read.
    """
    if Path(text).suffix.lower().lstrip(".") not in records.FORMATS:
        return Record(game, text)
    found = records.read(text, None, game.name, **(options or {}))
    if number > len(found):
        raise ValueError(f"{text} has {len(found)} games, so there is no game {number}")
    return found[number - 1]


def analysis(record: Record, effort: Effort, count: int = 3) -> dict[str, Any]:
    """Analyse a game.

    Args:
        record: the game.
        effort: of the search in each position.
        count: the number of best moves of each position, at least 1.

    Returns:
        The analysis, ready for JSON. `positions` has an entry for each position that is not over: its number of moves
        played (`ply`), the player to move, the `best` moves, and if one was played the move, its `value`, what it
        loses of the best value (`loss`), and what it is: "", "mistake", or "losing" if it lost a game that was not
        lost. Values are for the player to move: 1 a win, 0 even, -1 a loss. `curve` has the value for the first
        player by ply, or with more than two players the value for each player when it is to move.
    """
    game = record.game
    found = [best_moves(each, count, effort) if is_searched(each) else [] for each in record.positions]
    rows = []
    for ply, (position, best) in enumerate(zip(record.positions, found, strict=True)):
        if position.over or not best:
            continue
        row: dict[str, Any] = {
            "ply": ply,
            "to_move": game.colors[position.to_move],
            "best": [_shown(game, each) for each in best],
        }
        if ply < len(record.moves):
            row |= _played(record, ply, best, found[ply + 1])
        rows.append(row)
    return {
        "game": game.name,
        "options": dict(game.options),
        "moves": record.text,
        "ms": effort.ms if not effort.nodes else None,
        "nodes": effort.nodes or None,
        "positions": rows,
        "curve": _curve(record, found),
    }


def _shown(game: Game, candidate: Candidate) -> dict[str, Any]:
    return {
        "move": move_text(game, candidate.action),
        "value": round(candidate.value, 3),
        "plies": candidate.plies,
        "line": " ".join(move_text(game, action) for action in candidate.line),
    }


def _played(record: Record, ply: int, best: list[Candidate], after: list[Candidate]) -> dict[str, Any]:
    """The move that was played. Its value comes from the next position, which is searched with the same effort."""
    game, action, seat = record.game, record.moves[ply], record.positions[ply].to_move
    following = record.positions[ply + 1]
    known = next((each.value for each in best if each.action == action), None)
    if following.over:
        value: float | None = _outcome(following, seat)
    elif action == best[0].action:
        value = best[0].value
    elif game.players == 2 and after and following.to_move != seat:
        value = -after[0].value
    else:
        value = known
    loss = None if value is None else max(0.0, best[0].value - value)
    losing = value is not None and value <= LOST < best[0].value
    kind = "losing" if losing else "mistake" if loss is not None and loss >= MISTAKE else ""
    return {
        "played": move_text(game, action),
        "value": None if value is None else round(value, 3),
        "loss": None if loss is None else round(loss, 3),
        "kind": kind,
    }


def _outcome(position: Position, seat: int) -> float:
    """The result of a finished game for a seat."""
    winner = int(position.state[STATUS])
    return 0.0 if winner == NOBODY or winner < 0 else 1.0 if winner == seat else -1.0


def _curve(record: Record, found: list[list[Candidate]]) -> dict[str, list[list[float]]]:
    """Points (ply, value) by colour: of the first seat in games of two, else of each player to move."""
    game = record.game
    points: dict[str, list[list[float]]] = {}
    for ply, (position, best) in enumerate(zip(record.positions, found, strict=True)):
        if game.players == 2:
            if position.over:
                points.setdefault(game.colors[0], []).append([ply, _outcome(position, 0)])
            elif best:
                sign = 1 if position.to_move == 0 else -1
                points.setdefault(game.colors[0], []).append([ply, round(sign * best[0].value, 3)])
        elif best:
            points.setdefault(game.colors[position.to_move], []).append([ply, round(best[0].value, 3)])
    return points


def print_analysis(result: dict[str, Any], console: Console) -> None:
    """Print a line for each position, and the moves that lost the game."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("move", "player", "played", "value", "best", "value", "line"):
        table.add_column(name, justify="right" if name in ("move", "value") else "left", no_wrap=name != "line")
    for row in result["positions"]:
        for i, best in enumerate(row["best"]):
            played = [str(row["ply"] + 1), row["to_move"], _name(row), _value(row.get("value"))]
            table.add_row(
                *(played if i == 0 else [""] * 4), best["move"], _value(best["value"], best["plies"]), best["line"]
            )
    console.print(table)
    for text in _mistakes(result):
        console.print(text, soft_wrap=True, markup=False)


def _name(row: dict[str, Any]) -> str:
    mark = {"": "", "mistake": " ?", "losing": " ??"}[row.get("kind", "")]
    return f"{row.get('played', '')}{mark}"


def _value(value: float | None, plies: int | None = None) -> str:
    if value is None:
        return ""
    if plies is not None:
        return f"{'wins' if value > 0 else 'loses'} in {plies}"
    return f"{value:+.2f}"


def _mistakes(result: dict[str, Any]) -> list[str]:
    """The moves that lost something, in words."""
    words = {"losing": "loses the game", "mistake": "is a mistake"}
    return [
        f"move {row['ply'] + 1}, {row['to_move']} {row['played']} {words[row['kind']]} ({row['value']:+.2f}); "
        f"better {row['best'][0]['move']} ({row['best'][0]['value']:+.2f})"
        for row in result["positions"]
        if row.get("kind")
    ] or ["no mistakes found"]


def write_picture(result: dict[str, Any], record: Record, file: Path) -> None:
    """Write the curve as an SVG picture, or as an HTML page with the game and the table.

    Raises:
        ValueError: the file has another ending, or nothing was analysed.
        OSError: the file cannot be written.
    """
    check_kind(file)
    picture = curve_svg(result)
    if file.suffix.lower() == ".svg":
        file.write_text(picture + "\n", encoding="utf-8")
        return
    heads = "".join(f"<th>{name}</th>" for name in ("move", "player", "played", "value", "best", "value", "line"))
    lines = "".join(_html_row(row) for row in result["positions"])
    mistakes = "".join(f"<li>{escape(text)}</li>" for text in _mistakes(result))
    more = (
        f"{picture}<ul>{mistakes}</ul><style>.analysis{{border-collapse:collapse;font-variant-numeric:tabular-nums}}"
        ".analysis td,.analysis th{text-align:left;padding:.15rem .6rem .15rem 0;vertical-align:top}"
        ".losing,.mistake{font-weight:700}section svg{width:100%;height:auto}section{overflow-x:auto}</style>"
        f'<table class="analysis"><tr>{heads}</tr>{lines}</table>'
    )
    page = record.html(title=f"Analysis of a game of {record.game.name}")
    file.write_text(page.replace("</main>", f"<section>{more}</section></main>", 1), encoding="utf-8")


def check_kind(file: Path) -> None:
    """Raises ValueError for a file that is no picture or page."""
    if file.suffix.lower() not in KINDS:
        raise ValueError(f"{str(file)!r}: a file that ends in {' or '.join(KINDS)} is wanted")


def _html_row(row: dict[str, Any]) -> str:
    moves = [(each["move"], _value(each["value"], each["plies"]), each["line"]) for each in row["best"]]
    cells = [str(row["ply"] + 1), row["to_move"], _name(row), _value(row.get("value"))]
    cells = [escape(cell) for cell in cells] + ["<br>".join(map(escape, column)) for column in zip(*moves, strict=True)]
    return f'<tr class="{row.get("kind", "")}">{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def curve_svg(result: dict[str, Any]) -> str:
    """The evaluation by move as an SVG picture: 100 % is a win of the player whose curve it is."""
    if not result["curve"]:
        raise ValueError("no position of the game was analysed")
    drawn = {
        name: Curve(
            [int(ply) for ply, _ in points],
            [(value + 1) / 2 for _, value in points],
            [[(value + 1) / 2] * 2 for _, value in points],
        )
        for name, points in result["curve"].items()
    }
    return curves(f"{result['game']}: evaluation", [Panel("moves played", drawn)], 0.5)
