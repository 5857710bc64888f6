"""What is imported before it is needed makes everybody wait: commands load what they use, and no more."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import gymnasium
import pytest
from commands import Run
from gymnasium.error import DependencyNotInstalled

from amoba_agents import make_agent
from amoba_agents.networks import inference
from amoba_env import games, halma_v0
from amoba_env.draw import Renderer, frames
from amoba_env.extras import install
from amoba_experiments.analysis.page import report
from amoba_experiments.analysis.queries import query
from amoba_experiments.arena.match import Match
from amoba_experiments.bench import startup
from amoba_experiments.cli.run import app
from amoba_experiments.runs.play_match import play_match

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


PICTURES = """
from amoba_env import Record, games, halma_v0
Record(games.make("tictactoe"), "b2").html()
env = halma_v0.env(render_mode="svg")
env.reset()
env.render()
"""
POLICIES = """
from amoba_agents import make_agent
from amoba_env import games
for game in map(games.make, ("tictactoe", "gomoku", "renju", "halma")):
    make_agent("trained").evaluate(game, game.batch(3))
"""
RUNS = "import amoba_experiments.cli, amoba_experiments.runs.play_match, amoba_experiments.analysis.queries"
LATE: list[tuple[str, set[str]]] = [  # code or a command, and modules that it does not import
    ("import amoba_env", {*SLOW, "numba", "scipy", "rich", "click", "matplotlib"}),
    (PICTURES, {"torch", "pygame", "resvg_py", "matplotlib", "PIL"}),
    (POLICIES, {"torch"}),
    (RUNS, {"pyarrow", "duckdb", "pandas"}),
    ("import amoba_experiments.training.searched_positions", {"torch"}),  # what workers of a cluster run
    ("amoba --help", {*SLOW, "numba", "scipy", "gymnasium"}),
    ("amoba games", {*SLOW, "numba", "scipy", "gymnasium"}),
]


@pytest.mark.parametrize(("code", "absent"), LATE, ids=[code.strip().splitlines()[0] for code, _ in LATE])
def test_what_is_not_imported(code: str, absent: set[str]) -> None:
    command = code.startswith("amoba ")
    names = (
        loaded(COMMAND, code.removeprefix("amoba ")) if command else loaded(f"{code}\nimport sys; print(*sys.modules)")
    )
    assert not names & absent


Call = Callable[[Path], object]
MATCH, TICTACTOE = Match("tictactoe", ("random", "random"), 2), games.make("tictactoe")
MISSING: dict[str, tuple[Call, str, str]] = {  # a call in a folder with a run, a package that is not there, its extra
    "a run": (lambda folder: play_match(MATCH, folder / "new"), "pyarrow.parquet", "stats"),
    "SQL": (lambda folder: query(folder / "run", "SELECT 1"), "duckdb", "stats"),
    "a report": (lambda folder: report([folder / "run"], folder / "a.html"), "jinja2", "stats"),
    "a policy": (
        lambda folder: make_agent("trained").evaluate(TICTACTOE, TICTACTOE.batch(1)),
        "onnxruntime",
        "trained",
    ),
}
PIXELS: dict[str, tuple[Call, str, str]] = {
    "an environment": (lambda folder: halma_v0.env(render_mode="rgb_array"), "resvg_py", "render"),
    "gymnasium": (lambda folder: gymnasium.make("amoba/Halma-v0", render_mode="rgb_array"), "resvg_py", "render"),
    "a batch": (lambda folder: gymnasium.make_vec("amoba/Halma-v0", render_mode="rgb_array"), "resvg_py", "render"),
}
MISSING |= {
    f"{mode}, {package}": (
        lambda folder, mode=mode: Renderer(mode).render(TICTACTOE, TICTACTOE.start()),
        package,
        "render",
    )
    for mode in ("rgb_array", "human")
    for package in ("pygame", "resvg_py")
}
ROWS = [pytest.param(*row, id=name) for name, row in MISSING.items()]
ROWS += [pytest.param(*row, id=name, marks=pytest.mark.plain) for name, row in PIXELS.items()]


@pytest.mark.parametrize(("call", "package", "extra"), ROWS)
def test_a_missing_package(
    call: Call, package: str, extra: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The error says which extra brings it."""
    play_match(MATCH, tmp_path / "run")
    for cached in (frames._ground, inference._load):
        cached.cache_clear()
    monkeypatch.delitem(sys.modules, "amoba_experiments.analysis.page.render", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises((ImportError, ValueError, DependencyNotInstalled), match=re.escape(install(extra))):
        call(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["run"]


def test_only_the_command_that_is_typed_is_built(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "commands", {})
    for line in ("--help", "chess", "perft tictactoe 2"):
        run(line)
    assert list(app.commands) == ["perft"]


def test_a_match() -> None:
    line = "match halma greedy greedy greedy --games 2 --openings random:2 --quiet"
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


@pytest.mark.filterwarnings("ignore")  # as in a process of their own
def test_the_first_steps_that_are_measured() -> None:
    for line in (*startup.STEPS.values(), *(line for _, line in startup.PEERS.values())):
        exec(line, {})


def test_a_first_step_in_a_process() -> None:
    """As it is measured: Gymnasium finds the environment itself."""
    environment = {key: value for key, value in os.environ.items() if key != "AMOBA_REGISTER"}
    subprocess.run([sys.executable, "-c", startup.STEPS["first step"]], env=environment, check=True)
