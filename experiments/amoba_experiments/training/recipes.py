"""Recipes: YAML files with the stages of training.

    game: gomoku
    network: {body: lines, layers: 6}
    stages:
      - imitate: {teacher: "alphabeta:nodes=3000", games: 4000}
      - play: {steps: 500000, epochs: 2}

The recipes of the package are in the folder of its policies. GAME.yaml makes the policy of a game, GAME-NAME.yaml is
another recipe for it. `placing.yaml` and `moving.yaml` are for games without their own recipe.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from msgspec import to_builtins

from amoba_agents import fingerprint
from amoba_agents.networks.trained import POLICIES, policy_file
from amoba_agents.sources import digest_of_file
from amoba_env import checks, games
from amoba_env.games import Game
from amoba_env.options import Option, Options, convert_fields
from amoba_experiments.reading import from_yaml, read_yaml
from amoba_experiments.training.move_limit import limited
from amoba_experiments.training.settings import (
    STAGES,
    EvaluationSettings,
    Group,
    Imitate,
    NetworkSettings,
    Play,
    Search,
    check_device,
    check_opening,
)

FILE = "recipe.yaml"
FORMAT = 3  # increased when a stage changes its meaning: older results are then not reused
ANY = {False: "placing", True: "moving"}  # recipes for all games, by whether men move
OWN_PLAY = "own-play"  # for every game
GROUPS: dict[str, type[Group]] = {"network": NetworkSettings, "evaluation": EvaluationSettings}
PLAIN = ("seed", "random_plies", "threads", "device")  # settings of the run itself


@dataclass(frozen=True)
class Stage:
    """One stage of a run."""

    name: str  # its kind, and a number from the second of a kind on: "imitate", "imitate-2"
    kind: str
    settings: Group

    @property
    def trains_policy(self) -> bool:
        """Whether it trains the policy of the run. A search reads nothing of it, and learns a network of its own."""
        return self.kind != "search"


@dataclass(frozen=True)
class Recipe:
    """The settings of a training run."""

    game: str
    options: Options = field(default_factory=dict)
    stages: tuple[Stage, ...] = ()
    seed: Annotated[int, Option("seed of all randomness", 0, 2**32 - 1)] = 0  # what Stable-Baselines3 takes
    random_plies: Annotated[
        int, Option("random moves at the start of each game of `imitate`, `play` and evaluations", 0, 9999)
    ] = 0
    threads: Annotated[
        int,
        Option(
            "threads, for games and for learning; more are faster on an idle machine and much slower on a busy one",
            1,
            checks.MOST_THREADS,
        ),
    ] = 1
    device: Annotated[
        str,
        Option("device that trains: `cpu`, `cuda`, `cuda:1`; `auto`: the GPU if there is one"),
        check_device,
    ] = "auto"
    network: NetworkSettings = field(default_factory=NetworkSettings)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)

    def __post_init__(self) -> None:
        """Raise ValueError for an impossible run."""
        convert_fields(self)
        game = self.rules
        check_opening("random_plies", game, self.random_plies)
        self.network.check(game)
        self.evaluation.check(game)
        if not self.stages:
            raise ValueError(f"stages: expected one or more of {', '.join(STAGES)}")
        kinds = [stage.kind for stage in self.stages]
        if kinds.count("search") > 1:
            raise ValueError(f"stages: expected one stage `search`, got {kinds.count('search')}")
        if "distill" in kinds and "search" not in kinds[: kinds.index("distill")]:
            raise ValueError("stages: a stage `search` must come before `distill`, which learns from its games")
        for stage in self.stages:
            try:
                stage.settings.check(game)
                if isinstance(stage.settings, Play):
                    check_opening("random_plies", limited(game, stage.settings.max_plies), self.random_plies)
            except ValueError as error:
                raise ValueError(f"{stage.name}: {error}") from None

    @property
    def rules(self) -> Game:
        """The game with its options."""
        return games.make_from(self.game, self.options)

    @property
    def openings(self) -> tuple[str, ...]:
        """The openings of games, for Match."""
        return (f"random:{self.random_plies}",) if self.random_plies else ()

    @functools.cached_property
    def start_file(self) -> Path | None:
        """The network to start from, if any. ValueError if it does not exist."""
        start = self.network.start
        return None if not start else policy_file(self.rules) if start == "trained" else Path(start)

    @property
    def discount(self) -> float:
        """Of results, in the stage `search`."""
        return next((each.settings.discount for each in self.stages if isinstance(each.settings, Search)), 1.0)

    def key(self, number: int) -> str:
        """A hash of all inputs of stage `number` and of those before: runs with the same key make the same network."""
        start, stages = self.start_file, self.stages[: number + 1]
        inputs: dict[str, Any] = {
            "format": FORMAT,
            "game": (self.game, dict(self.options)),
            "seed": self.seed,
            "stages": [(stage.kind, asdict(stage.settings), _files(stage.settings, self.rules)) for stage in stages],
        }
        if any(stage.kind == "distill" for stage in stages) and self.discount < 1:
            inputs["discounted"] = True  # before, `distill` did not discount results
        if any(stage.trains_policy for stage in stages):
            inputs["random_plies"] = self.random_plies
            inputs["network"] = self.network.sizes
            inputs["start"] = digest_of_file(start) if start else ""
        return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()[:12]

    @functools.cached_property
    def folders(self) -> tuple[str, ...]:
        """The folders of the stages in that of a run, such as `stages/2-play-0a1b2c3d4e5f`.

        They are named once, by the files that stages learn from as they are then: these may change meanwhile.
        """
        return tuple(f"stages/{n + 1}-{stage.name}-{self.key(n)}" for n, stage in enumerate(self.stages))

    def to_yaml(self) -> str:
        """The whole recipe, with every setting."""
        import yaml

        plain = {name: getattr(self, name) for name in ("game", *PLAIN)}
        groups = {name: to_builtins(getattr(self, name)) for name in GROUPS}
        stages = [{stage.kind: to_builtins(stage.settings)} for stage in self.stages]
        whole = {**plain, "options": dict(self.options), **groups, "stages": stages}
        text: str = yaml.safe_dump(whole, sort_keys=False, width=110, allow_unicode=True)
        return text


def _files(settings: Group, game: Game) -> list[str]:
    """The files that a stage learns from, with their digests: of runs, and of the players whom it imitates."""
    found = sorted(Path(settings.runs).rglob("*.parquet")) if settings.runs else []
    lines = [f"{file.relative_to(settings.runs).as_posix()} {digest_of_file(file)}" for file in found]
    if isinstance(settings, Imitate) and settings.asks_teacher:
        for text in (settings.teacher, *(() if settings.runs else settings.players)):
            lines += [f"{text} {name} {digest}" for name, digest in fingerprint(text, game).items()]
    return lines


def names(game: str) -> list[str]:
    """The game's own recipes: "" is that of its policy, if there is one."""
    found = [file.stem for file in POLICIES.glob(f"{game}*.yaml")]
    return sorted(name.removeprefix(game).removeprefix("-") for name in found if name == game or name[len(game)] == "-")


def find(game: str, recipe: str = "") -> Path:
    """The file of a recipe: a name, or a file that ends in .yaml. ValueError says what is possible."""
    if recipe.endswith((".yaml", ".yml")):
        return Path(recipe)
    rules = games.make_from(game, {})
    known = names(game)
    if recipe in known:
        return POLICIES / f"{game}{recipe and '-'}{recipe}.yaml"
    if recipe in ("", OWN_PLAY):
        return POLICIES / f"{recipe or ANY[rules.moves_men]}.yaml"
    raise ValueError(
        f"unknown recipe {recipe!r} for {game}: expected one of its recipes ({_recipes_text(game)}) or a .yaml file"
    )


def _recipes_text(game: str) -> str:
    """The names of the recipes of a game, for messages."""
    return ", ".join([name for name in names(game) if name] + [OWN_PLAY])


def load(file: Path, game: str, options: Iterable[str] = (), changes: Iterable[str] = ()) -> Recipe:
    """The recipe in a file, with options of the game and changes such as "play.steps=1000".

    Raises:
        ValueError: not a recipe, or one for another game; unknown or impossible settings.
        OSError: the file cannot be read.
    """
    given = games.options_from_text(game, options)
    recipe = read_yaml("recipe", file)
    try:
        if recipe.setdefault("game", game) != game:
            raise ValueError(f"expected a recipe for {game}, got one for {checks.brief(recipe['game'])}")
        stages = _stages(recipe.get("stages"))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    change(recipe, stages, changes)
    try:
        usual = checks.mapping("options", recipe.pop("options", None))
        rules = games.make_from(game, {**usual, **given})
        recipe["options"] = rules.options
        if file.parent == POLICIES and file.stem.startswith(game) and "search" in stages:
            learned = games.make_from(game, usual).players
            if learned != rules.players:
                raise ValueError(
                    f"this recipe is for {learned} players, got players={rules.players}; expected another recipe "
                    f"({_recipes_text(game)}) or a .yaml file"
                )
        recipe["stages"] = tuple(
            Stage(name, kind, from_yaml("a stage", STAGES[kind], settings, name))
            for name, (kind, settings) in stages.items()
        )
        found = from_yaml("a recipe", Recipe, recipe)
        if not any(stage.trains_policy for stage in found.stages):
            raise ValueError("stages: expected one that trains the policy; after `search` that is `distill`")
        return found
    except ValueError as error:
        raise ValueError(str(error) if changes else f"{file}: {error}") from None


def _stages(values: object) -> dict[str, tuple[str, dict[str, Any]]]:
    """The kind and the settings of each stage by its name, from the list of a file."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    if not isinstance(values, list):
        raise ValueError(f"stages: expected a list, got {checks.brief(values)}")
    for entry in values:
        named = {entry: None} if isinstance(entry, str) else checks.mapping("stage", entry)
        if len(named) != 1:
            raise ValueError(f"a stage: expected KIND: {{SETTING: VALUE, ..}}, got {checks.brief(entry)}")
        ((kind, settings),) = named.items()
        checks.one_of("stage", kind, tuple(STAGES))
        count = 1 + sum(other == kind for other, _ in found.values())
        found[kind if count == 1 else f"{kind}-{count}"] = kind, dict(checks.mapping(kind, settings))
    return found


def change(recipe: dict[str, Any], stages: Mapping[str, tuple[str, dict[str, Any]]], changes: Iterable[str]) -> None:
    """Put changes such as "seed=3" or "play.steps=1000" into the values of a recipe."""
    import yaml

    changed: set[str] = set()
    for text in changes:
        path, equals, value = checks.text("setting", text).partition("=")
        if path in changed:
            raise ValueError(f"expected one value of {path}, got two")
        changed.add(path)
        group, dot, name = path.rpartition(".")
        known = [*PLAIN, *(f"{each}.SETTING" for each in (*GROUPS, *stages))]
        if not equals:
            raise ValueError(f"expected a setting NAME=VALUE with one of {', '.join(known)}, got {checks.brief(text)}")
        if path not in PLAIN if not dot else group not in (*GROUPS, *stages):
            raise ValueError(f"unknown setting {checks.brief(path)}; the settings: {', '.join(known)}")
        try:
            read = yaml.safe_load(value)
        except (yaml.YAMLError, ValueError):
            read = value
        if not dot:
            recipe[path] = read
        elif group in GROUPS:
            recipe[group] = {**checks.mapping(group, recipe.get(group)), name: read}
        else:
            stages[group][1][name] = read
