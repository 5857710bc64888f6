"""Benchmarks measure what they say."""

import dataclasses
import os
import signal
import subprocess
import sys

import pytest

from amoba_experiments.bench import compare, markdown, matches, report, train
from amoba_experiments.training.settings import Play, Search


def test_matches_on_disk_beside_those_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: dataclasses.replace(match, games=20) for name, match in matches.MATCHES.items()}
    monkeypatch.setattr(matches, "MATCHES", few)
    results = matches.measure(1)
    assert [result.name for result in results] == list(few)
    for result in results:
        assert result.ratio == pytest.approx((result.peer_value or 0) / result.value)
    assert "| in memory |" not in markdown(report(results))
    assert "s, in memory |" in markdown(report(results))


@pytest.mark.parametrize(
    ("name", "settings", "parts", "gradient_steps"),
    [
        ("play", Play(steps=128, num_envs=8, n_steps=8, batch_size=32, epochs=2), {"self-play", "learning"}, 4),
        (
            "search",
            Search(iterations=2, games=4, simulations=2, long=4, share=0.5),
            {"self-play", "longer search", "learning"},
            None,
        ),
    ],
)
def test_where_the_time_of_learning_goes(
    name: str, settings: object, parts: set[str], gradient_steps: int | None
) -> None:
    times, positions = train.run("tictactoe", name, settings)
    assert set(times.seconds) == parts
    assert min(times.seconds.values()) > 0
    assert times.gradient_steps == gradient_steps or (gradient_steps is None and times.gradient_steps > 0)
    assert positions == 128 if name == "play" else 2 * 4 * 3 < positions < 2 * 4 * 9


def test_ratios() -> None:
    assert compare("time", "s", [2.0, 4.0], "peer", [1.0, 1.0]).ratio == pytest.approx(0.375)
    assert compare("rate", "moves/s", [2.0, 4.0], "peer", [1.0, 1.0]).ratio == pytest.approx(3)


CHILD = """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in the background of a script
from workshop.bench.web import end_with_input
end_with_input()
print("ready", flush=True)
while True:
    time.sleep(0.01)
"""
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=subprocess.PIPE)
child.wait()
"""


def test_the_server_of_a_killed_bench_ends() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, CHILD], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "ready\n"
        os.kill(parent.pid, signal.SIGKILL)
        assert parent.stdout.read() == ""  # until both have ended
