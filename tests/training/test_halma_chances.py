"""Learning the chances of `endgame` in halma with three players, on a small scale."""

from pathlib import Path

import numpy as np
import pytest
import torch

from amoba_agents.endgame import chances
from amoba_env.core import board as boards
from amoba_env.core import state as st
from amoba_env.games.race import race
from amoba_env.games.star import star_seats
from amoba_experiments.training import halma_chances, halma_games

compiled = pytest.mark.compiled


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SHARD", 20), ("PLAYER_NODES", 300)):
        monkeypatch.setattr(halma_games, name, value)
    monkeypatch.setattr(halma_chances, "GAMES", (60, 20))
    monkeypatch.setattr(halma_chances, "EPOCHS", 12)


@compiled
@pytest.mark.usefixtures("small")
def test_the_second_round_is_played_with_the_chances_of_the_first(tmp_path: Path) -> None:
    first, second = (halma_chances.run_round(number, tmp_path, 1, 0) for number in range(2))
    assert first.read_bytes() != second.read_bytes()
    stamp = second.stat().st_mtime_ns
    assert halma_chances.run_round(1, tmp_path, 1, 0) == second  # it is not made again
    assert second.stat().st_mtime_ns == stamp
    with np.load(tmp_path / "round-1" / "0.npz") as found:
        assert set(found["seats"]) == {0, 1, 2}  # the positions of all seats are learned from
        assert (found["states"][:, st.TO_MOVE] == (found["seats"] + 1) % 3).all()  # after their moves
        assert (found["targets"] == found["results"]).all()  # nothing was searched for chances
    with np.load(tmp_path / "round-2" / "0.npz") as found:
        assert (found["targets"] != found["results"]).mean() > 0.5
        assert ((found["targets"] >= 0) & (found["targets"] <= 1)).all()


@compiled
@pytest.mark.usefixtures("small")
def test_the_file_has_what_was_learned(tmp_path: Path) -> None:
    """The network in whole numbers finds what the learner finds, but for rounding, and has learned from the games."""
    files = [halma_games.shard(tmp_path, None, part, 0) for part in range(3)]
    learner = halma_chances.learn(files, 0)
    learner.write(tmp_path / "chances.npz")
    with np.load(files[0]) as found:
        states, seats, results = (found[name] for name in ("states", "seats", "results"))
    rows = halma_chances.rows_of_positions(states, seats)
    net = chances.network(tmp_path / "chances.npz")
    unit = 1 << chances.UNIT_BITS
    first = np.maximum(net.bias + net.rows[rows].sum(1), 0) / unit
    hidden = np.maximum(net.hidden_bias + first @ net.hidden, 0) / unit
    odds = (net.odds_bias + hidden @ net.odds) / unit
    with torch.no_grad():
        expected = learner(torch.as_tensor(rows)).numpy()
    assert odds == pytest.approx(expected, abs=0.02)
    assert np.corrcoef(odds, results)[0, 1] > 0.2


def test_a_target_is_the_result_blended_with_later_chances() -> None:
    kept = [({st.TO_MOVE: mover}, chance) for mover, chance in ((0, 0.5), (1, None), (2, None), (0, 0.8), (1, None))]
    won = halma_games._examples(kept, 0, 0, 3)  # the last position first
    assert [target for _, target in won] == [1.0, pytest.approx(0.2 * 0.8 + 0.8)]
    lost = halma_games._examples(kept, 0, 2, 3)
    assert [target for _, target in lost] == [0.0, pytest.approx(0.2 * 0.8)]
    assert halma_games._examples(kept, 2, 2, 3) == [(kept[3][0], 1.0), (kept[0][0], 1.0)]


def test_the_first_games_are_those_of_one_player_on_all_seats() -> None:
    board = boards.hexagram(1)
    options = {"max_plies": 60, "adjudicate": False}
    found = halma_games.play(
        None,
        race("halma", options, board, star_seats(board, (0, 4, 2), men=3)),
        2,
        np.random.SeedSequence(1),
    )
    assert set(found["seats"]) == {0, 1, 2}
    assert set(found["games"]) == {0, 1}
    assert (found["states"][:, st.TO_MOVE] == (found["seats"] + 1) % 3).all()
    for game in (0, 1):
        won = {int(seat) for seat in found["seats"][(found["games"] == game) & (found["results"] == 1)]}
        assert len(won) <= 1
