"""Trained networks as ONNX files, which play without torch; and their weights back, to go on from."""

from __future__ import annotations

import itertools
import logging
import re
import warnings
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from amoba_agents.networks.architecture import PREFIX, Architecture, build
from amoba_agents.networks.checksum import KEY, check_zip, sealed
from amoba_agents.networks.inference import Sb3Network, evaluate, files_of, forward, load
from amoba_agents.networks.lines import BoardLines
from amoba_agents.networks.policy import PlaceHead
from amoba_agents.networks.trained import PolicyAgent
from amoba_env.files import write
from amoba_env.games import Game

NEAR = 1e-3  # logits of the copy may differ by this, relative to the largest


class Exported(torch.nn.Module):
    """A MaskableActorCriticPolicy as a function from planes to logits and values."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.policy = deepcopy(policy)
        if isinstance(self.policy.features_extractor, BoardLines):
            self.policy.features_extractor.fold()

    @property
    def any_size(self) -> bool:
        """Whether it can see boards of other sizes: all its weights are shared by the cells."""
        body, head = self.policy.features_extractor, self.policy.action_net
        return isinstance(body, BoardLines) and body.whole and isinstance(head, PlaceHead) and head.choice is None

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """int8 [B, H, W, planes] -> [B, A], [B]."""
        return forward(self.policy, observation)


def export(source: Path, target: Path, trust: bool = False) -> None:
    """Write the policy of a .pt of `amoba train`, or of a MaskablePPO's .zip, as ONNX.

    Args:
        source: the file.
        target: ends in .onnx.
        trust: whether a .zip may be loaded. It is a pickle: whoever made it decides what runs then.

    Raises:
        ValueError: no such file or no policy in it, a .zip that is not trusted, a target that does not end in .onnx, or
            a copy that is not equal.
        ImportError: onnx or onnxscript is not installed.
    """
    if source.suffix not in (".zip", ".pt"):
        raise ValueError(f"expected a .zip of MaskablePPO or a .pt of `amoba train`, got {source}")
    if source.suffix == ".zip" and not trust:
        raise ValueError(f"{source} can run code when it is loaded: add --trust if you trust who made it")
    network = _of_maskable_ppo(files_of(source)[0]) if source.suffix == ".zip" else load(source)
    assert isinstance(network, Sb3Network)
    write_onnx(Exported(network.policy), network.observation_shape, target, network.architecture)


def _of_maskable_ppo(file: Path) -> Sb3Network:
    from sb3_contrib import MaskablePPO

    try:
        check_zip(file)
    except ValueError as error:
        raise ValueError(f"{file.name} is not a model of MaskablePPO: {error}") from None
    # A model brings a buffer to train with, and sets the random numbers of the whole process; neither is needed here.
    quiet = {"seed": None, "n_envs": 1, "n_steps": 2}
    try:
        with torch.random.fork_rng(devices=[]):
            return Sb3Network(MaskablePPO.load(file, device="cpu", custom_objects=quiet).policy)
    except Exception as error:  # whatever a library may raise for a damaged file; its words are for its developers
        raise ValueError(f"{file.name} is not a model of MaskablePPO") from error


def write_policy(policy: Any, architecture: Architecture, target: Path) -> None:
    """Write a BoardPolicy as ONNX, with its architecture in the metadata."""
    if policy.device.type != "cpu":
        weights = policy.state_dict()
        policy = build(architecture)
        policy.load_state_dict(weights)
    write_onnx(Exported(policy), tuple(policy.observation_space.shape), target, architecture)


def write_onnx(
    module: torch.nn.Module,
    observation_shape: tuple[int, ...],
    target: Path,
    architecture: Architecture | None = None,
) -> None:
    """Write a module that maps int8 [B, H, W, planes] to logits [B, A] and values [B], see networks/inference.py."""
    if target.suffix != ".onnx":
        raise ValueError(f"{target} should end in .onnx")
    for name in ("torch.onnx", "onnxscript"):
        logging.getLogger(name).setLevel(logging.ERROR)
    free = architecture is not None and getattr(module, "any_size", False)
    sizes: dict[int, Any] = {1: torch.export.Dim("height"), 2: torch.export.Dim("width")} if free else {}
    rng = np.random.default_rng(0)
    planes = rng.integers(0, 2, (64, *observation_shape), np.int8)
    with TemporaryDirectory() as folder:
        part = Path(folder, target.name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the exporter, about its own future
            torch.onnx.export(
                module.eval(),
                (torch.as_tensor(planes),),
                part,
                dynamo=True,
                verbose=False,
                external_data=False,
                input_names=["observation"],
                output_names=["logits", "value"],
                dynamic_shapes=({0: torch.export.Dim("batch"), **sizes},),
            )
        with torch.no_grad():
            expected = [each.numpy() for each in module(torch.as_tensor(planes))]
        add_metadata(part, architecture)
        if not all(_near(one, two) for one, two in zip(evaluate(load(part), planes), expected, strict=True)):
            raise ValueError(f"{target}: the copy does not give the same logits and values")
        write(target, part.read_bytes())


def add_metadata(file: Path, architecture: Architecture | None) -> None:
    """Write the architecture, if it is known, and a checksum into an ONNX file; nothing else in it changes."""
    import onnx

    model = onnx.load(file)
    texts = {each.key: each.value for each in model.metadata_props if each.key != KEY}
    if architecture is not None:
        texts = {key: text for key, text in texts.items() if not key.startswith(PREFIX)} | architecture.to_texts()
    del model.metadata_props[:]
    for key, value in texts.items():
        model.metadata_props.add(key=key, value=value)
    file.write_bytes(sealed(model.SerializeToString()))


def starting_weights(file: Path, game: Game) -> tuple[Architecture, Callable[[Any], dict[str, torch.Tensor]]]:
    """What the network in a file is, and a function that gives its weights to a policy like it.

    Raises:
        ValueError: no such file, no network of amoba in it, or one for another game or board.
    """
    network = load(file)
    PolicyAgent(network, str(file)).memory(game)
    what = network.architecture
    if what is None:
        raise ValueError(
            f"{file} does not say what its network is: start from a .pt of `amoba train`, or from an .onnx that "
            "`amoba train` or `amoba export` wrote"
        )
    if isinstance(network, Sb3Network):
        found = network.policy.state_dict()
        return what, lambda policy: found
    return what, lambda policy: weights(file, policy)


def weights(file: Path, policy: Any) -> dict[str, torch.Tensor]:
    """The weights in an .onnx that `export` wrote, for a policy like the one in it.

    A table of lines, which ONNX has only whole, is all learned of the very lines then.
    """
    import onnx

    graph = onnx.load(file).graph
    found = {each.name: torch.tensor(onnx.numpy_helper.to_array(each)) for each in graph.initializer}
    products = {node.output[0]: node.input for node in graph.node if node.op_type == "MatMul"}
    for node in graph.node:
        for one, other in itertools.permutations(node.input, 2) if node.op_type == "Add" else ():
            if one.endswith(".bias") and other in products and products[other][1] in found:
                found[one.removesuffix("bias") + "weight"] = found[products[other][1]].T
    found = {_name(name.removeprefix("policy.")): array for name, array in found.items() if "." in name}
    names = {name: _name(name) for name in policy.state_dict()}  # of one body, as often as it is shared
    for constant in {_name(name) for name, _ in policy.named_buffers()}.difference(names.values()):
        found.pop(constant, None)  # a policy makes it itself
    body, table = policy.features_extractor, found.pop("features_extractor.folded", None)
    if isinstance(body, BoardLines) and table is not None:
        said = (body.table() - body.line.flatten(0, 1)).detach()
        if table.shape == said.shape:
            found["features_extractor.line"] = (table - said).view_as(body.line)
        found |= {name: policy.state_dict()[name] for name in names if name.startswith("features_extractor.stones")}
    return {name: found[same] for name, same in names.items() if same in found} | {
        name: array for name, array in found.items() if name not in names.values()
    }


def _name(weight: str) -> str:
    return re.sub("^(pi|vf)_(?=features_extractor)", "", weight)


def _near(one: NDArray[np.float32], two: NDArray[np.float32]) -> bool:
    return bool(np.abs(one - two).max() <= NEAR * max(1.0, float(np.abs(two).max())))
