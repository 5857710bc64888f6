"""Tests of the thesis's other statements on halma: the best depth, seats, ties, the larger star."""

from __future__ import annotations

from collections.abc import Mapping

from amoba_env.options import Options
from amoba_experiments.analysis.openings import game_clusters
from amoba_experiments.analysis.summary import interval_text, wins_of
from amoba_experiments.arena.match import Match
from amoba_experiments.statistics.clusters import mean_interval
from amoba_experiments.statistics.intervals import p_all_equal, p_same_mean
from amoba_experiments.studies.section import Cell, Labels, Played, Section, Table
from amoba_experiments.studies.thesis import COLORS

TIES = ("uniform", "thesis")
DEPTHS = (1, 2, 3)
ORDER = ("first", "second", "third")
DUELS = ((2, 1), (1, 2), (2, 3), (3, 2), (3, 1), (1, 3))  # (depth of one player, depth of the others)
STAR_PART = 10  # the larger star gets a tenth of the games


def _player(depth: int, ties: str = "uniform") -> str:
    return f"lookahead:{depth}" + ("" if ties == "uniform" else f",ties={ties}")


def _duels(game: str, options: Options, games: int, seed: int, ties: str) -> dict[Labels, Match]:
    """One player of a depth against others of another depth, every agent on every seat; two players: each pair once."""
    found: dict[Labels, Match] = {}
    for one, other in DUELS:
        if options["players"] == 3 or one > other:
            agents = (_player(one, ties),) + (_player(other, ties),) * (int(options["players"]) - 1)
            labels = (str(options["players"]), ties, str(one), str(other))
            found[labels] = Match(game, agents, games, seed, rotate=True, options=options)
    return found


def _duel_table(title: str, played: Mapping[Labels, Played], players: int) -> Table:
    rows: list[dict[str, Cell]] = []
    for labels, (_, _, found) in played.items():
        if labels[0] == str(players):
            one = found["players"][0]["agent"]
            seats = [row for row in found["seats"] if row["agent"] == one]
            rows.append(
                {
                    "depth": int(labels[2]),
                    "against": "-".join([labels[3]] * (players - 1)),
                    "ties": labels[1],
                    "games": found["games"],
                    **{f"wins as {COLORS[row['seat']]}": row for row in seats},
                    "on all seats": found["players"][0],
                    "rounds": found["rounds_mean"],
                }
            )
    return Table(title, rows, f"Even: {100 / players:.1f} %. Every player on every seat, the starting player drawn.")


# --- Which depth is best -------------------------------------------------------------------------------------------


def _conclusion(games: int, seed: int) -> dict[Labels, Match]:
    found: dict[Labels, Match] = {}
    for ties in TIES:
        found |= _duels("halma", {"players": 3}, games, seed, ties)
        agents = tuple(_player(depth, ties) for depth in DEPTHS)
        found["all", ties] = Match("halma", agents, max(games // 6, 1) * 6, seed, paired=True, options={"players": 3})
    for ties in TIES:
        found |= _duels("halma", {"players": 2}, games, seed, ties)
    return found


def _conclusion_tables(played: Mapping[Labels, Played]) -> list[Table]:
    all_three: list[dict[str, Cell]] = [
        {
            "ties": ties,
            "games": found["games"],
            **{f"depth {depth} wins": row for depth, row in zip(DEPTHS, found["players"], strict=True)},
        }
        for ties in TIES
        for found in [played["all", ties].found]
    ]
    return [
        _duel_table("One player of a depth against two of another", played, 3),
        Table(
            "Depths 1, 2 and 3 against each other", all_three, "Even: 33.3 %. All six orders of seats equally often."
        ),
        _duel_table("Two players (red and white)", played, 2),
    ]


# --- Seats ---------------------------------------------------------------------------------------------------------


def _seats(games: int, seed: int) -> dict[Labels, Match]:
    return _equals(games, seed, TIES[:1])


def _equals(games: int, seed: int, ties: tuple[str, ...]) -> dict[Labels, Match]:
    return {
        (str(depth), each): Match("halma", (_player(depth, each),) * 3, games, seed)
        for depth in DEPTHS
        for each in ties
    }


def _by_seat(one: Played) -> dict[str, Cell]:
    return {f"{color} wins": row for color, row in zip(COLORS, one.found["seats"], strict=True)}


def _by_turn(one: Played) -> dict[str, Cell]:
    """Wins of who moved first, second and third."""
    won, clusters = one.games.winner >= 0, game_clusters(one.match, one.games)
    turn = (one.games.winner - one.games.starter) % 3
    return {f"{name} to move": wins_of(won & (turn == i), clusters) for i, name in enumerate(ORDER)}


def _wins(cells: Mapping[str, Cell]) -> list[int]:
    return [int(cell["wins"]) for cell in cells.values() if isinstance(cell, Mapping)]


def _seat_tables(played: Mapping[Labels, Played]) -> list[Table]:
    seats: list[dict[str, Cell]] = []
    turns: list[dict[str, Cell]] = []
    for (depth, _), one in played.items():
        depths = "-".join([depth] * 3)
        for rows, cells in ((seats, _by_seat(one)), (turns, _by_turn(one))):
            rows.append({"depths": depths, "games": one.found["games"], **cells, "p": p_all_equal(_wins(cells))})
    note = "p: of all three being alike (chi-squared). Uniform ties, the starting player drawn."
    return [Table("By seat", seats, note), Table("By turn", turns, note)]


# --- Ties ----------------------------------------------------------------------------------------------------------


def _ties(games: int, seed: int) -> dict[Labels, Match]:
    found = _equals(games, seed, TIES)
    for depth in DEPTHS:
        agents = (_player(depth, "thesis"), _player(depth), _player(depth))
        found[str(depth), "both"] = Match("halma", agents, games, seed, rotate=True)
    return found


def _tie_tables(played: Mapping[Labels, Played]) -> list[Table]:
    alone: list[dict[str, Cell]] = []
    mixed: list[dict[str, Cell]] = []
    for depth in map(str, DEPTHS):
        both = [played[depth, ties].found for ties in TIES]
        (one_mean, one_error), (mean, error) = ((found["rounds_mean"], found["rounds_se"]) for found in both)
        p = p_same_mean(one_mean, one_error, mean, error, rounding=0.0)
        for ties, p_rounds in zip(TIES, (None, p), strict=True):
            one = played[depth, ties]
            cells = _by_seat(one)
            sure = interval_text(mean_interval(one.games.plies // 3), "{:.2f}", 1)
            rounds = f"{one.found['rounds_mean']:.2f} {sure}"
            alone.append(
                {
                    "depths": "-".join([depth] * 3),
                    "ties": ties,
                    **cells,
                    "p of seats": p_all_equal(_wins(cells)),
                    "rounds": rounds,
                    "p of rounds": p_rounds,
                }
            )
        found = played[depth, "both"].found
        rows = [row for row in found["seats"] if row["agent"] == found["players"][0]["agent"]]
        mixed.append(
            {
                "depth": depth,
                "games": found["games"],
                **{f"thesis wins as {COLORS[row['seat']]}": row for row in rows},
                "on all seats": found["players"][0],
            }
        )
    return [
        Table("Equal players", alone, "p of seats: all three alike; p of rounds: as many with either rule."),
        Table("One player with the thesis's ties against two with uniform ones", mixed, "Even: 33.3 %."),
    ]


# --- The larger star -----------------------------------------------------------------------------------------------


def _star(games: int, seed: int) -> dict[Labels, Match]:
    few = max(games // STAR_PART, 1)
    found: dict[Labels, Match] = {}
    for players in (3, 2):
        found |= _duels("chinese_checkers", {"players": players}, few, seed, "uniform")
    return found


def _star_tables(played: Mapping[Labels, Played]) -> list[Table]:
    return [
        _duel_table("One player of a depth against two of another, 121 cells, ten men", played, 3),
        _duel_table("Two players, 121 cells, ten men", played, 2),
    ]


SECTIONS = (
    Section("conclusion", "Halma: is two moves ahead the best depth?", _conclusion, _conclusion_tables),
    Section("seats", "Halma: does the seat matter, or the turn?", _seats, _seat_tables),
    Section("ties", "Halma: what does the rule for ties do?", _ties, _tie_tables),
    Section("star", "The star of 121 cells: does depth 3 pay there?", _star, _star_tables),
)
