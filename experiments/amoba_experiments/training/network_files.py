"""The files of training: networks as .pt and as ONNX, initial weights, checkpoints.

Files are written whole or not at all. None of them can run code when it is read.
"""

from __future__ import annotations

import functools
import io
import itertools
import logging
import re
import warnings
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from amoba_agents.networks.architecture import PREFIX, Architecture, architecture_of, build
from amoba_agents.networks.board_policy import PlaceHead
from amoba_agents.networks.checksum import KEY, check_zip, sealed
from amoba_agents.networks.inference import Network, Sb3Network, evaluate, file_of, forward, load
from amoba_agents.networks.line_patterns import BoardLines
from amoba_env import games
from amoba_env.extras import needs
from amoba_env.files import write
from amoba_experiments.runs.files import replace

NEAR = 1e-3  # tolerance of the copy's logits, relative to the largest


# --- PyTorch ---------------------------------------------------------------------------------------------------------


def save(file: Path, state: dict[str, Any]) -> None:
    """Write tensors, numbers and texts, in dictionaries and lists; never pickled objects."""
    data = io.BytesIO()
    torch.save(state, data)
    replace(file, data.getbuffer())


def saved(file: Path) -> dict[str, Any] | None:
    """What `save` wrote; None if there is no file. Raises ValueError if it cannot be read."""
    if not file.exists():
        return None
    try:
        check_zip(file)
        found: dict[str, Any] = torch.load(file, weights_only=True, map_location="cpu")
    except Exception as error:  # damaged files raise anything
        raise ValueError(f"{file} cannot be read: {' '.join(str(error).split())[:200]}; remove it") from None
    return found


def write_pt(policy: Any, what: Architecture, file: Path) -> None:
    """Write a BoardPolicy as a policy.pt, see amoba_agents.networks.architecture."""
    save(file, {"architecture": {**asdict(what), "options": dict(what.options)}, "weights": policy.state_dict()})


# --- ONNX ------------------------------------------------------------------------------------------------------------


class Exported(torch.nn.Module):
    """A MaskableActorCriticPolicy as a function from planes to logits and values."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.policy = deepcopy(policy).cpu()
        if isinstance(self.policy.features_extractor, BoardLines):
            self.policy.features_extractor.fold()

    @property
    def any_size(self) -> bool:
        """Whether the network works on boards of other sizes: all weights are shared by the cells."""
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
        trust: whether to load a .zip. It is a pickle, which can run any code.

    Raises:
        ValueError: the file does not exist or has no policy, a .zip is not trusted, the target does not end in .onnx,
            or the copy differs.
        ImportError: onnx or onnxscript is not installed.
    """
    if source.suffix not in (".zip", ".pt"):
        raise ValueError(f"expected a .zip of MaskablePPO or a .pt of `amoba train`, got {source}")
    if source.suffix == ".zip" and file_of(source) and not trust:
        raise ValueError(f"{source} can run code when loaded: add --trust if you trust its author")
    network = _of_maskable_ppo(source) if source.suffix == ".zip" else load(source)
    assert isinstance(network, Sb3Network)
    write_onnx(network.policy, network.architecture, target)


def _of_maskable_ppo(file: Path) -> Sb3Network:
    from sb3_contrib import MaskablePPO

    try:
        check_zip(file)
    except ValueError as error:
        raise ValueError(f"{file.name}: expected a model of MaskablePPO: {error}") from None
    # Without a training buffer, and without seeding the random numbers of the process.
    quiet = {"seed": None, "n_envs": 1, "n_steps": 2}
    try:
        with torch.random.fork_rng(devices=[]):
            return Sb3Network(MaskablePPO.load(file, device="cpu", custom_objects=quiet).policy)
    except Exception as error:  # libraries raise anything for damaged files, with messages for developers
        raise ValueError(f"{file.name}: expected a model of MaskablePPO") from error


@functools.cache
def try_export() -> None:
    """Export a small network: what is missing for it is said before hours of training. Raises as write_onnx."""
    what = architecture_of(games.make("gomoku", size=5), channels=4, layers=1)
    with TemporaryDirectory() as folder, torch.random.fork_rng(devices=[]):
        write_onnx(build(what), what, Path(folder, "small.onnx"))


def write_onnx(policy: Any, what: Architecture | None, target: Path) -> None:
    """Write a MaskableActorCriticPolicy as ONNX, see networks/inference.py; with its architecture, if it is known.

    Raises:
        ValueError: a target that does not end in .onnx, or a copy that is not equal.
        ImportError: a library for it is missing, or too old.
    """
    if target.suffix != ".onnx":
        raise ValueError(f"expected a file that ends in .onnx, got {target}")
    for name in ("torch.onnx", "onnxscript"):
        logging.getLogger(name).setLevel(logging.ERROR)
    module = Exported(policy)
    free = what is not None and module.any_size
    sizes: dict[int, Any] = {1: torch.export.Dim("height"), 2: torch.export.Dim("width")} if free else {}
    rng = np.random.default_rng(0)
    planes = rng.integers(0, 2, (64, *policy.observation_space.shape), np.int8)
    with TemporaryDirectory() as folder:
        part = Path(folder, target.name)
        with warnings.catch_warnings(), needs("train", "copies as ONNX"):
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
        _add_metadata(part, what)
        if not all(_near(one, two) for one, two in zip(evaluate(load(part), planes), expected, strict=True)):
            raise ValueError(f"{target}: the copy has other logits and values")
        write(target, part.read_bytes())


def _add_metadata(file: Path, what: Architecture | None) -> None:
    """Write the architecture, if it is known, and a checksum into an ONNX file.

    The exporter's notes on the source code, such as paths on this machine, are removed.
    """
    import onnx

    model = onnx.load(file)
    texts = {each.key: each.value for each in model.metadata_props if each.key != KEY}
    if what is not None:
        texts = {key: text for key, text in texts.items() if not key.startswith(PREFIX)} | what.to_texts()
    graph = model.graph
    for part in (graph, *graph.node, *graph.value_info, *graph.input, *graph.output, *graph.initializer):
        del part.metadata_props[:]
    del model.metadata_props[:]
    for key, value in texts.items():
        model.metadata_props.add(key=key, value=value)
    file.write_bytes(sealed(model.SerializeToString()))


# --- Weights to go on from -------------------------------------------------------------------------------------------


def weights_of(network: Network, file: Path, policy: Any) -> dict[str, torch.Tensor]:
    """The weights of the network in a file, for a policy like it."""
    found: dict[str, torch.Tensor] = network.policy.state_dict() if isinstance(network, Sb3Network) else {}
    return found or _from_onnx(file, policy)


def _from_onnx(file: Path, policy: Any) -> dict[str, torch.Tensor]:
    """The weights in an .onnx that `export` wrote, for a policy of the same architecture.

    ONNX has only the complete table of line patterns; minus the small network's part, it is the learned part.
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
    names = {name: _name(name) for name in policy.state_dict()}  # several names for a shared body
    for constant in {_name(name) for name, _ in policy.named_buffers()}.difference(names.values()):
        found.pop(constant, None)  # constants that a policy makes itself
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
