"""The architecture of a network: the game that it was trained for, its body and sizes. Files of networks contain it.

`policy.pt`, written by `amoba train`, holds the architecture and the weights of a BoardPolicy. It is read without
running code (torch's `weights_only`). ONNX files of `amoba export` and `amoba train` have the architecture in their
metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amoba_agents.networks.checksum import check_zip
from amoba_agents.values.winning_sets import in_lines
from amoba_env import __version__, checks, games
from amoba_env.games import Game
from amoba_env.options import Options

if TYPE_CHECKING:
    from amoba_agents.networks.board_policy import BoardPolicy

PREFIX = "amoba."  # of keys in the metadata of ONNX files
SIZES = ("body", "channels", "layers", "hidden")


@dataclass(frozen=True)
class Architecture:
    """Everything needed to build the network, except its weights."""

    game: str  # the game it was trained for
    body: str  # "lines", "rows", "cnn" or "mlp", see amoba_agents.networks.board_policy
    channels: int
    layers: int
    hidden: int = 0  # width of an MLP; 0: another body
    options: Options = field(default_factory=dict)  # of the game
    version: str = __version__  # of amoba when it was written

    def __str__(self) -> str:
        return f"{self.game} ({', '.join(f'{name}={value}' for name, value in self.sizes.items())})"

    @property
    def sizes(self) -> dict[str, Any]:
        """The arguments of board_kwargs."""
        return {name: getattr(self, name) for name in SIZES if getattr(self, name)}

    def to_texts(self) -> dict[str, str]:
        """The architecture as metadata of an ONNX file."""
        values = {**asdict(self), "options": dict(self.options)}
        return {PREFIX + name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}


def from_texts(texts: Mapping[str, str]) -> Architecture | None:
    """The architecture in the metadata of an ONNX file, or None. ValueError if it cannot be read."""
    found = {name.removeprefix(PREFIX): text for name, text in texts.items() if name.startswith(PREFIX)}
    if not found:
        return None
    kinds = {each.name: str(each.type) for each in fields(Architecture)}
    try:
        values = {name: text if kinds[name] == "str" else json.loads(text) for name, text in found.items()}
        return checked(values)
    except (KeyError, ValueError) as error:
        raise ValueError(f"its metadata does not describe a network that this version knows: {error}") from None


def checked(values: object) -> Architecture:
    """An architecture from its fields. ValueError if they do not describe a network."""
    given = dict(checks.mapping("architecture", values))
    unknown = given.keys() - {each.name for each in fields(Architecture)}
    if unknown:
        raise ValueError(f"unknown {', '.join(sorted(map(str, unknown)))}")
    for name in ("game", "body", "version"):
        checks.text(name, given.get(name))
    for name in ("channels", "layers", "hidden"):
        checks.whole(name, given.get(name), 0)
    return Architecture(**{**given, "options": dict(checks.mapping("options", given.get("options")))})


def bodies_for(game: Game) -> tuple[str, ...]:
    """The bodies of networks that fit a game, the default first. See amoba_agents.networks.board_policy."""
    placing = () if game.moves_men else ("lines", "rows") if in_lines(game) else ("rows",)
    first = ("mlp",) if game.board.double_width else placing
    return tuple(dict.fromkeys((*first, *placing, "cnn", "mlp")))


def architecture_of(game: Game, **sizes: Any) -> Architecture:
    """The architecture of a network for a game; the defaults are those of board_kwargs and the body."""
    import inspect

    from amoba_agents.networks.board_policy import BODIES, board_kwargs

    body = board_kwargs(game, **{key: value for key, value in sizes.items() if key == "body"})["body"]
    known = inspect.signature(BODIES[body]).parameters
    chosen = {name: sizes.get(name, known[name].default) for name in SIZES if name in known}
    return Architecture(game.name, body=body, options=dict(game.options), **chosen)


def build(what: Architecture) -> BoardPolicy:
    """A new network, with random weights from torch. ValueError if it is impossible."""
    from amoba_agents.networks.board_policy import BoardPolicy, board_kwargs
    from amoba_env.sb3 import SelfPlayVecEnv

    game = games.make_from(what.game, what.options)
    options: dict[str, Any] = dict(game.options)
    env = SelfPlayVecEnv(game.name, 1, **options)
    return BoardPolicy(env.observation_space, env.action_space, lambda _: 0.0, **board_kwargs(game, **what.sizes))


def read(file: Path) -> tuple[Architecture, dict[str, Any]]:
    """The architecture and the weights in a policy.pt. ValueError if it has none."""
    import torch

    check_zip(file)
    found = checks.mapping(file.name, torch.load(file, weights_only=True, map_location="cpu"))
    return checked(found.get("architecture")), dict(checks.mapping("weights", found.get("weights")))
