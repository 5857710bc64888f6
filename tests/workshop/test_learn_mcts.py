"""Learning the chances of `mcts` in halma, on a small scale."""

from pathlib import Path

import numpy as np
import pytest
import torch

from amoba_agents.endgame import chances as endgame_chances
from amoba_agents.mcts import leaf_chances
from amoba_agents.mcts.leaves import learned
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core import board as boards
from amoba_env.core import play
from amoba_env.core import state as st
from amoba_env.core.rng import streams
from amoba_env.core.state import States
from amoba_env.games import Game, make_from
from amoba_env.games.race import race
from amoba_env.games.star import star_seats
from amoba_experiments.runs.files import write_arrays
from workshop.search_networks import chances_learner
from workshop.search_networks.loop import NETWORK, learn, play_part


def small(players: int) -> chances_learner.MctsChances:
    return chances_learner.MctsChances(
        players=players, part_games=20, sims=20, games=(60, 20), first_player="mcts:20", epochs=10
    )


@pytest.mark.parametrize("players", [2, 3])
def test_two_rounds(players: int, tmp_path: Path) -> None:
    what = small(players)
    second = learn(what, tmp_path, 1, 0)
    first = tmp_path / "round-1" / NETWORK
    assert first.read_bytes() != second.read_bytes()
    stamp = second.stat().st_mtime_ns
    assert learn(what, tmp_path, 1, 0) == second  # it is not made again
    assert second.stat().st_mtime_ns == stamp
    assert len(list(first.parent.glob("[0-9]*.npz"))) == 3
    with np.load(first.parent / f"{players}-0.npz") as found:
        assert set(found["games"]) == set(range(20))
        assert set(found["winners"]) <= {-1, *range(players)}
        assert (found["states"][:, st.PLY] >= min(what.opening)).all()
    with np.load(second.parent / f"{players}-0.npz") as other, np.load(first.parent / f"{players}-0.npz") as found:
        assert other["states"].shape != found["states"].shape or (other["states"] != found["states"]).any()


@pytest.mark.parametrize("players", [2, 3])
def test_the_file_has_what_was_learned(players: int, tmp_path: Path) -> None:
    """The search's values are those of the learner, but for rounding, and say who won better than equal chances do."""
    what, files = small(players), [tmp_path / f"{part}.npz" for part in range(3)]
    for part, file in enumerate(files):
        play_part(what, (players, part), [], 0, file)
    torch.manual_seed(0)
    learner = what.learn(files, 0)
    write_arrays(tmp_path / "values.npz", learner.whole())
    states, winners = chances_learner.columns_of(files[:1], ("states", "winners"))
    game = make_from("halma", {"players": players})
    leaf = learned(game, tmp_path / "values.npz")
    room, values = leaf_chances.room_for(game.rules, leaf.tables), np.zeros(players, np.float32)
    rows = np.zeros((1, players, leaf_chances.MOST_ROWS), np.int32)
    used = players * (endgame_chances.MEN_OF_A_SEAT + 1 + players) + 1
    right = 0
    for state, winner in zip(states[::20], winners[::20], strict=True):
        leaf_chances.read_chances(game.rules, state, leaf.chances, room, values)
        chances_learner.write_rows_of_seats(game.rules, room, state[None], rows)
        with torch.no_grad():
            expected = torch.sigmoid(learner(torch.as_tensor(rows[0, :, :used]))).numpy()
        expected = (expected / expected.sum() * players - 1) / (players - 1)
        assert values == pytest.approx(expected, abs=0.02)
        right += int(values.argmax()) == winner
    assert right > len(states[::20]) / players


def test_games_are_between_players_of_all_rounds() -> None:
    """Each seat is drawn: in some games the first player has all seats, in others the second one has some."""
    asked: list[int] = []

    class Fake(Agent):
        def __init__(self, number: int) -> None:
            self.number = number

        def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
            asked.append(self.number)
            room = np.empty(game.n_actions, np.int64)
            play.moves(game.rules, states[0], room)
            return np.repeat(room[:1], len(states))

    board = boards.hexagram(1)
    game = race("halma", {"max_plies": 30, "adjudicate": False}, board, star_seats(board, (0, 4, 2), men=3))
    draw = np.random.default_rng(1)
    for number in range(6):
        (positions,) = small(3).play_in(game, [Fake(i) for i in range(3)], streams(1, number, 1), draw)
        assert positions
    assert set(asked) == {0, 1, 2}
