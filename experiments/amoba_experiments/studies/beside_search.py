"""The package's policies beside a search: wins against the same opponents, from the same openings."""

from __future__ import annotations

from collections.abc import Mapping

from amoba_agents.networks.trained import policy_game
from amoba_agents.players.levels import kind
from amoba_experiments.arena.match import Match
from amoba_experiments.studies.policies import shipped
from amoba_experiments.studies.section import SEEDS, Cell, Labels, Played, Section, Table

POLICY, SEARCH = "trained", "alphabeta:nodes=20000"
OPPONENTS = ("greedy", "lookahead:2")
OPENINGS = ("random:4",)
SLOW = 8  # the search plays one in this many games
BLOCK = 2 * SEEDS  # games of one opening for each seed, with both colours


def _matches(games: int, seed: int) -> dict[Labels, Match]:
    found: dict[Labels, Match] = {}
    count = max(games // SLOW // BLOCK * BLOCK, 2)
    for name in shipped():
        game = policy_game(name)
        if kind(game) != "placing, two players":
            continue
        for opponent in OPPONENTS:
            for player in (POLICY, SEARCH):
                found[name, opponent, player] = Match(
                    game.name, (player, opponent), count, seed, options=game.options, openings=OPENINGS, paired=True
                )
    return found


def _tables(played: Mapping[Labels, Played]) -> list[Table]:
    rows: list[dict[str, Cell]] = []
    for name, opponent, player in played:
        if player == POLICY:
            policy, search = (played[name, opponent, each].found["players"][0] for each in (POLICY, SEARCH))
            rows.append(
                {
                    "policy": name,
                    "against": opponent,
                    "policy won": {"share": policy["share"], "ci95": policy["ci95"]},
                    "search won": {"share": search["share"], "ci95": search["ci95"]},
                    "of the search": f"{100 * policy['share'] / search['share']:.1f} %" if search["wins"] else None,
                }
            )
    if not rows:  # the package has no policy for this game
        return []
    games = next(iter(played.values())).match.games
    note = f"{games:,} games in each cell, from the same openings of four random moves, each with both colours."
    return [Table(f"Games won by `trained` and by `{SEARCH}`", rows, note)]


BESIDE_SEARCH = Section("search", "How does a policy without search compare with a search?", _matches, _tables)
