"""The contents of a report as data: for each run statistics, lengths, first moves and sample games; a cross table."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import state as st
from amoba_env.games import Game
from amoba_env.notation import move_text
from amoba_env.position import Position
from amoba_experiments.analysis.queries import stats
from amoba_experiments.analysis.tournament import ratings
from amoba_experiments.analysis.tournament.certainty import Certainty
from amoba_experiments.analysis.tournament.summary import ahead_of, gather
from amoba_experiments.arena.games import Games
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.replay import first_choices, positions_of
from amoba_experiments.runs.store import game_files, load_games, match_of, read_manifest, read_shard
from amoba_experiments.statistics.clusters import share_interval

BINS = 30  # bars of a histogram, at most
TOP = 5  # most frequent first moves
SAMPLES = 3  # sample games of a run; of several runs, one each
LONGEST = 400  # most moves of a sample game, since the page has a drawing of each
OPENINGS_SHOWN = 4  # openings that are listed; the others are counted


class Histogram(NamedTuple):
    """Games by length and by who won."""

    edges: NDArray[np.int64]  # [bins + 1] the last one excluded
    counts: dict[str, NDArray[np.int64]]  # [bins] by agent; "" is nobody


class FirstMoves(NamedTuple):
    """The first moves of an agent (after the opening, if there is one)."""

    agent: str
    games: int
    heat: NDArray[np.float64]  # [n_cells] the share of its games with this first move; NaN: none
    top: list[tuple[str, float]]  # the most frequent moves


class Sample(NamedTuple):
    """A game to step through."""

    title: str
    positions: list[Position]
    moves: list[int]


class Run(NamedTuple):
    """The part of a report about one run."""

    name: str
    manifest: dict[str, Any]
    match: Match
    game: Game
    played: Games
    stats: dict[str, Any]  # see amoba_experiments.analysis.queries.stats
    lengths: Histogram
    first_moves: list[FirstMoves]
    samples: list[Sample]


class RatedAgent(NamedTuple):
    """An agent in a cross table."""

    agent: str
    elo: float  # see amoba_experiments.analysis.tournament.ratings
    elo_ci95: list[float] | None  # None: unknown
    against: list[dict[str, Any] | None]  # against each agent: points, games, share, ci95; None: they never met


class CrossTable(NamedTuple):
    """Agents that played one game with the same options in any of the runs, the best first."""

    game: Game
    standings: list[RatedAgent]
    groups: list[list[str]]  # of agents that the model cannot compare, the strongest first; empty if it compares all


class Content(NamedTuple):
    """The contents of a report."""

    runs: list[Run]
    tables: list[CrossTable]  # of games in which more than two agents played


def content_of(folders: Sequence[Path]) -> Content:
    """The contents of a report on these runs. Raises ValueError as amoba_experiments.analysis.queries.stats does."""
    folders = list({folder.resolve(): folder for folder in folders}.values())
    runs = [_run(folder, SAMPLES if len(folders) == 1 else 1) for folder in folders]
    grouped: dict[Game, list[Run]] = {}
    for run in runs:
        grouped.setdefault(run.game, []).append(run)
    tables = [_cross(game, members) for game, members in grouped.items()]
    return Content(runs, [each for each in tables if len(each.standings) > 2])


def _run(folder: Path, samples: int) -> Run:
    manifest = read_manifest(folder)
    match, played = match_of(manifest), load_games(folder)
    game = match.rules
    return Run(
        name=folder.resolve().name,
        manifest=manifest,
        match=match,
        game=game,
        played=played,
        stats=stats(folder),
        lengths=_histogram(match, played.plies, played.winning_agent),
        first_moves=_first_moves(folder, match, game),
        samples=_samples(folder, game, played, samples),
    )


def _histogram(match: Match, plies: NDArray[np.int32], won_by: NDArray[np.integer]) -> Histogram:
    low, high = int(plies.min()), int(plies.max())
    width = next(w * 10**k for k in range(6) for w in (1, 2, 5) if (high - low) / (w * 10**k) < BINS)
    edges = np.arange(low // width * width, high + width + 1, width)
    numbers = {agent: [i for i, each in enumerate(match.agents) if each == agent] for agent in match.agents}
    counts = {
        agent: np.histogram(plies[np.isin(won_by, of)], edges)[0] for agent, of in {**numbers, "": [st.NOBODY]}.items()
    }
    return Histogram(edges, {agent: count for agent, count in counts.items() if agent or count.any()})


def _first_moves(folder: Path, match: Match, game: Game) -> list[FirstMoves]:
    agents, seats, actions = first_choices(folder)
    known = (actions >= 0) & (actions < game.n_actions)
    found = []
    for agent in dict.fromkeys(match.agents):
        own = known & (agents == agent)
        if not own.any():
            continue
        turned = game.seen_numbers[seats[own], actions[own]]
        cells = turned % game.n_cells if game.moves_men else turned
        times = np.bincount(cells, minlength=game.n_actions)[: game.n_cells] / own.sum()
        moves, count = np.unique(turned, return_counts=True)
        best = np.argsort(-count, kind="stable")[:TOP]
        top = [(move_text(game, int(moves[i])), float(count[i] / own.sum())) for i in best]
        found.append(FirstMoves(agent, int(own.sum()), np.where(times > 0, times, np.nan), top))
    return found


def _samples(folder: Path, game: Game, played: Games, count: int) -> list[Sample]:
    """The games of median, shortest and longest length, among those that are not too long to show."""
    order = np.argsort(played.plies, kind="stable")
    short = order[played.plies[order] <= LONGEST] if played.plies.min() <= LONGEST else order[:1]
    names = {"median length": len(short) // 2, "the shortest": 0, "the longest": -1}
    chosen = {int(played.index[short[at]]): name for name, at in list(names.items())[:count][::-1]}
    files = game_files(folder)
    samples = []
    for index in reversed(chosen):
        file = files[bisect([int(each.stem) for each in files], index) - 1]
        row = _row(file, index)
        shown = {**row, "moves": row["moves"][:LONGEST]}
        positions = positions_of(game, shown)
        colors = [game.color(positions[-1].state, seat) for seat in range(game.players)]
        seats = ", ".join(f"{color}: {agent}" for color, agent in zip(colors, row["seats"], strict=True))
        cut = f", its first {LONGEST} moves" if len(row["moves"]) > LONGEST else ""
        title = f"Game {row['index']:,}, {chosen[row['index']]}{cut} ({seats})"
        samples.append(Sample(title, positions, shown["moves"]))
    return samples


def _row(file: Path, index: int) -> dict[str, Any]:
    """A game of a file of a run by its number."""
    rows = read_shard(file)
    (row,) = rows.slice(int(np.searchsorted(rows["index"].to_numpy(), index)), 1).to_pylist()
    return dict(row)


def _cross(game: Game, members: Sequence[Run]) -> CrossTable:
    """Points of each agent against each other, and ratings. An agent with several seats in a game gets their mean."""
    names = sorted({agent for run in members for agent in run.match.agents})
    data = gather([(tuple(map(names.index, run.match.agents)), run.match, run.played) for run in members])
    found = ratings.rate(len(names), data.lineups, data.places, data.strata, data.clusters)
    sure = Certainty(found)
    order = np.argsort(-found.elo, kind="stable").tolist()

    def against(one: int, other: int) -> dict[str, Any] | None:
        ahead, times = ahead_of(data, one, other)
        met = times > 0
        if not met.any():
            return None
        points = ahead[met] / times[met]
        return {
            "points": float(points.sum()),
            "games": len(points),
            "share": float(points.mean()),
            "ci95": share_interval(points, data.clusters[met], data.strata[met]),
        }

    return CrossTable(
        game,
        [RatedAgent(names[i], float(found.elo[i]), sure.interval(i), [against(i, j) for j in order]) for i in order],
        ratings.groups_by_name(found, names),
    )
