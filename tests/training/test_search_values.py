"""Learning the values and the policy of alphabeta's search, on a small scale."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from amoba_agents.alphabeta import values
from amoba_agents.alphabeta.lines import CELL_COUNTS, SCORES, TOP, hash_table, workspace
from amoba_agents.alphabeta.policy import SCORE_UNIT, score_by_policy
from amoba_agents.alphabeta.stones import put
from amoba_env.core import state as st
from amoba_env.games import make_from
from amoba_experiments.training import search_games, search_values

pytestmark = pytest.mark.compiled


PLAYED = (("gomoku", {"size": 10}, (40, 20, 20)), ("renju", {}, (20, 20, 20)))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("PLAYED", PLAYED), ("SHARD", 20), ("PLAYER_NODES", 300)):
        monkeypatch.setattr(search_games, name, value)
    for name, value in (("EPOCHS", 40), ("POLICY_EPOCHS", 10), ("BATCH", 32)):
        monkeypatch.setattr(search_values, name, value)


@pytest.mark.usefixtures("small")
def test_the_file_has_what_was_learned(tmp_path: Path) -> None:
    """The values of the search are those of the network that was learned, but for rounding; they follow the chances."""
    parts = [(0, 0), (0, 1), (1, 0)]
    files = [(number, search_games.shard(tmp_path, None, number, part, 0)) for number, part in parts]
    again = search_games.shard(tmp_path, None, *parts[0], 0)
    assert again == files[0][1]
    with np.load(files[0][1]) as first, np.load(files[1][1]) as second:
        assert len(first["states"]) > 100
        assert set(first["results"]) <= {0.0, 0.5, 1.0}
        assert len(first["states"]) != len(second["states"]) or (first["states"] != second["states"]).any()
    examples = search_values.Examples(files, search_values.COUNTED_UNIT)
    network = search_values.fit(examples, 0)
    policy = search_values.fit_policy(network, examples, 0)
    search_values.write(network, policy, tmp_path / "values.npz")
    for number, file in (files[0], files[2]):
        game = make_from(*PLAYED[number][:2])
        row = values.network(game.rules, tmp_path / "values.npz")
        one = search_values.Examples([(number, file)], search_values.COUNTED_UNIT)
        with np.load(file) as found:
            states = found["states"]
        w = workspace(game.rules)
        pairs, asked = np.empty((len(states), game.n_cells), np.int32), np.empty(len(states), np.bool_)
        search_values.examine(game.rules, states, w, hash_table(w, game.n_cells, 12), pairs, asked)
        rows = np.flatnonzero(asked)
        with torch.no_grad():
            logits = network(*one.batch(np.arange(len(rows)))).tolist()
            moves = policy(*one.batch(np.arange(len(rows))))[0].tolist()
        for state, logit in zip(states[rows], logits, strict=True):
            assert value_of(game, state, row) == pytest.approx(values.VALUE_UNIT * logit, abs=1.5)
            cells, scores = scores_of(game, state, row)
            own, moves = moves[: len(cells)], moves[len(cells) :]
            assert scores == pytest.approx([SCORE_UNIT * move for move in own], abs=SCORE_UNIT / 2)
        assert moves == []
        chances = torch.stack([torch.sigmoid(torch.as_tensor(logits)), one.chances])[:, ~one.test]
        assert torch.corrcoef(chances)[0, 1] > 0.5


@pytest.mark.usefixtures("small")
def test_the_second_round_is_played_with_the_values_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_values, "EPOCHS", 2)
    first, second = (search_values.run_round(number, tmp_path, 1, 0) for number in range(2))
    (tmp_path / "counted").mkdir()
    other = search_games.shard(tmp_path / "counted", None, 0, 0, 1)  # the same draws, counted values
    with np.load(tmp_path / "round-2" / "0-0.npz") as learned, np.load(other) as counted:
        assert learned["values"].tolist() != counted["values"].tolist()
    assert second.read_bytes() != first.read_bytes()
    stamp = second.stat().st_mtime_ns
    assert search_values.run_round(1, tmp_path, 1, 0) == second  # it is not made again
    assert second.stat().st_mtime_ns == stamp


@pytest.mark.usefixtures("small")
def test_the_third_round_learns_from_the_games_of_the_second_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(search_values, "EPOCHS", 2)
    for number in range(3):
        search_values.run_round(number, tmp_path, 1, 0)
    said = re.findall(r"round (\d): ([\d,]+) positions", capsys.readouterr().out)
    positions = {int(number): int(count.replace(",", "")) for number, count in said}
    own = [
        len(search_values.Examples([(k, tmp_path / f"round-{number}" / f"{k}-0.npz") for k in range(2)], 1.0).results)
        for number in (2, 3)
    ]
    assert positions[2] == own[0]
    assert positions[3] == sum(own)


def scores_of(game, state, row) -> tuple[list[int], list[int]]:  # type: ignore[no-untyped-def]
    """The empty cells with sets, and the policy's scores of them."""
    w, empty = workspace_of(game, state)
    cells = [cell for cell in np.flatnonzero(state[st.CELLS :] == st.EMPTY) if w[w[CELL_COUNTS] + cell]]
    w[w[TOP] : w[TOP] + len(cells)] = cells
    values.read_position(game.rules, empty, w, row, np.int64(state[st.TO_MOVE]))
    score_by_policy(game.rules, empty, w, row, np.int64(state[st.TO_MOVE]), w[SCORES], w[TOP], w[TOP] + len(cells))
    return cells, w[w[SCORES] + np.array(cells, int)].tolist()


def value_of(game, state, row) -> int:  # type: ignore[no-untyped-def]
    w, empty = workspace_of(game, state)
    return int(values.evaluate(game.rules, empty, w, row, np.int64(state[st.TO_MOVE])))


def workspace_of(game, state):  # type: ignore[no-untyped-def]
    w = workspace(game.rules)
    t = hash_table(w, game.n_cells, 4)
    empty = state.copy()
    empty[st.CELLS :] = st.EMPTY
    for cell in np.flatnonzero(state[st.CELLS :] >= 0):
        put(game.rules, empty, w, t, np.int64(state[st.CELLS + cell]), np.int64(cell))
    return w, empty
