"""Networks that play, from any kind of file: `network(planes) -> logits, values`.

    net.onnx    ONNX, as `amoba train` and `amoba export` write it        (the extra "trained", no torch)
    policy.pt   the weights of a BoardPolicy, as `amoba train` keeps them (the extra "train")

An ONNX model takes "observation", int8 [B, H, W, planes], and returns the logits [B, A] of all actions, legal or not,
and the value [B] for the player to move, -1 .. 1; it is one file, without external data. These files cannot run code
when they are loaded. A .zip of MaskablePPO can, so `amoba export` has to convert it to .onnx first.
"""

from __future__ import annotations

import functools
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_agents.networks.architecture import Architecture, build, from_texts, read
from amoba_agents.networks.checksum import check
from amoba_agents.sources import digest_of_file, note
from amoba_env import games
from amoba_env.extras import install

Planes = NDArray[np.int8]
Evaluated = tuple[NDArray[np.float32], NDArray[np.float32]]

ROWS = 16  # the most positions in a forward pass

LOCATION = b"\n\x08location\x12"  # the key of ONNX's external data, a message of two texts, with the tag of the value

_loading = threading.Lock()


class Network(ABC):
    """Base class of networks: a policy and a value for positions that the player to move sees.

    Attributes:
        observation_shape: [H, W, planes] of the board that it was trained on.
        n_actions: the number of its logits.
        architecture: how it is built; None: unknown.
        any_size: whether other sizes of boards are possible. Then an action is a cell, row by row.
        multiple: evaluate() gives the last pass a multiple of this number of positions.
    """

    observation_shape: tuple[int, ...]
    n_actions: int
    architecture: Architecture | None = None
    any_size: bool = False
    multiple: int = ROWS

    @abstractmethod
    def __call__(self, planes: Planes) -> Evaluated:
        """int8 [B, H, W, planes] -> logits float32 [B, A], values float32 [B]."""


class Sb3Network(Network):
    """A MaskableActorCriticPolicy. It must not be trained while it plays."""

    def __init__(self, policy: Any, architecture: Architecture | None = None) -> None:
        policy.set_training_mode(False)
        self.policy, self.architecture = policy, architecture
        self.observation_shape = tuple(policy.observation_space.shape)
        self.n_actions = int(policy.action_space.n)

    def __call__(self, planes: Planes) -> Evaluated:
        """See Network."""
        import torch

        with torch.no_grad():
            logits, values = forward(self.policy, torch.as_tensor(planes, device=self.policy.device))
        return logits.cpu().numpy(), values.cpu().numpy()


def forward(policy: Any, planes: Any) -> tuple[Any, Any]:
    """Tensors int8 [B, H, W, planes] -> the logits [B, A] and values [B] of a MaskableActorCriticPolicy.

    It does not call get_distribution(), which returns an object that all threads share.
    """
    features = policy.extract_features(planes)
    actor, critic = (features, features) if policy.share_features_extractor else features
    logits = policy.action_net(policy.mlp_extractor.forward_actor(actor))
    return logits, policy.value_net(policy.mlp_extractor.forward_critic(critic)).squeeze(1)


class OnnxNetwork(Network):
    """An ONNX model, run by onnxruntime on one core, as the arena has a thread for each core."""

    multiple = 2  # onnxruntime multiplies a single row in another order than several rows

    def __init__(self, file: Path) -> None:
        import onnxruntime

        model = file.read_bytes()
        check(model)
        if LOCATION in model:  # onnxruntime would read files that nobody noted
            raise ValueError("its weights are in another file; expected a model in one file, without external data")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if (len(inputs), len(outputs)) != (1, 2):
            raise ValueError(f"expected 1 input and 2 outputs, got {len(inputs)} and {len(outputs)}")
        seen, logits = inputs[0], outputs[0]
        if isinstance(seen.shape[0], int):
            raise ValueError(f"expected any number of positions, [B, H, W, planes], got {seen.shape}")
        self.architecture = from_texts(self._session.get_modelmeta().custom_metadata_map)
        self.any_size = self.architecture is not None and isinstance(seen.shape[1], str)
        if self.architecture is not None and self.any_size:
            game = games.make_from(self.architecture.game, self.architecture.options)
            self.observation_shape, self.n_actions = game.observation_shape, game.n_actions
        else:
            self.observation_shape, self.n_actions = tuple(seen.shape[1:]), int(logits.shape[1])

    def __call__(self, planes: Planes) -> Evaluated:
        """See Network."""
        logits, values = self._session.run(None, {"observation": planes})
        if values.size != len(planes):
            raise ValueError(f"expected one value for each position, got values of shape {values.shape}")
        return logits, values.reshape(len(planes))


def evaluate(network: Network, planes: Planes) -> Evaluated:
    """`network(planes)`, in passes such that the result of a row does not depend on the other rows.

    A pass has ROWS positions. The last one may have fewer, if they are a multiple of the network's `multiple`.
    """
    count, multiple = len(planes), network.multiple
    padded = np.zeros((-(-count // multiple) * multiple, *planes.shape[1:]), np.int8)
    padded[:count] = planes
    parts = [network(padded[first : first + ROWS]) for first in range(0, len(padded), ROWS)]
    logits, values = (np.concatenate(column)[:count] for column in zip(*parts, strict=True))
    return logits, values


def load(path: str | Path, name: str = "") -> Network:
    """The network in a file, for a player: look(), and note that it reads the file, see amoba_agents.sources.

    Args:
        path: the file.
        name: the name of the file in manifests of runs; by default the given path.

    Raises:
        ValueError: as look().
    """
    network = look(path)
    note_file(path, name)
    return network


def note_file(path: str | Path, name: str = "") -> None:
    """Note that a player reads a network. ValueError: the file does not exist."""
    note(file_of(path), name or str(path))


def look(path: str | Path) -> Network:
    """The network in a file; it is loaded once, until the file changes.

    Raises:
        ValueError: the file does not exist, has no network, or needs a package that is not installed.
    """
    file = file_of(path)
    name = file.name
    if file.suffix == ".zip":
        raise ValueError(f"trained: {name} can run code; convert it with `amoba export {name} -o NAME.onnx --trust`")
    if file.suffix not in LOADERS:
        raise ValueError(f"trained: expected a file that ends in {', '.join(LOADERS)}, got {name}")
    with _loading:
        return _load(file, digest_of_file(file))


def file_of(path: str | Path) -> Path:
    """The file of a network. ValueError if it does not exist."""
    named = os.path.expanduser(path)
    if not os.path.isfile(named):  # also if the name is too long
        raise ValueError(f"trained: the file {' '.join(str(path).split())} does not exist")
    return Path(named).resolve()


@functools.lru_cache(maxsize=8)
def _load(file: Path, digest: str) -> Network:
    loader, what, extra = LOADERS[file.suffix]
    try:
        return loader(file)
    except ImportError as error:
        raise ValueError(f"{file.name} needs more ({error}): {install(extra)}") from None
    except ValueError as error:
        raise ValueError(f"{file} is not {what}: {' '.join(str(error).split())}") from None
    except Exception as error:  # libraries raise anything for damaged files, with messages for developers
        raise ValueError(f"{file} is not {what}: it cannot be read") from error


def _from_weights(file: Path) -> Network:
    import torch

    from amoba_agents.networks.line_patterns import BoardLines

    architecture, weights = read(file)
    with torch.random.fork_rng(devices=[]):
        policy = build(architecture)
    policy.load_state_dict(weights)
    if isinstance(policy.features_extractor, BoardLines):
        policy.features_extractor.fold()
    return Sb3Network(policy, architecture)


# By suffix: the loader, what it loads, and the extra that it needs.
LOADERS: dict[str, tuple[Callable[[Path], Network], str, str]] = {
    ".onnx": (OnnxNetwork, "an ONNX model with a policy and a value, such as `amoba export` writes", "trained"),
    ".pt": (_from_weights, "a file of weights that `amoba train` wrote", "train"),
}
