"""The strength of networks that learn from their own play, against processor time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from amoba_experiments.training import recipes
from workshop import growth

MEMBERS = {"greedy": {"share": 0.75, "ci95": [0.7, 0.8]}, "lookahead:2": {"share": 0.25, "ci95": [0.2, 0.3]}}


def test_the_networks_of_a_run_are_graded_once(tmp_path, monkeypatch):
    recipe = recipes.load(recipes.find("gomoku", recipes.OWN_PLAY), "gomoku")
    (tmp_path / recipes.FILE).write_text(recipe.to_yaml())
    gates = [{"network": number, "steps": 20 * number, "processor_seconds": 30.0} for number in (1, 2)]
    end_stage(tmp_path, recipe, 0, 60, gates)
    end_stage(tmp_path, recipe, 1, 120, [{"against": "greedy", "steps": 0}])
    played = []

    def grade(panel, agent, jobs):
        played.append(agent)
        return {
            "panel": growth.VERSION,
            "members": MEMBERS,
            "share": 0.5,
            "ci95": [0.45, 0.55],
            "elo": 100.0,
            "elo_ci95": [90, 110],
        }

    monkeypatch.setattr(growth, "grade", grade)
    found = growth.grades(tmp_path)
    assert [(each["name"], each["minutes"]) for each in found] == [
        ("search, 0 games", 0.0),
        ("search, 20 games", 0.5),
        ("search, 40 games", 0.5),
        ("policy, after distill", 3.0),
    ]
    assert f"values={tmp_path / recipe.folders[0] / 'network-2.npz'}" in played[2]
    assert growth.grades(tmp_path) == found
    assert len(played) == len(found)
    monkeypatch.setattr(growth, "VERSION", growth.VERSION + 1)  # other opponents: grades do not count together
    assert [each["panel"] for each in growth.grades(tmp_path)] == [growth.VERSION] * len(found)
    assert len(played) == 2 * len(found)
    rows = growth.table([found, found], "points").rows
    assert rows[0] == ["search, 0 games", "0", "100, 100", "75.0 %", "25.0 %"]
    assert "seed 1" in growth.picture("title", {0: found, 1: found}, 2)

    changed = recipes.load(tmp_path / recipes.FILE, "gomoku", changes=["distill.passes=2"])
    (tmp_path / recipes.FILE).write_text(changed.to_yaml())
    end_stage(tmp_path, changed, 1, 240, [{"against": "greedy", "steps": 0}])
    again = growth.grades(tmp_path)
    assert [(each["name"], each["minutes"]) for each in again] == [
        *((each["name"], each["minutes"]) for each in found[:3]),
        ("policy, after distill", 5.0),
    ]
    assert len(played) == 2 * len(found) + 1
    assert played[-1] == f"trained:{tmp_path / changed.folders[1] / 'policy.pt'}"


def test_two_runs_of_a_seed_and_a_page_without_marks_are_refused(tmp_path, monkeypatch):
    recipe = recipes.load(recipes.find("gomoku", recipes.OWN_PLAY), "gomoku")
    (tmp_path / recipes.FILE).write_text(recipe.to_yaml())
    page = tmp_path / "page.md"
    page.write_text("no marks")
    wrong = {
        "expected runs of different seeds, got the seeds 0, 0": [tmp_path],
        "lines <!-- growth-x": ["--into", page],
    }
    for error, words in wrong.items():
        monkeypatch.setattr("sys.argv", ["growth", "x", *map(str, (tmp_path, *words))])
        with pytest.raises(ValueError, match=error):
            growth.main()


def end_stage(run: Path, recipe: recipes.Recipe, number: int, seconds: float, lines: list[dict[str, Any]]) -> None:
    """Write what a stage that is done leaves."""
    folder = run / recipe.folders[number]
    folder.mkdir(parents=True)
    done = {"stage": recipe.stages[number].name, "processor_seconds": seconds, "evaluations": lines}
    (folder / "done.json").write_text(json.dumps(done))
