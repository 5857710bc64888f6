"""Trained players: the policy of a network, one forward pass a move.

    amoba match gomoku trained greedy
    amoba match gomoku trained:runs/gomoku/policy.onnx,temperature=1 greedy

`trained` plays the policy of the package for the game (amoba_agents/policies, each with a card on its training and
strength); `trained:PATH` plays yours: see amoba_agents/networks/inference.py for the kinds of files.
"""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from amoba_agents.made_for import warn, warn_of_rules
from amoba_agents.networks.inference import Network, evaluate, load, look, note_file
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.batch import observe
from amoba_env.core import state as st
from amoba_env.core.batch import PARTS, below_all, board_actions
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.options import Option, named

POLICIES = Path(__file__).parent.parent / "policies"


class PolicyAgent(Agent):
    """Plays the most probable move of a network, or one drawn from its probabilities."""

    rowwise = True

    def __init__(self, network: Network | None, name: str, temperature: float = 1.0) -> None:
        """Make a player.

        Args:
            network: the network; None: the package's for the game.
            name: the name of the player.
            temperature: 0: the most probable move; else moves are drawn from softmax(logits / temperature).
        """
        self.network, self.name, self.temperature = network, name, temperature

    def network_for(self, game: Game) -> Network:
        """The network that plays this game; a warning, once, if it learned on another size or with other rules or men.

        Raises:
            ValueError: there is none, or it cannot play on this board.
        """
        network = self.network or shipped(game)
        seen, actions = network.observation_shape, network.n_actions
        what = network.architecture
        if what is not None and what.game != game.name:
            raise ValueError(f"{self.name} was trained for {what}, not for {game.name}")
        if network.any_size and seen[2:] == game.observation_shape[2:] and game.n_actions == game.n_cells:
            if seen != game.observation_shape:
                warn(f"{self.name} was trained on {size_of(seen)} and plays on {size_of(game.observation_shape)}")
        elif (seen, actions) != (game.observation_shape, game.n_actions):
            raise ValueError(
                f"{self.name} was trained on another board: it knows observations {seen} and {actions} actions, "
                f"but {game} has {game.observation_shape} and {game.n_actions}"
            )
        if what is not None:
            warn_of_rules(self.name, what.options, game)
        return network

    def memory(self, game: Game) -> int:
        """Return 0. ValueError if the policy belongs to another board."""
        self.network_for(game)
        return 0

    def load(self, game: Game) -> Network:
        """The network that plays this game. ValueError if there is none."""
        return self.network_for(game)

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        planes, masks = observe(game, states, states[:, st.TO_MOVE])
        rows, actions = masks.nonzero()
        first = np.searchsorted(rows, np.arange(len(states)))  # the first legal action of each row
        logits = evaluate(self.network_for(game), planes)[0][rows, actions].astype(np.float64)
        highest = np.maximum.reduceat(logits, first)[rows]
        if self.temperature:
            weights = np.exp((logits - highest) / self.temperature)
            total = weights.cumsum()
            before = total[first] - weights[first]
            drawn = np.empty(len(states), np.int64)
            below_all(rng, PARTS, drawn)
            # np.clip: rounding in the cumulative sum must not select an action of another row.
            marks = before + (drawn + 0.5) / PARTS * np.add.reduceat(weights, first)
            chosen = np.clip(np.searchsorted(total, marks), first, np.append(first[1:], len(rows)) - 1)
        else:
            best = logits == highest
            chosen = np.flatnonzero(best)[np.searchsorted(rows[best], np.arange(len(states)))]
        seen, out = actions[chosen], np.empty(len(states), np.int32)
        board_actions(game.rules, states, seen, out)
        return out

    def evaluate(self, game: Game, states: States) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Policy and values of positions, for searches.

        Returns:
            Logits [B, A] of all actions, legal or not, relative to the player to move; and the value for each seat,
            [B, players], -1 .. 1: the network's value for the player to move, the opposite shared by the others.
        """
        logits, values = evaluate(self.network_for(game), observe(game, states, states[:, st.TO_MOVE])[0])
        own = values.clip(-1, 1)
        worth = np.empty((len(states), game.players), np.float32)
        worth[:] = -own[:, None] / np.float32(game.players - 1)
        worth[np.arange(len(states)), states[:, st.TO_MOVE]] = own
        return logits, worth


def size_of(observation_shape: tuple[int, ...]) -> str:
    """[H, W, planes] as text: "15x15"."""
    return f"{observation_shape[1]}x{observation_shape[0]}"


class Trained(PolicyAgent):
    """The most probable move of a trained network: the package's for the game, or a file's (.onnx, .pt)."""

    @named("trained")
    def __init__(
        self,
        path: Annotated[str, Option("file of a network, `.onnx` or `.pt`; empty: the package's for the game")] = "",
        temperature: Annotated[float, Option("0: the most probable move; else divides the logits", 0, 100)] = 0.0,
    ) -> None:
        super().__init__(load(path) if path else None, "trained", temperature)
        self.path = path

    def load(self, game: Game) -> Network:
        """See PolicyAgent; the network of a file was already read by __init__."""
        if self.path:
            note_file(self.path)
        return super().load(game)


def shipped(game: Game) -> Network:
    """The package's network for a game, on any board. ValueError if there is none."""
    file = policy_file(game)
    return load(file, file.relative_to(POLICIES.parent.parent).as_posix())


def policy_file(game: Game) -> Path:
    """The file of the package's policy for a game, preferably for this board.

    A game may have several: GAME.onnx, and GAME-NAME.onnx for other boards or numbers of players. If none was trained
    on this board, it is the policy of the nearest size that can play other sizes.

    Raises:
        ValueError: the package has no policy for this game.
    """
    files = [POLICIES / f"{game.name}.onnx", *sorted(POLICIES.glob(f"{game.name}-*.onnx"))]
    if not files[0].exists():
        raise ValueError(_none(game.name))
    return files[0] if len(files) == 1 else min(files, key=lambda file: _distance(look(file), game))


def _distance(network: Network, game: Game) -> tuple[int, int]:
    """The distance of a network's board from this one; the first number is 2 if the network cannot play here."""
    seen = network.observation_shape
    if (seen, network.n_actions) == (game.observation_shape, game.n_actions):
        return 0, 0
    fits = network.any_size and seen[2:] == game.observation_shape[2:]
    return 1 if fits else 2, abs(prod(seen[:2]) - prod(game.observation_shape[:2]))


def _none(name: str) -> str:
    names = ", ".join(sorted({each.stem.partition("-")[0] for each in POLICIES.glob("*.onnx")}))
    return f"trained: the package has policies for {names}, not for {name}; trained:PATH plays yours"
