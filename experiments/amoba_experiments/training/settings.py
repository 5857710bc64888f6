"""The settings of a training run: of its network, of each stage, and of its evaluation. Every number has its limits."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from amoba_agents import make_agent
from amoba_env import checks
from amoba_env.games import Game
from amoba_env.options import Option, convert_fields
from amoba_experiments.arena.options import MOST_GAMES

MOST = 10_000_000  # positions at a time
LONG = 1_000_000_000_000  # steps: more than any run has


@dataclass(frozen=True)
class Group:
    """Settings that belong together. Values become those of the declared types; others are refused."""

    def __post_init__(self) -> None:
        """Raise ValueError for an impossible value, and what is possible."""
        convert_fields(self)

    def check(self, game: Game) -> None:
        """Raise ValueError for what does not fit the game."""


def check_agents(name: str, agents: tuple[str, ...], game: Game) -> None:
    """Raise ValueError if there is no agent, or one that cannot play the game."""
    if not agents:
        raise ValueError(f"{name}: name one or more agents")
    for text in agents:
        make_agent(text).memory(game)


@dataclass(frozen=True)
class NetworkSettings(Group):
    """The network that learns.

    A setting that is not given is chosen to suit the board, or taken from the network that the run starts from.
    """

    body: Annotated[
        Literal["lines", "rows", "cnn", "mlp"] | None,
        Option("how the network sees the board, see [networks](networks.md)"),
    ] = None
    channels: Annotated[int | None, Option("numbers that the network keeps for each cell", 1, 4096)] = None
    layers: Annotated[int | None, Option("depth; with `lines` a layer is a block of two convolutions", 1, 100)] = None
    hidden: Annotated[int | None, Option("width of an MLP", 1, 65536)] = None
    start: Annotated[
        str, Option("network to start from: a `.onnx` or `.pt` of `amoba train`, or `trained`: the package's policy")
    ] = ""

    def check(self, game: Game) -> None:
        """See Group."""
        placed = ("lines", "rows") if game.players == 2 and not game.board.double_width else ("rows",)
        if self.body is not None:
            checks.one_of("network.body", self.body, (*(() if game.moves_men else placed), "cnn", "mlp"))

    @property
    def sizes(self) -> dict[str, Any]:
        """Those that are given."""
        given = {name: getattr(self, name) for name in ("body", "channels", "layers", "hidden")}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class EvaluationSettings(Group):
    """Matches that say how strong the policy is.

    With `random_plies` each opening is played with every order of the players on the seats.
    """

    against: Annotated[tuple[str, ...], Option("opponents, each in matches of its own")] = ("random", "greedy")
    games: Annotated[int, Option("games against each opponent after a stage and on the way", 1, MOST_GAMES)] = 400
    during: Annotated[int, Option("evaluations within a stage of `play`", 0, 1_000_000)] = 4
    final_games: Annotated[int, Option("games against each opponent in the end", 1, MOST_GAMES)] = 1200
    seeds: Annotated[int, Option("seeds of the games in the end", 1, 1000)] = 3

    def check(self, game: Game) -> None:
        """See Group."""
        check_agents("evaluation.against", self.against, game)


@dataclass(frozen=True)
class Supervised(Group):
    """The settings of all stages that learn from positions with known moves."""

    passes: Annotated[int, Option("passes over the positions", 1, 10_000)] = 3
    batch_size: Annotated[int, Option("positions in a gradient step", 2, MOST)] = 256
    learning_rate: Annotated[float, Option("of Adam; falls to 0", 0, 1)] = 3e-3


@dataclass(frozen=True)
class Demonstrated(Supervised):
    """The settings of all stages that learn from a teacher's games."""

    teacher: Annotated[str, Option("agent whose moves are learned")] = "lookahead:2"
    players: Annotated[
        tuple[str, ...],
        Option(
            "agents that play the games instead of the teacher, each against itself; the teacher says what it would "
            "play"
        ),
    ] = ()
    games: Annotated[int, Option("how many games", 1, MOST_GAMES)] = 2000
    runs: Annotated[
        str,
        Option("folder with runs of `amoba match --out` instead of new games; the teacher's moves in them are learned"),
    ] = ""
    positions: Annotated[int, Option("at most this many positions, drawn from all", 1, 1_000_000_000)] = 1_000_000

    def check(self, game: Game) -> None:
        """See Group."""
        if self.runs:
            if not os.path.isdir(self.runs):
                raise ValueError(f"runs: no such folder: {self.runs}")
            return
        check_agents("teacher", (self.teacher,), game)
        check_agents("players", self.players or (self.teacher,), game)


@dataclass(frozen=True)
class Imitate(Demonstrated):
    """Behaviour cloning: learn a teacher's moves, and how its games end.

    Where stones are placed, the network also learns from turned and mirrored positions.
    """


@dataclass(frozen=True)
class Correct(Supervised):
    """Dataset aggregation (DAgger): learn what an expert plays in the policy's own positions.

    The policy plays against the opponents. An expert says what it would have played in the policy's positions.
    The network learns from the positions of this stage and of all `correct` stages before it.
    """

    expert: Annotated[str, Option("agent that says what it would play")] = "alphabeta:nodes=3000"
    opponents: Annotated[tuple[str, ...], Option("opponents of the policy, each in games of its own")] = ("greedy",)
    games: Annotated[int, Option("games against each opponent", 1, MOST_GAMES)] = 1000
    where: Annotated[
        Literal["all", "not_won", "blunders"],
        Option(
            "where the expert is asked: in all positions; in games that were not won, beside as many positions of "
            "games that were; or where a game was lost or a win was missed, beside four times as many"
        ),
    ] = "all"
    positions: Annotated[int, Option("at most this many positions, drawn from all", 1, 1_000_000_000)] = 1_000_000

    def check(self, game: Game) -> None:
        """See Group."""
        check_agents("opponents", self.opponents, game)
        check_agents("expert", (self.expert,), game)
        if self.where == "blunders" and not self.expert.startswith("alphabeta"):
            raise ValueError("blunders are what a search proves: where=blunders needs expert=alphabeta:nodes=NUMBER")


@dataclass(frozen=True)
class Play(Group):
    """Self-play with MaskablePPO against fixed players and frozen copies of the policy.

    The next moves are played while the network learns from the last ones (asynchronous rollouts). The result is an
    average of the last weights. Where men move, coming nearer to the goal is rewarded too; this does not change which
    policy is best.
    """

    steps: Annotated[int, Option("moves of the learner in all games together", 1, LONG)] = 500_000
    opponents: Annotated[
        tuple[str, ...], Option("one of these, or of the copies, is drawn for each seat of each game")
    ] = ("random", "greedy")
    copies: Annotated[
        int, Option("frozen copies of the policy among the opponents: the newest, and some older ones", 0, 1000)
    ] = 5
    num_envs: Annotated[int, Option("games at once", 1, checks.MOST_COUNT)] = 128
    n_steps: Annotated[int, Option("moves in each game between two updates", 1, MOST)] = 32
    batch_size: Annotated[int, Option("moves in a gradient step", 2, MOST)] = 1024
    epochs: Annotated[int, Option("passes over the moves of an update", 1, 1000)] = 3
    share: Annotated[
        float,
        Option(
            "share of the moves that a pass learns from; moves that surprised the policy are drawn more often", 1e-6, 1
        ),
    ] = 1.0
    learning_rate: Annotated[float, Option("falls linearly to a twentieth", 0, 1)] = 5e-4
    entropy: Annotated[float, Option("weight of the policy's entropy; falls linearly to a twentieth", 0, 100)] = 0.01
    gamma: Annotated[float, Option("discount of a move", 1e-6, 1)] = 0.98
    gae_lambda: Annotated[float, Option("of the generalized advantage estimation", 0, 1)] = 0.95

    def __post_init__(self) -> None:
        """See Group."""
        super().__post_init__()
        if not 2 <= self.num_envs * self.n_steps <= MOST:
            raise ValueError(f"num_envs * n_steps must be 2..{MOST}")

    def check(self, game: Game) -> None:
        """See Group."""
        check_agents("opponents", self.opponents or (() if not self.copies else ("random",)), game)


@dataclass(frozen=True)
class Calibrate(Demonstrated):
    """Calibration: prepare values and probabilities for a tree search; the most probable moves stay the same.

    The value learns how games between equal players end. Then the logits are divided by the temperature.
    """

    value: Annotated[bool, Option("whether the value learns")] = True
    temperature: Annotated[
        float | None,
        Option(
            "divides the logits; empty: the one with which the probabilities say best what the teacher plays",
            1e-3,
            1000,
        ),
    ] = None
    passes: Annotated[int, Option("passes over the positions", 1, 10_000)] = 1
    learning_rate: Annotated[float, Option("of Adam; falls to 0", 0, 1)] = 1e-3

    def check(self, game: Game) -> None:
        """See Group."""
        if self.value or self.temperature is None:
            super().check(game)


STAGES: dict[str, type[Group]] = {
    "imitate": Imitate,
    "correct": Correct,
    "play": Play,
    "calibrate": Calibrate,
}


def check_device(device: str) -> str:
    """Raise ValueError for no device of torch."""
    if not re.fullmatch("auto|cpu|cuda(:[0-9]+)?", checks.text("device", device)):
        raise ValueError(f"device must be auto, cpu, cuda or cuda:NUMBER, not {device!r}")
    return device
