"""Learning to move as another player does, before learning by playing."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from amoba_env import symmetry
from amoba_env.batch import observe
from amoba_env.core.rules import VIEW, table
from amoba_env.core.state import CELLS, TO_MOVE, States
from amoba_env.games import Game
from amoba_experiments.training.demonstrations import recorded, shown

SIZE = 256  # positions at a time
LEARNED = "imitated.pt"  # the file of what was learned so far


def imitate(
    policy: Any,
    game: Game,
    player: str,
    positions: int,
    learning_rate: float,
    gamma: float,
    seed: int,
    progress: Callable[[str, int, int], None],
    passes: int = 3,
    teachers: Sequence[str] = (),
    advice: str = "",
    advise: str = "all",
    keep: Path | None = None,
    learns: str = "both",
) -> float:
    """Train a policy on a player's moves in its games against itself, or in runs, and its values on how games end.

    Args:
        policy: a MaskableActorCriticPolicy, changed in place.
        game: the rules.
        player: its text, or a folder that is a run or has runs in it (amoba_experiments.runs.store).
        positions: how many positions to show, about; at most so many of those in runs.
        learning_rate: of Adam, falls to 0.
        gamma: discount a move; not for runs.
        seed: of the games and the order.
        progress: called with the stage, and how many of how many positions are done.
        passes: over the positions.
        teachers, advice, advise: see `recorded`.
        keep: a folder for what was learned in whole passes (imitated.pt); a call with the same arguments and positions
            that was stopped is gone on with.
        learns: "moves" or "value", or "both". The value alone learns without a change of the moves: so it can be told
            how games between equals end, as searches need it, after moves were learned of games that mostly were won.

    Returns:
        In how many of the last positions the policy's most probable move is the player's, 0..1.
    """
    rng = np.random.default_rng(seed)
    if Path(player).is_dir():
        told = partial(progress, f"advice of {advice}")
        states, actions, returns = recorded(game, Path(player), rng, positions, teachers, advice, advise, told)
    else:
        states, actions, returns = shown(game, player, positions, gamma, seed)
    optimizer = torch.optim.Adam(policy.parameters(), lr=learning_rate)
    marked = mark(states, actions)
    begin, share = (0, 0.0) if keep is None else resume(keep / LEARNED, marked, policy, optimizer, rng)
    done, total, agreed, asked = begin * len(states), passes * len(states), 0, 0
    policy.set_training_mode(True)
    policy.requires_grad_(learns != "value")
    policy.value_net.requires_grad_(True)
    for number in range(begin, passes):
        for part in np.array_split(rng.permutation(len(states)), -(-len(states) // SIZE)):
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * (1 - done / total)
            seen, masks, wanted = turned(game, states[part], actions[part], rng)
            here = {"device": policy.device}
            moves, goals = torch.as_tensor(wanted, **here), torch.as_tensor(returns[part], **here)
            planes = torch.as_tensor(np.ascontiguousarray(seen), **here)
            values, log_prob, _ = policy.evaluate_actions(planes, moves, torch.as_tensor(masks, **here))
            goals = torch.where(goals.isnan(), values.detach().flatten(), goals)
            wrong = (values.flatten() - goals).square().mean()
            loss = wrong if learns == "value" else -log_prob.mean() + (wrong if learns == "both" else 0)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()
            done += len(part)
            progress(f"as {advice or player}" if learns != "value" else "how games end", done, total)
            if done > total - len(states) / 2:
                with torch.no_grad():
                    best = policy.get_distribution(planes, action_masks=masks).mode()
                agreed += int((best == moves).sum())
                asked += len(part)
        share = agreed / max(1, asked)
        if keep:
            state = {"passes": number + 1, "share": share, "rng": json.dumps(rng.bit_generator.state)}
            whole = {"policy": policy.state_dict(), "optimizer": optimizer.state_dict(), "mark": marked, **state}
            torch.save(whole, keep / f"{LEARNED}.part")
            (keep / f"{LEARNED}.part").replace(keep / LEARNED)
    policy.requires_grad_(True)
    return share


def mark(*arrays: NDArray[Any]) -> str:
    """A checksum: runs may have grown since."""
    return f"{zlib.crc32(b''.join(map(np.ndarray.tobytes, arrays))):08x}"


def resume(
    file: Path, marked: str, policy: Any, optimizer: torch.optim.Optimizer, rng: np.random.Generator
) -> tuple[int, float]:
    """Put what was learned of these very moves back to its place; how many passes, and what `imitate` returned then."""
    learned = torch.load(file, weights_only=True, map_location=policy.device) if file.exists() else {}
    if learned.get("mark") != marked:
        return 0, 0.0
    policy.load_state_dict(learned["policy"])
    optimizer.load_state_dict(learned["optimizer"])
    rng.bit_generator.state = json.loads(learned["rng"])
    return learned["passes"], learned["share"]


def turned(
    game: Game, states: States, actions: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int64]]:
    """What the player to move sees, its mask and its action; where stones are placed under a symmetry, drawn at random.

    Where men move, seats see the board alike already.
    """
    seats = states[:, TO_MOVE]
    if game.moves_men:
        view = np.stack([table(game.rules, VIEW)[seat] for seat in range(game.players)]).astype(np.int64)
        origin, target = np.divmod(actions, game.n_cells)
        return *observe(game, states, seats), view[seats, origin] * game.n_cells + view[seats, target]
    group = symmetry.symmetries(game)
    drawn = rng.integers(len(group.cells), size=len(states))
    moved = states.copy()
    np.put_along_axis(moved[:, CELLS:], group.cells[drawn].astype(np.int64), states[:, CELLS:], axis=1)
    return *observe(game, moved, seats), group.actions[drawn, actions].astype(np.int64)
