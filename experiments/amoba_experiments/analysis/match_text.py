"""The statistics of a match for people: tables in the terminal."""

from typing import Any

from rich.console import Console
from rich.table import Table

from amoba_env import games
from amoba_env.core.rules import COLORED
from amoba_experiments.analysis.summary import percent, seeds_text, spread

BY_SEED = "by seed"  # the column of the spread between seeds


def print_match(result: dict[str, Any], console: Console) -> None:
    """Print what `statistics.summarize` found."""
    game = games.make_from(result["game"], result["options"])
    players = Table("agent", "wins", "share", "95 % interval", box=None, pad_edge=False, title_justify="left")
    seats = Table("seat", "agent", "games", "wins", "share", "95 % interval", box=None, pad_edge=False)
    players.columns[0].overflow = seats.columns[1].overflow = "fold"  # engines have long names
    for column in (1, 2, 3):
        players.columns[column].justify = "right"
    for column in (2, 3, 4, 5):
        seats.columns[column].justify = "right"
    with_regret = all("regret" in row for row in result["players"])
    if with_regret:
        players.add_column("regret a move", justify="right")
        players.add_column("moves that lose value", justify="right")
    over_openings = result["openings"] is not None
    if over_openings:
        players.add_column("over openings", justify="right")
    if result["seeds"] > 1:
        players.add_column(BY_SEED, justify="right")
    for row in result["players"]:
        more = [f"{row['regret']['mean']:.4f}", f"{100 * row['regret']['share']:.2f} %"] if with_regret else []
        if over_openings:
            more.append(_interval(row["ci95_openings"]))
        if result["seeds"] > 1:
            more.append(spread(row["by_seed"]))
        players.add_row(row["agent"], f"{row['wins']:,}", *_share(row), *more)
    for row in result["seats"]:
        # Where colours change hands, a seat has none of its own.
        name = str(row["seat"]) if game.rules[COLORED] else f"{row['seat']} {game.colors[row['seat']]}"
        seats.add_row(name, row["agent"], f"{row['games']:,}", f"{row['wins']:,}", *_share(row))
    options = " ".join(f"{key}={value}" for key, value in result["options"].items())
    console.print(f"{result['game']} {options}: {result['games']:,} games, {seeds_text(result)}", style="bold")
    console.print(players)
    console.print()
    if "places" in result["players"][0]:
        console.print(_places(result["players"]))
        console.print()
    console.print(seats)
    console.print()
    count = result["games"]
    par = 100 / len(result["players"])
    lines = {
        "draws": f"{result['draws']:,} ({result['draws'] / count:.1%})",
        "truncated": f"{result['truncated']:,} ({result['truncated'] / count:.1%})",
        "endings": ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in result["endings"].items()),
        "rounds a game": f"{result['rounds_mean']:.2f} (standard error {result['rounds_se']:.3f})",
        "plies a game": f"{result['plies_mean']:.2f} (standard error {result['plies_se']:.3f})",
        "won by who began": f"{percent(result['first_mover'])}; {par:.1f} % if it did not matter",
        **{f"  on seat {row['seat']}": percent(row) for row in result["first_mover_seats"]},
        "distinct games": f"{result['distinct_games']:,} (effective sample size {result['effective_games']:,.0f})",
    }
    if (until := result["until"]) is not None:
        lines["until"] = f"{until['rule']}: {until['reason']}"
    if until is not None and "elo" in until:
        lines["Elo difference"] = f"{elo(until['elo'])} {elo_interval(until['elo_ci95'])}"
    if until is not None and "llr" in until:
        low, high = until["bounds"]
        lines["  log likelihood ratio"] = f"{until['llr']:.2f}, bounds {low:.2f} and {high:.2f}"
        lines["  error rates"] = f"alpha {until['alpha']:g}, beta {until['beta']:g}; the interval ignores the stop"
    if result["black"] is not None:
        lines["won by black"] = percent(result["black"])
    if over_openings:
        lines["distinct openings"] = f"{result['openings']:,}{', every order of seats' if result['paired'] else ''}"
    if result["seconds"] is not None:
        lines["time"] = f"{result['seconds']:.2f} s, {count / max(result['seconds'], 1e-9):,.0f} games/s"
    facts = Table(box=None, pad_edge=False, show_header=False)
    for name, value in lines.items():
        facts.add_row(name, value)
    console.print(facts)
    for warning in result["warnings"]:
        console.print(f"note: {warning}", style="yellow", markup=False)


def _places(rows: list[dict[str, Any]]) -> Table:
    """How often each agent came in first, second, ..., and its mean place, intervals below."""
    table = Table("agent", box=None, pad_edge=False)
    for each in rows[0]["places"]:
        table.add_column(ordinal(each["place"]), justify="right")
    table.add_column("mean place", justify="right")
    for row in rows:
        table.add_row(
            row["agent"], *(f"{100 * each['share']:.1f} %" for each in row["places"]), f"{row['place_mean']:.2f}"
        )
        low, high = row["place_ci95"] or (row["place_mean"],) * 2
        table.add_row("", *(_interval(each["ci95"]) for each in row["places"]), f"[{low:.2f}, {high:.2f}]", style="dim")
    return table


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, ..."""
    return f"{number}{('th', 'st', 'nd', 'rd')[number] if number < 4 else 'th'}"


def elo(value: float | None) -> str:
    """An Elo difference with its sign; None is infinite."""
    return "infinite" if value is None else f"{value:+.1f}"


def elo_interval(ends: list[float | None]) -> str:
    """Its interval; None is an open end."""
    low, high = ends
    return f"[{'-inf' if low is None else elo(low)}, {'+inf' if high is None else elo(high)}]"


def _share(row: dict[str, Any]) -> tuple[str, str]:
    return f"{100 * row['share']:.1f} %", _interval(row["ci95"])


def _interval(ci95: list[float] | None) -> str:
    return "unknown" if ci95 is None else f"[{100 * ci95[0]:.1f}, {100 * ci95[1]:.1f}]"


def print_evaluation(line: dict[str, Any], console: Console) -> None:
    """Print what `train.measure` found, as one line."""
    low, high = (100 * bound for bound in line["ci95"])
    won, lost, neither = (100 * line[name] / line["games"] for name in ("wins", "losses", "draws"))
    console.print(
        f"{line['steps']:>11,} steps {line['seconds']:>8,.0f} s   against {line['against']}: "
        f"{won:.1f} % won [{low:.1f}, {high:.1f}], {lost:.1f} % lost, {neither:.1f} % neither",
        soft_wrap=True,
    )
