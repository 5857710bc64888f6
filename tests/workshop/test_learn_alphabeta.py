"""Learning the values and the policy of alphabeta's search, on a small scale."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from alphabeta_values import scores_of, value_of, workspace_of
from numpy.random import default_rng

from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta import stone_values
from amoba_agents.alphabeta.learned_order import SCORE_UNIT
from amoba_env import Position
from amoba_env.core import state as st
from amoba_env.games import make_from
from amoba_experiments.runs.files import write_arrays
from workshop.search_networks import values_learner
from workshop.search_networks.loop import NETWORK, learn, play_part

PLAYED = (("gomoku", {"size": 10}, (40, 20, 20)), ("renju", {}, (20, 20, 20)))
SMALL = values_learner.StoneValues(part_games=20, nodes=300, played=PLAYED, epochs=2, policy_epochs=10, batch=32)


def test_random_moves_are_legal() -> None:
    """A forbidden point of renju is empty, but no move."""
    position, draw = Position.from_moves(make_from("renju", {"size": 9}), "c7 i1 d7 g1 b6 e1 b5 i3"), default_rng(0)
    drawn = {values_learner.random_move(position.game, position.state, draw) for _ in range(2000)}
    empty = set(np.flatnonzero(position.cells == st.EMPTY))
    assert drawn < set(position.legal_actions().tolist()) < empty


def test_the_file_has_what_was_learned(tmp_path: Path) -> None:
    """The values of the search are those of the network that was learned, but for rounding; they follow the chances."""
    what = dataclasses.replace(SMALL, epochs=40)
    parts = [(0, 0), (0, 1), (1, 0)]
    for part in parts:
        play_part(what, part, [], 0, tmp_path / f"{part}.npz")
    files = [(PLAYED[part[0]], tmp_path / f"{part}.npz") for part in parts]
    with np.load(files[0][1]) as first, np.load(files[1][1]) as second:
        assert len(first["states"]) > 100
        assert set(first["results"]) <= {0.0, 0.5, 1.0}
        assert len(first["states"]) != len(second["states"]) or (first["states"] != second["states"]).any()
    examples = values_learner.StoneExamples(files, values_learner.COUNTED_UNIT)
    network = what.fit_values(examples, 0)
    policy = what.fit_policy(network, examples, 0)
    write_arrays(tmp_path / "values.npz", values_learner.whole(network, policy))
    for played, file in (files[0], files[2]):
        game = make_from(*played[:2])
        row = stone_values.network(game.rules, tmp_path / "values.npz")
        one = values_learner.StoneExamples([(played, file)], values_learner.COUNTED_UNIT)
        with np.load(file) as found:
            states = found["states"]
        w = li.workspace(game.rules)
        pairs, asked = np.empty((len(states), game.n_cells), np.int32), np.empty(len(states), np.bool_)
        values_learner.examine(game.rules, states, w, li.hash_table(w, game.n_cells, 12), pairs, asked)
        rows = np.flatnonzero(asked)
        with torch.no_grad():
            logits = network(*one.batch(np.arange(len(rows)))).tolist()
            moves = policy(*one.batch(np.arange(len(rows))))[0].tolist()
        for state, logit in zip(states[rows], logits, strict=True):
            seat = int(state[st.TO_MOVE])
            assert value_of(game, state, seat, row) == pytest.approx(stone_values.VALUE_UNIT * logit, abs=1.5)
            w = workspace_of(game, state)
            cells = [cell for cell in np.flatnonzero(state[st.CELLS :] == st.EMPTY) if w[w[li.CELL_COUNTS] + cell]]
            own, moves = moves[: len(cells)], moves[len(cells) :]
            assert scores_of(game, state, seat, row, cells) == pytest.approx(
                [SCORE_UNIT * move for move in own], abs=SCORE_UNIT / 2
            )
        assert moves == []
        chances = torch.stack([torch.sigmoid(torch.as_tensor(logits)), one.chances])[:, ~one.test]
        assert torch.corrcoef(chances)[0, 1] > 0.5


def test_rounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A round is played with the values of the one before; the third learns from the games of the second too."""
    last = learn(SMALL, tmp_path, 1, 0)
    said = re.findall(r"round (\d): ([\d,]+) positions", capsys.readouterr().out)
    positions = [int(count.replace(",", "")) for _, count in said]
    own = [
        len(
            values_learner.StoneExamples(
                [(PLAYED[k], tmp_path / f"round-{number}" / f"{k}-0.npz") for k in range(2)], 1.0
            ).results
        )
        for number in (2, 3)
    ]
    assert positions[1:] == [own[0], sum(own)]
    play_part(SMALL, (0, 0), [], [0, 1], tmp_path / "counted.npz")  # the draws of the second round, counted values
    with np.load(tmp_path / "round-2" / "0-0.npz") as learned, np.load(tmp_path / "counted.npz") as counted:
        assert learned["values"].tolist() != counted["values"].tolist()
    assert len({(tmp_path / f"round-{number}" / NETWORK).read_bytes() for number in (1, 2, 3)}) == 3
    stamp = last.stat().st_mtime_ns
    assert learn(SMALL, tmp_path, 1, 0) == last  # it is not made again
    assert last.stat().st_mtime_ns == stamp
