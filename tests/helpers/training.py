"""Settings of training runs that end in a second or two."""

from __future__ import annotations

from amoba_experiments.training import settings as files

SMALL = [
    "num_envs=8",
    "n_steps=8",
    "batch_size=32",
    "epochs=1",
    "hidden=16",
    "freeze_every=128",
    "recent=1",
    "older=1",
    "evaluate_every=192",
    "evaluate_games=20",
    "checkpoint_every=128",
    "opponents=random greedy",
]


def small(game: str = "tictactoe", *changes: str) -> files.Settings:
    return files.fresh(game, (), [*SMALL, *changes])
