"""The settings of a training run: defaults a game, texts, and the file in the run's folder."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from amoba_agents import make_agent
from amoba_env import checks, games
from amoba_env.options import Options
from amoba_experiments.arena.fields import convert_fields, typed
from amoba_experiments.arena.match import MOST_GAMES
from amoba_experiments.runs.files import read_json

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")

FILE = "settings.json"
ADVISE = (
    "all",
    "unwon",
    "blunders",
)  # where advice is asked, see experiments/amoba_experiments/training/demonstrations.py
LEARNS = ("both", "moves", "value")
FREE = ("steps", "threads", "device")  # may differ when a run is resumed


@dataclass(frozen=True)
class Settings:
    """All that determines a training run."""

    game: str
    options: Options = field(default_factory=dict)
    steps: int = 1_000_000  # moves of the learner, all games together
    seed: int = 0
    num_envs: int = 128  # games in lockstep
    n_steps: int = 32  # moves a game between updates
    batch_size: int = 1024
    epochs: int = 3  # passes over the moves of an update
    learn_share: float = 1.0  # of them, so many are learned in a pass, those that surprised more often
    ahead: int = 0  # 1: the next moves are played while these are learned, by the policy of before
    learning_rate: float = 5e-4  # falls linearly to a twentieth
    entropy: float = 0.01  # worth of the policy's entropy; falls linearly to a twentieth
    gamma: float = 0.98
    gae_lambda: float = 0.95
    clip: float = 0.2
    body: str = ""  # of the network, see agents/amoba_agents/networks/policy.py; "" what suits the board
    channels: int = 32
    layers: int = 2  # over lines: blocks of two convolutions
    hidden: int = 256
    average: float = 0.0  # the policy saved is a running average, of which so much stays in an update
    opponents: str = "random greedy"  # one of these or of the copies is drawn for each seat of each game
    freeze_every: int = 100_000  # steps from one copy of the policy to the next
    recent: int = 3  # how many of the last copies play
    older: int = 2  # and how many from before
    random_plies: int = 0  # so many random moves begin each game
    shaping: float = 0.0  # worth of the way from home to goal (halma)
    start: str = ""  # a .zip or .onnx of such a network, or "trained", the package's: from which to go on
    start_temperature: float = 1.0  # logits are divided by this before it plays: below 1 it draws its best moves more
    value_first: int = 0  # updates in which only the value learns, so that it judges the moves that are drawn
    imitate: str = ""  # first learn to move as this player does, or as those in the runs in this folder
    teachers: str = ""  # learn only these agents' moves in them
    advice: str = ""  # not what was played, but what this agent would play there; its own moves where it played
    advise: str = "all"  # or only in games that were not won: "unwon"; where lost, or a win missed: "blunders"
    imitate_learns: str = "both"  # the moves and how games end, or only one of them: "moves", "value"
    imitate_positions: int = 300_000
    imitate_passes: int = 3  # over them
    imitate_rate: float = 3e-3  # learning rate; falls to 0
    evaluate_every: int = 200_000  # steps
    evaluate_games: int = 600
    evaluate_against: str = "random greedy"
    checkpoint_every: int = 100_000  # steps
    threads: int = 1
    device: str = "auto"  # where the network learns: cpu, cuda, cuda:1 ..; auto: cuda where there is one

    def __post_init__(self) -> None:
        """Raise ValueError for what cannot be trained."""
        convert_fields(self, LIMITS)
        game = games.make_from(self.game, self.options)
        for text in (
            *self.opponents.split(),
            *self.evaluate_against.split(),
            *([self.advice] if self.advice else []),
            *([self.imitate] if self.imitate and not os.path.isdir(self.imitate) else []),
        ):
            make_agent(text).memory(game)
        if not self.opponents.split() or not self.evaluate_against.split():
            raise ValueError("opponents and evaluate_against: name one or more agents")
        if self.advice and not os.path.isdir(self.imitate):
            raise ValueError("advice is for positions of runs: imitate must be a folder that has some")
        checks.one_of("advise", self.advise, ADVISE)
        checks.one_of("imitate_learns", self.imitate_learns, LEARNS)
        if self.advise == "blunders" and not self.advice.startswith("alphabeta"):
            raise ValueError("blunders are what a search proves: advise=blunders needs advice=alphabeta:nodes=NUMBER")
        if self.shaping and not game.moves_men:
            raise ValueError(f"shaping is for games where men move; in {game.name} stones are placed")
        placed = ("lines", "rows") if game.players == 2 and not game.board.double_width else ("rows",)
        bodies = (*(() if game.moves_men else placed), "cnn", "mlp")
        if self.body:
            checks.one_of("body", self.body, bodies)
        for name in ("gamma", "learn_share", "start_temperature"):
            if not getattr(self, name):
                raise ValueError(f"{name} must be more than 0")
        if self.average == 1:
            raise ValueError("average must be less than 1")
        if not re.fullmatch("auto|cpu|cuda(:[0-9]+)?", self.device):
            raise ValueError(f"device must be auto, cpu, cuda or cuda:NUMBER, not {self.device!r}")
        if self.batch_size < 2 or not 2 <= self.num_envs * self.n_steps <= MOST:
            raise ValueError(f"batch_size must be 2 or more, and num_envs * n_steps 2..{MOST}")


MOST = 10_000_000  # positions at a time
LONG = 1_000_000_000_000  # steps: longer than any run
LIMITS: dict[str, tuple[float, float]] = {
    "steps": (0, LONG),
    "seed": (0, 2**32 - 1),  # what Stable-Baselines3 takes
    "num_envs": (1, checks.MOST_COUNT),
    "n_steps": (1, MOST),
    "batch_size": (1, MOST),
    "epochs": (1, 1000),
    "learn_share": (0, 1),
    "ahead": (0, 1),
    "learning_rate": (0, 1),
    "entropy": (0, 100),
    "gamma": (0, 1),
    "gae_lambda": (0, 1),
    "clip": (0, 100),
    "channels": (1, 4096),
    "layers": (1, 100),
    "hidden": (1, 65536),
    "average": (0, 1),
    "freeze_every": (1, LONG),
    "recent": (0, 1000),
    "older": (0, 1000),
    "random_plies": (0, 9999),  # as many as an opening can have
    "shaping": (0, 1000),
    "start_temperature": (0, 1000),
    "value_first": (0, LONG),
    "imitate_positions": (1, 1_000_000_000),
    "imitate_passes": (1, 10_000),
    "imitate_rate": (0, 1),
    "evaluate_every": (1, LONG),
    "evaluate_games": (1, MOST_GAMES),
    "checkpoint_every": (1, LONG),
    "threads": (1, checks.MOST_THREADS),
}

# What suits a game; an option of the game given by the user stands before these.
DEFAULTS: dict[str, dict[str, Any]] = {
    "tictactoe": {
        "steps": 1_500_000,
        "body": "mlp",
        "channels": 16,
        "hidden": 128,
        "n_steps": 16,
        "batch_size": 512,
        "epochs": 4,
        "learning_rate": 1e-3,
        "opponents": "random random random greedy perfect",
        "gamma": 0.99,
        "freeze_every": 25_000,
        "evaluate_every": 100_000,
    },
    "gomoku": {
        "steps": 500_000,
        "body": "rows",
        "imitate": "lookahead:2",
        "imitate_positions": 120_000,
        "learning_rate": 3e-4,
        "entropy": 0.003,
    },
    "halma": {
        "steps": 2_000_000,
        "options": {"max_plies": 300},
        "channels": 16,
        "layers": 2,
        "shaping": 1.0,
        "gamma": 0.99,
    },
}


def fresh(
    game: str, options: Iterable[str] = (), changes: Iterable[str] = (), config: Mapping[str, Any] | None = None
) -> Settings:
    """The settings that suit a game; over them those of `config`, options of the game, changes such as "gamma=0.97".

    The body and sizes of a network are those of the network to `start` from, but for what is set.

    Raises:
        ValueError: an unknown game, option or setting, or an impossible value, and what is possible.
    """
    given = games.options_from_text(game, options)
    own, file = dict(DEFAULTS.get(game, {})), dict(config or {})
    rules = games.make_from(game, {**own.pop("options", {}), **(file.pop("options", None) or {}), **given})
    if not own and rules.moves_men:
        own["shaping"] = 1.0
    texts = [f"{name}={value}" for name, value in file.items()]
    texts += changes
    what = changed(Settings(game, rules.options, **own), texts)
    if not what.start:
        return what
    said = {name for name in (text.partition("=")[0] for text in texts) if getattr(what, name)}
    return replace(what, **{name: size for name, size in _sizes(what).items() if name not in said})


def _sizes(settings: Settings) -> dict[str, Any]:
    """The body of the network to go on from, and its sizes, by the names of the settings."""
    _check_installed()
    from amoba_agents.networks.trained import policy_file
    from amoba_experiments.training.onnx_files import anatomy

    game = games.make_from(settings.game, settings.options)
    return anatomy(policy_file(game) if settings.start == "trained" else Path(settings.start), game)


def _check_start(settings: Settings) -> None:
    """Raise ValueError where the network to go on from is another one than the settings say."""
    found = _sizes(settings)
    from amoba_agents.networks.policy import board_kwargs

    body = settings.body or board_kwargs(games.make_from(settings.game, settings.options))["body"]
    differing = [name for name, size in found.items() if size != (body if name == "body" else getattr(settings, name))]
    if differing:
        there = " ".join(f"{name}={found[name]}" for name in differing)
        here = " ".join(f"{name}={body if name == 'body' else getattr(settings, name)}" for name in differing)
        raise ValueError(f"start: the network {settings.start!r} has {there}, but the settings say {here}")


def _check_installed() -> None:
    if importlib.util.find_spec("sb3_contrib") is None:
        raise ValueError("training needs pip install 'amoba[train]'")


def configured(file: Path, game: str) -> dict[str, Any]:
    """Settings and options from a file, YAML or the settings.json of a run: {"options": .., name: value, ..}.

    Raises:
        ValueError: no mapping of settings, or one of another game.
        OSError: no such file.
    """
    import yaml

    try:
        given = yaml.safe_load(file.read_text(encoding="utf-8"))
        if not isinstance(given, dict):
            raise ValueError("it should read NAME: VALUE, a setting a line")
        checks.mapping("options", given.get("options"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(f"{file} has no settings: {' '.join(str(error).split())}") from None
    if given.pop("game", game) != game:
        raise ValueError(f"{file} is for another game than {game}")
    return given


def resumed(folder: Path, game: str, options: Iterable[str] = (), changes: Iterable[str] = ()) -> Settings:
    """The settings of the run in a folder, with changes, as `fresh` has them; `fresh` if there is no run."""
    if not (folder / FILE).exists():
        return fresh(game, options, changes)
    there = load(folder)
    if there.game != game:
        raise ValueError(f"{folder} has a run of {there.game}, not of {game}")
    given = {**there.options, **games.options_from_text(game, options)}
    return changed(replace(there, options=games.make_from(game, given).options), changes)


def load(folder: Path) -> Settings:
    """The settings of the run in a folder. Raises ValueError if they cannot be read."""
    try:
        return Settings(**typed(Settings, read_json(folder / FILE)))
    except ValueError as error:
        raise ValueError(f"{folder / FILE} cannot be read: {error}") from None


def check(settings: Settings, folder: Path, resume: bool) -> None:
    """Raise ValueError if a run with these settings cannot begin, or (`resume`) go on, in this folder, and why."""
    _check_installed()
    if set(str(folder)) & set(",="):
        raise ValueError(f"the folder's name must have no ',' or '=' in it: {folder}")
    if not (folder / FILE).exists():
        if settings.start:
            _check_start(settings)
        return
    if not resume:
        raise ValueError(f"{folder} has a run already; go on with it by --resume, or choose another folder")
    there = load(folder)
    pairs = {each.name: (getattr(there, each.name), getattr(settings, each.name)) for each in fields(Settings)}
    differing = [
        f"{name} was {was!r}, now {now!r}" for name, (was, now) in pairs.items() if name not in FREE and was != now
    ]
    if differing:
        raise ValueError(f"{folder} was made with other settings: {'; '.join(differing)}")


def changed(settings: T, texts: Iterable[str]) -> T:
    """A dataclass of settings with changes such as "gamma=0.97". Raises ValueError for one that is not possible."""
    kinds = {each.name: str(each.type) for each in fields(settings) if each.name not in ("game", "options")}
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = checks.text("a setting", text).partition("=")
        if not equals or name not in kinds:
            raise ValueError(f"no setting {checks.brief(text)}: write NAME=VALUE with one of {', '.join(kinds)}")
        try:
            values[name] = {"int": int, "float": float, "str": str}[kinds[name]](value)
        except ValueError:
            kind = "a number" if kinds[name] == "float" else "a whole number"
            raise ValueError(f"setting {name} takes {kind}, not {checks.brief(value)}") from None
    return replace(settings, **values)


def save(settings: Settings, folder: Path) -> None:
    """Write them into the folder."""
    part = folder / (FILE + ".part")
    part.write_text(json.dumps({**asdict(settings), "options": dict(settings.options)}, indent=2) + "\n")
    part.replace(folder / FILE)
