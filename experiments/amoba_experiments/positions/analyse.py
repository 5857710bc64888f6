"""`amoba analyse`: the best moves in each position of a game, the moves that lost it, and the evaluation as a curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rich.console import Console

from amoba_env import Record
from amoba_env.games import Game
from amoba_env.notation import move_text
from amoba_experiments.analysis.page.charts import Axes, Curve, curves
from amoba_experiments.analysis.text_tables import TextTable, print_table
from amoba_experiments.positions.judge import Candidate, Effort, Judgement, judge, lost_value

# Shares of the way from a loss to a win.
LOST = 0.025  # a value of this or less (a win in 40 games) is called lost
MISTAKE = 0.2  # a move that loses this much is called a mistake
KINDS = (".svg", ".html")
STYLE = """<style>
.analysis { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap }
.analysis td, .analysis th { text-align: left; padding: .15rem .6rem .15rem 0; vertical-align: top }
.losing, .mistake { font-weight: 700 }
section { overflow-x: auto }
section img { width: 100%; height: auto }
@media screen and (prefers-color-scheme: dark) { section img { filter: invert(.88) hue-rotate(180deg) } }
</style>"""
COLUMNS = ("move", "player", "played", "value", "best", "value", "line")


def analysis(
    record: Record, effort: Effort, count: int = 3, progress: Callable[[int], None] = lambda done: None
) -> dict[str, Any]:
    """Analyse a game.

    Args:
        record: the game.
        effort: the effort of the search in each position.
        count: the number of best moves of each position, at least 1.
        progress: is called with 1 after each position.

    Returns:
        The analysis, ready for JSON. `positions` has an entry for each position that is not over, and in no phase of
        an opening: its number of moves played (`ply`), the player to move, the `best` moves, and if one was played
        the move, its `value`, its `loss` of the best value, its `kind`: "", "mistake", or "losing" if it lost a
        game that was not lost, and whether the loss is `proven`. These values are for the player to move: 1 a win,
        0 even, -1 a loss (with three players -1/2). `curve` has the
        points (ply, value for this player) by colour: with two players of the first colour alone.

    Raises:
        ValueError: an effort or a count out of range; every position is in a phase of an opening.
    """
    game = record.game
    found = []
    for position in record.positions:
        found.append(judge(position, effort, count))
        progress(1)
    if not any(found):
        raise ValueError("nothing to analyse: all positions of this game are in an opening phase")
    return {
        "game": game.name,
        "options": dict(game.options),
        "moves": record.text,
        "ms": None if effort.nodes else effort.ms,
        "nodes": effort.nodes or None,
        **summary(record, found),
    }


def summary(record: Record, found: Sequence[Judgement | None]) -> dict[str, Any]:
    """The `positions` and the `curve` of an analysis, see analysis(), for the judgements so far.

    Args:
        record: the game.
        found: judgements of its first positions; None in a phase of an opening.
    """
    game, rows = record.game, []
    for ply, judgement in enumerate(found):
        if judgement is None or not judgement.best:
            continue
        row: dict[str, Any] = {
            "ply": ply,
            "to_move": game.color(record.positions[ply].state, record.positions[ply].to_move),
            "best": [shown(each) for each in judgement.best],
        }
        if ply + 1 < len(found):
            row |= _played(record, ply, judgement.best[0], found[ply + 1])
        rows.append(row)
    last = record.positions[-1].state
    colors = {game.color(last, seat): seat for seat in range(game.players)}
    return {
        "positions": rows,
        "curve": {
            color: [[ply, round(each.values[colors[color]], 3)] for ply, each in enumerate(found) if each]
            for color in game.colors[: 1 if game.players == 2 else game.players]
        },
    }


def shown(candidate: Candidate) -> dict[str, Any]:
    """A candidate, ready for JSON."""
    return {
        "move": candidate.move,
        "value": round(candidate.value, 3),
        "plies": candidate.plies,
        "line": candidate.line,
    }


def _played(record: Record, ply: int, best: Candidate, after: Judgement | None) -> dict[str, Any]:
    """The move that was played. Unless it is the best one, its value is that of the next position."""
    action, seat = record.moves[ply], record.positions[ply].to_move
    assert after is not None  # no phase of an opening follows a move on the board
    value = best.value if action == best.action and after.best else after.values[seat]
    loss, least = max(0.0, best.value - value), lost_value(record.game.players)
    lost, mistake = least + LOST * (1 - least), MISTAKE * (1 - least)
    kind = "losing" if value <= lost < best.value else "mistake" if loss >= mistake else ""
    proven = kind == "losing" and (not after.best or after.best[0].plies is not None)
    played = {"played": move_text(record.game, action), "value": round(value, 3), "loss": round(loss, 3)}
    return {**played, "kind": kind, "proven": proven}


def print_analysis(result: dict[str, Any], console: Console) -> None:
    """Print a line for each position, and the moves that lost the game."""
    rows = []
    for row in result["positions"]:
        for i, best in enumerate(row["best"]):
            played = [str(row["ply"] + 1), row["to_move"], _name(row), _value(row.get("value"))]
            value = _value(best["value"], best["plies"])
            rows.append([*(played if i == 0 else [""] * 4), best["move"], value, best["line"]])
    words = [i for i, name in enumerate(COLUMNS) if name not in ("move", "value")]
    print_table(TextTable(COLUMNS, rows, words), console)
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
    """The mistakes and losing moves, in words."""
    words = {("losing", True): "loses", ("losing", False): "probably loses", ("mistake", False): "is a mistake"}
    return [
        f"move {row['ply'] + 1}, {row['to_move']} {row['played']} {words[row['kind'], row['proven']]} "
        f"({row['value']:+.2f}); "
        f"better {row['best'][0]['move']} ({row['best'][0]['value']:+.2f})"
        for row in result["positions"]
        if row.get("kind")
    ] or ["no mistakes found"]


def picture(result: dict[str, Any], record: Record, file: Path) -> str:
    """The curve as an SVG picture, or an HTML page with the game, the curve and the table: what the file ends in."""
    drawn = curve_svg(result, record.game)
    if file.suffix.lower() == ".svg":
        return drawn + "\n"
    heads = "".join(f"<th>{name}</th>" for name in COLUMNS)
    rows = "".join(_html_row(row) for row in result["positions"])
    mistakes = "".join(f"<li>{escape(text)}</li>" for text in _mistakes(result))
    # The picture is an image, so that its style does not reach the board, which is SVG in the page.
    section = (
        f'<img src="data:image/svg+xml,{quote(drawn)}" alt="The value by move: {escape(_in_words(result))}">'
        f'<ul>{mistakes}</ul><table class="analysis"><tr>{heads}</tr>{rows}</table>'
    )
    page: str = record.html(title=f"Analysis of a game of {record.game.name}")
    return page.replace("</main>", f'{STYLE}<section tabindex="0" aria-label="analysis">{section}</section></main>', 1)


def _in_words(result: dict[str, Any]) -> str:
    return "; ".join(
        f"{name} " + ", ".join(f"{ply}: {value:+.2f}" for ply, value in points)
        for name, points in result["curve"].items()
    )


def _html_row(row: dict[str, Any]) -> str:
    moves = [(each["move"], _value(each["value"], each["plies"]), each["line"]) for each in row["best"]]
    cells = [str(row["ply"] + 1), row["to_move"], _name(row), _value(row.get("value"))]
    cells = [escape(cell) for cell in cells] + ["<br>".join(map(escape, column)) for column in zip(*moves, strict=True)]
    return f'<tr class="{row.get("kind", "")}">{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def curve_svg(result: dict[str, Any], game: Game) -> str:
    """The values by move as an SVG picture, as shares of points: a win of the player whose curve it is has 100 %."""
    least = lost_value(game.players)
    drawn = {}
    for name, points in result["curve"].items():
        shares = [min(1.0, max(0.0, (value - least) / (1 - least))) for _, value in points]
        drawn[name] = Curve([ply for ply, _ in points], shares, [[share, share] for share in shares])
    title = f"{result['game']}: expected points, by the search"
    return curves(title, [Axes("moves played", drawn)], 1 / game.players)
