"""Players of installed packages, by entry points of the group amoba.agents."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Run

from amoba_agents import AGENTS, make_agent
from amoba_env import registry
from amoba_experiments.cli import shared

ROOT = Path(__file__).parents[2]


def test_a_package_is_installed_and_plays(tmp_path: Path) -> None:
    """The example package, built and installed as any other."""
    source = tmp_path / "source"
    source.mkdir()
    for file in (ROOT / "tests/data/agent_package").glob("*.*"):
        (source / file.name).write_text(file.read_text())
    install = ["pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target"]
    subprocess.run([sys.executable, "-m", *install, str(tmp_path), str(source)], check=True, timeout=300)
    path = os.pathsep.join([str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")])
    match = ["match", "gomoku", "centre:3,far=true", "centre", "--games", "4", "--json", "-", "--start", "first"]
    done = subprocess.run(
        [sys.executable, "-c", "from amoba_experiments.cli import main; main()", *match],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [player["agent"] for player in result["players"]] == ["centre:3,far=true", "centre"]
    assert (result["distinct_games"], result["forfeits"]) == (1, 0)


def entry_points(folder: Path, package: str, **points: str) -> None:
    """Install a package that has nothing but entry points."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    lines = [f"{name} = {value}\n" for name, value in points.items()]
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("".join(["[amoba.agents]\n", *lines]))


@pytest.mark.plain
def test_packages_at_fault(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One line for each, and all other players are there."""
    random, greedy = "amoba_agents.players.random:Random", "amoba_agents.players.lookahead:Greedy"
    entry_points(tmp_path, "aaa", broken="no_such_module:Player", worse="amoba_raises:Player", twice=random)
    entry_points(tmp_path, "bbb", greedy=random, twice=greedy, fine=random)
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
