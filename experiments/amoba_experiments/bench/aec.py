"""PettingZoo's AEC loop with random legal moves: our environments beside PettingZoo's board games."""

from __future__ import annotations

import random
import time
from typing import Any

from amoba_env import gomoku_v0, halma_v0, tictactoe_v0
from amoba_env.extras import needs
from amoba_experiments.bench import Measurement, compare

MOVES = 20_000


def moves_per_second(env: Any, moves: int) -> float:
    """Moves a second of random legal moves with agent_iter, last and step."""
    draw = random.Random(0).random
    played = 0
    begun = time.perf_counter()
    while played < moves:
        env.reset()
        for _agent in env.agent_iter():
            observation, _reward, terminated, truncated, _info = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                legal = observation["action_mask"].nonzero()[0]
                env.step(legal[int(draw() * len(legal))])
                played += 1
    return played / (time.perf_counter() - begun)


def measure(runs: int) -> list[Measurement]:
    """Moves a second of our gomoku 10x10, halma and tictactoe, beside PettingZoo's connect_four and tictactoe."""
    with needs("bench", "PettingZoo's board games"):
        from pettingzoo.classic import connect_four_v3
        from pettingzoo.classic import tictactoe_v3 as peer_tictactoe
    envs = {
        "gomoku 10x10": gomoku_v0.env(),
        "halma": halma_v0.env(),
        "tictactoe": tictactoe_v0.env(),
        "connect_four": connect_four_v3.env(),
        "peer tictactoe": peer_tictactoe.env(),
    }
    rates: dict[str, list[float]] = {name: [] for name in envs}
    for env in envs.values():
        moves_per_second(env, 200)  # compile, warm up
    for _ in range(runs):
        for name, env in envs.items():
            rates[name].append(moves_per_second(env, MOVES // 8 if "connect" in name or "peer" in name else MOVES))
    four, three = "connect_four env()", "PettingZoo's own"
    return [
        compare("gomoku 10x10 env()", "moves/s", rates["gomoku 10x10"], four, rates["connect_four"]),
        compare("halma env()", "moves/s", rates["halma"], four, rates["connect_four"]),
        compare("tictactoe env()", "moves/s", rates["tictactoe"], three, rates["peer tictactoe"]),
    ]
