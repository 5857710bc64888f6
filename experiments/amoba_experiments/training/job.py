"""The context of a stage: the network, the folder, games on disk, progress, checkpoints."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from amoba_agents.networks.architecture import Architecture
from amoba_env.games import Game
from amoba_env.options import Options
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.own_bar import counting
from amoba_experiments.arena.workers import Threads, Workers
from amoba_experiments.runs.files import replace
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.training.evaluation import EvaluationLine, evaluate
from amoba_experiments.training.network_files import save, saved, write_pt
from amoba_experiments.training.recipes import Recipe, Stage

CHECKPOINT, POLICY, NETWORK, DONE, SECONDS = "checkpoint.pt", "policy.pt", "network.npz", "done.json", "seconds"
EVERY = 30.0  # seconds between two checkpoints
TICK = 5.0  # seconds between two writes of the stage's time
SHARD = 64  # games in a file: the unit that an interruption loses


def hardware(threads: int, device: torch.device) -> str:
    """What trains: `2 threads of 16 cores (x86_64), NVIDIA H100`."""
    known = f"{threads} thread{'s' if threads > 1 else ''} of {os.cpu_count()} cores ({platform.machine()})"
    return f"{known}, {torch.cuda.get_device_name(device)}" if device.type == "cuda" else known


@dataclass
class Job:
    """One running stage."""

    recipe: Recipe
    number: int  # of the stage, from 0
    policy: Any  # the BoardPolicy that learns; a stage changes it in place
    architecture: Architecture
    run: Path  # the folder of the whole run
    before: list[Path]  # the folders of the stages before
    progress: Callable[[str, int, int], None]
    report: Callable[[EvaluationLine], None]
    workers: Workers  # who play the games
    evaluations: list[EvaluationLine] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Continue this stage if it was interrupted."""
        self.folder.mkdir(parents=True, exist_ok=True)
        known = self.folder / SECONDS
        there = known.read_text(encoding="utf-8").split() if known.exists() else ("0", "0")
        self._seconds_before, self._processor_before = map(float, there)
        self._begun = self._ticked = self._saved = time.perf_counter()
        self._processor = time.process_time()

    @property
    def stage(self) -> Stage:
        """Its name and settings."""
        return self.recipe.stages[self.number]

    @property
    def game(self) -> Game:
        """The rules."""
        return self.recipe.rules

    @property
    def folder(self) -> Path:
        """The folder of the stage, named by the hash of its inputs."""
        return self.run / self.recipe.folders[self.number]

    @property
    def seconds(self) -> float:
        """The time of the stage in seconds, with that before interruptions."""
        return self._seconds_before + time.perf_counter() - self._begun

    @property
    def processor_seconds(self) -> float:
        """The processor time of the stage in seconds, of all threads of this process together."""
        return self._processor_before + time.process_time() - self._processor

    def seed(self, *what: object) -> int:
        """A seed for one purpose, less than 2 ** 32."""
        return zlib.crc32(" ".join(map(str, (self.recipe.seed, *what))).encode())

    def report_progress(self, what: str, done: int, total: int) -> None:
        """Report `done` of `total`; a total of 0: no count."""
        now = time.perf_counter()
        if now - self._ticked > TICK:
            self._ticked = now
            self.write_seconds()
        stages = len(self.recipe.stages)
        self.progress(f"{self.number + 1}/{stages} {self.stage.name}: {what}", done, total)

    def write_seconds(self) -> None:
        """Write the time of the stage."""
        replace(self.folder / SECONDS, f"{self.seconds:.1f} {self.processor_seconds:.1f}".encode())

    # --- checkpoints ---

    def save_checkpoint(self, state: Callable[[], dict[str, Any]], now: bool = False) -> None:
        """Write a checkpoint if the last one is old, or `now`."""
        if now or time.perf_counter() - self._saved >= EVERY:
            whole = {"evaluations": json.dumps(self.evaluations), "state": state()}
            save(self.folder / CHECKPOINT, whole)
            self._saved = time.perf_counter()

    def load_checkpoint(self) -> dict[str, Any] | None:
        """The state of the last checkpoint, if there is one."""
        found = saved(self.folder / CHECKPOINT)
        if found is None:
            return None
        self.evaluations = json.loads(found["evaluations"])
        state: dict[str, Any] = found["state"]
        return state

    def finish(self, **more: Any) -> None:
        """Write the policy, if the stage trains it, and its figures with `more`. Then it is done."""
        if self.stage.trains_policy:
            write_pt(self.policy, self.architecture, self.folder / POLICY)
        self.write_seconds()
        times = {"seconds": round(self.seconds, 1), "processor_seconds": round(self.processor_seconds, 1)}
        where: dict[str, Any] = {"machine": hardware(self.recipe.threads, self.policy.device)}
        if not isinstance(self.workers, Threads):
            where["cluster"] = True  # played the games; its time is not in processor_seconds
        done = {"stage": self.stage.name, **times, **where, "evaluations": self.evaluations, **more}
        replace(self.folder / DONE, (json.dumps(done, indent=2) + "\n").encode())
        (self.folder / CHECKPOINT).unlink(missing_ok=True)

    # --- games ---

    def play(
        self,
        agents: tuple[str, ...],
        games: int,
        seed: int,
        what: str,
        openings: tuple[str, ...] | None = None,
        options: Options | None = None,
        rotate: bool = False,
    ) -> Path:
        """The folder of a run with these games; games that exist are not played again."""
        recipe = self.recipe
        begin = recipe.openings if openings is None else openings
        rules = recipe.options if options is None else options
        match = Match(recipe.game, agents, games, seed=seed, options=rules, openings=begin, rotate=rotate)
        key = hashlib.sha256(json.dumps(asdict(match), sort_keys=True, default=list).encode()).hexdigest()[:12]
        folder = self.run / "games" / key
        advance = counting(self.report_progress, what, games)
        play_match(match, folder, jobs=self.workers, batch=SHARD, progress=advance)
        return folder

    def evaluate(self, steps: int, **more: Any) -> list[EvaluationLine]:
        """Evaluate the policy; the lines are written to disk."""
        file, against = self.folder / f"policy-{steps}.pt", {name: name for name in self.recipe.evaluation.against}
        write_pt(self.policy, self.architecture, file)
        lines = self.compare(f"trained:{file}", against, self.recipe.evaluation.games, steps, **more)
        file.unlink()
        return lines

    def compare(
        self,
        agent: str,
        opponents: dict[str, str],
        games: int,
        steps: int,
        openings: tuple[str, ...] | None = None,
        **more: Any,
    ) -> list[EvaluationLine]:
        """Evaluate an agent against opponents, by name; the lines are written to disk. None: the recipe's openings."""
        done = [json.loads((folder / DONE).read_text(encoding="utf-8")) for folder in self.before]
        now = {"seconds": self.seconds, "processor_seconds": self.processor_seconds}
        times = {name: round(value + sum(each[name] for each in done), 1) for name, value in now.items()}
        where = {"stage": self.stage.name, "steps": steps, **times, **more}
        seed = self.seed("evaluation")  # choices never see the openings of the final matches
        seeds = range(seed, seed + 1)
        lines = evaluate(
            self.recipe, agent, opponents, games, seeds, where, self.report, self.report_progress, openings
        )
        self.evaluations += lines
        return lines
