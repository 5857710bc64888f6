"""The package's policies beside players without training: rating, regret and speed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from amoba_agents import make_agent
from amoba_agents.networks import trained
from amoba_agents.networks.trained import policy_game
from amoba_agents.players.levels import Kind, kind
from amoba_env import games
from amoba_env.agent import ask, new_memory
from amoba_env.core.rng import streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_experiments.analysis.match_text import BY_SEED, game_text
from amoba_experiments.analysis.regret import Regrets
from amoba_experiments.analysis.summary import range_of_seeds
from amoba_experiments.analysis.tournament import Tournament, play_tournament, summarize
from amoba_experiments.analysis.tournament.ladder import ladder, players_of
from amoba_experiments.analysis.tournament.play_tournament import Begin
from amoba_experiments.analysis.tournament.summary import clusters_and_strata
from amoba_experiments.analysis.tournament.text import unknown_elo
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.shard import play_shard
from amoba_experiments.arena.workers import Progress
from amoba_experiments.bench import machine
from amoba_experiments.studies.section import SEEDS, Cell, Table

QUESTION = "Trained policies: how strong beside search, and how fast?"
ORDERS = 6  # of three seats, and a multiple of those of two
GAMES = 16 * ORDERS  # of a pairing
MORE: dict[Kind, tuple[str, ...]] = {  # in addition to the ladder
    "moving, two players": ("mcts:64,evaluation=learned",),
    "moving, three or more players": ("brs:4",),
}
TRAINED = "trained"
ROWS, CALLS = 64, 5  # of a measurement of speed: positions a call, and calls


def shipped() -> list[str]:
    """The file names of the package's policies: the name of a game, or one such as "halma-two"."""
    return sorted(file.stem for file in trained.POLICIES.glob("*.onnx"))


def notes(games_each: int) -> list[str]:
    """Notes on how the tables are made."""
    return [
        f"{games_each} games of every two players (three players: every three), from random openings, each with every "
        "order of the seats.",
        "Points: 1 for the first place, 0 for the last, with three players a half for the second; shared places share "
        "their points. Elo: by Bradley and Terry's model, with three players by Plackett and Luce's; 0 is the mean of "
        "the agents that can be compared.",
        "Regret: the loss of value by a move under perfect play: 0, 1 (a draw for a win) or 2.",
        f"Moves/s: on one core of {machine()['processor']}, the median of {CALLS} calls with {ROWS} positions each, "
        "from games of greedy, in processor time, which depends little on other load.",
    ]


def comparison(policy: str, games_each: int = GAMES, seed: int = 0, seeds: int = SEEDS) -> Tournament:
    """The tournament of a policy and the built-in players of its game's ladder.

    Raises:
        ValueError: it cannot be played, or onnxruntime is not installed.
    """
    if games_each % ORDERS:
        raise ValueError(f"games: expected a multiple of {ORDERS}, such as {GAMES}, got {games_each}")
    game = policy_game(policy)
    options = {} if policy == game.name else game.options  # GAME.onnx plays the default game
    what = ladder(game.name, options, games_each, seed, seeds=min(seeds, games_each // ORDERS))
    board = games.make_from(game.name, options)
    return replace(what, agents=(*players_of(board), *MORE.get(kind(board), ()), TRAINED))


def compare(
    tournaments: Sequence[Tournament],
    jobs: int | None = None,
    progress: Progress | None = None,
    begin: Begin = lambda name: None,
) -> dict[str, Any]:
    """Play these tournaments, and make a table of each.

    Args:
        tournaments: tournaments with the same seed, see `comparison`.
        jobs: threads.
        progress: called with numbers of games that have just ended.
        begin: called with the name of the next step.

    Returns:
        {"section", "question", "games", "seed", "seeds", "notes", "tables", "warnings"} as in section.play_section, and
        "tournaments": their statistics; their standings have "moves_per_second" and, in solvable games, "regret".
    """
    found = [_compare(what, jobs, progress, begin) for what in tournaments]
    most = max(what.games for what in tournaments)
    return {
        "section": "table",
        "question": QUESTION,
        "games": most,
        "seed": tournaments[0].seed,
        "seeds": tournaments[0].seeds,
        "notes": notes(most),
        "tables": [table._asdict() for each in found for table in _tables(each)],
        "tournaments": found,
        "warnings": [_repeats(each) for each in found if each["warnings"]],
    }


def _compare(what: Tournament, jobs: int | None, progress: Progress | None, begin: Begin) -> dict[str, Any]:
    game = games.make_from(what.game, what.options)
    try:
        regrets = Regrets(game, len(what.agents))
    except ValueError:  # the game cannot be solved
        regrets = None
    watch = None if regrets is None else regrets.watch
    matches = play_tournament(
        what, None, jobs, progress=progress, begin=lambda name: begin(f"{what.game}: {name}"), watch=watch
    )
    begin(f"{what.game}: ratings, speed")
    result = summarize(what, matches)
    rows = sorted(result["standings"], key=lambda row: int(row["number"]))
    if regrets is not None:
        regrets.add_to(rows, *clusters_and_strata(matches))
    seen = positions(game, what.openings, what.seed)
    for row in rows:
        row["moves_per_second"] = speed(game, row["agent"], seen, what.seed)
    return result


def positions(game: Game, openings: tuple[str, ...] | str, seed: int) -> States:
    """int16[B, S]: all positions of ROWS games of `greedy` against itself after these openings, without the last."""
    seen: list[States] = []
    match = Match(game.name, ("greedy",) * game.players, ROWS, seed, options=game.options, openings=openings)
    play_shard(match, 0, ROWS, watch=lambda index, agents, states, actions: seen.append(states.copy()))
    return np.concatenate(seen)


def speed(game: Game, text: str, seen: States, seed: int) -> float:
    """Moves a second of a player on one core: the median of CALLS calls with ROWS of the positions drawn from `seen`.

    Time is the processor time of all threads of this process, so load of other processes does not count. A first call,
    which compiles and lets players load their files, is not measured.
    """
    agent, rng = make_agent(text), np.random.default_rng(seed)
    rates = []
    for call in range(CALLS + 1):
        states = seen[rng.integers(len(seen), size=ROWS)]
        memory, own = new_memory(agent, game, ROWS), streams(seed, call * ROWS, ROWS)
        begun = time.process_time()
        ask(agent, game, states, own, memory)
        rates.append(ROWS / max(time.process_time() - begun, 1e-9))
    return float(np.median(rates[1:]))


def _tables(result: dict[str, Any]) -> list[Table]:
    """A table of strength and, if the game can be solved, one of mistakes."""
    standings = result["standings"]
    strength: list[dict[str, Cell]] = [
        {
            "player": row["agent"],
            "points": {"share": row["share"], "ci95": row["ci95"]},
            **({BY_SEED: range_of_seeds(row["by_seed"])} if result["seeds"] > 1 else {}),
            "Elo": {"elo": row["elo"], "ci95": row["elo_ci95"]},
            "moves/s": int(float(f"{row['moves_per_second']:.2g}")),
        }
        for row in standings
    ]
    mistakes: list[dict[str, Cell]] = [
        {
            "player": row["agent"],
            "regret a move": {"mean": row["regret"]["mean"]},
            "moves that lose value": row["regret"],
        }
        for row in standings
        if "regret" in row
    ]
    groups = result["ratings"]["groups"]
    note = f"{unknown_elo(groups)}." if groups else ""
    title = game_text(result["game"], result["options"])
    games = f"{title}, {standings[0]['games']:,} games each"
    return [Table(games, strength, note), *([Table(f"{title}: mistakes", mistakes)] if mistakes else [])]


def _repeats(result: dict[str, Any]) -> str:
    distinct = sum(each["distinct_games"] for each in result["pairings"])
    return f"{result['game']}: {distinct:,} of {result['games_played']:,} games are distinct"
