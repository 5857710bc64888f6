"""A version of a function has the rules of its family alone (core/families.py); test_play.py compares what they do."""

from typing import Any

import pytest

from amoba_agents.players import random
from amoba_agents.values import line_scores
from amoba_env.core import batch
from amoba_env.core.content import parts
from amoba_env.core.families import RULES, VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("function", [batch.step_rows, random._choose, line_scores.choose])
def test_a_game_compiles_no_rules_of_others(function: Any, version: str) -> None:
    found = {each.__module__.rpartition(".")[2] for each in parts(getattr(function, version).py_func)}
    assert found & set(RULES) <= set(version.split("_"))
