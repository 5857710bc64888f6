"""Players of installed packages, by entry points of the group amoba.agents."""

import json
from pathlib import Path

import pytest
from commands import Run
from packages import ROOT, entry_points, output_of, pip_install

from amoba_agents import AGENTS, make_agent
from amoba_env import registry
from amoba_experiments.cli import shared


def test_a_package_is_installed_and_plays(tmp_path: Path) -> None:
    """The example package, built and installed as any other."""
    source = tmp_path / "source"
    source.mkdir()
    for file in (ROOT / "tests/data/agent_package").glob("*.*"):
        (source / file.name).write_text(file.read_text())
    pip_install(source, tmp_path)
    match = ["match", "gomoku", "centre:3,far=true", "centre", "--games", "4", "--json", "-", "--start", "first"]
    result = json.loads(output_of(tmp_path, "from amoba_experiments.cli import main; main()", *match))
    assert [player["agent"] for player in result["players"]] == ["centre:3,far=true", "centre"]
    assert (result["distinct_games"], result["forfeits"]) == (1, 0)


@pytest.mark.plain
def test_packages_at_fault(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One line for each, and all other players are there."""
    random, greedy = "amoba_agents.players.random:Random", "amoba_agents.players.lookahead:Greedy"
    first = {"broken": "no_such_module:Player", "worse": "amoba_raises:Player", "twice": random}
    entry_points(tmp_path, "aaa", "amoba.agents", first)
    entry_points(tmp_path, "bbb", "amoba.agents", {"greedy": random, "twice": greedy, "fine": random})
    (tmp_path / "amoba_raises.py").write_text("raise RuntimeError('out\\nof luck')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(shared.out, "width", 200)
    monkeypatch.setattr(registry, "installed", registry.installed.__wrapped__)  # as in a fresh process
    monkeypatch.setitem(vars(AGENTS), "_installed", type(AGENTS)._installed.func(AGENTS))

    no_module = "cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'"
    code, out, err = run("agents")
    assert code == 0
    assert sorted(err.splitlines()) == [
        f"amoba: agent 'broken' of package aaa {no_module}",
        "amoba: agent 'greedy' of package bbb is refused: the name is taken",
        "amoba: agent 'twice' of package bbb is refused: aaa has one",
        "amoba: agent 'worse' of package aaa cannot be loaded: RuntimeError: out of luck",
    ]
    rows = {line.split()[0]: line for line in out.splitlines()}
    assert {"random", "greedy", "gomocup", "fine", "twice"} <= set(rows)
    assert "A legal move" in rows["twice"]
    assert "A legal move" not in rows["greedy"]
    assert run("match tictactoe broken random") == (2, "", f"amoba: agent 'broken' of package aaa {no_module}\n")
    assert make_agent("fine").name == "random"
    assert make_agent("greedy").name == "greedy"
    with pytest.raises(ValueError, match=r"unknown agent 'nobody'; the agents: random, .*, fine, "):
        make_agent("nobody")
    assert list(AGENTS).count("greedy") == 1
