"""A reproduction of the thesis's statistics of three-player halma.

In Zoltán Vécsey's thesis (JATE) players of levels 1, 2 and 3 (moves ahead) play 10,000 games for each row. The starting
player is random, and ties are broken by the thesis's rule. The row 1-2-3 is blank there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from rich.console import Console

from amoba_agents.players.lookahead import Ties
from amoba_experiments.analysis.summary import interval_text, percent_text, range_of_seeds, seeds_text, summarize
from amoba_experiments.analysis.text_tables import TextTable, escaped, markdown_table, print_table
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.workers import Progress
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.statistics.intervals import p_same_mean, p_same_share
from amoba_experiments.studies.section import SEEDS

THESIS_GAMES = 10_000
CHANCE = 0.01  # p-value below which a difference is marked


class Published(NamedTuple):
    """A row of the thesis: levels, wins by seat, mean rounds (None: blank)."""

    levels: tuple[int, int, int]
    wins: tuple[int, int, int] | None
    rounds: float | None


THESIS = (
    Published((1, 1, 1), (3336, 3372, 3292), 14.7),
    Published((2, 2, 2), (3392, 3313, 3295), 12.3),
    Published((3, 3, 3), (3656, 3341, 3003), 14.9),
    Published((1, 2, 1), (2833, 4453, 2714), 13.5),
    Published((1, 2, 3), None, None),
)
COLORS = ("red", "white", "green")


def halma_matches(games: int, seed: int, ties: Ties, seeds: int = SEEDS) -> list[Match]:
    """The matches of the table. Level d of the thesis is lookahead:d."""
    return [
        Match(
            game="halma",
            agents=tuple(f"lookahead:{level},ties={ties}" for level in row.levels),
            games=games,
            seed=seed,
            start="random",
            seeds=min(seeds, games),
        )
        for row in THESIS
    ]


def reproduce_halma(
    games: int,
    seed: int,
    ties: Ties,
    jobs: int | None,
    progress: Callable[[Match], Progress],
    seeds: int = SEEDS,
) -> dict[str, Any]:
    """Play the table; return it with the thesis's figures beside ours, ready for JSON."""
    rows = []
    for published, match in zip(THESIS, halma_matches(games, seed, ties, seeds), strict=True):
        begun = time.perf_counter()
        played = play_match(match, jobs=jobs, progress=progress(match))
        found = summarize(match, played, time.perf_counter() - begun)
        rows.append({"levels": list(published.levels), **found, "thesis": _compare(published, found)})
    what = {"game": "halma", "games": games, "seed": seed, "seeds": min(seeds, games), "ties": ties, "chance": CHANCE}
    return {**what, "rows": rows}


def _compare(published: Published, found: dict[str, Any]) -> dict[str, Any] | None:
    if published.wins is None or published.rounds is None:
        return None
    games = found["games"]
    # The thesis does not give the spread of its rounds, so ours is used for both.
    own = None if found["rounds_ci95"] is None else found["rounds_se"]
    error = None if own is None else own * (games / THESIS_GAMES) ** 0.5
    return {
        "wins": list(published.wins),
        "rounds_mean": published.rounds,
        "p_wins": [
            p_same_share(seat["wins"], games, wins, THESIS_GAMES)
            for seat, wins in zip(found["seats"], published.wins, strict=True)
        ],
        "p_rounds": p_same_mean(found["rounds_mean"], own, published.rounds, error, rounding=0.05),
    }


HEADINGS = ("levels", "", *(f"{color} wins" for color in COLORS), "rounds", "time")


def table(result: dict[str, Any]) -> list[tuple[str, ...]]:
    """Lines of cells under HEADINGS: our results, intervals, spread between seeds, the thesis's results (*: differ)."""
    lines = []
    for row in result["rows"]:
        levels = "-".join(map(str, row["levels"]))
        ends = interval_text(row["rounds_ci95"], "{:.2f}", 1)
        lines.append(
            (
                levels,
                "here",
                *(percent_text(seat["share"]) for seat in row["seats"]),
                f"{row['rounds_mean']:.2f}",
                f"{row['seconds']:.1f} s",
            )
        )
        lines.append(("", "95 %", *(interval_text(seat["ci95"]) for seat in row["seats"]), ends, ""))
        if row["seeds"] > 1:
            lines.append(("", "by seed", *(range_of_seeds(each["by_seed"]) for each in row["players"]), "", ""))
        thesis = row["thesis"]
        if thesis is None:
            lines.append(("", "thesis", "blank", "blank", "blank", "blank", ""))
        else:
            shares = (
                percent_text(wins / THESIS_GAMES) + _mark(p)
                for wins, p in zip(thesis["wins"], thesis["p_wins"], strict=True)
            )
            lines.append(("", "thesis", *shares, f"{thesis['rounds_mean']}{_mark(thesis['p_rounds'])}", ""))
    return lines


def print_result(result: dict[str, Any], console: Console) -> None:
    """Print the table and its caption."""
    rows = table(result)
    print_table(TextTable(HEADINGS, rows, (0, 1)), console, ["bold" if row[1] == "here" else "dim" for row in rows])
    console.print(caption(result), soft_wrap=True)


def _mark(p: float | None) -> str:
    return " *" if p is not None and p < CHANCE else ""


def caption(result: dict[str, Any]) -> str:
    """The caption of the table."""
    return (
        f"Three-player halma, {result['games']:,} games per row, {seeds_text(result)}, ties={result['ties']}, the "
        f"starting player drawn at random. Levels: how many moves red, white and green look ahead. "
        f"* differs from the thesis by more than chance (p < {CHANCE})."
    )


def markdown(result: dict[str, Any]) -> str:
    """The table as Markdown."""
    return f"{markdown_table(TextTable(HEADINGS, table(result), (0, 1)))}\n{escaped(caption(result))}\n"
