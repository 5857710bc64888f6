"""The strength of networks that learn from their own play, against processor time."""

from __future__ import annotations

import json

from amoba_experiments.training import recipes
from workshop import growth

MEMBERS = {"greedy": {"share": 0.75, "ci95": [0.7, 0.8]}, "lookahead:2": {"share": 0.25, "ci95": [0.2, 0.3]}}


def test_the_networks_of_a_run_are_graded_once(tmp_path, monkeypatch):
    recipe = recipes.load(recipes.find("gomoku", recipes.OWN_PLAY), "gomoku")
    (tmp_path / recipes.FILE).write_text(recipe.to_yaml())
    stages = [
        ("1-search-a", 60, [{"network": number, "steps": 20 * number, "processor_seconds": 30.0} for number in (1, 2)]),
        ("2-distill-b", 120, [{"against": "greedy"}]),
    ]
    for name, seconds, lines in stages:
        (tmp_path / "stages" / name).mkdir(parents=True)
        done = {"stage": name.split("-")[1], "processor_seconds": seconds, "evaluations": lines}
        (tmp_path / "stages" / name / "done.json").write_text(json.dumps(done))
    played = []

    def grade(panel, agent, jobs):
        played.append(agent)
        return {"members": MEMBERS, "share": 0.5, "ci95": [0.45, 0.55], "elo": 100.0, "elo_ci95": [90, 110]}

    monkeypatch.setattr(growth, "grade", grade)
    found = growth.grades(tmp_path)
    assert [(each["name"], each["minutes"]) for each in found] == [
        ("search, 0 games", 0.0),
        ("search, 20 games", 0.5),
        ("search, 40 games", 0.5),
        ("policy, after distill", 3.0),
    ]
    assert f"values={tmp_path / 'stages' / '1-search-a' / 'network-2.npz'}" in played[2]
    assert growth.grades(tmp_path) == found
    assert len(played) == len(found)
    rows = growth.table([found, found]).splitlines()
    assert rows[2] == "| search, 0 games | 0 | 100, 100 | 75.0 % | 25.0 % |"
    assert "seed 1" in growth.picture("title", {0: found, 1: found}, 2)
