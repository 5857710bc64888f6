"""Players in files of Python, without a package."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import pytest
from commands import Run, refused

import amoba_env  # noqa: F401
from amoba_agents import AGENTS, describe, fingerprint, make_agent
from amoba_env import games

CORNER = '''
"""Players of a student."""

from typing import Annotated

import numpy as np

from amoba_agents.players.random import Random
from amoba_env.options import Option, named


class {name}(Random):
    """The first free cell, or another one of the first `odds`."""

    @named("{name}")
    def __init__(self, odds: Annotated[int, Option("how many", 1, 9)] = 1):
        self.odds = odds

    def act(self, game, states, rng, memory):
        return np.argmax(game.cells(states) < 0, axis=1).astype(np.int32)
'''


@pytest.fixture
def corner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with one player, in the working folder."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "corner.py"
    file.write_text(CORNER.format(name="Corner"))
    return file


def test_a_player_in_a_file_is_a_player_like_others(corner: Path, run: Run) -> None:
    code, out, err = run("match tictactoe ./corner.py:3 random --games 20 --out run --jobs 2 --batch 2")
    assert (code, err) == (0, "")
    assert "./corner.py:3" in out
    env = gymnasium.make("amoba/TicTacToe-v0", opponent="corner.py", seat=1)
    _, info = env.reset(seed=0)
    assert info["action_mask"].tolist() == [0] + [1] * 8
    assert describe("corner.py")[1] == {"odds": "1"}
    assert make_agent(f"{corner}::Corner,odds=2").name == "Corner:2"
    assert "./corner.py" not in list(AGENTS)
    before = fingerprint("./corner.py", games.make("tictactoe"))
    corner.write_text(corner.read_text() + "# another player\n")
    assert before.keys() == fingerprint("./corner.py", games.make("tictactoe")).keys() == {"./corner.py"}
    refused(run, "match tictactoe ./corner.py:3 random --games 20 --out run", "plays with another ./corner.py here")


@pytest.mark.plain
def test_files_without_the_player(corner: Path) -> None:
    two = corner.with_name("two.py")
    two.write_text(CORNER.format(name="One") + CORNER.format(name="Two").replace('"""Players of a student."""', ""))
    assert make_agent("two.py::Two").name == "Two:1"
    corner.with_name("none.py").write_text("x = 1\n")
    corner.with_name("bad.py").write_text("import nothing_of_this_name\n")
    for text, why in (
        ("two.py", "two.py: expected one of the players two.py::One, two.py::Two, got None"),
        ("two.py::Three", "two.py: expected one of the players two.py::One, two.py::Two, got 'Three'"),
        ("none.py", "none.py: expected a class derived from amoba_env.agent.Agent, got none"),
        ("bad.py", "bad.py cannot be run: ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("lost.py", "lost.py: no player can be read from it: No such file or directory"),
        ("corner.py:10", r"corner.py: odds: expected 1\.\.9, got 10"),
    ):
        with pytest.raises(ValueError, match=f"^{why}$"):
            make_agent(text)
