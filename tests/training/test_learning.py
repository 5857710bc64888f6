"""The comparison of ways to learn: equal time, resumed runs, the table and the picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from commands import Run, refused

from amoba_agents import make_agent
from amoba_experiments.studies.learning import measure, report
from amoba_experiments.studies.learning.methods import METHODS
from amoba_experiments.studies.learning.tasks import LEARNER, TASKS, points
from amoba_experiments.studies.section import markdown
from amoba_experiments.training import recipes, ship

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
        return measure.runs(TASK, tmp_path, minutes, 6, 0, 2, 1, lambda what, share: told.append(share))

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
    rows = report.table(TASK, found, {"alphabeta:nodes=1000": {"greedy": 1.0, "random": 0.5}}).rows
    assert [row["way to learn"] for row in rows] == ["better", "worse", "for comparison: alphabeta:nodes=1000"]
    better: Any = rows[0]
    assert better["greedy"]["share"] == pytest.approx(0.6)
    assert better["random"]["ci95"] == pytest.approx([0.9, 0.9])
    # Of 0.5 0.6 0.7 0.9 0.9 0.9 one at each end is cut off.
    assert better["interquartile mean"]["share"] == pytest.approx((0.6 + 0.7 + 0.9 + 0.9) / 4)
    low, high = better["interquartile mean"]["ci95"]
    assert 0.6 < low < (0.6 + 0.7 + 0.9 + 0.9) / 4 < high < 0.85
    assert report.interval(np.ones((2, 1)), report.interquartile) is None
    root = ElementTree.fromstring(report.picture(TASK, {f"{i}": found["worse"] for i in range(7)}))
    assert sum(each.get("class", "").startswith("line") for each in root) == 14
    assert [each for each in root.itertext() if each.strip() in "0123456"]


def test_ranges_over_a_few_seeds_are_not_called_intervals() -> None:
    found = {"one": [[{"seconds": 1, "greedy": share, "random": share}] for share in (0.5, 0.6, 0.7)]}
    result = {"question": "?", "seed": 0, "seeds": 3, "warnings": [], "ranges": report.RANGES}
    said = markdown({**result, "tables": [report.table(TASK, found, {})._asdict()]})
    assert "; the middle 95 % of bootstrap samples of the seeds in parentheses." in said
    assert "interval" not in said


def test_every_way_has_a_name_for_its_file() -> None:
    assert len({name.replace(",", "").replace(" ", "-") for name in METHODS}) == len(METHODS) == 6


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--what chess", "unknown section 'chess' of learning; its sections: tictactoe, gomoku, halma, all"),
        ("--minutes 0", "minutes must be 0.01..10000, not 0"),
        ("--games 7", "games must be a multiple of 6"),
    ],
)
def test_refused(words: str, message: str, run: Run) -> None:
    refused(run, f"reproduce learning {words}", message)


def test_shipping(tmp_path: Path) -> None:
    """The files of a run by the package's recipe get the names of its game; other runs are refused."""
    own = recipes.load(recipes.find("tictactoe"), "tictactoe", changes=["seed=3", "threads=1"])
    for name, text in {"recipe.yaml": own.to_yaml(), "policy.onnx": "net", "evaluations.jsonl": "{}"}.items():
        (tmp_path / name).write_text(text)
    links = "[policy.onnx](policy.onnx), [evaluations.jsonl](evaluations.jsonl)"
    (tmp_path / "card.md").write_text(f"# one\n\n`amoba train one --recipe recipe.yaml`\n{links}")
    (tmp_path / "to").mkdir()
    assert {file.name for file in ship.ship(tmp_path, tmp_path / "to")} == {
        *("tictactoe.onnx", "tictactoe.jsonl", "tictactoe.md"),
    }
    card = (tmp_path / "to" / "tictactoe.md").read_text()
    assert card.startswith("# Tic-tac-toe\n\n`amoba train tictactoe --out DIR`\n")
    assert card.endswith("[tictactoe.onnx](tictactoe.onnx), [tictactoe.jsonl](tictactoe.jsonl)")
    other = recipes.load(recipes.find("tictactoe"), "tictactoe", changes=["imitate.passes=1"])
    (tmp_path / "recipe.yaml").write_text(other.to_yaml())
    with pytest.raises(ValueError, match="was made by another recipe than"):
        ship.ship(tmp_path, tmp_path / "to")
    assert json.loads((tmp_path / "to" / "tictactoe.jsonl").read_text()) == {}
