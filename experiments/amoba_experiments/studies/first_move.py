"""Five in a row: the advantage of the first move, and its reduction by renju's forbidden points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_experiments.analysis.openings import game_clusters
from amoba_experiments.analysis.summary import difference_interval, wins_of
from amoba_experiments.arena.games import Games
from amoba_experiments.arena.match import Match
from amoba_experiments.statistics.clusters import mean_interval
from amoba_experiments.studies.section import Cell, Labels, Played, Section, Table

PLAYERS = {"random": 1, "greedy": 1, "lookahead:2": 10}  # each plays one in this many games
OPENINGS = {"empty board": (), "4 random": ("random:4",)}  # two stones each, so the first player is to move again
BALANCED = (
    "4 random: the first four stones are drawn, two of each colour; the same openings in every row of a player on one "
    "board."
)


def _matches(game: str, options: dict[str, Any], games: int, seed: int) -> dict[Labels, Match]:
    return {
        (player, name): Match(game, (player, player), max(games // part, 1), seed, options=options, openings=texts)
        for player, part in PLAYERS.items()
        for name, texts in OPENINGS.items()
    }


def _began(games: Games) -> NDArray[np.bool_]:
    """Whether the first player won."""
    return np.equal(games.winner, games.starter)


def _first_move(games: int, seed: int) -> dict[Labels, Match]:
    return {
        (f"{size}x{size}", rule, *labels): match
        for size in (10, 15)
        for rule in ("freestyle", "exact")
        for labels, match in _matches("gomoku", {"size": size, "rule": rule}, games, seed).items()
    }


def _first_move_tables(played: Mapping[Labels, Played]) -> list[Table]:
    rows: list[dict[str, Cell]] = []
    for (board, rule, player, opening), (match, games, found) in played.items():
        nobody, clusters = games.winner < 0, game_clusters(match, games)
        rows.append(
            {
                "board": board,
                "rule": rule,
                "player": player,
                "opening": opening,
                "games": found["games"],
                "first wins": found["first_mover"],
                "second wins": wins_of(~nobody & ~_began(games), clusters),
                "draws": wins_of(nobody, clusters),
                "moves": found["plies_mean"],
                "distinct": found["distinct_games"],
            }
        )
    return [Table("Equal players, who began and who came second", rows, BALANCED)]


def _forbidden(games: int, seed: int) -> dict[Labels, Match]:
    rules: dict[str, dict[str, Any]] = {"gomoku": {"size": 15, "rule": "freestyle"}, "renju": {"size": 15}}
    return {
        (*labels, game): match
        for game, options in rules.items()
        for labels, match in _matches(game, options, games, seed).items()
    }


def _forbidden_tables(played: Mapping[Labels, Played]) -> list[Table]:
    rows: list[dict[str, Cell]] = []
    for player in PLAYERS:
        for opening, texts in OPENINGS.items():
            gomoku, renju = (played[player, opening, game] for game in ("gomoku", "renju"))
            wins = [_began(one.games) for one in (gomoku, renju)]
            if texts:  # game i has the same opening in both
                taken = wins[0].astype(float) - wins[1]
                difference = {"share": float(taken.mean()), "ci95": mean_interval(taken)}
            else:
                one, other = (each.found["first_mover"] for each in (gomoku, renju))
                difference = {"share": one["share"] - other["share"], "ci95": difference_interval(one, other)}
            rows.append(
                {
                    "player": player,
                    "opening": opening,
                    "games": gomoku.found["games"],
                    "Black wins gomoku": gomoku.found["first_mover"],
                    "Black wins renju": renju.found["first_mover"],
                    "taken": difference,
                    "draws": f"{gomoku.found['draws']:,} / {renju.found['draws']:,}",
                    "distinct": f"{gomoku.found['distinct_games']:,} / {renju.found['distinct_games']:,}",
                }
            )
    note = (
        "15x15; gomoku freestyle. taken: Black's share in gomoku less that in renju, of the same openings game by game "
        "where they are drawn, else of independent games. "
    )
    return [Table("Equal players, Black's wins", rows, note + BALANCED)]


FIRST_MOVE = Section("first-move", "Gomoku: how much is the first move worth?", _first_move, _first_move_tables)
FORBIDDEN = Section(
    "forbidden", "Renju: how much do the forbidden points take from Black?", _forbidden, _forbidden_tables
)
