"""AlphaZero in one file, to read and to change: it learns games in which two players place stones in turn.

    python -m clients.alphazero tictactoe --minutes 1
    python -m clients.alphazero gomoku --option size=7 --minutes 5

Many games are searched side by side, so that the network reads many positions at once (D. Silver et al., "A general
reinforcement learning algorithm", Science 362, 2018); the policy is Gumbel MuZero's (I. Danihelka et al., ICLR 2022).
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import softmax
from torch import Tensor, nn

from amoba_agents import make_agent
from amoba_agents.seat import Seat
from amoba_agents.values.winning_sets import winning_sets
from amoba_env import Position, checks, games
from amoba_env.batch import observe
from amoba_env.core import batch as core
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.symmetry import seen_symmetries

Planes = NDArray[np.int8]
Floats = NDArray[np.float32]
Rows = NDArray[np.int64]
Example = tuple[Planes, Floats, float]  # what the player to move sees, the policy [actions], and how the game ended
ILLEGAL = -1e9  # logit of an illegal action


@dataclass(frozen=True)
class Settings:
    """What may be changed."""

    games: int = 128  # side by side
    simulations: int = 16  # for each move
    moves: int = 8  # in each game, between two times of learning
    sampled: int = 10  # plies in which moves are drawn; later the most probable one is played
    channels: int = 32
    batch: int = 256  # positions in a gradient step
    reuse: int = 4  # how often a position is learned from
    window: int = 30_000  # newest positions
    rate: float = 2e-3  # of Adam
    marks: int = 10  # evaluations, at equal intervals of processor time
    judged: int = 200  # games each time, which begin with two random moves


class Network(nn.Module):
    """Logits of actions, and a value, -1..1, from the numbers of stones in the winning sets of any board."""

    def __init__(self, game: Game, channels: int) -> None:
        super().__init__()
        self.game, sets = game, winning_sets(game)
        self.points = torch.as_tensor(ru.table(game.rules, ru.SITE)[0].astype(np.int64))  # of the cells, in the planes
        self.member = torch.tensor([[float(cell in cells) for cells in sets] for cell in range(game.n_cells)])
        self.most = max(map(len, sets)) + 1
        self.kinds = nn.Embedding(self.most**2, channels)
        self.first, self.second = nn.Linear(channels, channels), nn.Linear(channels, channels)
        self.policy = nn.Linear(channels, 1)
        self.value = nn.Sequential(nn.Linear(channels, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())

    def forward(self, planes: Planes) -> tuple[Tensor, Tensor]:
        """int8 [B, H, W, planes] -> [B, actions], [B]."""
        stones = torch.as_tensor(planes).flatten(1, 2)[:, self.points, :2].float()
        own, other = (stones.permute(2, 0, 1) @ self.member).long()
        x = torch.relu(self.member @ self.kinds(own * self.most + other))  # [B, cells, channels]
        x = torch.relu(self.first(x))
        x = torch.relu(x + self.second(x))
        return self.policy(x)[..., 0], self.value(x.mean(1))[:, 0]


class Trees:
    """The search trees of many positions, side by side. Arrays are [B, nodes, ...]; node 0 is the root."""

    def __init__(self, network: Network, states: States, simulations: int) -> None:
        self.network, self.rules, self.rows = network, network.game.rules, np.arange(len(states))
        self.states = np.repeat(states[:, None], simulations + 1, 1)
        shape = len(states), simulations + 1, network.game.n_actions
        self.logits, self.visits, self.totals = (np.zeros(shape, np.float32) for _ in range(3))
        self.children = np.zeros(shape, np.int64)  # 0: none yet
        self.values = np.zeros(shape[:2], np.float32)  # for the player to move
        self.evaluate(0)

    @torch.no_grad()
    def evaluate(self, node: int) -> None:
        """Let the network read this node of all trees. Where a game is over, the rules say what it is worth."""
        states, rewards = np.ascontiguousarray(self.states[:, node]), np.zeros((len(self.rows), 2))
        planes, masks = observe(self.network.game, states, states[:, st.TO_MOVE])
        logits, values = self.network(planes)
        core.rewards_all(self.rules, states, False, rewards)
        ended = rewards[self.rows, states[:, st.TO_MOVE]]
        self.logits[:, node] = np.where(masks, logits, ILLEGAL)
        self.values[:, node] = np.where(states[:, st.STATUS] == st.RUNNING, values, ended)

    def improved(self, rows: Rows, nodes: Rows) -> Floats:
        """The improved policy, from completed Q-values: untried actions get Gumbel MuZero's mixed value."""
        logits, visits, totals = (each[rows, nodes] for each in (self.logits, self.visits, self.totals))
        means, tried, count = totals / np.maximum(visits, 1), visits > 0, visits.sum(1, keepdims=True)
        priors = softmax(logits, 1) * tried
        known = (priors * means).sum(1, keepdims=True) / np.maximum(priors.sum(1, keepdims=True), 1e-9)
        values = np.where(tried, means, (self.values[rows, nodes][:, None] + count * known) / (1 + count))
        values -= values.min(1, keepdims=True)
        values /= np.maximum(values.max(1, keepdims=True), 1e-6)  # from 0 to 1, as Gumbel MuZero's factor below expects
        return np.asarray(softmax(logits + (50 + visits.max(1, keepdims=True)) / 10 * values, 1), np.float32)

    def simulate(self, node: int) -> None:
        """Descend to a new node of each tree by the improved policy, and back up its value."""
        at, rows, path = np.zeros_like(self.rows), self.rows, list[tuple[Rows, Rows, Rows]]()
        while len(rows):
            nodes = at[rows]
            visits = self.visits[rows, nodes]
            missing = self.improved(rows, nodes) - visits / (1 + visits.sum(1, keepdims=True))
            actions = np.where(self.logits[rows, nodes] > ILLEGAL, missing, -np.inf).argmax(1)
            path.append((rows, nodes, actions))
            at[rows] = self.children[rows, nodes, actions]
            new = at[rows] == 0
            fresh, before, moves = rows[new], nodes[new], actions[new]
            states = self.states[fresh, before]
            core.step_all(self.rules, states, moves)
            self.states[fresh, node], self.children[fresh, before, moves], at[fresh] = states, node, node
            rows = rows[~new & (self.states[rows, at[rows], st.STATUS] == st.RUNNING)]
        self.evaluate(node)
        values = self.values[self.rows, at]
        for rows, nodes, actions in reversed(path):
            values[rows] *= -1
            self.visits[rows, nodes, actions] += 1
            self.totals[rows, nodes, actions] += values[rows]


def search(network: Network, states: States, simulations: int, rng: Generator | None = None) -> Floats:
    """The improved policies of positions, [B, actions]; with `rng` the roots' actions are tried in a random order."""
    trees = Trees(network, states, simulations)
    priors = trees.logits[:, 0].copy()
    if rng is not None:
        trees.logits[:, 0] += np.where(priors > ILLEGAL, rng.gumbel(size=priors.shape), 0)
    for node in range(1, simulations + 1):
        trees.simulate(node)
    trees.logits[:, 0] = priors
    return trees.improved(trees.rows, np.zeros_like(trees.rows))


class SelfPlay:
    """Games against itself, side by side; where one ends, the next begins."""

    def __init__(self, game: Game, settings: Settings) -> None:
        self.game, self.settings, self.states = game, settings, game.batch(settings.games)
        self.moves = [list[tuple[Planes, Floats, int]]() for _ in self.states]  # of the game so far; the last is a seat

    def play(self, network: Network, rng: Generator) -> list[Example]:
        """Play some moves of each game. Returns the positions of the games that ended."""
        states, found = self.states, list[Example]()
        for _ in range(self.settings.moves):
            policies = search(network, states, self.settings.simulations, rng)
            planes, _ = observe(self.game, states, states[:, st.TO_MOVE])
            for moves, *move in zip(self.moves, planes, policies, states[:, st.TO_MOVE].tolist(), strict=True):
                moves.append(tuple(move))
            noise = rng.gumbel(size=policies.shape) * (states[:, [st.PLY]] < self.settings.sampled)
            core.step_all(self.game.rules, states, (np.log(policies + 1e-30) + noise).argmax(1))
            rewards = np.zeros((len(states), 2))
            core.rewards_all(self.game.rules, states, False, rewards)
            for row in np.flatnonzero(states[:, st.STATUS] != st.RUNNING):
                found += [(seen, policy, float(rewards[row, seat])) for seen, policy, seat in self.moves[row]]
                states[row], self.moves[row] = self.game.start(), []
        return found


def learn(
    network: Network, optimizer: torch.optim.Adam, known: list[Example], settings: Settings, steps: int, rng: Generator
) -> float:
    """Gradient steps on known positions, turned and mirrored at random. Returns the last loss."""
    loss, images, rows = torch.zeros(()), seen_symmetries(network.game), np.arange(settings.batch)[:, None]
    for _ in range(steps):
        some = [known[i] for i in rng.integers(len(known), size=settings.batch)]
        planes, policies, values = (np.stack(column) for column in zip(*some, strict=True))
        turn = rng.integers(len(images.points), size=settings.batch)
        turned = planes.reshape(settings.batch, -1, planes.shape[-1])[rows, images.points[turn]].reshape(planes.shape)
        logits, found = network(turned)
        loss = -(torch.as_tensor(policies[rows, images.actions[turn]]) * torch.log_softmax(logits, 1)).sum(1).mean()
        loss = loss + (found - torch.as_tensor(values, dtype=torch.float32)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def points(network: Network, opponent: str, settings: Settings) -> float:
    """The share of points of the search against an agent, 0..1; each begins half of the games."""
    rng, total = np.random.default_rng(0), 0.0
    for own in range(2):
        positions = [Position.start(network.game)] * (settings.judged // 2)
        others = [Seat(make_agent(opponent), each, seed=own, number=i) for i, each in enumerate(positions)]
        while running := [i for i, each in enumerate(positions) if not each.over]:
            if (first := positions[running[0]]).ply < 2:  # all have as many moves
                moves = [int(rng.choice(positions[i].legal_actions())) for i in running]
            elif first.to_move == own:
                moves = search(network, np.stack([positions[i].state for i in running]), settings.simulations).argmax(1)
            else:
                moves = [others[i].act(positions[i]) for i in running]
            for i, move in zip(running, moves, strict=True):
                positions[i] = positions[i].play(move)
        total += sum(float(each.rewards[own]) for each in positions)
    return (total / settings.judged + 1) / 2


def main(
    name: str = "tictactoe", options: tuple[str, ...] = (), minutes: float = 1, seed: int = 0, against: str = "greedy"
) -> list[float]:
    """Learn for some minutes of processor time; returns the share of points against an agent at each mark."""
    try:
        game = games.make_from(name, games.options_from_text(name, options))
        make_agent(against).memory(game)
        rng, limit = np.random.default_rng(checks.seed(seed)), 60 * checks.real("minutes", minutes, 0)
    except ValueError as error:
        raise SystemExit(str(error)) from None
    if game.players != 2 or game.moves_men or game.choices or game.rules[ru.COLORED]:
        raise SystemExit("expected a game of two players who place stones in turn, with equal rules and no opening")
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # small networks are faster with one thread
    settings, spent, curve, known = Settings(), 0.0, list[float](), list[Example]()
    network, play = Network(game, settings.channels), SelfPlay(game, settings)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.rate)
    while len(curve) < settings.marks:
        begun, new = time.process_time(), play.play(network, rng)
        known = (known + new)[-settings.window :]
        loss = learn(network, optimizer, known, settings, settings.reuse * len(new) // settings.batch, rng)
        spent += time.process_time() - begun
        if due := min(settings.marks, int(settings.marks * spent / max(limit, 1e-9))) - len(curve):
            curve += due * [points(network, against, settings)]
            print(f"{spent:5.0f} s  loss {loss:.3f}  {curve[-1]:.0%} of the points against {against}", flush=True)
    return curve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", nargs="?", default="tictactoe")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", dest="options")
    for name, value in (("minutes", 1.0), ("seed", 0), ("against", "greedy")):
        parser.add_argument(f"--{name}", type=type(value), default=value)
    main(**vars(parser.parse_args()))
