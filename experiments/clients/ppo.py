"""PPO in one file, in the manner of CleanRL, to read and to change. It learns by self-play or against other players.

    python -m clients.ppo --minutes 1
    python -m clients.ppo --env-id amoba/Gomoku-v0 --options size=7 --minutes 10 [--opponent greedy]

Without an opponent the network plays every seat. What follows a move is then the next move of the same seat.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict, dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import Tensor, distributions, nn

from amoba_env import checks, games  # amoba_env registers the environments


@dataclass(frozen=True)
class Args:
    """What may be changed."""

    env_id: str = "amoba/TicTacToe-v0"
    options: str = ""  # of the game: "size=7 rule=exact"
    opponent: str = ""  # none: self-play
    against: str = "greedy"  # the opponent in evaluations
    marks: int = 10  # evaluations, at equal intervals of processor time
    minutes: float = 1.0  # of processor time
    seed: int = 0
    num_envs: int = 64
    num_steps: int = 16  # in each game, between two updates
    random_plies: int = 2  # begin each game, so that games differ
    channels: int = 32
    learning_rate: float = 3e-3
    minibatch_size: int = 256
    update_epochs: int = 2
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_coef: float = 0.2
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5


class Network(nn.Module):
    """Logits of all actions, and a value for the player to move."""

    def __init__(self, envs: Any, channels: int) -> None:
        super().__init__()
        height, width, planes = envs.single_observation_space.shape
        layers = [(nn.Conv2d(before, channels, 3, padding=1), nn.ReLU()) for before in (planes, channels, channels)]
        self.body = nn.Sequential(*(part for layer in layers for part in layer), nn.Flatten())
        self.actor = nn.Linear(height * width * channels, int(envs.single_action_space.n))
        self.critic = nn.Linear(height * width * channels, 1)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[distributions.Categorical, Tensor]:
        """int8 [B, H, W, planes] and [B, A] -> the distribution of legal actions, and values [B]."""
        x = self.body(observations.permute(0, 3, 1, 2).float())
        logits = self.actor(x).masked_fill(masks == 0, -1e8)
        return distributions.Categorical(logits=logits, validate_args=False), self.critic(x)[:, 0]


def credit(values: Any, seats: Any, rewards: Any, over: Any, valid: Any, args: Args) -> Any:
    """Advantages [T, N] of who moved; NaN if nobody did, or what followed is unknown. Rewards are [T, N, players]."""
    found = np.full_like(values, np.nan)
    after, later = np.full(rewards[0].shape, np.nan), np.zeros(rewards[0].shape)  # of each seat's next move
    for t in reversed(range(len(values))):
        after[over[t]], later[over[t]] = rewards[t, over[t]], 0
        rows = np.flatnonzero(valid[t])
        own = rows, seats[t, rows]
        found[t, rows] = after[own] - values[t, rows] + args.gamma * args.gae_lambda * later[own]
        after[own], later[own] = args.gamma * values[t, rows], np.nan_to_num(found[t, rows])
    return found


@torch.no_grad()
def points(network: Network, envs: Any) -> float:
    """The share of the points of the most probable moves, 0..1: a win is 1, a game without a winner 1/2."""
    (observations, infos), total, running = envs.reset(seed=10**9), 0.0, np.ones(envs.num_envs, np.bool_)
    while running.any():
        odds, _ = network(torch.as_tensor(observations), torch.as_tensor(infos["action_mask"]))
        observations, rewards, terminations, truncations, infos = envs.step(odds.logits.argmax(1).numpy())
        total += (np.sign(rewards[over := running & (terminations | truncations)]) + 1).sum() / 2
        running &= ~over
    return float(total / envs.num_envs)


def main(**given: Any) -> list[float]:
    """Learn for some minutes; returns the share of the points against an agent at each mark."""
    args, spent, curve = Args(**given), 0.0, list[float]()
    torch.set_num_threads(1)  # small networks are faster with one thread
    fixed: dict[str, Any] = {"random_plies": args.random_plies, "autoreset_mode": "NextStep"}
    try:
        name = gymnasium.spec(args.env_id).kwargs.get("game", args.env_id)
        game: dict[str, Any] = games.options_from_text(name, args.options.split())
        envs = gymnasium.make_vec(args.env_id, args.num_envs, opponent=args.opponent or None, **fixed, **game)
        test = gymnasium.make_vec(args.env_id, 400, opponent=args.against, **fixed, **game)
        checks.whole("num_steps", args.num_steps, 2 * vars(test.unwrapped)["game"].players)  # all move twice
        checks.real("minutes", args.minutes, 0)
        (obs, info), over = envs.reset(seed=args.num_envs * args.seed), np.zeros(args.num_envs, np.bool_)
    except (ValueError, TypeError, gymnasium.error.Error) as error:
        raise SystemExit(str(error)) from None
    torch.manual_seed(args.seed)
    network = Network(envs, args.channels)
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, eps=1e-5)
    while len(curve) < args.marks:
        begun, steps = time.process_time(), []
        for _ in range(args.num_steps):
            before, mask, valid = obs, info["action_mask"], ~over  # NextStep: after the end a step only begins a game
            seat = info.get("to_move", np.zeros(args.num_envs, np.int64))
            with torch.no_grad():
                odds, value = network(torch.as_tensor(obs), torch.as_tensor(mask))
                action = odds.sample()
            obs, reward, terminations, truncations, info = envs.step(action.numpy())
            over, rewards = terminations | truncations, info.get("rewards", reward[:, None])
            steps.append((before, mask, action, odds.log_prob(action), value, seat, rewards, over, valid))
        *columns, values, seats, paid, ends, moved = (np.stack(column) for column in zip(*steps, strict=True))
        advantages = credit(values, seats, paid, ends, moved, args).astype(np.float32)
        known = ~np.isnan(advantages)
        scaled = (advantages - advantages[known].mean()) / (advantages[known].std() + 1e-8)
        batch = [torch.as_tensor(column[known]) for column in (*columns, scaled, advantages + values)]
        for _ in range(args.update_epochs):
            for rows in np.array_split(torch.randperm(known.sum()), known.sum() // args.minibatch_size + 1):
                b_obs, b_masks, b_actions, b_log_probs, b_advantages, b_returns = (column[rows] for column in batch)
                odds, value = network(b_obs, b_masks)
                ratio = (odds.log_prob(b_actions) - b_log_probs).exp()
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                gain = torch.min(ratio * b_advantages, clipped * b_advantages).mean()
                entropy, wrong = odds.entropy().mean(), (value - b_returns).square().mean()
                optimizer.zero_grad()
                (args.vf_coef * wrong - gain - args.ent_coef * entropy).backward()
                nn.utils.clip_grad_norm_(network.parameters(), args.max_grad_norm)
                optimizer.step()
        spent += time.process_time() - begun
        if spent >= 60 * args.minutes * (len(curve) + 1) / args.marks:
            curve.append(points(network, test))
            print(f"{spent:5.0f} s  entropy {entropy:.2f}  points against {args.against}: {curve[-1]:.0%}", flush=True)
    return curve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name, value in asdict(Args()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    main(**vars(parser.parse_args()))
