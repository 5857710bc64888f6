"""The settings of a training run: network, stages, evaluation."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from amoba_agents import make_agent
from amoba_agents.networks.architecture import SIZES, bodies_for
from amoba_agents.players.person import PersonAgent
from amoba_env import checks
from amoba_env.begin import first_position
from amoba_env.core.rng import streams
from amoba_env.games import Game
from amoba_env.options import Option, Options, convert_fields
from amoba_experiments.arena.options import MOST_GAMES
from amoba_experiments.runs.store import match_of, read_manifest, runs_in
from amoba_experiments.training.move_limit import limited, usual_limit

MOST = 10_000_000  # the most positions in a batch
LONG = 1_000_000_000_000  # steps: more than any run has
WHO_WINS = (  # at the limit of moves in training, as move_limit says
    "the player nearest to its goal wins (of three or more, the nearest of those with the fewest men in the goals of "
    "others)"
)


@dataclass(frozen=True)
class Group:
    """A group of settings. Values are converted to their declared types, or refused."""

    # Of a stage. Without annotations, since they are not settings.
    work = ""  # "module:function", called with the settings and the Job
    runs = ""  # the folder with runs that it learns from; a setting of `imitate`

    def __post_init__(self) -> None:
        """Raise ValueError for an impossible value."""
        convert_fields(self)

    def check(self, game: Game) -> None:
        """Raise ValueError for settings that do not fit the game."""

    def does(self) -> str:
        """What a stage does with these settings, for people."""
        return ""


def check_opening(name: str, game: Game, plies: int) -> None:
    """Raise ValueError if games cannot begin with this many random moves. `name`: of the setting."""
    try:
        first_position(game, {"random_plies": plies}, streams(0, 0, 1))
    except ValueError:
        raise ValueError(f"{name}: {plies} random moves end every game") from None


def check_agents(name: str, agents: tuple[str, ...], game: Game) -> None:
    """Raise ValueError for no agents, or one that cannot play the game."""
    if not agents:
        raise ValueError(f"{name}: expected one agent or more, got none")
    for text in agents:
        if isinstance(agent := make_agent(text), PersonAgent):
            raise ValueError(f"{name}: expected programs, got {text!r}")
        agent.memory(game)


@dataclass(frozen=True)
class NetworkSettings(Group):
    """The network that learns.

    Defaults suit the board, or come from the network that the run starts from.
    """

    body: Annotated[
        Literal["lines", "rows", "cnn", "mlp"] | None,
        Option("architecture of the body, see [networks](networks.md)"),
    ] = None
    channels: Annotated[int | None, Option("features of each cell", 1, 4096)] = None
    layers: Annotated[int | None, Option("depth; with `lines` a layer is a block of two convolutions", 1, 100)] = None
    hidden: Annotated[int | None, Option("width of an MLP", 1, 65536)] = None
    start: Annotated[
        str, Option("initial network: a `.onnx` or `.pt` of `amoba train`, or `trained`: the package's policy")
    ] = ""

    def check(self, game: Game) -> None:
        """See Group."""
        if self.body is not None:
            checks.one_of("network.body", self.body, bodies_for(game))

    @property
    def sizes(self) -> dict[str, Any]:
        """The settings that are given."""
        return {name: value for name in SIZES if (value := getattr(self, name)) is not None}


@dataclass(frozen=True)
class EvaluationSettings(Group):
    """Evaluation matches.

    With `random_plies` each opening is played with every order of the players on the seats.
    """

    against: Annotated[tuple[str, ...], Option("opponents, each in separate matches")] = ("random", "greedy")
    games: Annotated[
        int, Option("games against each opponent, after a stage (except `search`) and during `play`", 1, MOST_GAMES)
    ] = 400
    during: Annotated[int, Option("evaluations within a stage of `play`", 0, 1_000_000)] = 4
    final_games: Annotated[
        int,
        Option(
            "games against each opponent at the end, rounded down so that each seed has every order of seats",
            1,
            MOST_GAMES,
        ),
    ] = 1200
    seeds: Annotated[int, Option("number of seeds of the games at the end", 1, 1000)] = 3

    def check(self, game: Game) -> None:
        """See Group."""
        check_agents("evaluation.against", self.against, game)


@dataclass(frozen=True)
class Supervised(Group):
    """The settings of all stages that learn from positions with known moves."""

    passes: Annotated[int, Option("passes over the positions", 1, 10_000)] = 3
    batch_size: Annotated[int, Option("positions in a gradient step", 2, MOST)] = 256
    learning_rate: Annotated[float, Option("learning rate of Adam; falls to 0", 0, 1)] = 3e-3

    def does(self) -> str:
        """See Group."""
        return f"{self.passes} pass{'es' if self.passes > 1 else ''}"


@dataclass(frozen=True)
class Imitate(Supervised):
    """Behaviour cloning: learn a teacher's moves and the results of its games.

    The network also learns from turned and mirrored positions, where the board allows it.
    """

    work = "amoba_experiments.training.behaviour_cloning:imitate"
    teacher: Annotated[str, Option("agent whose moves are learned")] = "lookahead:2"
    players: Annotated[
        tuple[str, ...],
        Option(
            "agents that play the games in place of the teacher, each against itself; the teacher labels the positions"
        ),
    ] = ()
    games: Annotated[int, Option("number of games", 1, MOST_GAMES)] = 2000
    runs: Annotated[
        str,
        Option("folder with runs of `amoba match --out` in place of new games"),
    ] = ""
    positions: Annotated[int, Option("maximum number of positions (a random sample)", 1, 1_000_000_000)] = 1_000_000

    def check(self, game: Game) -> None:
        """See Group."""
        if self.runs:
            if not os.path.isdir(self.runs):
                raise ValueError(f"runs: the folder {self.runs} does not exist")
            if self.asks_teacher:
                check_agents("teacher", (self.teacher,), game)
            return
        check_agents("teacher", (self.teacher,), game)
        check_agents("players", self.players or (self.teacher,), game)

    @property
    def asks_teacher(self) -> bool:
        """Whether the teacher is needed: not where it played in every given run."""
        runs = runs_in(self.runs) if self.runs else ()
        return not runs or any(self.teacher not in match_of(read_manifest(run)).agents for run in runs)

    def does(self) -> str:
        """See Group."""
        if self.runs:
            return f"{super().does()} over the games in {self.runs}"
        return f"{self.games:,} games of {', '.join(self.players or (self.teacher,))}, {super().does()}"


@dataclass(frozen=True)
class Play(Group):
    """Self-play with PPO: the policy plays every seat, and learns from every move.

    In a share of the games (`past`) an earlier copy of the policy plays one of the seats, so that the policy does not
    forget how to beat it. In another share (`random`) the policy plays one seat and the others move randomly, so that
    it also learns to beat weak players.

    Positions are turned and mirrored at random, where the board allows it. Where men move, progress towards the goal is
    rewarded too, which does not change the optimal policy. If the policy has learned before, only its values learn in
    the first four updates, or in the first tenth if that is less.
    """

    work = "amoba_experiments.training.self_play:play"
    steps: Annotated[int, Option("moves in all games together", 1, LONG)] = 1_000_000
    num_envs: Annotated[int, Option("games in parallel", 1, checks.MOST_COUNT)] = 256
    n_steps: Annotated[
        int,
        Option(
            "moves of all seats in each game between two updates; each seat's last one is not learned from",
            4,
            MOST,
        ),
    ] = 32
    batch_size: Annotated[int, Option("moves in a gradient step", 2, MOST)] = 1024
    epochs: Annotated[int, Option("passes over the moves of an update", 1, 1000)] = 1
    past: Annotated[
        float, Option("share of the other games in which an earlier copy plays one seat, drawn at each update", 0, 1)
    ] = 0.5
    random: Annotated[
        float, Option("share of the games in which the policy plays one seat and the others move randomly", 0, 1)
    ] = 0.0
    max_plies: Annotated[
        int,
        Option(
            "most moves of a game, where men move, such as 1.5 times the length of a good game; 0: the game's own "
            f"limit. Then {WHO_WINS}, and all others lose; in games against random players all lose",
            0,
            9999,
        ),
    ] = 0
    learning_rate: Annotated[float, Option("learning rate; falls linearly to a twentieth", 0, 1)] = 1e-3
    entropy: Annotated[float, Option("weight of the policy's entropy; falls linearly to a twentieth", 0, 100)] = 0.01
    gamma: Annotated[float, Option("discount of a move", 1e-6, 1)] = 0.98
    gae_lambda: Annotated[float, Option("lambda of the generalized advantage estimation", 0, 1)] = 0.95

    def __post_init__(self) -> None:
        """See Group."""
        super().__post_init__()
        if self.num_envs * self.n_steps > MOST:
            raise ValueError(f"num_envs * n_steps: expected at most {MOST}")

    def check(self, game: Game) -> None:
        """See Group."""
        if self.n_steps < 2 * game.players:
            raise ValueError(f"n_steps: expected at least {2 * game.players}, two for each player, got {self.n_steps}")

    def does(self) -> str:
        """See Group."""
        return f"{self.steps:,} moves of all seats"


def adjudicated(game: Game, plies: int) -> Options:
    """The game's options with a limit of moves, at most its own, where the player nearest to its goal wins."""
    return {**limited(game, plies).options, "adjudicate": True}


def easy_games(share: float, games: int) -> int:
    """How many of the games are this share, rounded up: those against random players."""
    return math.ceil(round(share * games, 6))


def check_share(stage: Search | Distill) -> None:
    """Raise ValueError if no game against itself is left."""
    if easy_games(stage.random, stage.games) >= stage.games:
        raise ValueError(
            f"random: expected a share that leaves games against itself, got {stage.random} of {stage.games} games"
        )


def games_in_words(stage: Search | Distill) -> str:
    """Whom the player of these games meets."""
    easy = easy_games(stage.random, stage.games)
    return f"{stage.games - easy:,} games against itself" + (f" and {easy:,} against random players" if easy else "")


OPENING = 6  # the games of `distill` begin with 0 to this many random moves, in turn
LONGER = 1.5  # games may take this many times the median length of those before


@dataclass(frozen=True)
class Search(Group):
    """Expert iteration: a small network plays against itself with a tree search, and learns what the search finds.

    Each iteration plays games with few simulations for each move. A longer search then evaluates some of their
    positions. The network learns this search's moves and values, and the results of the games. It begins with random
    weights, and needs no teacher. Every `gate` iterations the newest network plays a match against the best one so far,
    and replaces it unless it loses. Where three or more players move men, it must also end most of its games against
    itself: players who block each other never do. The result is `network.npz`, for
    `mcts:N,evaluation=learned,values=network.npz`. The policy, which plays without a search, learns from the games up
    to this network in a stage `distill`.

    Unless `random` is 0 the network also meets players who move randomly, and learns to end games against them. These
    games go up to the limit of the game, where nobody wins.
    """

    work = "amoba_experiments.training.search_play:search"
    iterations: Annotated[int, Option("number of iterations", 1, 100_000)] = 40
    games: Annotated[int, Option("games of an iteration", 1, MOST_GAMES)] = 1000
    simulations: Annotated[int, Option("simulations for each move of a game", 1, 100_000)] = 24
    long: Annotated[int, Option("simulations of the longer search", 1, 100_000)] = 96
    share: Annotated[float, Option("share of the positions that are searched longer", 1e-6, 1)] = 0.25
    opening: Annotated[int, Option("games begin with 0 to this many random moves, in turn", 0, 9999)] = 6
    max_plies: Annotated[
        int,
        Option(
            "most moves of a game, where men move, such as 1.5 to 2 times the length of a good game; 0: three quarters "
            f"of the steps that all men need. Then {WHO_WINS}. "
            "When most games end by themselves, the limit falls to 1.5 times their median length",
            0,
            9999,
        ),
    ] = 0
    discount: Annotated[
        float,
        Option("factor of a result for each move until the game ends; below 1 the search prefers to win soon", 0.5, 1),
    ] = 1.0
    random: Annotated[
        float, Option("share of the games in which the network plays one seat and the others move randomly", 0, 0.9)
    ] = 0.0
    window: Annotated[int, Option("iterations to learn from: the newest ones", 1, 100_000)] = 12
    gate: Annotated[
        int,
        Option("iterations between matches of the newest network against the best one; 0: no matches", 0, 100_000),
    ] = 10
    reuse: Annotated[
        float,
        Option(
            "mean number of times that a position of the longer search is trained on; early ones are more often",
            1e-3,
            10_000,
        ),
    ] = 8
    learning_rate: Annotated[float, Option("learning rate of Adam; falls linearly to a tenth", 0, 1)] = 4e-3

    def check(self, game: Game) -> None:
        """See Group."""
        check_opening("opening", limited(game, self.limit(game)), self.opening)
        check_share(self)

    def limit(self, game: Game) -> int:
        """Most moves of a game; 0 where no men move."""
        return (self.max_plies or usual_limit(game)) if game.moves_men else 0

    def options(self, game: Game, plies: float) -> Options:
        """The options of the games. `plies` is the median length of those before; infinite: most did not end."""
        if not game.moves_men:
            return game.options
        return adjudicated(game, max(2, int(min(self.limit(game), LONGER * plies))))

    def does(self) -> str:
        """See Group."""
        return f"{self.iterations:,} times {games_in_words(self)}, with a search"


@dataclass(frozen=True)
class Distill(Supervised):
    """Learning what the search of the stage `search` found: its moves and values, in one forward pass.

    With `games` the policy first plays games against itself. The search says what it would have played there, and the
    policy learns that too, in this and in later stages `distill`. So it learns to go on after its own mistakes. The
    network also learns from turned and mirrored positions, where the board allows it.
    """

    work = "amoba_experiments.training.distill:distill"
    games: Annotated[int, Option("games of the policy against itself, whose positions are searched", 0, MOST_GAMES)] = 0
    random: Annotated[
        float, Option("share of these games in which the policy plays one seat and the others move randomly", 0, 0.9)
    ] = 0.0
    max_plies: Annotated[
        int,
        Option(
            "most moves of a game against itself, where men move, as in `search`; 0: the limit of the game",
            0,
            9999,
        ),
    ] = 0
    simulations: Annotated[int, Option("simulations of their search", 1, 100_000)] = 96
    iterations: Annotated[
        int, Option("iterations of `search` to learn from: the newest ones up to the network it kept", 1, 100_000)
    ] = 40
    result: Annotated[float, Option("weight of the result in the value to learn; the rest is the search's", 0, 1)] = 0.5

    def check(self, game: Game) -> None:
        """See Group."""
        if self.games:
            check_opening("games", limited(game, self.max_plies), OPENING)
            check_share(self)

    def options(self, game: Game) -> Options:
        """The options of the games against itself."""
        return adjudicated(game, self.max_plies) if self.max_plies and game.moves_men else game.options

    def does(self) -> str:
        """See Group."""
        own, there = (f"{games_in_words(self)}, ", "there and ") if self.games else ("", "")
        return f"{own}{super().does()} over what the search found {there}in the last {self.iterations:,} iterations"


STAGES: dict[str, type[Group]] = {"imitate": Imitate, "play": Play, "search": Search, "distill": Distill}


def check_device(device: str) -> str:
    """Raise ValueError unless it is a device of torch."""
    if not re.fullmatch("auto|cpu|cuda(:[0-9]+)?", checks.text("device", device)):
        raise ValueError(f"device: expected auto, cpu, cuda or cuda:NUMBER, got {device!r}")
    return device
