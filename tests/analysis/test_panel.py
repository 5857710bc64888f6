"""`amoba evaluate`: ratings by a fixed panel are right on average, and their intervals hold."""

import json

import numpy as np
import pytest
from commands import Run

from amoba_agents import make_agent
from amoba_env import games
from amoba_experiments.analysis import panel as made
from amoba_experiments.analysis.panel import Panel, elo_for, expected_share, panel_for, panels
from amoba_experiments.statistics.clusters import mean_interval

TWO = Panel("gomoku", {}, "random:4", {"greedy": 0.0, "lookahead:2": 100.0, "alphabeta:nodes=200": 250.0})
THREE = Panel("halma", {"players": 3}, "random:6", {"greedy": 0.0, "robust": 80.0})
TIMES, PAIRS = 400, 60  # simulated grades; openings against each player, with both colours


@pytest.mark.parametrize("panel", [TWO, THREE], ids=lambda panel: panel.game)
def test_a_rating_is_that_of_the_expected_share(panel: Panel) -> None:
    """Where points are those expected at a rating, that is the rating; equal players share the points."""
    for elo in (-300.0, 0.0, 170.0):
        share = float(np.mean([expected_share(elo, each, panel.rules.players) for each in panel.elo.values()]))
        found = elo_for(share, panel)
        assert found is not None
        assert found == pytest.approx(elo, abs=1e-3)
    assert expected_share(50, 50, panel.rules.players) == pytest.approx(1 / panel.rules.players)
    assert elo_for(1.0, panel) is None
    assert elo_for(0.0, panel) is None


def test_intervals_of_ratings_hold() -> None:
    """Some 95 % of them contain the rating, though games from the same opening depend on each other."""
    draw, elo, inside = np.random.default_rng(1), 120.0, 0
    for _ in range(TIMES):
        opening = draw.normal(0, 80, PAIRS)  # what an opening is worth for whoever begins, for all opponents alike
        points, clusters = [], []
        for other in TWO.elo.values():
            for sign in (1, -1):
                chance = 1 / (1 + 10 ** ((other - elo - sign * opening) / 400))
                points.append((draw.random(PAIRS) < chance).astype(float))
                clusters.append(np.arange(PAIRS))
        ends = mean_interval(np.concatenate(points), np.concatenate(clusters))
        assert ends is not None
        low, high = (elo_for(end, TWO) for end in ends)
        assert low is not None
        assert high is not None
        inside += low < elo < high
    assert 0.92 * TIMES <= inside <= 0.98 * TIMES


def test_every_panel_can_be_played() -> None:
    """Each game is in the catalogue and has one panel, each player plays it, and `greedy` has 0."""
    for each in panels():
        game = games.make_from(each.game, each.options)
        assert panel_for(game) == each
        assert each.elo["greedy"] == 0
        for name in each.elo:
            make_agent(name).memory(game)
        for match in each.matches("random"):
            assert match.games == made.GAMES
    with pytest.raises(ValueError, match="panel"):
        panel_for(games.make("tictactoe"))


def test_the_command_prints_a_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table and a line; the same figures as JSON; the same again for the same agent."""
    monkeypatch.setattr(made, "GAMES", 48)
    monkeypatch.setattr(
        made, "panels", lambda: (TWO._replace(options={"size": 7}, elo={"greedy": 0.0, "random": -900.0}),)
    )
    code, text, _ = run("evaluate gomoku random --option size=7 --quiet")
    assert code == 0
    last = text.strip().splitlines()[-1]
    assert last.startswith("random: Elo ")
    assert "96 games, panel 1 (amoba evaluate gomoku random --option size=7)" in last
    results = [json.loads(run("evaluate gomoku random --option size=7 --quiet --json -")[1]) for _ in range(2)]
    assert results[0] == results[1]
    assert results[0]["members"]["greedy"]["share"] == 0
    low, high = results[0]["elo_ci95"]
    assert low is None or low < results[0]["elo"] < high


@pytest.mark.parametrize(("panel", "of"), [(TWO, "points"), (THREE, "wins")], ids=["two", "three"])
def test_the_line_says_what_is_counted(panel: Panel, of: str) -> None:
    found = {"game": panel.game, "options": panel.options, "agent": "greedy", "games": 48, "panel": 1}
    found |= {"share": 0.4, "ci95": [0.3, 0.5], "elo": 0.0, "elo_ci95": None}
    assert made.line_of(found).startswith(f"greedy: Elo 0, 40.0 % [30.0, 50.0] of the {of} in 48 games")
    assert made.elo_text({**found, "elo_ci95": [-20.0, None]}) == "0 [-20, beyond]"
