"""Matches and training on a Ray cluster of two nodes: the games of one machine, bit for bit, also if a node dies."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import Run, refused
from training import recipe

from amoba_agents.networks.trained import POLICIES
from amoba_experiments.arena import cluster
from amoba_experiments.arena.games import HELD, Games
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.workers import Shard
from amoba_experiments.runs import manifest
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.store import load
from amoba_experiments.training.settings import Distill, Search
from amoba_experiments.training.train import train

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # nodes at 127.0.0.1, whatever the system
os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112  Ray's own name; else workers wait for all else that runs

import ray
from ray._private.state import GlobalState
from ray.cluster_utils import Cluster

pytestmark = pytest.mark.filterwarnings("ignore")

SMALL = {"object_store_memory": 100 << 20}
DEATHS = {"health_check_period_ms": 300}  # between two looks for dead nodes; five times Ray's own 3 s is long
MATCH = Match("gomoku", ("greedy", "random"), 60, seed=3, rotate=True, options={"size": 7}, openings=("random:2",))


def same(one: Games, two: Games) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in HELD)


class SlowClock:
    """The module `time`, whose monotonic clock runs ten times more slowly."""

    def monotonic(self) -> float:
        return time.monotonic() / 10

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)


found_node = GlobalState.get_node


def get_node(state: GlobalState, node: str) -> dict[str, Any]:
    """Ray looks once a second whether a node has started; here that is seen at once."""
    until = time.monotonic() + 600
    while time.monotonic() < until and not any(each["NodeID"] == node for each in state.node_table()):
        time.sleep(0.02)
    found: dict[str, Any] = found_node(state, node)
    return found


@pytest.fixture(scope="module")
def nodes() -> Iterator[Cluster]:
    """A head without cores, and two nodes with one each.

    Ray gives up on a node that has not started after 30 seconds, and has no option for it: too few on a busy machine.
    The head has no dashboard, starts no further nodes and shows no logs: each would be a process, slow to start.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ray._private.node.time", SlowClock())
        patch.setattr("ray._private.node.Node.start_api_server", lambda *_, **__: None)  # begun without dashboard too
        patch.setattr(GlobalState, "get_node", get_node)
        head = {"num_cpus": 0, "no_monitor": True, "include_log_monitor": False, "_system_config": DEATHS, **SMALL}
        group = Cluster(initialize_head=True, head_node_args=head)
        for _ in range(2):
            group.add_node(num_cpus=1, **SMALL)
        ray.init(group.address, log_to_driver=False, logging_level="ERROR")
        yield group
        ray.shutdown()
        group.shutdown()


def test_a_node_dies(nodes: Cluster, tmp_path: Path) -> None:
    doomed = nodes.add_node(num_cpus=1, **SMALL)
    nodes.wait_for_nodes(timeout=600)
    expected = play_match(MATCH)
    play_match(MATCH, tmp_path / "here", batch=5)
    with cluster.Ray(nodes.address) as workers:
        assert workers.jobs == 3
        assert same(play_match(MATCH, jobs=workers, batch=7), expected)
        done = []

        def progress(count: int) -> None:
            done.append(count)
            if len(done) == 2:
                nodes.remove_node(doomed, allow_graceful=False)

        play_match(MATCH, tmp_path / "there", jobs=workers, batch=5, progress=progress)
        assert sum(done) == MATCH.games
    assert load(tmp_path / "here").equals(load(tmp_path / "there"))


def test_training_plays_and_searches_there(nodes: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The positions and what was found in them are those of one machine."""
    monkeypatch.setattr("amoba_experiments.training.train.finish", lambda *_: [])
    what = recipe(Search(iterations=1, games=6, simulations=4, long=8, share=0.5), Distill(passes=1))
    workers, found = cluster.Ray(nodes.address), []
    for name, jobs in (("there", workers), ("here", None)):
        train(what, tmp_path / name, workers=jobs)
        (file,) = (tmp_path / name).glob("stages/*/searched-0.npz")
        found.append(np.load(file))
    for name in found[0]:
        assert np.array_equal(found[0][name], found[1][name], equal_nan=True)


def test_tasks_that_fail(nodes: Cluster) -> None:
    """Error after error; ray.cancel of tasks that are just ending would abort this process."""
    workers = cluster.Ray(nodes.address)

    def fails(first: int, count: int, progress: object, cancel: object) -> None:
        raise ValueError(f"no game {first}")

    for _ in range(20):
        with pytest.raises(ValueError, match=r"node .+ of the Ray cluster: no game [0-3]"):
            workers.run(fails, [(first, 1) for first in range(4)], lambda *_: None, None)
    assert same(play_match(MATCH, jobs=workers, batch=20), play_match(MATCH))


@pytest.mark.parametrize("reason", ["task", "keep", "interrupt"])
def test_the_others_are_cancelled(reason: str, nodes: Cluster, tmp_path: Path) -> None:
    """A shard goes on until it hears that another one failed, that a disk is full, or of Ctrl-C."""
    workers = cluster.Ray(nodes.address)
    begun, ended = tmp_path / "begun", tmp_path / "ended"

    def shard(first: int, count: int, progress: object, cancel: threading.Event) -> None:
        if first == 0:
            begun.touch()
            cancel.wait()
            ended.touch()
            return
        while not begun.exists():
            time.sleep(0.01)
        if reason == "task":
            raise ValueError("no game")

    def keep(shard: Shard, found: None) -> None:
        if reason == "interrupt":
            signal.raise_signal(signal.SIGINT)
        raise OSError("disk full")

    error, words = {
        "task": (ValueError, "no game"),
        "keep": (OSError, "disk full"),
        "interrupt": (KeyboardInterrupt, "^$"),
    }[reason]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(error, match=words):
            workers.run(shard, [(0, 1), (1, 1)], keep, None)
    finally:
        signal.signal(signal.SIGINT, before)
    while not ended.exists():
        time.sleep(0.01)
    if reason == "interrupt":  # the last one; all are cancelled in the same way
        assert same(play_match(MATCH, jobs=workers, batch=20), play_match(MATCH))


@pytest.mark.parametrize("folder", [None, "run"])
def test_a_node_with_another_network(
    folder: str | None, nodes: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nodes compare their files with those of who plays the match; one may be missing there."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(POLICIES / "tictactoe.onnx", "net.onnx")
    workers = cluster.Ray(nodes.address)

    def play(agent: str) -> None:
        match = Match("tictactoe", (agent, "random"), 4)
        play_match(match, folder and f"{folder}-{agent}", jobs=workers)

    with pytest.raises(ValueError, match=r"^node .+ of the Ray cluster: trained: the file net\.onnx does not exist$"):
        play("trained:net.onnx")
    play("trained")
    for module in (play_match.__module__, manifest.__name__):
        monkeypatch.setattr(f"{module}.fingerprints", lambda _: {"trained,temperature=1": {"its file": "0123"}})
    message = r"^node .+ of the Ray cluster: trained,temperature=1 plays with another its file here .* than when the"
    with pytest.raises(ValueError, match=message):
        play("trained,temperature=1")


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch, nodes: Cluster) -> None:
    workers = cluster.Ray(nodes.address)
    monkeypatch.setattr(cluster, "code_of_all", lambda: "other")
    with pytest.raises(ValueError, match=r"node .+ of the Ray cluster has another version of amoba"):
        play_match(MATCH, jobs=workers)


def test_a_shard_that_ends_its_workers(nodes: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not tried for ever. The last test of the cluster: new workers would have to import everything."""
    monkeypatch.setattr(cluster, "RETRIES", 0)
    with pytest.raises(OSError, match=r"the Ray cluster failed: .*worker"):
        cluster.Ray(nodes.address).run(lambda *_: os._exit(1), [(0, 1)], lambda *_: None, None)


@pytest.mark.parametrize("address", ["", "head", "head:", ":6379", "head:0", "head:65536", "ray://head", "127.0.0.1:*"])
def test_no_cluster_there(run: Run, address: str) -> None:
    """An error at once, in matches and training: Ray would wait for minutes."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens there
        address = address.replace("*", str(taken.getsockname()[1]))
        message = f"amoba: no Ray cluster at {address!r}: "
        refused(run, f"match tictactoe random random --ray '{address}'", message)
        refused(run, f"train tictactoe --out run --ray '{address}'", message)
