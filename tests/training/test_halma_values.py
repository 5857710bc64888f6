"""Learning the chances of `mcts` in halma, on a small scale."""

from pathlib import Path

import numpy as np
import pytest
import torch

from amoba_agents.endgame import chances as endgame_chances
from amoba_agents.mcts import chances
from amoba_agents.mcts.leaf import learned
from amoba_env.core import board as boards
from amoba_env.core import state as st
from amoba_env.games.race import race
from amoba_env.games.star import star_seats
from amoba_experiments.training import halma_chances, halma_values

compiled = pytest.mark.compiled


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("SHARD", 20),
        ("SIMS", 20),
        ("GAMES", dict.fromkeys((2, 3), (60, 20))),
        ("FIRST_PLAYER", "mcts:20"),
    ):
        monkeypatch.setattr(halma_values, name, value)
    monkeypatch.setattr(halma_chances, "EPOCHS", 10)


@compiled
@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("players", [2, 3])
def test_two_rounds(players: int, tmp_path: Path) -> None:
    first, second = (halma_values.run_round(number, tmp_path, players, 1, 0) for number in range(2))
    assert first.read_bytes() != second.read_bytes()
    stamp = second.stat().st_mtime_ns
    assert halma_values.run_round(1, tmp_path, players, 1, 0) == second  # it is not made again
    assert second.stat().st_mtime_ns == stamp
    assert len(list(first.parent.glob("[0-9]*.npz"))) == 3
    with np.load(first.parent / "0.npz") as found:
        assert set(found["games"]) == set(range(20))
        assert set(found["winners"]) <= {-1, *range(players)}
        assert (found["states"][:, st.PLY] >= min(halma_values.RANDOM_PLIES)).all()
    with np.load(second.parent / "0.npz") as other, np.load(first.parent / "0.npz") as found:
        assert other["states"].shape != found["states"].shape or (other["states"] != found["states"]).any()


@compiled
@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("players", [2, 3])
def test_the_file_has_what_was_learned(players: int, tmp_path: Path) -> None:
    """The search's values are those of the learner, but for rounding, and say who won better than equal chances do."""
    files = [halma_values.shard(tmp_path, [], players, part, 0) for part in range(3)]
    learner = halma_values.learn(files, players, 0)
    learner.write(tmp_path / "values.npz")
    states, winners = halma_chances.columns_of(files[:1], ("states", "winners"))
    game = halma_values.make_from(halma_values.GAME, {"players": players})
    leaf = learned(game, tmp_path / "values.npz")
    room, values = chances.room_for(game.rules, leaf.tables), np.zeros(players, np.float32)
    rows = np.zeros((1, players, chances.MOST_ROWS), np.int32)
    used = players * (endgame_chances.MEN_OF_A_SEAT + 1 + players) + 1
    right = 0
    for state, winner in zip(states[::20], winners[::20], strict=True):
        chances.read_chances(game.rules, state, leaf.chances, room, values)
        halma_values.rows_of(game.rules, room, state[None], rows)
        with torch.no_grad():
            expected = torch.sigmoid(learner(torch.as_tensor(rows[0, :, :used]))).numpy()
        expected = (expected / expected.sum() * players - 1) / (players - 1)
        assert values == pytest.approx(expected, abs=0.02)
        right += int(values.argmax()) == winner
    assert right > len(states[::20]) / players


def test_games_are_between_players_of_all_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each seat is drawn: in some games the first player has all seats, in others the second one has some."""
    asked: list[int] = []

    class Fake:
        def __init__(self, number: int) -> None:
            self.number = number

        def act(self, game: object, states: np.ndarray, rng: object, memory: object) -> np.ndarray:
            asked.append(self.number)
            room = np.empty(game.n_actions, np.int64)  # type: ignore[attr-defined]
            halma_values.moves(game.rules, states[0], room)  # type: ignore[attr-defined]
            return np.repeat(room[:1], len(states))

    monkeypatch.setattr(halma_values, "make_agent", lambda _: Fake(0))
    monkeypatch.setattr(halma_values, "player", lambda file: Fake(int(file.name)))
    monkeypatch.setattr(halma_values, "BATCH_GAMES", 1)
    board = boards.hexagram(1)
    game = race("halma", {"max_plies": 30, "adjudicate": False}, board, star_seats(board, (0, 4, 2), men=3))
    found = halma_values.play([Path("1"), Path("2")], game, 6, np.random.SeedSequence(1))
    assert set(asked) == {0, 1, 2}
    assert set(found["games"]) == set(range(6))
    assert len(found["states"]) == len(found["winners"]) == len(found["games"])
