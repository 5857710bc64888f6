"""A tournament as tables, for the terminal and in Markdown."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from amoba_experiments.analysis.match_text import BY_SEED, game_text
from amoba_experiments.analysis.summary import interval_text, points_text, range_of_seeds, seeds_text, share_cells
from amoba_experiments.analysis.text_tables import TextTable, escaped, markdown_table, print_table, table_of

AGENT = 1  # the column of the agents


def tables(result: dict[str, Any], brief: bool = False) -> list[TextTable]:
    """The tables of the result of tournament.summarize; if `brief`, the standings alone."""
    if brief:
        return [_standings(result)]
    return [_standings(result), _cross(result), *([_lineups(result)] if _seats(result) > 2 else [])]


def _seats(result: dict[str, Any]) -> int:
    return max(len(pairing["agents"]) for pairing in result["pairings"])


def _standings(result: dict[str, Any]) -> TextTable:
    rows = []
    for rank, row in enumerate(result["standings"], 1):
        line = {"": rank, "agent": row["agent"], "points": points_text(row["points"])}
        if _seats(result) == 2:
            line["games"] = row["games"]
        else:  # an agent may have two seats of a game
            line |= {"seats": row["games"], "wins": row["wins"], "place": f"{row['place_mean']:.2f}"}
        line["share"] = "\n".join(share_cells(row))
        if result["seeds"] > 1:
            line[BY_SEED] = range_of_seeds(row["by_seed"])
        line[result["ratings"]["unit"]] = f"{row['elo']:+.0f}\n{interval_text(row['elo_ci95'], '{:+.0f}', 1)}"
        rows.append({**line, "LOS": _sure(result, rank - 1)})
    return table_of(rows, words=(AGENT,))


def _sure(result: dict[str, Any], i: int) -> str:
    """How likely the agent in line i is stronger than the one below, as text."""
    if i + 1 == len(result["standings"]):
        return ""
    likelihood, met = result["standings"][i]["superiority"], result["cross"][i][i + 1]
    if likelihood in (None, 1) and met and met["ahead"] == met["of"]:
        return "always"
    if likelihood is None:
        return "?"
    return "> 99 %" if likelihood > 0.99 else "< 1 %" if likelihood < 0.01 else f"{100 * likelihood:.0f} %"


def _cross(result: dict[str, Any]) -> TextTable:
    """Points against each agent, or how often an agent was placed before each."""
    names = [row["agent"] for row in result["standings"]]
    of = {cell["of"] for row in result["cross"] for cell in row if cell}
    various = len(of) > 1

    def text(cell: dict[str, Any] | None) -> str:
        """The points, and of how many where that differs from cell to cell."""
        return "·" if cell is None else points_text(cell["ahead"]) + (f" of {cell['of']}" if various else "")

    rows = [
        [str(i), name, *map(text, row)] for i, (name, row) in enumerate(zip(names, result["cross"], strict=True), 1)
    ]
    what = "Points against each" if _seats(result) == 2 else "Times before each"
    title = what if various else f"{what}, of {min(of)}"
    return TextTable(["", "agent", *map(str, range(1, len(names) + 1))], rows, (AGENT,), title)


def _lineups(result: dict[str, Any]) -> TextTable:
    pairs = [zip(each["agents"], each["points"], strict=True) for each in result["pairings"]]
    rows = [[", ".join(f"{agent} {points_text(points)}" for agent, points in each)] for each in pairs]
    return TextTable(["points in each lineup"], rows)


def headline(result: dict[str, Any]) -> str:
    """One line that says what was played."""
    game = game_text(result["game"], result["options"])
    return f"{result['format']}: {game}, {result['games']:,} games per pairing, {seeds_text(result)}"


def notes(result: dict[str, Any]) -> list[str]:
    """Lines that explain the tables, and warnings."""
    found = result["ratings"]
    paired = "pairs of games" if _seats(result) == 2 else "games in every order"
    unit = "openings" if result["openings"] else paired if result["paired"] else "games"
    meanings = {"always": "ahead of it in every game", "?": "too few openings, or not comparable"}
    sure = {_sure(result, i) for i in range(len(result["standings"]))}
    explained = "; ".join(f"{word}: {meanings[word]}" for word in meanings if word in sure)
    lines = [
        f"{found['unit']} by {found['model']}, 0 is the {found['zero']}; LOS is the likelihood of superiority over the "
        f"next{explained and f' ({explained})'}. Intervals are of 95 % and count {unit}."
    ]
    if found["groups"]:
        lines.append(f"note: {unknown_elo(found['groups'])}")
    return [*lines, *(f"note: {warning}" for warning in result["warnings"])]


def unknown_elo(groups: list[list[str]]) -> str:
    """Why the distances between groups of agents are unknown."""
    if len(groups) == 2 and len(groups[1]) == 1:
        return f"{groups[1][0]} never beat anyone, so its Elo is a guess"
    lined = " | ".join(map(", ".join, groups))
    return f"Elo is a guess: no agent of a group beat any of a group before it: {lined}"


def print_tournament(result: dict[str, Any], console: Console, brief: bool = False) -> None:
    """Print the result of tournament.summarize."""
    console.print(headline(result), style="bold", markup=False)
    for table in tables(result, brief):
        print_table(table, console)
        console.print()
    for line in notes(result):
        console.print(line, style="yellow" if line.startswith("note: ") else "dim", markup=False)
    if result["seconds"] is not None:
        rate = result["games_played"] / max(result["seconds"], 1e-9)
        console.print(
            f"{result['games_played']:,} games in {result['seconds']:.2f} s, {rate:,.0f} games/s", style="dim"
        )


def markdown(result: dict[str, Any], brief: bool = False) -> str:
    """The result of tournament.summarize as Markdown."""
    lines = [f"## {headline(result)}", "", *(markdown_table(table) for table in tables(result, brief))]
    return "\n".join([*lines, *(escaped(line) + "\n" for line in notes(result))])
