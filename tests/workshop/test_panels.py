"""Who is graded by the panels; errors of the makers' tools."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from amoba_agents import make_agent
from amoba_env.games import make_from
from amoba_experiments.analysis.match_text import game_text
from amoba_experiments.analysis.panel import panels
from amoba_experiments.cli.errors import exit_code
from workshop import ship
from workshop.panels import AGENTS


def test_every_panel_has_agents() -> None:
    assert list(AGENTS) == [game_text(panel.game, panel.options) for panel in panels()]
    for panel in panels():
        for text in AGENTS[game_text(panel.game, panel.options)]:
            make_agent(text).memory(make_from(panel.game, panel.options))


def test_an_error_is_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of the commands of amoba."""
    monkeypatch.setattr("sys.argv", ["ship", f"{tmp_path}/x"])
    assert exit_code(ship.main) == 2
    assert re.fullmatch("amoba: .* the folder .* does not exist\n", capsys.readouterr().err)
