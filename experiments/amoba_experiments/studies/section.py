"""A section of a study: a question, the matches that answer it, and tables of the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from rich.console import Console

from amoba_experiments.analysis import text_tables as tables
from amoba_experiments.analysis.match_text import p_text
from amoba_experiments.analysis.summary import REPEATED, interval_text, range_of_seeds, seeds_text, summarize
from amoba_experiments.arena.games import Games
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.workers import Progress
from amoba_experiments.runs.play_match import play_match

SEEDS = 3  # seeds of a match, so that no result depends on one
Labels = tuple[str, ...]  # the key of a match in a section
Cell = str | int | float | Mapping[str, Any] | None  # a mapping has "share" and perhaps "ci95" (null: unknown)


class Played(NamedTuple):
    """A match, its games and their statistics (analysis.summary.summarize)."""

    match: Match
    games: Games
    found: dict[str, Any]


class Table(NamedTuple):
    """Rows with the same keys, which are the headings."""

    title: str
    rows: list[dict[str, Cell]]
    note: str = ""


class Section(NamedTuple):
    """A question and its matches."""

    name: str
    question: str
    matches: Callable[[int, int], dict[Labels, Match]]  # from (games, seed); slow players get fewer games
    tables: Callable[[Mapping[Labels, Played]], list[Table]]


def matches_of(section: Section, games: int, seed: int, seeds: int) -> dict[Labels, Match]:
    """The matches of a section, with their games divided among seeds."""
    found = {}
    for labels, what in section.matches(games, seed).items():
        divided = replace(what, seeds=min(seeds, what.games // what.orders), playable=False)
        found[labels] = replace(divided, games=divided.even_games)
    return found


def play_section(
    section: Section,
    games: int,
    seed: int,
    jobs: int | None,
    progress: Callable[[Match], Progress],
    seeds: int = SEEDS,
) -> dict[str, Any]:
    """Play the matches of a section and make its tables, ready for JSON.

    Returns:
        {"section", "question", "games", "seed", "seeds", "notes", "tables": [{"title", "rows", "note"}], "matches":
        settings and statistics, "warnings": matches with repeated games}.
    """
    played = {}
    for labels, match in matches_of(section, games, seed, seeds).items():
        found = play_match(match, jobs=jobs, progress=progress(match))
        played[labels] = Played(match, found, summarize(match, found, None))
    return {
        "section": section.name,
        "question": section.question,
        "games": games,
        "seed": seed,
        "seeds": max(each.match.seeds for each in played.values()),
        "notes": spreads(played),
        "tables": [table._asdict() for table in section.tables(played)],
        "matches": [
            {"labels": labels, "match": asdict(each.match), "found": each.found} for labels, each in played.items()
        ],
        "warnings": [
            f"{', '.join(labels)}: {each.found['distinct_games']:,} of {each.found['games']:,} games are distinct"
            for labels, each in played.items()
            if REPEATED in each.found["warnings"]
        ],
    }


def spreads(played: Mapping[Labels, Played]) -> list[str]:
    """The largest difference of a player's share of wins between the seeds of a match, as a sentence."""
    shares = [
        (each.match, row["agent"], row["by_seed"])
        for each in played.values()
        for row in each.found["players"]
        if "by_seed" in row
    ]
    if not shares:
        return []
    match, agent, most = max(shares, key=lambda each: max(each[2]) - min(each[2]))
    return [
        f"Every match has games of several seeds. A player's share of wins differs most between seeds for {agent} in "
        f"the match {' - '.join(match.agents)}: {range_of_seeds(most)}."
    ]


def text(value: Cell) -> str:
    """A cell as text: shares in percent; a 95 % interval in a second line."""
    if isinstance(value, Mapping):
        sure = f"\n{interval_text(value['ci95'])}" if "ci95" in value else ""
        return f"{100 * value['share']:.1f} %{sure}"
    if isinstance(value, float):
        if 0 <= value < 1:
            return p_text(value)
        return f"{value:.3f}" if abs(value) < 1 else f"{value:,.2f}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else value


def notes(result: Mapping[str, Any]) -> list[str]:
    """Notes for all tables of a result: method, seed, intervals, and matches with repeated games."""
    cells = [value for table in result["tables"] for row in table["rows"] for value in row.values()]
    ranges = result.get("ranges", "95 % intervals")
    sure = f"; {ranges} in brackets" if any(isinstance(value, Mapping) for value in cells) else ""
    lines = [*result.get("notes", ()), f"{seeds_text(result).capitalize()}{sure}."]
    if result["warnings"]:
        lines.append(f"Games repeat, and intervals are too narrow there: {'; '.join(result['warnings'])}.")
    return lines


def text_table(table: Mapping[str, Any]) -> tables.TextTable:
    """A table of a result as text."""
    first = table["rows"][0]
    words = [i for i, value in enumerate(first.values()) if isinstance(value, str) and not (i and value[:1].isdigit())]
    return tables.TextTable(list(first), [[text(value) for value in row.values()] for row in table["rows"]], words)


def print_section(result: Mapping[str, Any], console: Console) -> None:
    """Print the tables of a section."""
    console.print(result["question"], style="bold")
    for table in result["tables"]:
        console.print(table["title"], style="italic", markup=False)
        tables.print_table(text_table(table), console)
        console.print(table["note"] + "\n", soft_wrap=True, markup=False)
    for line in notes(result):
        console.print(line, soft_wrap=True, markup=False)


def markdown(result: Mapping[str, Any]) -> str:
    """The tables of a section as Markdown."""
    parts = [f"## {result['question']}"]
    for table in result["tables"]:
        parts += [f"**{table['title']}**", tables.markdown_table(text_table(table)).rstrip()]
        parts += [table["note"]] if table["note"] else []
    return "\n\n".join([*parts, *notes(result)]) + "\n"


def put(document: str, name: str, text: str) -> str:
    """A document with this text between its marks, `<!-- NAME -->` and `<!-- end of NAME -->`.

    Raises:
        ValueError: the document does not have these marks.
    """
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, begun, rest = document.partition(begin)
    _, ended, after = rest.partition(end)
    if not begun or not ended:
        raise ValueError(f"expected the lines {begin} and {end}, between which tables go, got none")
    return f"{before}{begin}\n\n{text}\n{end}{after}"
