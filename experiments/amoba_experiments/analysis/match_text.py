"""The statistics of a match as tables in the terminal."""

from collections.abc import Mapping
from math import factorial
from typing import Any

from rich.console import Console

from amoba_env import games
from amoba_env.core import rules as ru
from amoba_env.games import Game
from amoba_experiments.analysis.summary import (
    interval_text,
    percent,
    percent_text,
    points_text,
    range_of_seeds,
    seeds_text,
    share_cells,
    shown,
)
from amoba_experiments.analysis.text_tables import TextTable, print_notes, print_table, table_of

BY_SEED = "by seed"  # the column of the spread between seeds


def print_match(result: dict[str, Any], console: Console) -> None:
    """Print the statistics that analysis.summary.summarize returned."""
    game = game_text(result["game"], result["options"])
    console.print(f"{game}: {games_text(result['games'])}, {seeds_text(result)}", style="bold", markup=False)
    tables = [_agents(result), _seats(result)]
    if result["colors"]:
        tables.append(_split([{**row, "colour": row["color"]} for row in result["colors"]], "colour"))
    if "places" in result["players"][0]:
        tables.insert(1, _places(result["players"]))
    for table in tables:
        print_table(table, console)
        console.print()
    print_table(TextTable(["", ""], list(match_lines(result).items()), (0, 1)), console)
    print_notes(result["warnings"], console)


def _agents(result: dict[str, Any]) -> TextTable:
    """The table of agents: with two players their points, with more their wins."""
    two, lines = len(result["players"]) == 2, []
    for row in result["players"]:
        line = {"agent": row["agent"], "wins": row["wins"]}
        if two:
            line |= {"draws": row["draws"], "losses": row["losses"], "points": points_text(row["points"]["points"])}
        line["share"], line["95 % interval"] = share_cells(shown(row))
        if "regret" in row:
            mean, lost = row["regret"]["mean"], row["regret"]["share"]
            line["regret a move"] = "unknown" if mean is None else f"{mean:.4f}"
            line["moves that lose value"] = "unknown" if lost is None else f"{100 * lost:.2f} %"
        if result["seeds"] > 1:
            line[BY_SEED] = range_of_seeds(shown(row)["by_seed"])
        lines.append(line)
    return table_of(lines, words=(0,))


def _seats(result: dict[str, Any]) -> TextTable:
    """The results of each agent on each seat."""
    game = games.make_from(result["game"], result["options"])
    return _split([{**row, "seat": seat_name(game, row["seat"])} for row in result["seats"]], "seat")


def _split(rows: list[dict[str, Any]], name: str) -> TextTable:
    """The results of each agent, split by seat or colour: with two players its points, with more its wins."""
    lines = []
    for row in rows:
        share, ends = share_cells(shown(row))
        line = {each: row[each] for each in (name, "agent", "games", "wins")}
        if "points" in row:
            line["points"] = points_text(row["points"]["points"])
        lines.append({**line, "share": share, "95 % interval": ends})
    return table_of(lines, words=(0, 1))


def games_text(count: int) -> str:
    """A number of games: "1 game", "1,000 games"."""
    return f"{count:,} game{'s' * (count != 1)}"


def seat_name(game: Game, seat: int) -> str:
    """The number and the colour of a seat; the number alone where seats can swap colours."""
    return str(seat) if game.rules[ru.COLORED] else f"{seat} {game.colors[seat]}"


def match_lines(result: dict[str, Any]) -> dict[str, str]:
    """The figures below the tables of a match, by name."""
    count, compared, until = result["games"], result["comparison"], result["until"]
    lines: dict[str, str] = {}
    if until is not None:
        lines |= _until_lines(until)
    elif compared is not None:
        sure = " unknown" if compared["elo_ci95"] is None else f" {elo_interval(compared['elo_ci95'])}"
        lines["Elo difference"] = f"{elo(compared['elo'], shown(result['players'][0])['share'])}{sure}"
        lines["p-value of no difference"] = p_text(compared["p"])
    lines |= {
        "draws": f"{result['draws']:,} ({percent_text(result['draws'] / count)})",
        "truncated": f"{result['truncated']:,} ({percent_text(result['truncated'] / count)})",
        "endings": ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in result["endings"].items()),
        "rounds a game": _length(result, "rounds"),
        "plies a game": _length(result, "plies"),
        **first_mover_lines(result),
        "distinct games": f"{result['distinct_games']:,} (effective sample size {result['effective_games']:,.0f})",
    }
    if result["black"] is not None:
        lines["won by black"] = percent(result["black"])
    places = [[each["games"] for each in row["places"]] for row in result["players"] if "places" in row]
    if any(sum(of) != count for of in zip(*places, strict=True)):
        lines["shared places"] = "all who share a place have the best of these places; the mean place takes their mean"
    if result["openings"] is not None:
        whole = count % factorial(len(result["players"])) == 0  # else the games of the last opening are not all played
        lines["distinct openings"] = (
            f"{result['openings']:,}{', each with every order of the agents' if result['paired'] and whole else ''}"
        )
    if result["seconds"] is not None:
        lines["time"] = f"{result['seconds']:.2f} s, {count / max(result['seconds'], 1e-9):,.0f} games/s"
    return lines


def _length(result: dict[str, Any], unit: str) -> str:
    error = result[f"{unit}_se"]
    return f"{result[f'{unit}_mean']:.2f} (standard error {'unknown' if error is None else f'{error:.3f}'})"


def first_mover_lines(result: dict[str, Any]) -> dict[str, str]:
    """How well the first mover did: its points with two players, else its wins."""
    if len(result["players"]) == 2:
        rows = {f"  on seat {row['seat']}": row["points"] for row in result["first_mover_seats"]}
        found = {"points of first mover": result["first_mover_points"], **rows}
        lines = {name: " ".join(share_cells(points)) for name, points in found.items()}
        lines["points of first mover"] += "; no advantage: 50.0 %"
        return lines
    even = sum(row["wins"] for row in result["players"]) / result["games"] / len(result["players"])
    lines = {"won by first mover": f"{percent(result['first_mover'])}; no advantage: {100 * even:.1f} %"}
    return {**lines, **{f"  on seat {row['seat']}": percent(row) for row in result["first_mover_seats"]}}


def _until_lines(until: dict[str, Any]) -> dict[str, str]:
    """The result of the stopping rule."""
    lines = {"until": f"{until['rule']}: {until['reason']}"}
    if "elo" in until:
        lines["Elo difference"] = f"{elo(until['elo'], until['score'])} {elo_interval(until['elo_ci95'])}"
    if "llr" in until:
        low, high = until["bounds"]
        lines["  log likelihood ratio"] = f"{until['llr']:.2f}, bounds {low:.2f} and {high:.2f}"
        lines["  decision"] = f"{until[until['accepted']]:g} Elo is accepted" if until["accepted"] else "none yet"
        lines["  error rates"] = (
            f"alpha {until['alpha']:g}, beta {until['beta']:g}; the interval ignores the early stop"
        )
    return lines


def _places(rows: list[dict[str, Any]]) -> TextTable:
    """How often each agent was first, second, ..., and its mean place, each with its interval in a second line."""
    lines = []
    for row in rows:
        mean = interval_text(row["place_ci95"], "{:.2f}", 1)
        shares = {ordinal(each["place"]): "\n".join(share_cells(each)) for each in row["places"]}
        lines.append({"agent": row["agent"], **shares, "mean place": f"{row['place_mean']:.2f}\n{mean}"})
    return table_of(lines, words=(0,))


def game_text(game: str, options: Mapping[str, object]) -> str:
    """A game and its options: "gomoku size=9"."""
    return " ".join([game, *(f"{name}={value}" for name, value in options.items())])


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, ..."""
    return f"{number}{('th', 'st', 'nd', 'rd')[number] if number < 4 else 'th'}"


def elo(value: float | None, share: float = 1.0) -> str:
    """An Elo difference with its sign. None is infinite, with a minus if the first agent's share of the points is 0."""
    return f"{'+' if share else '-'}inf" if value is None else f"{value:+.1f}"


def elo_interval(ends: list[float | None]) -> str:
    """The interval of an Elo difference; None is an open end."""
    low, high = ends
    return f"[{'-inf' if low is None else elo(low)}, {'+inf' if high is None else elo(high)}]"


def p_text(p: float | None) -> str:
    """A p-value as text."""
    return "unknown" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def print_evaluation(line: dict[str, Any], console: Console) -> None:
    """Print a line of evaluations.jsonl, and its notes."""
    counted = "games" if line["stage"] == "search" else "steps"
    begin = f"{line['steps']:,} {counted}" if line["steps"] else line["stage"]
    won, lost, drawn = (100 * line[name] / line["games"] for name in ("wins", "losses", "draws"))
    own = f"; against itself {100 * line['unfinished']:.0f} % without a winner" if "unfinished" in line else ""
    console.print(
        f"{begin:>17} {line['seconds']:>8,.0f} s   against {line['against']}: "
        f"{won:.1f} % won {interval_text(line['ci95'])}, {lost:.1f} % lost, {drawn:.1f} % drawn{own}",
        soft_wrap=True,
        markup=False,
    )
    print_notes(line.get("notes", ()), console)
