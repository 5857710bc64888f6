"""Ladders: who is in them, in which order they come out, and what the command writes."""

import json
from pathlib import Path

import pytest
from commands import Run

from amoba_agents.players.levels import kind
from amoba_env import games
from amoba_experiments.analysis.tournament import play_tournament, summarize
from amoba_experiments.analysis.tournament.ladder import PLAYERS, ladder


@pytest.mark.parametrize(
    ("name", "options", "pairing", "openings"),
    [
        ("tictactoe", {}, 20, "random:1"),
        ("gomoku", {"rule": "exact"}, 20, "random:4"),
        ("renju", {}, 20, "random:4"),
        ("halma", {"players": 2}, 20, "random:4"),
        ("halma", {}, 12, "random:6"),
        ("amoba", {"board": "hexagon", "players": 4}, 48, "random:8"),
    ],
)
def test_who_plays(name: str, options: dict[str, int | str], pairing: int, openings: str) -> None:
    what = ladder(name, options, seed=4)
    assert what.agents == (*PLAYERS[kind(games.make(name, **options))], "level:1", "level:4", "level:7", "level:10")
    assert (what.games, what.openings, what.seed, what.in_pairs) == (pairing, (openings,), 4, True)
    assert ladder(name, options, levels=True).agents == tuple(f"level:{level}" for level in range(1, 11))
    assert ladder(name, options, pairing * 3).games == pairing * 3


def test_too_many_seats() -> None:
    with pytest.raises(ValueError, match="a game of 2 to 4 players, got chinese_checkers with 6"):
        ladder("chinese_checkers", {"players": 6})


def test_levels_come_out_in_order() -> None:
    what = ladder("tictactoe", games_each=60, seed=11, levels=True)
    found = summarize(what, play_tournament(what, None, 1))
    assert [row["agent"] for row in found["standings"]] == [f"level:{level}" for level in range(10, 0, -1)]


def test_the_command(run: Run) -> None:
    line = "ladder tictactoe --games 2 --seed 3 --quiet"
    code, shown, _ = run(f"{line} --jobs 1 --out t --json a.json --markdown a.md")
    assert code == 0
    assert "level:10" in shown
    found = json.loads(Path("a.json").read_text())
    assert found["agents"] == list(ladder("tictactoe").agents)
    table = Path("a.md").read_text()
    assert table == Path("t/result.md").read_text() == run(f"{line} --jobs 2 --markdown -")[1]
    assert table.count("\n|") == len(found["agents"]) + 2  # the standings and nothing else
    assert run(f"{line} --json - --markdown -")[0] == 2
