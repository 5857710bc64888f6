"""How often intervals contain the true value: a few simulations; docs/results/coverage.md has hundreds."""

import sys
from pathlib import Path

import numpy as np
import pytest

from amoba_experiments.studies.section import markdown
from workshop import coverage


def test_intervals_hold_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "TRUTH", 400)
    result = coverage.coverage(3, 3, (2, 20))
    assert coverage.coverage(1, 3, (2,)) == coverage.coverage(1, 3, (2,))
    table, drawn = result["tables"]
    for row in table["rows"]:
        few = row["openings"] == 2
        for name in coverage.COLUMNS:
            assert row[name] in ("", "none shown") if few else not row[name] or float(row[name].split()[0]) >= 60
    (row,) = drawn["rows"]
    assert row.pop("openings") == 20
    assert all(float(each.split()[0]) >= 80 for each in row.values())
    assert "Seed 3." in markdown(result)


def test_simulated_games_are_balanced_and_of_known_strength() -> None:
    what = coverage.Scenario("", (100, -100), 50)
    games = coverage.simulate(what, 4000, np.random.default_rng(1))
    assert np.bincount(games.lineups[:, 0]).tolist() == [4000, 4000]
    assert (np.bincount(games.clusters) == 2).all()
    won = (games.lineups == 0)[games.places == 1].mean()
    assert won == pytest.approx(1 / (1 + 10**-0.5), abs=0.02)


def test_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(coverage, "SCENARIOS", coverage.SCENARIOS[:1])
    monkeypatch.setattr(coverage, "TRUTH", 40)
    page = tmp_path / "page.md"
    page.write_text("<!-- coverage-table -->\n<!-- end of coverage-table -->\n")
    monkeypatch.setattr(sys, "argv", ["coverage", "--times", "1", "--out", str(tmp_path / "o"), "--into", str(page)])
    coverage.main()
    assert (tmp_path / "o" / "coverage-table.md").read_text() in page.read_text()
