"""Trained players: the policy of a MaskablePPO model, from a file or in memory.

    amoba match gomoku trained:runs/gomoku/model.zip greedy

Needs `pip install 'amoba[train]'`; torch is imported when the first such player is made. A model file holds pickled
Python: load only files that you trust.
"""

from __future__ import annotations

import functools
import threading
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_env.agent import Actions, Forgetful, Memory, Streams
from amoba_env.batch import observe
from amoba_env.core.batch import actions_from_seen, below_all
from amoba_env.core.state import TO_MOVE, States
from amoba_env.games import Game

ROWS = 64  # positions a forward pass: of passes of one size, a row's result does not depend on the others
PARTS = 1 << 31  # a uniform random number is a multiple of 1 / PARTS

_loading = threading.Lock()


class PolicyAgent(Forgetful):
    """A policy of Stable-Baselines3 in memory: its most probable move, or one drawn from its probabilities."""

    def __init__(self, policy: Any, name: str, sample: bool = True) -> None:
        """`policy`: a MaskableActorCriticPolicy with discrete actions, which must not be trained while it plays."""
        policy.set_training_mode(False)
        self.policy, self.name, self.sample = policy, name, sample

    def memory(self, game: Game) -> int:
        """Nothing. Raises ValueError if the policy belongs to another board."""
        seen, actions = tuple(self.policy.observation_space.shape), int(self.policy.action_space.n)
        if (seen, actions) != (game.observation_shape, game.n_actions):
            raise ValueError(
                f"{self.name} was trained on another board: it knows observations {seen} and {actions} actions, "
                f"but {game!r} has {game.observation_shape} and {game.n_actions}"
            )
        return 0

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        planes, masks = observe(game, states, states[:, TO_MOVE])
        rows, actions = masks.nonzero()
        first = np.searchsorted(rows, np.arange(len(states)))  # of each row's legal actions
        logits = self._forward(planes)[0][rows, actions].astype(np.float64)
        if self.sample:
            weights = np.exp(logits - np.maximum.reduceat(logits, first)[rows])
            total = weights.cumsum()
            before = total[first] - weights[first]
            drawn = np.empty(len(states), np.int64)
            below_all(rng, PARTS, drawn)
            # Each row's mark lies within its own part of the running total, whatever is rounded.
            marks = before + (drawn + 0.5) / PARTS * np.add.reduceat(weights, first)
            chosen = np.clip(np.searchsorted(total, marks), first, np.append(first[1:], len(rows)) - 1)
        else:
            best = logits == np.maximum.reduceat(logits, first)[rows]
            chosen = np.flatnonzero(best)[np.searchsorted(rows[best], np.arange(len(states)))]
        seen, out = actions[chosen], np.empty(len(states), np.int32)
        actions_from_seen(game.rules, states, seen, out)
        return out

    def evaluate(self, game: Game, states: States) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the network says of positions; for searches.

        Returns:
            Logits [B, A] of all actions, legal or not, as the player to move numbers them; and what the position is
            worth to each seat, [B, players], -1 .. 1: the critic's word to the player to move, the rest shared.
        """
        logits, own = self._forward(observe(game, states, states[:, TO_MOVE])[0], critic=True)
        worth = np.repeat(-own[:, None] / np.float32(game.players - 1), game.players, axis=1)
        worth[np.arange(len(states)), states[:, TO_MOVE]] = own
        return logits, worth

    def _forward(
        self, planes: NDArray[np.int8], critic: bool = False
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """[B, H, W, C] -> logits [B, A] of all actions, legal or not; and (critic) values [B] within -1 .. 1."""
        import torch

        count = len(planes)
        padded = np.zeros((-(-count // ROWS) * ROWS, *planes.shape[1:]), np.int8)
        padded[:count] = planes
        parts, values = [], []
        with torch.no_grad():
            for first in range(0, count, ROWS):
                # Not get_distribution(): what it returns is one object for all threads that ask.
                features = self.policy.extract_features(torch.as_tensor(padded[first : first + ROWS]))
                own, judge = (features, features) if self.policy.share_features_extractor else features
                parts.append(self.policy.action_net(self.policy.mlp_extractor.forward_actor(own)))
                if critic:
                    values.append(self.policy.value_net(self.policy.mlp_extractor.forward_critic(judge)).clamp(-1, 1))
        logits: NDArray[np.float32] = torch.cat(parts)[:count].numpy()
        worth: NDArray[np.float32] = torch.cat(values)[:count, 0].numpy() if critic else np.zeros(count, np.float32)
        return logits, worth


class Trained(PolicyAgent):
    """The most probable move of a model that `amoba train` or MaskablePPO saved; sample=true draws by probability."""

    def __init__(self, path: str = "", sample: bool = False) -> None:
        if not path:
            raise ValueError("trained: which model? Write trained:PATH with the path of its file")
        file = Path(path).expanduser().resolve()
        if not file.is_file():
            raise ValueError(f"trained: no such file: {path}")
        with _loading:
            policy = _load(file, file.stat().st_mtime_ns)
        super().__init__(policy, f"trained:{path}" + (",sample=true" if sample else ""), sample)


@functools.lru_cache(maxsize=8)
def _load(file: Path, modified: int) -> Any:
    """The policy in a file, loaded once for all who ask until the file is written anew."""
    try:
        import torch
        from sb3_contrib import MaskablePPO
    except ImportError as error:
        raise ValueError(f"trained players need pip install 'amoba[train]': {error}") from None
    # A model brings a buffer to train with, and sets the random numbers of the whole process; neither is wanted here.
    quiet = {"seed": None, "n_envs": 1, "n_steps": 2}
    try:
        with torch.random.fork_rng(devices=[]):
            return MaskablePPO.load(file, device="cpu", custom_objects=quiet).policy
    except Exception as error:  # whatever unpickling a file may raise
        raise ValueError(f"{file} is no model of MaskablePPO: {' '.join(str(error).split())}") from None
