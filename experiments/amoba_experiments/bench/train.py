"""Learning by self-play: positions played a second, gradient steps a second, and where the time goes.

Processor time counts, so that other programs matter little. The first run of a stage compiles and is not measured.
"""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from pathlib import Path
from pkgutil import resolve_name

from amoba_env import games
from amoba_env.extras import needs
from amoba_experiments.bench import Measurement, compare

GAME = "gomoku"
# The first word of a progress message -> the part that gets the time before it. (Other words, as of matches: none.)
PARTS = {
    "played": "self-play",
    "moves": "learning",
    "games": "self-play",
    "positions": "longer search",
    "steps": "learning",
    "learned": "learning",
}


class StageTimes:
    """The processor seconds of each part of a stage, and the number of gradient steps."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.gradient_steps = 0
        self._last = time.process_time()

    def progress(self, what: str, done: int, total: int) -> None:
        """See amoba_experiments.training.train; the time since the last call belongs to what is done now."""
        now = time.process_time()
        part = PARTS.get(what.partition(": ")[2].split()[0])
        if part is not None:
            self.seconds[part] += now - self._last
        self._last = now

    def step(self, *_: object) -> None:
        """Count a gradient step."""
        self.gradient_steps += 1


def measure(runs: int, game: str = GAME) -> list[Measurement]:
    """The stages `play` and `search` with their own settings, one thread, and the network that suits the game.

    Raises:
        ValueError: an unknown game.
    """
    with needs("train", "training"):
        from amoba_experiments.training.settings import Group, Play, Search
    rules = games.make(game)
    update = Play.num_envs * Play.n_steps
    stages: dict[str, Group] = {
        "play": Play(steps=4 * update),
        "search": Search(iterations=2, games=200, max_plies=60),
    }
    results = []
    for name, settings in stages.items():
        measured = [run(game, name, settings) for _ in range(runs + 1)][1:]
        what = f"{name}, {rules!r}"
        rates = [(times, positions, sum(times.seconds.values())) for times, positions in measured]
        results += [
            compare(f"{what}: all", "positions/s", [positions / whole for _, positions, whole in rates]),
            compare(
                f"{what}: self-play",
                "positions/s",
                [positions / times.seconds["self-play"] for times, positions, _ in rates],
            ),
            compare(
                f"{what}: learning",
                "gradient steps/s",
                [times.gradient_steps / times.seconds["learning"] for times, *_ in rates],
            ),
        ]
        for part in measured[0][0].seconds:
            share = [100 * times.seconds[part] / whole for times, _, whole in rates]
            results.append(compare(f"{what}: time of {part}", "%", share))
    return results


def run(game: str, name: str, settings: object) -> tuple[StageTimes, int]:
    """Run a stage once. Returns its times, and the number of positions of its games."""
    import numpy as np
    import torch
    from torch.optim.optimizer import register_optimizer_step_post_hook

    from amoba_agents.networks.architecture import architecture_of, build
    from amoba_experiments.arena.workers import Threads
    from amoba_experiments.training.job import Job
    from amoba_experiments.training.recipes import Recipe, Stage
    from amoba_experiments.training.settings import EvaluationSettings, Group

    assert isinstance(settings, Group)
    torch.set_num_threads(1)
    evaluation = EvaluationSettings(during=0, games=1)
    recipe = Recipe(game, stages=(Stage(name, name, settings),), device="cpu", evaluation=evaluation)
    what = architecture_of(recipe.rules)
    times = StageTimes()
    with tempfile.TemporaryDirectory() as folder:
        job = Job(recipe, 0, build(what), what, Path(folder), [], times.progress, lambda line: None, Threads(1))
        counted = register_optimizer_step_post_hook(times.step)
        try:
            steps = resolve_name(settings.work)(settings, job)["steps"]
        finally:
            counted.remove()
        searched = [len(np.load(file)["states"]) for file in job.folder.glob("searched-*.npz")]
    return times, sum(searched) or steps
