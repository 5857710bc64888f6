"""AlphaZero in one file, to read and to change: it learns games in which two players place stones in turn.

    python -m clients.alphazero tictactoe --minutes 1
    python -m clients.alphazero gomoku --option size=7 --minutes 10

Many games are played side by side, so that the network reads many positions at once (D. Silver et al., "A general
reinforcement learning algorithm", Science 362, 2018). The stage `search` of `amoba train` is the same, compiled.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import Tensor, nn

from amoba_agents import make_agent
from amoba_agents.seat import Seat
from amoba_env import Position, games
from amoba_env.games import Game
from amoba_env.symmetry import images, symmetries


@dataclass(frozen=True)
class Settings:
    """What may be changed."""

    games: int = 64  # side by side
    simulations: int = 32  # for each move
    c: float = 1.5  # weight of exploration
    noise: float = 0.25  # share of Dirichlet noise in the root's priors
    sampled: int = 8  # plies in which moves are drawn by their visits; later the most visited one is played
    channels: int = 32
    batch: int = 256  # positions in a gradient step
    reuse: int = 4  # how often a position is learned from
    window: int = 20_000  # newest positions
    rate: float = 2e-3  # of Adam
    marks: int = 10  # times that points are counted, at equal distances of processor time
    judged: int = 200  # games each time, which begin with two random moves


class Example(NamedTuple):
    """What is learned from."""

    position: Position
    policy: NDArray[np.float32]  # [actions] shares of visits
    value: float  # how the game ended for the player to move; 0 until then


class Network(nn.Module):
    """Two residual blocks: logits of all actions, and a value between -1 and 1 for the player to move."""

    def __init__(self, game: Game, channels: int) -> None:
        super().__init__()
        planes, cells = game.observation_shape[2], game.observation_shape[0] * game.observation_shape[1]
        conv = partial(nn.Conv2d, kernel_size=3, padding=1)
        self.first = conv(planes, channels)
        self.blocks = nn.ModuleList(
            nn.Sequential(conv(channels, channels), nn.ReLU(), conv(channels, channels)) for _ in range(2)
        )
        self.policy = self.head(channels, cells, game.n_actions)
        self.value = nn.Sequential(self.head(channels, cells, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())

    def head(self, channels: int, cells: int, outputs: int) -> nn.Module:
        """Numbers that depend on all cells."""
        return nn.Sequential(nn.Conv2d(channels, 4, 1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * cells, outputs))

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Float [B, H, W, planes] -> [B, actions], [B]."""
        x = torch.relu(self.first(planes.permute(0, 3, 1, 2)))
        for block in self.blocks:
            x = torch.relu(x + block(x))
        return self.policy(x), self.value(x)[:, 0]


@torch.no_grad()
def evaluate(network: Network, positions: list[Position]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Probabilities of the legal actions, [B, actions], and values, [B]."""
    planes = torch.as_tensor(np.stack([position.observation() for position in positions])).float()
    legal = torch.as_tensor(np.stack([position.action_mask() for position in positions])) > 0
    logits, values = network(planes)
    return torch.softmax(logits.masked_fill(~legal, -1e9), 1).numpy(), values.numpy()


class Node:
    """A position in the tree. The arrays have one number for each legal action; a leaf has none."""

    def __init__(self, position: Position) -> None:
        self.position, self.children = position, dict[int, Node]()
        self.actions = np.zeros(0, np.int32)

    def expand(self, priors: NDArray[np.float32]) -> None:
        """Give it its moves."""
        self.actions = self.position.legal_actions()
        self.priors = priors[self.actions]
        self.visits, self.totals = np.zeros_like(self.priors), np.zeros_like(self.priors)

    def choose(self, c: float) -> int:
        """The number of the move to follow: the best mean value, with a bonus for moves that were seldom tried."""
        means = self.totals / np.maximum(self.visits, 1)
        return int(np.argmax(means + c * self.priors * (self.visits.sum() + 1) ** 0.5 / (1 + self.visits)))


def search(network: Network, roots: list[Node], settings: Settings, rng: Generator) -> None:
    """Run all simulations of all trees; the network reads one leaf of each tree at a time."""
    for root, priors in zip(roots, evaluate(network, [root.position for root in roots])[0], strict=True):
        root.expand(priors)
        noise = rng.dirichlet(np.full(len(root.actions), 10 / len(root.actions)))
        root.priors = ((1 - settings.noise) * root.priors + settings.noise * noise).astype(np.float32)
    for _ in range(settings.simulations):
        paths = [descend(root, settings.c) for root in roots]
        leaves = [leaf for _, leaf in paths if not leaf.position.over]
        found = iter(zip(*evaluate(network, [leaf.position for leaf in leaves]), strict=True)) if leaves else iter(())
        for path, leaf in paths:
            if leaf.position.over:
                value = float(leaf.position.rewards[leaf.position.to_move])
            else:
                priors, value = next(found)
                leaf.expand(priors)
            for node, number in reversed(path):
                value = -value
                node.visits[number] += 1
                node.totals[number] += value


def descend(root: Node, c: float) -> tuple[list[tuple[Node, int]], Node]:
    """From the root to a leaf: the moves on the way, and the leaf."""
    node, path = root, []
    while len(node.actions) and not node.position.over:
        number = node.choose(c)
        path.append((node, number))
        if number not in node.children:
            node.children[number] = Node(node.position.play(int(node.actions[number])))
        node = node.children[number]
    return path, node


def self_play(game: Game, network: Network, settings: Settings, rng: Generator) -> list[Example]:
    """Games of the search against itself, side by side, to their ends."""
    running = [(Node(Position.start(game)), list[Example]()) for _ in range(settings.games)]
    found: list[Example] = []
    while running:
        search(network, [root for root, _ in running], settings, rng)
        after = []
        for root, moves in running:
            shares = root.visits / root.visits.sum()
            policy = np.zeros(game.n_actions, np.float32)
            policy[root.actions] = shares
            moves.append(Example(root.position, policy, 0))
            chosen = rng.choice(len(shares), p=shares) if root.position.ply < settings.sampled else shares.argmax()
            position = root.position.play(int(root.actions[chosen]))
            if position.over:
                found += [move._replace(value=float(position.rewards[move.position.to_move])) for move in moves]
            else:
                after.append((Node(position), moves))
        running = after
    return found


def learn(
    network: Network, optimizer: torch.optim.Adam, known: deque[Example], settings: Settings, steps: int, rng: Generator
) -> float:
    """Gradient steps on known positions, turned and mirrored at random. Returns the mean loss."""
    total = 0.0
    group = symmetries(known[0].position.game)
    for _ in range(steps):
        planes, policies, values = [], [], []
        for number in rng.integers(len(known), size=settings.batch):
            position, policy, value = known[number]
            turn = rng.integers(len(group.cells))
            planes.append(Position(position.game, images(position.game, position.state)[turn]).observation())
            policies.append(np.zeros_like(policy))
            policies[-1][group.actions[turn]] = policy
            values.append(value)
        logits, worth = network(torch.as_tensor(np.stack(planes)).float())
        expected = torch.as_tensor(np.stack(policies))
        loss = -(expected * torch.log_softmax(logits, 1)).sum(1).mean() + (worth - torch.tensor(values)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / max(1, steps)


def points(game: Game, network: Network, opponent: str, settings: Settings) -> float:
    """The share of points of the search without noise against an agent, 0..1; each begins half of the games."""
    rng, plain, total = np.random.default_rng(0), replace(settings, noise=0), 0.0
    for own in range(2):
        positions = [Position.start(game)] * (settings.judged // 2)
        others = [Seat(make_agent(opponent), each, seed=own, number=i) for i, each in enumerate(positions)]
        while running := [i for i, each in enumerate(positions) if not each.over]:
            if positions[running[0]].ply < 2:
                moves = [rng.choice(positions[i].legal_actions()) for i in running]
            elif positions[running[0]].to_move == own:
                roots = [Node(positions[i]) for i in running]
                search(network, roots, plain, rng)
                moves = [root.actions[root.visits.argmax()] for root in roots]
            else:
                moves = [others[i].act(positions[i]) for i in running]
            for i, move in zip(running, moves, strict=True):
                positions[i] = positions[i].play(int(move))
        total += sum(float(each.rewards[own]) for each in positions)
    return (total / settings.judged + 1) / 2


def main(
    name: str = "tictactoe", options: tuple[str, ...] = (), minutes: float = 1, seed: int = 0, against: str = "greedy"
) -> list[float]:
    """Learn for some minutes of processor time; returns the share of points against an agent at each mark."""
    game = games.make_from(name, games.options_from_text(name, options))
    if game.players != 2 or game.moves_men or game.choices:
        raise SystemExit("expected a game of two players who place stones in turn, without an opening rule")
    settings, rng = Settings(), np.random.default_rng(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # small networks are faster with one thread
    network = Network(game, settings.channels)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.rate)
    window: deque[Example] = deque(maxlen=settings.window)
    spent, curve = 0.0, list[float]()
    while len(curve) < settings.marks:
        begun, new = time.process_time(), self_play(game, network, settings, rng)
        window += new
        loss = learn(network, optimizer, window, settings, settings.reuse * len(new) // settings.batch, rng)
        spent += time.process_time() - begun
        if due := min(settings.marks, int(settings.marks * spent / max(60 * minutes, 1e-9))) - len(curve):
            curve += due * [points(game, network, against, settings)]
            print(f"{spent:5.0f} s  loss {loss:.3f}  {curve[-1]:.0%} of the points against {against}", flush=True)
    return curve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", nargs="?", default="tictactoe")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", dest="options")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--against", default="greedy")
    main(**vars(parser.parse_args()))
