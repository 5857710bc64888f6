"""The settings of a training run: of its network, of each stage, and of its evaluation. Every number has its limits."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal

from amoba_agents import make_agent
from amoba_env import checks
from amoba_env.games import Game
from amoba_experiments.arena.fields import convert_fields
from amoba_experiments.arena.match import MOST_GAMES

MOST = 10_000_000  # positions at a time
LONG = 1_000_000_000_000  # steps: more than any run has


def setting(default: Any, means: str, least: float | None = None, most: float | None = None) -> Any:
    """A field with what it means, and for a number the least and the greatest value."""
    metadata = {"means": means, **({} if least is None else {"limits": (least, most)})}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Group:
    """Settings that belong together. Values become those of the declared types; others are refused."""

    def __post_init__(self) -> None:
        """Raise ValueError for an impossible value, and what is possible."""
        convert_fields(self, limits(type(self)))

    def check(self, game: Game) -> None:
        """Raise ValueError for what does not fit the game."""


def limits(kind: type[Group]) -> dict[str, tuple[float, float]]:
    """The least and the greatest value of each number, by name."""
    return {each.name: each.metadata["limits"] for each in fields(kind) if "limits" in each.metadata}


def defaults(kind: type[Group]) -> Mapping[str, Any]:
    """The default value of each setting, by name."""
    return {each.name: each.default for each in fields(kind) if each.default is not MISSING}


def check_agents(name: str, agents: tuple[str, ...], game: Game) -> None:
    """Raise ValueError if there is no agent, or one that cannot play the game."""
    if not agents:
        raise ValueError(f"{name}: name one or more agents")
    for text in agents:
        make_agent(text).memory(game)


@dataclass(frozen=True)
class Network(Group):
    """The network that learns.

    A setting that is not given is chosen to suit the board, or taken from the network that the run starts from.
    """

    body: Literal["lines", "rows", "cnn", "mlp"] | None = setting(
        None, "how the network sees the board, see [networks](networks.md)"
    )
    channels: int | None = setting(None, "numbers that the network keeps for each cell", 1, 4096)
    layers: int | None = setting(None, "depth; with `lines` a layer is a block of two convolutions", 1, 100)
    hidden: int | None = setting(None, "width of an MLP", 1, 65536)
    start: str = setting(
        "", "network to start from: a `.onnx` or `.pt` of `amoba train`, or `trained`: the package's policy"
    )

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
class Evaluation(Group):
    """Matches that say how strong the policy is.

    With `random_plies` each opening is played with every order of the players on the seats.
    """

    against: tuple[str, ...] = setting(("random", "greedy"), "opponents, each in matches of its own")
    games: int = setting(400, "games against each opponent after a stage and on the way", 1, MOST_GAMES)
    during: int = setting(4, "evaluations within a stage of `play`", 0, 1_000_000)
    final_games: int = setting(1200, "games against each opponent in the end", 1, MOST_GAMES)
    seeds: int = setting(3, "seeds of the games in the end", 1, 1000)

    def check(self, game: Game) -> None:
        """See Group."""
        check_agents("evaluation.against", self.against, game)


@dataclass(frozen=True)
class Supervised(Group):
    """The settings of all stages that learn from positions with known moves."""

    passes: int = setting(3, "passes over the positions", 1, 10_000)
    batch_size: int = setting(256, "positions in a gradient step", 2, MOST)
    learning_rate: float = setting(3e-3, "of Adam; falls to 0", 0, 1)


@dataclass(frozen=True)
class Demonstrated(Supervised):
    """The settings of all stages that learn from a teacher's games."""

    teacher: str = setting("lookahead:2", "agent whose moves are learned")
    players: tuple[str, ...] = setting(
        (),
        "agents that play the games instead of the teacher, each against itself; the teacher says what it would play",
    )
    games: int = setting(2000, "how many games", 1, MOST_GAMES)
    runs: str = setting(
        "", "folder with runs of `amoba match --out` instead of new games; the teacher's moves in them are learned"
    )
    positions: int = setting(1_000_000, "at most this many positions, drawn from all", 1, 1_000_000_000)

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

    expert: str = setting("alphabeta:nodes=3000", "agent that says what it would play")
    opponents: tuple[str, ...] = setting(("greedy",), "opponents of the policy, each in games of its own")
    games: int = setting(1000, "games against each opponent", 1, MOST_GAMES)
    where: Literal["all", "not_won", "blunders"] = setting(
        "all",
        "where the expert is asked: in all positions; in games that were not won, beside as many positions of games "
        "that were; or where a game was lost or a win was missed, beside four times as many",
    )
    positions: int = setting(1_000_000, "at most this many positions, drawn from all", 1, 1_000_000_000)

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

    steps: int = setting(500_000, "moves of the learner in all games together", 1, LONG)
    opponents: tuple[str, ...] = setting(
        ("random", "greedy"), "one of these, or of the copies, is drawn for each seat of each game"
    )
    copies: int = setting(
        5, "frozen copies of the policy among the opponents: the newest, and some older ones", 0, 1000
    )
    num_envs: int = setting(128, "games at once", 1, checks.MOST_COUNT)
    n_steps: int = setting(32, "moves in each game between two updates", 1, MOST)
    batch_size: int = setting(1024, "moves in a gradient step", 2, MOST)
    epochs: int = setting(3, "passes over the moves of an update", 1, 1000)
    share: float = setting(
        1.0, "share of the moves that a pass learns from; moves that surprised the policy are drawn more often", 1e-6, 1
    )
    learning_rate: float = setting(5e-4, "falls linearly to a twentieth", 0, 1)
    entropy: float = setting(0.01, "weight of the policy's entropy; falls linearly to a twentieth", 0, 100)
    gamma: float = setting(0.98, "discount of a move", 1e-6, 1)
    gae_lambda: float = setting(0.95, "of the generalized advantage estimation", 0, 1)

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

    value: bool = setting(True, "whether the value learns")
    temperature: float | None = setting(
        None,
        "divides the logits; empty: the one with which the probabilities say best what the teacher plays",
        1e-3,
        1000,
    )
    passes: int = setting(1, "passes over the positions", 1, 10_000)
    learning_rate: float = setting(1e-3, "of Adam; falls to 0", 0, 1)

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
