"""The statistics of runs on disk as tables in the terminal, and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from amoba_experiments.analysis.match_text import elo, p_text, print_match
from amoba_experiments.analysis.summary import interval_text, share_cells, shown
from amoba_experiments.analysis.text_tables import TextTable, print_notes, print_table, table_of
from amoba_experiments.runs.files import from_shared_folder


def print_stats(found: dict[str, Any], console: Console) -> None:
    """Print the result of queries.stats()."""
    print_match(found["match"], console)
    shown, different = len(found["openings"]), found["different_openings"]
    openings = "openings" if shown == different else f"the {shown} most frequent of {different:,} openings"
    titles = {"endings": "endings", "lengths": "lengths, in plies", "openings": openings, "times": "times"}
    for name, title in titles.items():
        rows = [_opening(row) for row in found[name]] if name == "openings" else found[name]
        given = any(row.get("start") for row in rows)
        console.print()
        print_table(table_of([_in_words(row, given) for row in rows], title), console)
    console.print("Times are of calls that move in many games at once.", style="dim")


HEADINGS = {"plies_mean": "mean plies", "quartile_1": "1st quartile", "quartile_3": "3rd quartile"}


def _in_words(row: dict[str, Any], given: bool) -> dict[str, Any]:
    """The row with headings and endings in words; `given`: openings are positions too."""
    words = {HEADINGS.get(name, name): value for name, value in row.items() if given or name != "start"}
    if "ending" in words:
        words["ending"] = words["ending"].replace("_", " ")
    if "seconds_a_move" in words:
        seconds = words.pop("seconds_a_move")
        words["microseconds a move"] = None if seconds is None else 1e6 * seconds
    return words


def _opening(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the table of openings."""
    share, ends = share_cells(row)
    plain = {name: value for name, value in row.items() if name not in ("wins", "share", "ci95")}
    return {**plain, "won by first mover": row["wins"], "share": share, "95 %": ends}


def print_overview(found: Sequence[dict[str, Any]], console: Console) -> None:
    """Print the result of queries.overview(): a line for each run and agent, and the Elo difference of each pair."""
    rows = []
    names = from_shared_folder([Path(each["run"]) for each in found])
    for each, name in zip(found, names, strict=True):
        two = each["comparison"]
        for number, row in enumerate(each["players"]):
            share, ends = share_cells(shown(row))
            line = {"run": name, "agent": row["agent"], "games": each["games"]}
            line |= {"share": share, "95 %": ends}
            line |= {
                "Elo difference": elo(two["elo"], row["points"]["share"]) if two else "",
                "p": p_text(two["p"]) if two and not each["until"] else "",
            }
            once = ("run", "games", "Elo difference", "p") if number else ()
            rows.append({**line, **dict.fromkeys(once, "")})
    print_table(table_of(rows, words=(0, 1)), console)
    console.print("Shares are of points where two play, else of wins.", style="dim")
    print_notes([f"{each['run']}: {warning}" for each in found for warning in each["warnings"]], console)


def print_comparison(found: dict[str, Any], console: Console) -> None:
    """Print the result of queries.compare()."""
    one, other = found["runs"]
    console.print(f"{found['game']}: first {one}, second {other}", style="bold", markup=False)
    rows = []
    for row in found["rows"]:
        numbers = [f"{row[name]:,.2f}" for name in ("first", "second")]
        sure = interval_text(row["ci95"], "{:+.2f}", 1)
        rows.append([row["figure"], *numbers, f"{row['difference']:+.2f}", sure])
    print_table(TextTable(["", "first", "second", "difference", "95 % interval"], rows), console)
    console.print("compared opening by opening" if found["paired"] else "compared as independent runs", style="dim")
    print_notes(found["warnings"], console)


def csv_text(names: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """These columns of rows as CSV with a heading. Lists are written as JSON."""
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {
            name: json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list) else value
            for name, value in row.items()
        }
        for row in rows
    )
    return out.getvalue()
