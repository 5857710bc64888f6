"""Matches on a Ray cluster of two nodes, of which one dies in the middle: the games of one machine, bit for bit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import Run, refused

from experiments import cluster
from experiments.arena import Games, Match, play_match
from experiments.runs import load, write_run

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # nodes at 127.0.0.1, whatever the system

import ray
from ray.cluster_utils import Cluster

pytestmark = [pytest.mark.compiled, pytest.mark.filterwarnings("ignore")]

MATCH = Match("gomoku", ("greedy", "random"), 60, seed=3, rotate=True, options={"size": 7}, openings=("random:2",))


def same(one: Games, two: Games) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in Games.__dataclass_fields__)


@pytest.fixture(scope="module")
def nodes() -> Iterator[tuple[Cluster, Any]]:
    """A head without cores, and two nodes with one each."""
    small = {"object_store_memory": 100 << 20}
    group = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **small})
    first = group.add_node(num_cpus=1, **small)
    group.add_node(num_cpus=1, **small)
    ray.init(group.address, log_to_driver=False, logging_level="ERROR")
    yield group, first
    ray.shutdown()
    group.shutdown()


def test_a_node_dies(nodes: tuple[Cluster, Any], tmp_path: Path) -> None:
    group, doomed = nodes
    group.wait_for_nodes()
    expected = play_match(MATCH)
    write_run(tmp_path / "here", MATCH, batch=5)
    with cluster.Ray(group.address) as workers:
        assert workers.jobs == 2
        assert same(play_match(MATCH, workers, batch=7), expected)
        done = []

        def progress(count: int) -> None:
            done.append(count)
            if len(done) == 2:
                group.remove_node(doomed, allow_graceful=False)

        write_run(tmp_path / "there", MATCH, workers, 5, progress)
        assert sum(done) == MATCH.games
    assert load(tmp_path / "here").equals(load(tmp_path / "there"))


def test_refusals(run: Run, monkeypatch: pytest.MonkeyPatch, nodes: tuple[Cluster, Any]) -> None:
    workers = cluster.Ray(nodes[0].address)
    monkeypatch.setattr(cluster, "code", lambda: "other")
    with pytest.raises(ValueError, match="a node of the Ray cluster has another version of amoba"):
        play_match(MATCH, workers)
    line = "match tictactoe random random --regret --ray local"
    refused(run, line, "amoba: --regret watches the games: it goes without --ray\n")
