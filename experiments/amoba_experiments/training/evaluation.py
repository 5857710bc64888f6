"""Evaluation during training: matches against the opponents of the recipe."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

from amoba_experiments.analysis.summary import summarize
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.own_bar import counting
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.training.recipes import Recipe

EvaluationLine = dict[str, Any]  # a line of evaluations.jsonl


def evaluate(
    recipe: Recipe,
    agent: str,
    opponents: dict[str, str],
    games: int,
    seeds: range,
    where: EvaluationLine,
    report: Callable[[EvaluationLine], None] = lambda line: None,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
    openings: tuple[str, ...] | None = None,
) -> list[EvaluationLine]:
    """Let an agent play against each of some opponents.

    Args:
        recipe: the game, and how games begin.
        agent: the agent.
        opponents: their names, and the agents.
        games: the number of games against each opponent, rounded to whole orders of the seats for each seed.
        seeds: of the openings and of what players draw.
        where: the first entries of each line, such as the number of steps.
        report: called with each line.
        progress: called with a description, the number of games that have ended, and the number of all.
        openings: of the games; by default those of the recipe.

    Returns:
        A line for each opponent: games, wins, losses, draws (or games without a winner), the 95 % interval of the share
        of wins, and the mean reward: 1 for a win, -1 / (players - 1) for a loss. `notes`, if there are any, say why the
        interval is unknown or too narrow.
    """
    lines = []
    for name, opponent in opponents.items():
        match = match_against(recipe, agent, opponent, games, seeds, openings)
        advance = counting(progress, f"matches against {name}", match.games)
        result = summarize(match, play_match(match, jobs=recipe.threads, progress=advance), 0.0)
        row, *others = result["players"]
        lost = sum(each["wins"] for each in others)
        lines.append(
            {
                **where,
                "against": name,
                "games": match.games,
                "wins": row["wins"],
                "losses": lost,
                "draws": match.games - row["wins"] - lost,
                "ci95": row["ci95"],
                **({"by_seed": row["by_seed"]} if "by_seed" in row else {}),
                **({"notes": result["warnings"]} if result["warnings"] else {}),
                "players": len(result["players"]),
                "mean_reward": (row["wins"] - lost / len(others)) / match.games,
            }
        )
        report(lines[-1])
    return lines


def match_against(
    recipe: Recipe, agent: str, opponent: str, games: int, seeds: range, openings: tuple[str, ...] | None = None
) -> Match:
    """An agent on every seat, the opponent on all others; each opening with every order of the seats."""
    players = recipe.rules.players
    openings = recipe.openings if openings is None else openings
    paired = bool(openings)
    block = (factorial(players) if paired else players) * len(seeds)
    return Match(
        recipe.game,
        (agent, *[opponent] * (players - 1)),
        max(1, games // block) * block,
        seed=seeds[0],
        options=recipe.options,
        openings=openings,
        rotate=not paired,
        paired=paired,
        seeds=len(seeds),
    )
