"""Learning the chances of `endgame` in halma with three players, on a small scale."""

from pathlib import Path

import numpy as np
import pytest
import torch

from amoba_agents.endgame import chances
from amoba_env.core import board as boards
from amoba_env.core import state as st
from amoba_env.core.rng import streams
from amoba_env.games.race import race
from amoba_env.games.star import star_seats
from amoba_experiments.runs.files import write_arrays
from workshop.search_networks import chances_learner
from workshop.search_networks.loop import NETWORK, learn, play_part

SMALL = chances_learner.EndgameChances(part_games=20, nodes=300, games=(60, 20), epochs=12)


def test_the_second_round_is_played_with_the_chances_of_the_first(tmp_path: Path) -> None:
    second = learn(SMALL, tmp_path, 1, 0)
    assert (tmp_path / "round-1" / NETWORK).read_bytes() != second.read_bytes()
    stamp = second.stat().st_mtime_ns
    assert learn(SMALL, tmp_path, 1, 0) == second  # it is not made again
    assert second.stat().st_mtime_ns == stamp
    with np.load(tmp_path / "round-1" / "0.npz") as found:
        assert set(found["seats"]) == {0, 1, 2}  # the positions of all seats are learned from
        assert (found["states"][:, st.TO_MOVE] == (found["seats"] + 1) % 3).all()  # after their moves
        assert (found["targets"] == found["results"]).all()  # nothing was searched for chances
    with np.load(tmp_path / "round-2" / "0.npz") as found:
        assert (found["targets"] != found["results"]).mean() > 0.5
        assert ((found["targets"] >= 0) & (found["targets"] <= 1)).all()


def test_the_file_has_what_was_learned(tmp_path: Path) -> None:
    """The network in whole numbers finds what the learner finds, but for rounding, and has learned from the games."""
    files = [tmp_path / f"{part}.npz" for part in range(3)]
    for part, file in enumerate(files):
        play_part(SMALL, (part,), [], 0, file)
    torch.manual_seed(0)
    learner = SMALL.learn(files, 0)
    write_arrays(tmp_path / "chances.npz", learner.whole())
    with np.load(files[0]) as found:
        states, seats, results = (found[name] for name in ("states", "seats", "results"))
    rows = chances_learner.rows_after_moves(states, seats)
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
    chances_found = ((0, 0.5), (1, np.nan), (2, np.nan), (0, 0.8), (1, np.nan))
    kept = [({st.TO_MOVE: mover}, chance) for mover, chance in chances_found]

    def targets(winner: int, seat: int) -> list[float]:
        return [target for *_, target in chances_learner.examples(kept, winner, seat, 3)]  # the last position first

    assert targets(0, 0) == [1.0, pytest.approx(0.2 * 0.8 + 0.8)]
    assert targets(2, 0) == [0.0, pytest.approx(0.2 * 0.8)]
    assert [(state, target) for state, *_, target in chances_learner.examples(kept, 2, 2, 3)] == [
        (kept[3][0], 1.0),
        (kept[0][0], 1.0),
    ]


def test_the_first_games_are_those_of_one_player_on_all_seats() -> None:
    board = boards.hexagram(1)
    game = race("halma", {"max_plies": 60, "adjudicate": False}, board, star_seats(board, (0, 4, 2), men=3))
    for positions in SMALL.play_in(game, [], streams(1, 0, 2), np.random.default_rng(1)):
        assert {seat for _, seat, *_ in positions} == {0, 1, 2}
        assert all(state[st.TO_MOVE] == (seat + 1) % 3 for state, seat, *_ in positions)
        assert len({seat for _, seat, won, _ in positions if won == 1}) <= 1
