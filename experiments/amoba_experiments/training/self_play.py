"""PPO in self-play: the policy plays every seat, and every move is learned from. The stage `play`.

(J. Schulman et al., "Proximal policy optimization algorithms", arXiv:1707.06347.)
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger, configure
from torch import Tensor

from amoba_agents.networks.inference import forward
from amoba_agents.networks.legal_categorical import LegalCategorical
from amoba_env.batch import Batch, observe
from amoba_env.core import state as st
from amoba_env.core.rng import TRAINING, streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.progress import Progress
from amoba_experiments.training.descent import descend
from amoba_experiments.training.examples import turned
from amoba_experiments.training.job import Job
from amoba_experiments.training.move_limit import limited, rewards_at_limit, winners_at_limit
from amoba_experiments.training.reward_shaping import unshape
from amoba_experiments.training.settings import Play, easy_games

LEAST = 0.05  # final learning rate and weight of entropy, as shares of the first ones
VALUES_FIRST = 4  # updates in which only the values learn, if the policy has learned before; at most a tenth of all
CLIP = 0.2  # of the ratio of probabilities
VALUE = 0.5  # weight of the loss of values
NORM = 0.5  # the largest norm of a gradient
COPIES, KEPT = 25, 10  # copies of the policy that a stage makes; how many it keeps, the newest ones
NO_SEAT = -1


class Rollout(NamedTuple):
    """Moves to learn from."""

    states: States  # int16 [N, S]
    actions: NDArray[np.int64]  # [N] relative to the player to move
    log_probs: NDArray[np.float32]  # [N]
    advantages: NDArray[np.float32]  # [N] mean 0, standard deviation 1
    returns: NDArray[np.float32]  # [N]


class Others(NamedTuple):
    """Who else plays. Nobody learns from their moves."""

    earlier: Any  # a copy of the policy
    seats: NDArray[np.int64]  # [N] its seat in each game; NO_SEAT: none
    learner_seat: NDArray[np.int64]  # [N] where all other seats move at random; NO_SEAT: in other games


def play(settings: Play, job: Job) -> dict[str, Any]:
    """Learn by playing. Returns the number of moves."""
    policy, during = job.policy, job.recipe.evaluation.during
    optimizer = torch.optim.Adam(policy.parameters(), eps=1e-5)
    game, random_plies = limited(job.game, settings.max_plies), job.recipe.random_plies
    batch = Batch(game, settings.num_envs, random_plies=random_plies, num_threads=job.recipe.threads)
    logger = configure(str(job.run / "tensorboard" / job.folder.name), ["tensorboard"])
    progress = Progress(job.game) if job.game.moves_men else None
    state, update = job.load_checkpoint(), settings.num_envs * settings.n_steps
    earlier, copies = copy.deepcopy(policy), list[dict[str, Tensor]]()
    every = settings.steps / max(1, during)
    if state is None:
        batch.streams[:] = streams(job.seed("play", job.number), 0, batch.count, TRAINING)
        batch.begin(np.arange(batch.count))
        step, evaluated = 0, -1
    else:
        policy.load_state_dict(state["policy"])
        optimizer.load_state_dict(state["optimizer"])
        batch.states[:], batch.streams[:] = state["games"].numpy(), state["streams"].numpy().view(np.uint64)
        batch.seat[:], batch.begun[:] = batch.states[:, st.TO_MOVE], True
        step, evaluated, copies = state["steps"], state["evaluated"], state["copies"]

    def now() -> dict[str, Any]:
        games = {"games": torch.tensor(batch.states), "streams": torch.tensor(batch.streams.view(np.int64))}
        learned = {"policy": policy.state_dict(), "optimizer": optimizer.state_dict()}
        return {"steps": step, "evaluated": evaluated, "copies": copies, **games, **learned}

    while step < settings.steps:
        if during and step // every > evaluated // every:
            job.save_checkpoint(now, now=True)
            evaluate(job, step, logger)
            evaluated = step
            job.save_checkpoint(now, now=True)
        job.save_checkpoint(now)
        job.report_progress("moves", step, settings.steps)
        # What is drawn depends on the step alone, so a stage that was stopped goes on with the same numbers.
        seed = job.seed("update", job.number, step)
        torch.manual_seed(seed)
        draw = np.random.default_rng(seed)
        others = others_of(settings, earlier, copies, batch, draw)
        rollout = play_moves(settings, policy, batch, progress, draw, others)
        job.report_progress("played", step, settings.steps)
        left = LEAST + (1 - LEAST) * (1 - step / settings.steps)
        policy.requires_grad_(step >= values_alone(settings, job))
        policy.value_net.requires_grad_(True)
        for name, value in learn(settings, policy, optimizer, job.game, rollout, left, draw).items():
            logger.record(f"train/{name}", value)
        step += update
        if step * COPIES // settings.steps > (step - update) * COPIES // settings.steps:
            copies = [*copies, copy.deepcopy(policy.state_dict())][-KEPT:]
        logger.dump(step)
    job.save_checkpoint(now, now=True)
    job.report_progress("moves", settings.steps, settings.steps)
    policy.requires_grad_(True)
    if progress is not None:
        torch.manual_seed(job.seed("unshape", job.number))  # a stage that was stopped here has drawn nothing yet
        states = play_moves(settings, policy, batch, progress, np.random.default_rng(0)).states
        unshape(policy, progress, observe(job.game, states, states[:, st.TO_MOVE])[0])
    evaluate(job, step, logger)
    return {"steps": step}


def values_alone(settings: Play, job: Job) -> int:
    """How many moves, at first, teach only the values: 0 unless the policy has learned in an earlier stage.

    Its values are not yet those of self-play, and wrong values would spoil its moves.
    """
    before = job.recipe.network.start or any(stage.trains_policy for stage in job.recipe.stages[: job.number])
    update = settings.num_envs * settings.n_steps
    return update * min(VALUES_FIRST, settings.steps // update // 10) if before else 0


def others_of(
    settings: Play, earlier: Any, copies: list[dict[str, Tensor]], batch: Batch, draw: np.random.Generator
) -> Others:
    """Who else plays: one of the copies, loaded into `earlier`, if there are any; random players in the first games."""
    games = np.arange(batch.count)
    learner_seat = np.where(games < easy_games(settings.random, batch.count), games % batch.game.players, NO_SEAT)
    seats = np.full(batch.count, NO_SEAT)
    if copies and settings.past:
        earlier.load_state_dict(copies[draw.integers(len(copies))])
        drawn = draw.integers(batch.game.players, size=batch.count)
        seats = np.where((draw.random(batch.count) < settings.past) & (learner_seat == NO_SEAT), drawn, NO_SEAT)
    return Others(earlier, seats, learner_seat)


@torch.no_grad()
def play_moves(
    settings: Play,
    policy: Any,
    batch: Batch,
    progress: Progress | None,
    draw: np.random.Generator,
    others: Others | None = None,
) -> Rollout:
    """Play `n_steps` moves in each game; games that end begin again. Moves of `others` are not learned.

    Positions are turned and mirrored at random before each move, as the game is the same on the turned board.
    """
    game, shape = batch.game, (settings.n_steps, batch.count)
    states = np.empty((*shape, batch.states.shape[1]), np.int16)
    actions, over, own = np.empty(shape, np.int64), np.empty(shape, np.bool_), np.ones(shape, np.bool_)
    log_probs, values, bonus = (np.zeros(shape, np.float32) for _ in range(3))
    rewards = np.zeros((*shape, game.players), np.float32)
    for t in range(settings.n_steps):
        batch.states, _ = turned(game, batch.states, batch.states[:, st.TO, None].astype(np.int64), draw)
        states[t] = batch.states
        planes, masks = batch.observe()
        logits, found = forward(policy, torch.as_tensor(planes, device=policy.device))
        odds = legal_odds(logits, masks)
        chosen = odds.sample()
        values[t], actions[t], log_probs[t] = (each.cpu().numpy() for each in (found, chosen, odds.log_prob(chosen)))
        if others is not None:
            own[t] = play_others(others, states[t, :, st.TO_MOVE], planes, masks, actions[t], draw)
        if progress is not None:
            bonus[t] = progress(planes)
        batch.step(actions[t])
        over[t], rewards[t] = batch.over, batch.rewards()
        if len(late := np.flatnonzero(batch.truncated)):
            won = winners_at_limit(game, batch.states[late], draw)
            if others is not None:  # whoever meets random players has to reach the goal
                won[others.learner_seat[late] != NO_SEAT] = st.NOBODY
            rewards[t, late] = rewards_at_limit(game.players, won)
        if over[t].any():
            batch.begin(np.flatnonzero(over[t]))
    advantages = credit(values + bonus, states[:, :, st.TO_MOVE], rewards, over, settings.gamma, settings.gae_lambda)
    known = ~np.isnan(advantages) & own
    advantages, returns = advantages[known], (advantages + values)[known]
    scaled = (advantages - advantages.mean()) / (advantages.std() + 1e-8) if advantages.size else advantages
    return Rollout(states[known], actions[known], log_probs[known], scaled, returns)


def play_others(
    others: Others,
    seats: NDArray[np.int16],
    planes: NDArray[np.int8],
    masks: NDArray[np.int8],
    actions: NDArray[np.int64],
    draw: np.random.Generator,
) -> NDArray[np.bool_]:
    """Put the moves of the others into `actions`, where one of them is to move. Returns where none is, bool[N]."""
    copied, drawn = seats == others.seats, (others.learner_seat != NO_SEAT) & (seats != others.learner_seat)
    if len(rows := np.flatnonzero(copied)):
        logits, _ = forward(others.earlier, torch.as_tensor(planes[rows], device=others.earlier.device))
        actions[rows] = legal_odds(logits, masks[rows]).sample().cpu().numpy()
    if len(rows := np.flatnonzero(drawn)):
        actions[rows] = (masks[rows] * (1 - draw.random(masks[rows].shape))).argmax(1)
    own: NDArray[np.bool_] = ~(copied | drawn)
    return own


def legal_odds(logits: Tensor, masks: NDArray[np.int8]) -> LegalCategorical:
    """The distribution of the legal actions, [B, A]."""
    odds = LegalCategorical(logits.shape[1]).proba_distribution(logits)
    odds.apply_masking(masks)
    return odds


def credit(
    values: NDArray[np.float32],
    seats: NDArray[np.int16],
    rewards: NDArray[np.float32],
    over: NDArray[np.bool_],
    gamma: float,
    gae_lambda: float,
) -> NDArray[np.float32]:
    """Generalized advantage estimates for the seat that moved: the next state is the one at its next own move.

    Args:
        values: [T, N] for the seat that moves.
        seats: [T, N] who moves.
        rewards: [T, N, players] of all seats where a game ends with this move.
        over: [T, N] whether a game ends with this move.
        gamma: discount of a move of one's own.
        gae_lambda: weight of later moves.

    Returns:
        [T, N]; NaN: the rest of the game is not known, as this seat did not move again.
    """
    found, games = np.empty_like(values), np.arange(values.shape[1])
    after, later = np.full_like(rewards[0], np.nan), np.zeros_like(rewards[0])  # of each seat's next move
    for t in reversed(range(len(values))):
        after[over[t]], later[over[t]] = rewards[t, over[t]], 0
        own = games, seats[t]
        found[t] = after[own] - values[t] + gae_lambda * gamma * later[own]
        after[own], later[own] = gamma * values[t], np.nan_to_num(found[t])
    return found


def learn(
    settings: Play,
    policy: Any,
    optimizer: torch.optim.Optimizer,
    game: Game,
    moves: Rollout,
    left: float,
    draw: np.random.Generator,
) -> dict[str, float]:
    """One update; `left`: the share of the learning rate and of the weight of entropy. Returns means for the log."""
    policy.set_training_mode(True)
    for group in optimizer.param_groups:
        group["lr"] = settings.learning_rate * left
    count = len(moves.states)
    if not count:  # an earlier copy made all moves
        return {}
    parts = max(1, count // settings.batch_size)
    minibatches = [rows for _ in range(settings.epochs) for rows in np.array_split(draw.permutation(count), parts)]
    seen = []
    for rows in minibatches:
        states = moves.states[rows]
        planes, masks = observe(game, states, states[:, st.TO_MOVE])
        actions, before, advantages, returns = (
            torch.as_tensor(column[rows], device=policy.device) for column in moves[1:]
        )
        logits, values = forward(policy, torch.as_tensor(planes, device=policy.device))
        odds = legal_odds(logits, masks)
        ratio = (odds.log_prob(actions) - before).exp()
        gain = torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages).mean()
        entropy, wrong = odds.entropy().mean(), (values - returns).square().mean()
        loss = VALUE * wrong - gain - settings.entropy * left * entropy
        descend(optimizer, loss, NORM)
        seen.append([entropy.item(), wrong.item(), ((ratio - 1).abs() > CLIP).float().mean().item()])
    policy.set_training_mode(False)
    return dict(zip(("entropy", "value_loss", "clipped"), np.mean(seen, axis=0).tolist(), strict=True))


def evaluate(job: Job, step: int, logger: Logger) -> None:
    """Play matches, and log the results."""
    for line in job.evaluate(step):
        logger.record(f"evaluation/{line['against']}", line["mean_reward"])
    logger.dump(step)
