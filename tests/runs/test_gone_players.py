"""Reading a run needs none of its players; playing on needs all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Run, refused

from amoba_agents import register
from amoba_agents.players.lookahead import Greedy
from amoba_agents.registry import AGENTS
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.replay import dataset, decisions, first_choices
from amoba_experiments.runs.store import match_of, read_manifest


@pytest.fixture
def gone(tmp_path: Path) -> Path:
    """A folder with runs of a player that was registered in a script, which has ended."""
    register("mine", Greedy)
    try:
        for name, games in (("one", 20), ("two", 30)):
            play_match(Match("tictactoe", ("mine", "random"), games), tmp_path / "runs" / name, jobs=1)
    finally:
        del AGENTS["mine"]
    return tmp_path / "runs"


@pytest.mark.parametrize(
    "line",
    [
        "stats runs/one",
        "stats runs/one runs/two",
        "stats runs",
        "stats runs/one --sql 'SELECT * FROM players'",
        "report runs/one -o one.html",
        "report runs -o both.md",
    ],
)
def test_reading(gone: Path, run: Run, line: str) -> None:
    code, _, err = run(line)
    assert code == 0, err


def test_data_to_learn_from(gone: Path) -> None:
    assert len(dataset(gone / "one")["action"]) == len(decisions(gone / "one")[1])
    assert len(first_choices(gone / "one")[0]) == 20


def test_playing_on(gone: Path, run: Run) -> None:
    refused(run, "match tictactoe mine random --games 20 --out runs/one", "unknown agent 'mine'")
    match = match_of(read_manifest(gone / "one"))
    assert match.agents == ("mine", "random")
    with pytest.raises(ValueError, match="unknown agent 'mine'"):
        play_match(match, gone / "one", jobs=1)
    with pytest.raises(ValueError, match="unknown agent 'mine'"):
        Match("tictactoe", ("mine", "random"))
