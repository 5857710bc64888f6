"""What is learned in the comparison: the games, who teaches, who judges, and the sizes of the network."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from amoba_agents.networks.architecture import Architecture, architecture_of
from amoba_agents.registry import AGENTS
from amoba_env import games
from amoba_env.agent import Agent
from amoba_env.games import Game
from amoba_env.options import Options
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_experiments.analysis.summary import seat_points
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.replay import decisions
from amoba_experiments.training.examples import Examples

LEARNER = "learner"  # the policy that learns, as a player of matches
JUDGES = ("greedy", "lookahead:2", "alphabeta:nodes=200")
SEARCH: dict[str, Any] = {}  # the defaults of the stage `search` suit games in which stones are placed
PLAY = {"num_envs": 64, "gamma": 0.99, "max_plies": 150}  # PPO with our network
OFTEN = {"n_steps": 16, "batch_size": 256, "epochs": 2, "learning_rate": 3e-3}  # many small steps, for a short time
COUNTED = (*JUDGES[:2], "alphabeta:nodes=200,evaluation=counted")


class Task(NamedTuple):
    """A game to learn."""

    name: str
    options: Options
    random_plies: int  # this many random moves begin each game, in training and in evaluation
    teacher: str  # whose moves the imitating methods learn
    judges: tuple[str, ...]  # against whom points are counted
    network: dict[str, Any]  # sizes
    games: int  # of the teacher or the policy, between two times of learning
    search: dict[str, Any] = SEARCH  # settings of the stage `search` for this game
    play: dict[str, Any] = PLAY  # settings of PPO from scratch
    body: str = ""  # of its network; "": as in `network`

    @property
    def rules(self) -> Game:
        """The game with its options."""
        return games.make_from(self.name, self.options)

    @property
    def architecture(self) -> Architecture:
        """The network that follows the board."""
        return architecture_of(self.rules, **self.network)

    @property
    def play_architecture(self) -> Architecture:
        """The network of PPO from scratch."""
        return architecture_of(self.rules, body=self.body) if self.body else self.architecture

    def environments(self, count: int, opponents: Sequence[str]) -> SelfPlayVecEnv:
        """`count` games in which the learner has one seat."""
        options: dict[str, Any] = dict(self.options)
        return SelfPlayVecEnv(self.name, count, list(opponents), random_plies=self.random_plies, **options)

    def match(self, agents: tuple[str, ...], count: int, seed: int, paired: bool = False) -> Match:
        """Games of these players from random openings, all orders of the seats in turn; `paired`: of each opening."""
        return Match(
            self.name,
            agents,
            count,
            seed,
            options=self.options,
            openings=(f"random:{self.random_plies}",),
            rotate=not paired,
            paired=paired,
        )


TASKS = {
    task.name: task
    for task in (
        Task(
            "tictactoe",
            {},
            2,
            "alphabeta:nodes=1000",
            JUDGES,
            {"channels": 16, "layers": 2},
            64,
            play={**PLAY, **OFTEN},
        ),
        Task(
            "gomoku",
            {},
            4,
            "alphabeta:nodes=1000,evaluation=counted",
            COUNTED,
            {"channels": 32, "layers": 3},
            16,
            play={
                "num_envs": 512,
                "n_steps": 16,
                "epochs": 2,
                "learning_rate": 2e-3,
                "entropy": 3e-3,
                "gamma": 0.99,
                "gae_lambda": 0.9,
            },
            body="cnn",
        ),
        Task(
            "halma",
            {"max_plies": 300},
            4,
            "lookahead:2",
            ("greedy", "lookahead:2", "brs:2"),  # alphabeta is for two players
            {"channels": 16, "layers": 2, "hidden": 256},
            24,
            search={"max_plies": 90, "random": 0.03},
        ),
    )
}


@contextmanager
def playing(agent: Agent) -> Iterator[None]:
    """Within it the text LEARNER is this player."""
    factory: Callable[[], Agent] = lambda: agent  # noqa: E731 - the registry asks for its parameters
    AGENTS[LEARNER] = factory
    try:
        yield
    finally:
        del AGENTS[LEARNER]


def decided(match: Match) -> Examples:
    """Play a match on one core. Returns the positions and moves, and how the games ended."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        play_match(match, run, jobs=1, batch=match.games, progress=lambda count: None)
        states, actions, results, _ = decisions(run)
    return Examples(states, actions.astype(np.int64), results)


def points(task: Task, agent: str, judge: str, count: int, seed: int, jobs: int) -> float:
    """The share of the points of an agent against a judge on all other seats, 0..1; each opening in every order."""
    match = task.match((agent, *[judge] * (task.rules.players - 1)), count, seed, paired=True)
    played = play_match(match, jobs=jobs)
    game, seat = np.nonzero(played.seating == 0)
    return float(seat_points(played.places)[game, seat].mean())
