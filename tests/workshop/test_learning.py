"""The comparison of methods of learning: equal time, resumed runs, the table and the picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from amoba_agents import make_agent
from amoba_experiments.studies.section import markdown
from workshop.learning import measure, report
from workshop.learning.methods import METHODS
from workshop.learning.tasks import LEARNER, TASKS, points

TASK = TASKS["tictactoe"]._replace(judges=("greedy", "random"))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The processor time, which `Slow` uses up."""
    now = [0.0]
    monkeypatch.setattr(measure.time, "process_time", lambda: now[0])

    class Slow:
        def __init__(self, task: Any, seed: int) -> None:
            self.seed = seed

        def learn(self, left: float) -> None:
            assert 0 <= left <= 1
            now[0] += 0.25 if self.seed else 1.5

        def player(self) -> Any:
            return make_agent("greedy" if self.seed else "random")

    monkeypatch.setattr(measure, "METHODS", {"slow, or not": Slow})
    return now


def test_runs(clock: list[float], tmp_path: Path) -> None:
    """All have the same time; what is done is found again, unless the settings are others."""
    told: list[float] = []

    def runs(minutes: float) -> dict[str, Any]:
        what = measure.Comparison(TASK, ["slow, or not"], minutes, games=6, seeds=2)
        return measure.runs(what, tmp_path, lambda what, share: told.append(share))

    (lines,) = runs(0.05).values()
    assert [[line["seconds"] for line in each] for each in lines] == [
        [1.5, 1.5, 1.5, 3.0, 3.0, 3.0],
        [0.5, 1.0, 1.5, 2.0, 2.5, 3.0],
    ]
    assert lines[1][-1]["greedy"] == points(TASK, "greedy", "greedy", 6, 1, 1) == 0.5
    assert max(told) == 1
    spent, told[:] = clock[0], []
    assert runs(0.05) == {"slow, or not": lines}
    assert (clock[0], told) == (spent, [])
    runs(0.1)
    assert clock[0] > spent
    assert LEARNER not in __import__("amoba_agents").AGENTS


def test_the_table_and_the_picture() -> None:
    found = {
        "worse": [[{"seconds": 1, "greedy": 0.1, "random": share}] * 6 for share in (0.2, 0.3, 0.4)],
        "better": [[{"seconds": 1, "greedy": share, "random": 0.9}] * 6 for share in (0.5, 0.6, 0.7)],
    }
    rows = report.table(TASK, found, {"alphabeta:nodes=1000": [{"greedy": 1.0, "random": 0.5}]}).rows
    assert [row["method"] for row in rows] == ["better", "worse", "for comparison: alphabeta:nodes=1000"]
    better: Any = rows[0]
    assert better["greedy"]["share"] == pytest.approx(0.6)
    assert better["greedy"]["ci95"] == pytest.approx([0.5, 0.7])
    assert better["mean"]["share"] == pytest.approx(0.75)
    assert better["mean"]["ci95"] == pytest.approx([0.7, 0.8])
    assert rows[2]["mean"] == {"share": 0.75}
    root = ElementTree.fromstring(report.picture(TASK, {f"{i}": found["worse"] for i in range(7)}))
    assert sum(each.get("class", "").startswith("line") for each in root) == 14
    assert [each for each in root.itertext() if each.strip() in "0123456"]


def test_ranges_over_a_few_seeds_are_not_called_intervals() -> None:
    found = {"one": [[{"seconds": 1, "greedy": share, "random": share}] for share in (0.5, 0.6, 0.7)]}
    result = {"question": "?", "seed": 0, "seeds": 3, "warnings": [], "ranges": report.RANGES}
    said = markdown({**result, "tables": [report.table(TASK, found, {})._asdict()]})
    assert "; the lowest and the highest seed in brackets." in said
    assert "interval" not in said


def test_every_way_has_a_name_for_its_file() -> None:
    assert len({name.replace(",", "").replace(" ", "-") for name in METHODS}) == len(METHODS)


def test_refused() -> None:
    with pytest.raises(ValueError, match="games: expected a multiple of 6"):
        measure.Comparison(TASK, [], games=7)
    for wrong in ({"minutes": 0}, {"minutes": -1}, {"games": 0}, {"games": -6}, {"jobs": 0}, {"seeds": 0}):
        (name,) = wrong
        with pytest.raises(ValueError, match=f"{name}: expected"):
            measure.Comparison(TASK, [], **wrong)
