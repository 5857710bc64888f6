"""Games of teachers: positions, the teacher's moves, and the results."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from amoba_experiments.runs.replay import decisions
from amoba_experiments.runs.store import match_of, read_manifest, runs_in
from amoba_experiments.training.answers import Answers
from amoba_experiments.training.examples import Examples, joined
from amoba_experiments.training.job import Job
from amoba_experiments.training.settings import Imitate


def demonstrations(settings: Imitate, job: Job) -> Examples:
    """The teacher's moves in games, in random order.

    The games are read from the folder `settings.runs`, or played. In games that the teacher played its own moves count;
    in all others it is asked for its move in each position.

    Raises:
        ValueError: the folder has no run, or one of another game, or there are no positions.
    """
    folders = runs_in(settings.runs) if settings.runs else _played(settings, job)
    parts, asked = [], []
    for folder in folders:
        match = match_of(read_manifest(folder))
        if match.rules != job.game:
            raise ValueError(
                f"runs: expected games of {job.game!r}, got {match.game} {dict(match.options)} in {folder}"
            )
        own = settings.teacher in match.agents
        states, actions, results, _ = decisions(folder, [settings.teacher] if own else [])
        parts.append(Examples(states, actions.astype(np.int64), results))
        asked.append(np.full(len(states), not own))
    examples, ask = joined(parts), np.concatenate(asked)
    if not len(ask):
        raise ValueError(f"{settings.runs or 'the games'}: expected positions to learn from, got none")
    chosen = np.random.default_rng(job.seed("choose", job.number)).permutation(len(ask))[: settings.positions]
    examples, ask = examples.rows(chosen), ask[chosen]
    if ask.any():
        answers = Answers(job.game, settings.teacher, job.run / "games", job.recipe.threads, job.report_progress)
        examples.targets[ask] = answers.ask(examples.states[ask])
    return examples


def _played(settings: Imitate, job: Job) -> list[Path]:
    players = settings.players or (settings.teacher,)
    shares = [len(part) for part in np.array_split(np.arange(settings.games), len(players))]
    return [
        job.play((player,) * job.game.players, games, job.seed("teacher", player), f"games of {player}")
        for player, games in zip(players, shares, strict=True)
        if games
    ]
