"""Self-play: who is credited with what, moves of turned boards, and that only the value learns at first."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training import PLAY, job, recipe

from amoba_agents.networks.inference import forward
from amoba_env.batch import Batch, observe
from amoba_env.core import state as st
from amoba_env.progress import Progress
from amoba_experiments.training import self_play
from amoba_experiments.training.move_limit import limited
from amoba_experiments.training.self_play import (
    NO_SEAT,
    VALUES_FIRST,
    Others,
    credit,
    others_of,
    play,
    play_moves,
    play_others,
    values_alone,
)
from amoba_experiments.training.settings import Search


@pytest.mark.parametrize("players", [1, 2, 3])
def test_each_seat_has_a_chain_of_its_own(players: int) -> None:
    """As in the definition: sums of errors of the values of a seat's own moves, game by game."""
    draw, gamma, lam = np.random.default_rng(players), 0.9, 0.8
    values = draw.normal(size=(40, 5)).astype(np.float32)
    seats = draw.integers(players, size=values.shape).astype(np.int16)
    rewards, over = draw.normal(size=(*values.shape, players)).astype(np.float32), draw.random(values.shape) < 0.1
    found = credit(values, seats, rewards, over, gamma, lam)
    for game in range(values.shape[1]):
        for t in range(len(values)):
            seat, now, expected, weight = seats[t, game], t, 0.0, 1.0
            while True:
                rest = range(now, len(values))
                end = next((later for later in rest if over[later, game]), len(values))
                own = next((later for later in rest if later > now and seats[later, game] == seat), len(values))
                if own <= end and own < len(values):
                    expected += weight * (gamma * values[own, game] - values[now, game])
                    weight, now = weight * gamma * lam, own
                    continue
                if end < len(values):
                    expected += weight * (rewards[end, game, seat] - values[now, game])
                elif now == t:
                    expected = np.nan
                break
            assert found[t, game] == pytest.approx(expected, abs=1e-4, nan_ok=True)


def test_an_update_in_which_others_made_all_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is learned from it, and the stage goes on."""
    monkeypatch.setattr(self_play, "play_others", lambda others, seats, *_: np.zeros(len(seats), np.bool_))
    work = job(tmp_path, dataclasses.replace(PLAY, past=1.0))
    before = {name: array.clone() for name, array in work.policy.state_dict().items()}
    assert play(dataclasses.replace(PLAY, past=1.0), work)["steps"] >= PLAY.steps
    assert all(torch.equal(array, before[name]) for name, array in work.policy.state_dict().items())


@pytest.mark.parametrize("name", ["tictactoe", "halma"])
def test_moves_of_all_seats(name: str, tmp_path: Path) -> None:
    """Positions, the turned ones too, are of the game; moves are legal; probabilities are the network's."""
    work = job(tmp_path, PLAY, game=name, options={"max_plies": 12} if name == "halma" else {})
    game, settings = work.game, dataclasses.replace(PLAY, n_steps=30, num_envs=6)
    batch = Batch(game, settings.num_envs)
    batch.begin(np.arange(batch.count))
    progress = Progress(game) if game.moves_men else None
    found = play_moves(settings, work.policy, batch, progress, np.random.default_rng(0))
    count, most = len(found.states), settings.num_envs * settings.n_steps
    assert most / 2 < count < most  # the last move of a seat, here or before a cut, has no known end
    assert set(found.states[:, st.TO_MOVE]) == set(range(game.players))
    planes, masks = observe(game, found.states, found.states[:, st.TO_MOVE])
    assert masks[np.arange(count), found.actions].all()
    with torch.no_grad():
        logits, values = forward(work.policy, torch.as_tensor(planes))
    odds = torch.log_softmax(logits.masked_fill(torch.as_tensor(masks) == 0, -1e9), 1)
    assert odds.numpy()[np.arange(count), found.actions] == pytest.approx(found.log_probs, abs=1e-5)
    assert abs(found.advantages.mean()) < 1e-5
    assert np.corrcoef(found.returns - values.numpy(), found.advantages)[0, 1] == pytest.approx(1, abs=1e-4)


def test_the_nearest_wins_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In games against itself; against random players all lose. The limit of the stage is the one that counts."""
    work = job(tmp_path, PLAY, game="halma")
    settings = dataclasses.replace(PLAY, n_steps=14, num_envs=6, random=0.5, max_plies=12)
    game = limited(work.game, settings.max_plies)
    batch = Batch(game, settings.num_envs)
    batch.begin(np.arange(batch.count))
    seen = []

    def kept(values: Any, seats: Any, rewards: Any, over: Any, *rest: Any) -> Any:
        seen.append((rewards, over))
        return credit(values, seats, rewards, over, *rest)

    monkeypatch.setattr(self_play, "credit", kept)
    monkeypatch.setattr(self_play, "winners_at_limit", lambda game, states, draw: np.ones(len(states), np.int64))
    draw = np.random.default_rng(0)
    play_moves(settings, work.policy, batch, None, draw, others_of(settings, None, [], batch, draw))
    ((rewards, over),) = seen
    assert over[11].all()
    assert over.sum() == batch.count
    assert (rewards[11, :3] == -0.5).all()
    assert rewards[11, 3:].tolist() == [[-0.5, 1, -0.5]] * 3


def test_an_earlier_copy_plays_some_seats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its moves are its own, and are not learned; those of all other seats are."""
    work = job(tmp_path, PLAY)
    game, settings = work.game, dataclasses.replace(PLAY, n_steps=12, num_envs=8)
    batch = Batch(game, settings.num_envs)
    batch.begin(np.arange(batch.count))
    other = job(tmp_path / "other", PLAY).policy

    def last_cell(policy: Any, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits, values = forward(policy, planes)
        return (100.0 * torch.arange(game.n_actions).expand_as(logits), values) if policy is other else (logits, values)

    monkeypatch.setattr(self_play, "forward", last_cell)
    seats = np.repeat([0, 1, NO_SEAT, NO_SEAT], 2)
    states, actions = [], []
    step = batch.step

    def noted(chosen: Any) -> None:
        states.append(batch.states.copy())
        actions.append(chosen.copy())
        step(chosen)

    monkeypatch.setattr(batch, "step", noted)
    nobody = np.full(batch.count, NO_SEAT)
    found = play_moves(settings, work.policy, batch, None, np.random.default_rng(0), Others(other, seats, nobody))
    for now, chosen in zip(states, actions, strict=True):
        theirs = np.flatnonzero(now[:, st.TO_MOVE] == seats)
        _, masks = observe(game, now[theirs], now[theirs, st.TO_MOVE])
        assert (chosen[theirs] == [row.nonzero()[0][-1] for row in masks]).all()
    moves = sum((now[:, st.TO_MOVE] != seats).sum() for now in states)
    assert moves - 16 <= len(found.states) <= moves  # the last move of a seat has no known end
    assert (others_of(settings, other, [], batch, np.random.default_rng(0)).seats == NO_SEAT).all()
    drawn = others_of(settings, other, [work.policy.state_dict()], Batch(game, 1000), np.random.default_rng(0))
    assert all(map(torch.equal, drawn.earlier.parameters(), work.policy.parameters()))
    assert np.bincount(drawn.seats + 1) == pytest.approx([500, 250, 250], abs=60)


def test_all_but_one_move_at_random(tmp_path: Path) -> None:
    """In the first games, and in these no copy plays. Random moves are legal, all of them come, and none is learned."""
    work = job(tmp_path, PLAY)
    game, settings = work.game, dataclasses.replace(PLAY, n_steps=12, num_envs=8, random=0.5)
    batch = Batch(game, settings.num_envs)
    batch.begin(np.arange(batch.count))
    draw = np.random.default_rng(0)
    others = others_of(settings, work.policy, [work.policy.state_dict()], batch, draw)
    assert others.learner_seat.tolist() == [0, 1, 0, 1, *[NO_SEAT] * 4]
    assert (others.seats[:4] == NO_SEAT).all()
    found = play_moves(settings, work.policy, batch, None, draw, others._replace(seats=np.full(8, NO_SEAT)))
    own_moves = 4 * 6 + 4 * 12
    assert own_moves - 16 <= len(found.states) <= own_moves  # the last move of a seat has no known end
    masks = np.tile((np.arange(game.n_actions) % 2).astype(np.int8), (400, 1))
    alone, actions = np.full(400, 1), np.full(400, -1)
    own = play_others(
        Others(None, np.full(400, NO_SEAT), alone), np.arange(400) % 2, masks[:, None], masks, actions, draw
    )
    assert (own == (np.arange(400) % 2 == 1)).all()
    assert (actions[own] == -1).all()
    assert set(actions[~own]) == set(range(1, game.n_actions, 2))


def test_the_value_learns_first(tmp_path: Path) -> None:
    """After a stage that trained the policy: as long as only the value learns, moves stay as they are."""
    update = PLAY.num_envs * PLAY.n_steps
    work = job(tmp_path, PLAY)
    before = {name: array.clone() for name, array in work.policy.state_dict().items()}

    def stop(what: str, done: int, total: int) -> None:
        if what.endswith(": moves") and done == VALUES_FIRST * update:
            raise KeyboardInterrupt

    settings = dataclasses.replace(PLAY, steps=10 * VALUES_FIRST * update)
    with pytest.raises(KeyboardInterrupt):
        play(settings, dataclasses.replace(work, recipe=recipe(PLAY, PLAY), number=1, progress=stop))
    after = work.policy.state_dict()
    moved = {name.partition(".")[0] for name, array in before.items() if not torch.equal(array, after[name])}
    assert moved == {"value_net"}


def test_how_long_the_value_learns_alone(tmp_path: Path) -> None:
    """A tenth of the stage at most, so that short ones teach the policy too; not at all if it has learned nothing."""
    work, update = job(tmp_path, PLAY), PLAY.num_envs * PLAY.n_steps
    search = dataclasses.replace(work, recipe=recipe(Search(), PLAY), number=1)
    after = dataclasses.replace(work, recipe=recipe(PLAY, PLAY), number=1)
    for updates, alone in ((9, 0), (10, 1), (39, 3), (1000, 4)):
        settings = dataclasses.replace(PLAY, steps=updates * update)
        assert values_alone(settings, after) == alone * update
        assert values_alone(settings, search) == values_alone(settings, work) == 0
