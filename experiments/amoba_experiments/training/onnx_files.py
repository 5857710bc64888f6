"""Trained networks as ONNX files, which play without torch; and their weights back, to go on from."""

from __future__ import annotations

import itertools
import logging
import re
import warnings
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from amoba_agents.networks.inference import Sb3Network, evaluate, load
from amoba_agents.networks.lines import BoardLines
from amoba_agents.networks.trained import PolicyAgent
from amoba_env.games import Game

NEAR = 1e-3  # logits of the copy may differ by this, relative to the largest


class Exported(torch.nn.Module):
    """A MaskableActorCriticPolicy as a function from planes to logits and values."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.policy = deepcopy(policy)
        if isinstance(self.policy.features_extractor, BoardLines):
            self.policy.features_extractor.fold()

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """int8 [B, H, W, planes] -> [B, A], [B]."""
        policy = self.policy
        features = policy.extract_features(observation)
        actor, critic = (features, features) if policy.share_features_extractor else features
        logits = policy.action_net(policy.mlp_extractor.forward_actor(actor))
        return logits, policy.value_net(policy.mlp_extractor.forward_critic(critic)).squeeze(1)


def export(source: Path, target: Path) -> None:
    """Write the policy of a MaskablePPO file as ONNX.

    Raises:
        ValueError: no such file or no model in it, a target that does not end in .onnx, or a copy that is not equal.
        ImportError: onnx or onnxscript is not installed.
    """
    if source.suffix != ".zip":
        raise ValueError(f"{source} is no .zip of MaskablePPO")
    network = load(source)
    assert isinstance(network, Sb3Network)
    write_onnx(Exported(network.policy), network.observation_shape, target)


def write_onnx(module: torch.nn.Module, observation_shape: tuple[int, ...], target: Path) -> None:
    """Write a module that maps int8 [B, H, W, planes] to logits [B, A] and values [B], see networks/inference.py."""
    if target.suffix != ".onnx":
        raise ValueError(f"{target} should end in .onnx")
    for name in ("torch.onnx", "onnxscript"):
        logging.getLogger(name).setLevel(logging.ERROR)
    rng = np.random.default_rng(0)
    planes = rng.integers(0, 2, (64, *observation_shape), np.int8)
    part = target.with_suffix(".part.onnx")
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
            dynamic_shapes=({0: torch.export.Dim("batch")},),
        )
    with torch.no_grad():
        logits, values = (part.numpy() for part in module(torch.as_tensor(planes)))
    same = [_near(one, two) for one, two in zip(evaluate(load(part), planes), (logits, values), strict=True)]
    if not all(same):
        part.unlink()
        raise ValueError(f"{target}: the copy does not give the same logits and values")
    part.replace(target)


def weights(file: Path, policy: Any) -> dict[str, torch.Tensor]:
    """The weights in a .zip of MaskablePPO or an .onnx that `export` wrote, for a policy like the one in it.

    A table of lines, which ONNX has only whole, is all learned of the very lines then.

    Raises:
        ValueError: no such file, or no such network in it.
    """
    if file.suffix != ".onnx":
        return _of_zip(file)
    load(file)  # says what is wrong
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
    body, table = policy.features_extractor, found.pop("features_extractor.folded", None)
    if isinstance(body, BoardLines) and table is not None:
        said = (body.table() - body.line.flatten(0, 1)).detach()
        if table.shape == said.shape:
            found["features_extractor.line"] = (table - said).view_as(body.line)
        found |= {name: policy.state_dict()[name] for name in names if name.startswith("features_extractor.stones")}
    return {name: found[same] for name, same in names.items() if same in found} | {
        name: array for name, array in found.items() if name not in names.values()
    }


def _of_zip(file: Path) -> dict[str, torch.Tensor]:
    network = load(file)
    if not isinstance(network, Sb3Network):
        raise ValueError(f"{file} is no .zip of MaskablePPO and no .onnx")
    return dict(network.policy.state_dict())


def anatomy(file: Path, game: Game) -> dict[str, str | int]:
    """The body of the network in a file, and its sizes: {"body": .., "channels": .., "layers": .., "hidden": ..}.

    Only an MLP has "hidden".

    Raises:
        ValueError: no such file, no network of `amoba train` in it, or one for another board than the game's.
    """
    PolicyAgent(load(file), f"start={file}").memory(game)
    if file.suffix == ".onnx":
        import onnx

        shapes = {each.name.removeprefix("policy."): tuple(each.dims) for each in onnx.load(file).graph.initializer}
    else:
        shapes = {name: tuple(array.shape) for name, array in _of_zip(file).items()}
    body = {_name(name).partition("features_extractor.")[2]: shape for name, shape in shapes.items()}

    def count(pattern: str) -> int:
        return sum(re.fullmatch(pattern, name) is not None for name in body)

    table = body.get("line", body.get("folded"))
    if table is not None:
        return {"body": "lines", "channels": table[-1], "layers": count(r"blocks\.\d+\.first\.bias")}
    if "last.bias" in body:
        return {"body": "rows", "channels": body["last.bias"][0], "layers": 1 + count(r"to_set\.\d+\.bias")}
    if "first.bias" in body:
        return {"body": "cnn", "channels": body["first.bias"][0], "layers": 1 + count(r"others\.\d+\.bias")}
    last = 2 * (count(r"layers\.\d+\.bias") - 1)  # activations lie between
    if f"layers.{last}.bias" not in body:
        raise ValueError(f"start: {file} has no network of `amoba train` in it")
    channels, hidden = body[f"layers.{last}.bias"][0] // game.n_cells, body["layers.0.bias"][0]
    return {"body": "mlp", "channels": channels, "layers": last // 2, "hidden": hidden}


def _name(weight: str) -> str:
    return re.sub("^(pi|vf)_(?=features_extractor)", "", weight)


def _near(one: NDArray[np.float32], two: NDArray[np.float32]) -> bool:
    return bool(np.abs(one - two).max() <= NEAR * max(1.0, float(np.abs(two).max())))
