"""What a recipe would do and how long it would take about: measured on this machine with a few games and positions."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

from amoba_agents.networks.inference import forward
from amoba_env.core.play import random_plies
from amoba_env.core.rng import EXAMPLES, streams
from amoba_env.core.state import RUNNING, STATUS
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.play import compile_for, play_match
from amoba_experiments.training.answers import Answers
from amoba_experiments.training.behaviour_cloning import learn_batch
from amoba_experiments.training.job import DONE
from amoba_experiments.training.positions import Examples
from amoba_experiments.training.recipes import Recipe
from amoba_experiments.training.settings import Calibrate, Correct, Group, Imitate, Play, Supervised
from amoba_experiments.training.train import first_network

SAMPLE = 256  # positions that are measured, as many as in the recipes' batches
TRIES = 3  # of which the fastest counts, as the first ones prepare things
GAMES, MOST_GAMES = 4, 256  # games that are measured, for each thread: more of a player for whom so few take no time
LEAST_SECONDS = 0.2
OWN = 0.3  # share of the policy's games that are not won, as it is hoped


@dataclass
class Costs:
    """Seconds that things take; each is measured once."""

    recipe: Recipe
    policy: Any
    games: dict[str, tuple[float, float]] = field(default_factory=dict)
    answers: dict[str, float] = field(default_factory=dict)

    def game(self, agent: str) -> tuple[float, float]:
        """Seconds of a game of an agent against itself, all threads at work; and its moves."""
        if agent not in self.games:
            recipe = self.recipe

            def match(games: int) -> Match:
                seats = (agent,) * recipe.rules.players
                return Match(recipe.game, seats, games, options=recipe.options, openings=recipe.openings)

            compile_for(match(1))
            play_match(match(recipe.threads), recipe.threads, 1)  # the first games prepare things
            each, seconds = GAMES, 0.0
            while seconds < LEAST_SECONDS and each <= MOST_GAMES:
                begun = time.perf_counter()
                played = play_match(match(each * recipe.threads), recipe.threads, each)
                seconds = time.perf_counter() - begun
                self.games[agent] = seconds / (each * recipe.threads), float(played.plies.mean())
                each *= 8
        return self.games[agent]

    def answer(self, agent: str) -> float:
        """Seconds of an answer to a position."""
        if agent not in self.answers:
            with tempfile.TemporaryDirectory() as folder:
                asked = Answers(self.recipe.rules, agent, Path(folder), self.recipe.threads, lambda *_: None)
                asked.ask(self.examples.states[:1])
                self.answers[agent] = _seconds(lambda: asked.ask(self.examples.states[1:])) / (SAMPLE - 1)
        return self.answers[agent]

    @cached_property
    def examples(self) -> Examples:
        """Positions after random moves."""
        game = self.recipe.rules
        states = game.batch(4 * SAMPLE)
        rng = streams(0, 0, len(states), EXAMPLES)
        for row in range(len(states)):
            random_plies(game.rules, states[row], rng[row : row + 1], row % game.n_cells)
        running = np.resize(np.flatnonzero(states[:, STATUS] == RUNNING), SAMPLE)
        return Examples(states[running], np.zeros(SAMPLE, np.int64), np.zeros(SAMPLE, np.float32))

    @cached_property
    def learned(self) -> float:
        """Seconds of learning a position once, all threads at work."""
        return self._learned(self.recipe.threads)

    @cached_property
    def learned_alone(self) -> float:
        """Seconds of learning a position once, on one core."""
        return self._learned(1)

    @cached_property
    def seen(self) -> float:
        """Seconds of a forward pass for a position, on one core."""
        shape = (SAMPLE, *self.recipe.rules.observation_shape)
        planes = torch.zeros(shape, dtype=torch.int8, device=self.policy.device)

        def see() -> None:
            with torch.no_grad():
                forward(self.policy, planes)

        return _fastest(see, 1) / SAMPLE

    def _learned(self, threads: int) -> float:
        optimizer = torch.optim.Adam(self.policy.parameters(), lr=0.0)
        what = self.recipe.rules, self.policy, optimizer, self.examples, np.random.default_rng(0)
        return _fastest(lambda: learn_batch(*what), threads) / SAMPLE


def _fastest(work: Callable[[], Any], threads: int) -> float:
    """The seconds of the fastest of some tries, with so many threads of PyTorch."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        return min(_seconds(work) for _ in range(TRIES))
    finally:
        torch.set_num_threads(before)


def _seconds(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def plan(
    recipe: Recipe, folder: Path | None, progress: Callable[[str, int, int], None] = lambda what, done, total: None
) -> list[list[str]]:
    """The stages of a recipe as rows of a table: what each does, how much of it, and the minutes that it takes about.

    Args:
        recipe: see amoba_experiments.training.recipes.
        folder: of the run, if there is one: stages that are done there take no time.
        progress: called with the stage that is measured.
    """
    torch.set_num_threads(recipe.threads)
    policy, architecture = first_network(recipe)
    costs = Costs(recipe, policy)
    rows = [["stage", "does", "minutes"], ["network", str(architecture), ""]]
    total = 0.0
    for number, stage in enumerate(recipe.stages):
        progress(f"measuring {stage.name}", number, len(recipe.stages))
        name = f"{number + 1}-{stage.name}-{recipe.key(number)}"
        does, seconds = _stage(stage.settings, costs)
        if folder is not None and (folder / "stages" / name / DONE).exists():
            does, seconds = "is done already", 0.0
        total += seconds
        rows.append([stage.name, does, f"{seconds / 60:.1f}"])
    chosen = recipe.evaluation
    seconds = sum(_matches(costs, opponent, chosen.final_games) for opponent in chosen.against)
    does = f"{chosen.final_games:,} games against each of {', '.join(chosen.against)}"
    rows.append(["final", does, f"{seconds / 60:.1f}"])
    return [
        *rows,
        ["all", f"with {recipe.threads} thread{'s' if recipe.threads > 1 else ''}", f"{(total + seconds) / 60:.1f}"],
    ]


def _matches(costs: Costs, opponent: str, games: int) -> float:
    seconds, plies = costs.game(opponent)
    players = costs.recipe.rules.players
    return games * (seconds * (players - 1) + plies * costs.seen / costs.recipe.threads) / players


def _fit(settings: Supervised, costs: Costs, positions: float) -> float:
    return settings.passes * positions * costs.learned


def _stage(settings: Group, costs: Costs) -> tuple[str, float]:
    """What a stage does, and its seconds."""
    recipe = costs.recipe
    judged = sum(_matches(costs, opponent, recipe.evaluation.games) for opponent in recipe.evaluation.against)
    if isinstance(settings, (Imitate, Calibrate)):
        does, seconds = _demonstrated(settings, costs)
    elif isinstance(settings, Correct):
        does, seconds = _corrected(settings, costs)
    else:
        assert isinstance(settings, Play)
        others = [seconds / plies for seconds, plies in map(costs.game, settings.opponents)] or [costs.seen]
        playing = costs.seen + (recipe.rules.players - 1) * sum(others) / len(others)
        learning = settings.epochs * settings.share * costs.learned_alone
        both = max(playing, learning) if (os.cpu_count() or 1) > 1 else playing + learning  # asynchronous.py
        does, seconds = f"{settings.steps:,} moves against {', '.join(settings.opponents)}", settings.steps * both
        judged *= 1 + recipe.evaluation.during
    return does, seconds + judged


def _demonstrated(settings: Imitate | Calibrate, costs: Costs) -> tuple[str, float]:
    if isinstance(settings, Calibrate) and not settings.value and settings.temperature is not None:
        return f"divides the logits by {settings.temperature:g}", 0.0
    if settings.runs:
        return f"{settings.passes} passes over the games in {settings.runs}", _fit(settings, costs, settings.positions)
    players = settings.players or (settings.teacher,)
    games = settings.games / len(players)
    found = sum(games * costs.game(player)[1] for player in players)
    positions = min(settings.positions, found)
    seconds = sum(games * costs.game(player)[0] for player in players) + _fit(settings, costs, positions)
    if players != (settings.teacher,):
        seconds += positions * costs.answer(settings.teacher)
    does = f"{settings.games:,} games of {', '.join(players)}: about {positions:,.0f} positions"
    return f"{does}, {settings.passes} passes", seconds


def _corrected(settings: Correct, costs: Costs) -> tuple[str, float]:
    players = costs.recipe.rules.players
    games = settings.games * len(settings.opponents)
    found = sum(settings.games * costs.game(each)[1] / players for each in settings.opponents)
    asked = found * (1 if settings.where == "all" else OWN)
    positions = min(settings.positions, asked * (1 if settings.where == "all" else 2))
    seconds = sum(_matches(costs, each, settings.games) for each in settings.opponents)
    seconds += min(asked, settings.positions) * costs.answer(settings.expert) + _fit(settings, costs, positions)
    does = f"{games:,} own games against {', '.join(settings.opponents)}"
    return f"{does}, {settings.expert} in about {asked:,.0f} positions, {settings.passes} passes", seconds
