"""Rating ladders: the built-in players of a game, and some or all levels, in a round robin."""

from __future__ import annotations

from math import factorial

from amoba_agents import make_agent
from amoba_agents.players.levels import Kind, kind
from amoba_env import games
from amoba_env.agent import plays
from amoba_env.games import Game
from amoba_env.options import Options
from amoba_experiments.analysis.tournament import Tournament
from amoba_experiments.arena.options import OPENINGS_EACH

SOME, ALL = (1, 4, 7, 10), range(1, 11)

MOVING_TWO = ("random", "greedy", "lookahead:2", "maxn:3", "paranoid:2", "hinder", "robust", "brs:2", "mcts:100")

# The strong players have small limits. level:10 is one more strong player.
PLAYERS: dict[Kind, tuple[str, ...]] = {
    "tictactoe": ("random", "greedy", "lookahead:2", "mcts:100", "alphabeta:nodes=200", "perfect"),
    "placing, two players": (
        "random",
        "greedy",
        "lookahead:2",
        "lookahead:3",
        "mcts:200",
        "alphabeta:nodes=200",
        "alphabeta:nodes=2000",
    ),
    "placing, three or more players": ("random", "greedy", "lookahead:2", "mcts:100"),
    "halma, two players": (*MOVING_TWO, "endgame:nodes=2000"),
    "moving, two players": MOVING_TWO,
    "moving, three or more players": ("random", "greedy", "lookahead:2", "robust", "brs:2", "mcts:100"),
}


def ladder(
    game: str,
    options: Options | None = None,
    games_each: int | None = None,
    seed: int = 0,
    levels: bool = False,
    seeds: int = 1,
) -> Tournament:
    """The tournament that rates the players of a game.

    Args:
        game: its name in the catalogue.
        options: of the game.
        games_each: games of a pairing; by default OPENINGS_EACH times the number of orders of the seats.
        seed: of all the games.
        levels: rate all ten levels and no other players.
        seeds: divide the games among this many seeds, see arena.match.Match.

    Raises:
        ValueError: OPENINGS_EACH has no such number of seats, or the tournament cannot be played.
    """
    made = games.make_from(game, options or {})
    if made.players not in OPENINGS_EACH:
        raise ValueError(
            f"expected a game of {min(OPENINGS_EACH)} to {max(OPENINGS_EACH)} players, got {game} with {made.players}; "
            "use amoba tournament to rate some of its players"
        )
    players = () if levels else players_of(made)
    return Tournament(
        game,
        (*players, *(f"level:{level}" for level in (ALL if levels else SOME))),
        games=games_each or OPENINGS_EACH[made.players] * factorial(made.players),
        seed=seed,
        seeds=seeds,
        options=options or {},
        openings=("random:1" if game == "tictactoe" else f"random:{2 * made.players}",),
    )


def players_of(game: Game) -> tuple[str, ...]:
    """The built-in players of a game's ladder, without the levels: those of its kind that play this very game."""
    return tuple(player for player in PLAYERS[kind(game)] if plays(make_agent(player), game))
