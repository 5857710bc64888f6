"""Recipes of runs that end in a second or two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sb3_contrib import MaskablePPO

from amoba_agents.networks import architecture as networks
from amoba_agents.networks.board_policy import BoardPolicy, board_kwargs
from amoba_env import games
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.workers import Threads
from amoba_experiments.training import evaluation
from amoba_experiments.training.job import Job
from amoba_experiments.training.network_files import write_pt
from amoba_experiments.training.recipes import Recipe, Stage
from amoba_experiments.training.settings import (
    STAGES,
    EvaluationSettings,
    Group,
    Imitate,
    NetworkSettings,
    Play,
)

NETWORK = NetworkSettings(body="mlp", channels=4, layers=1, hidden=16)
EVALUATION = EvaluationSettings(against=("random",), games=8, during=1, final_games=8, seeds=2)
IMITATE = Imitate(teacher="greedy", games=20, passes=2, batch_size=32)
PLAY = Play(steps=256, num_envs=8, n_steps=8, batch_size=32)
AGAIN = Imitate(teacher="greedy", games=20, passes=1, batch_size=32)
KINDS = {kind: name for name, kind in STAGES.items()}


def recipe(*stages: Group, game: str = "tictactoe", **more: Any) -> Recipe:
    """A recipe of these stages; IMITATE if there are none."""
    named: list[Stage] = []
    for settings in stages or (IMITATE,):
        kind = KINDS[type(settings)]
        count = 1 + sum(stage.kind == kind for stage in named)
        named.append(Stage(kind if count == 1 else f"{kind}-{count}", kind, settings))
    return Recipe(game, stages=tuple(named), **{"network": NETWORK, "evaluation": EVALUATION, **more})


def job(folder: Path, *stages: Group, **more: Any) -> Job:
    """The first stage of such a run, with a new network."""
    what = recipe(*stages, **more)
    architecture = networks.architecture_of(games.make_from(what.game, what.options), **what.network.sizes)
    return Job(
        what, 0, networks.build(architecture), architecture, folder, [], lambda *_: None, lambda _: None, Threads(1)
    )


def matches_of(monkeypatch: pytest.MonkeyPatch) -> list[Match]:
    """A list that gets every match of an evaluation."""
    played: list[Match] = []

    def play_match(match: Match, **more: Any) -> Any:
        played.append(match)
        return really(match, **more)

    really = evaluation.play_match
    monkeypatch.setattr(evaluation, "play_match", play_match)
    return played


def new_model(name: str, options: dict[str, Any], policy: Any = BoardPolicy, **size: Any) -> MaskablePPO:
    """A model of MaskablePPO that has learned nothing."""
    env = SelfPlayVecEnv(name, 2, "random", **options)
    kwargs = board_kwargs(env.game, **size) if policy is BoardPolicy else None
    return MaskablePPO(policy, env, n_steps=4, batch_size=8, seed=1, device="cpu", policy_kwargs=kwargs)


def write_model(model: MaskablePPO, file: Path) -> None:
    """Write its policy as `amoba train` does."""
    own = {name: size for name, size in model.policy.board_arguments.items() if name in networks.SIZES}
    write_pt(model.policy, networks.architecture_of(model.env.game, **own), file)
