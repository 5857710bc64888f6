"""What is imported before it is needed makes everybody wait: commands load what they use, and no more."""

import subprocess
import sys

import pytest

from amoba_experiments.bench import startup

pytestmark = pytest.mark.compiled

COMMAND = """
import sys
from amoba_experiments.cli import main
sys.argv = ["amoba", *sys.argv[1:]]
try:
    main()
finally:
    print(*sys.modules)
"""
SLOW = {"choix", "duckdb", "networkx", "pyarrow", "pygame", "ray", "scipy.stats", "scipy.optimize", "torch"}


def loaded(code: str, arguments: str = "") -> set[str]:
    done = subprocess.run([sys.executable, "-c", code, *arguments.split()], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_the_package() -> None:
    names = loaded("import sys, amoba_env; print(*sys.modules)")
    assert "gymnasium" in names
    assert not names & {*SLOW, "numba", "scipy", "rich", "typer"}


@pytest.mark.parametrize("line", ["--help", "games", "match --help"])
def test_commands_that_play_nothing(line: str) -> None:
    assert not loaded(COMMAND, line) & {*SLOW, "numba", "scipy", "gymnasium"}


def test_a_match() -> None:
    names = loaded(COMMAND, "match halma greedy greedy greedy --games 2 --quiet")
    assert "numba" in names
    assert not names & {
        *SLOW,
        "scipy.linalg",
        "gymnasium",
        "pettingzoo",
        "amoba_agents.alphabeta",
        "amoba_agents.mcts",
        "amoba_agents.networks.trained",
    }


def test_a_match_with_openings() -> None:
    line = "match gomoku greedy random --games 4 --openings random:2 --quiet"
    assert not loaded(COMMAND, line) & SLOW


def test_the_benchmark() -> None:
    results = startup.measure(1)
    assert [result.unit for result in results] == ["s"] * 4
    assert results[-1].peer == "import gymnasium"
