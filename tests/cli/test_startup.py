"""What is imported before it is needed makes everybody wait: commands load what they use, and no more."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

import pytest
from commands import Run

from amoba_experiments.bench import startup
from amoba_experiments.cli.run import app

COMMAND = """
import sys
from amoba_experiments.cli import main
sys.argv = ["amoba", *sys.argv[1:]]
try:
    main()
finally:
    print(*sys.modules)
"""
SLOW = {"choix", "duckdb", "pyarrow", "pydantic", "pygame", "ray", "scipy.stats", "scipy.optimize", "torch"}


def loaded(code: str, arguments: str = "") -> set[str]:
    done = subprocess.run([sys.executable, "-c", code, *arguments.split()], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_the_package() -> None:
    names = loaded("import sys, amoba_env; print(*sys.modules)")
    assert "gymnasium" in names
    assert not names & {*SLOW, "numba", "scipy", "rich", "click"}


@pytest.mark.parametrize("line", ["--help", "games"])
def test_commands_that_play_nothing(line: str) -> None:
    assert not loaded(COMMAND, line) & {*SLOW, "numba", "scipy", "gymnasium"}


def test_only_the_command_that_is_typed_is_built(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "commands", {})
    for line in ("--help", "chess", "perft tictactoe 2"):
        run(line)
    assert list(app.commands) == ["perft"]


def test_a_match() -> None:
    line = "match halma greedy greedy greedy --games 2 --quiet"
    names = loaded(COMMAND, line)
    if "numba.np.linalg" in names:  # it compiled, and the next one loads
        names = loaded(COMMAND, line)
    assert "numba" in names
    assert not names & {
        *SLOW,
        "scipy.linalg",
        "scipy.special",
        "numba.np.linalg",
        "gymnasium",
        "pettingzoo",
        "amoba_agents.alphabeta",
        "amoba_agents.mcts",
        "amoba_agents.networks.trained",
    }


def test_a_match_with_openings() -> None:
    line = "match gomoku greedy random --games 4 --openings random:2 --quiet"
    assert not loaded(COMMAND, line) & SLOW


def test_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole processes, in two turns, of which the first warms up; here only the first process is run."""
    run, seen = startup._run, list[str]()

    def noted(process: Sequence[str], environment: Mapping[str, str]) -> None:
        seen.append(" ".join(process))
        assert "PYTHONDONTWRITEBYTECODE" not in environment
        if len(seen) == 1:
            run(process, environment)

    monkeypatch.setattr(startup, "_run", noted)
    monkeypatch.setitem(startup.PEERS, "another", ("not_there", "import not_there"))
    results = startup.measure(1)
    half = len(seen) // 2
    assert seen[:half] == seen[half:]
    assert [each.partition(" ")[2] for each in seen[:3]] == list(startup.COMMANDS)
    assert {result.unit for result in results} == {"s"}
    (imports,) = (result for result in results if result.name == startup.OURS)
    assert imports.peer == "import gymnasium"
    for step in startup.STEPS:
        for cache in ("empty", "warm"):
            rows = [result for result in results if result.name.startswith(f"{step}, {cache} cache")]
            assert [row.peer for row in rows] == ["PettingZoo connect_four", "OpenSpiel connect_four", None]


def test_the_first_steps_that_are_measured() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "AMOBA_REGISTER"}
    for line in (*startup.STEPS.values(), *(line for _, line in startup.PEERS.values())):
        subprocess.run([sys.executable, "-c", line], env=environment, check=True)
