"""A version of a function has the rules of its family alone, and plays as all rules do (core/families.py)."""

from typing import Any

import numpy as np
import pytest

from amoba_agents.players import random
from amoba_agents.values import line_scores
from amoba_env import games
from amoba_env.core import batch, play
from amoba_env.core import state as st
from amoba_env.core.content import parts
from amoba_env.core.families import RULES, VERSIONS
from amoba_env.core.rng import below, streams

GAMES = (("gomoku", "none"), ("gomoku", "swap2"), ("renju", "none"), ("renju", "soosyrv8"), ("halma", None))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("function", [batch.step_rows, random._choose, line_scores.choose])
def test_a_game_compiles_no_rules_of_others(function: Any, version: str) -> None:
    found = {each.__module__.rpartition(".")[2] for each in parts(getattr(function, version).py_func)}
    assert found & set(RULES) <= set(version.split("_"))


@pytest.mark.parametrize(("name", "opening"), GAMES)
def test_a_version_plays_as_all_rules_do(name: str, opening: str | None) -> None:
    game = games.make(name, **({"opening": opening} if opening else {}))
    states, alone, legal = game.batch(8), game.batch(8), np.empty(game.n_actions, np.int32)
    rng, dice = streams(0, 0, 8), streams(0, 0, 8)
    for _ in range(60):
        rows = np.nonzero(alone[:, st.STATUS] == st.RUNNING)[0]
        actions, drawn = np.empty(len(rows), np.int32), rng[rows]
        random._choose(game.rules, states[rows], drawn, actions)
        batch.step_rows(game.rules, states, rows, actions)
        rng[rows] = drawn
        for row, action in zip(rows, actions, strict=True):
            count = play.moves(game.rules, alone[row], legal)
            assert action == legal[below(dice[row : row + 1], count)]
            play.apply(game.rules, alone[row], int(action))
        np.testing.assert_array_equal(states, alone)
