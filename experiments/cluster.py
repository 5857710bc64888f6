"""Shards of a match as tasks of a Ray cluster: `amoba match ... --ray auto`.

Every node needs amoba in the version of this one, which is checked, and its players' packages. A shard whose node
dies is played again elsewhere; the games depend on their numbers alone, so the result is that of one machine.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from amoba_env.core import jit
from experiments.workers import Progress, Shard, T, Work

AHEAD = 2  # shards for each core that are under way or wait on the cluster, so that memory stays flat
FOREVER = -1  # a task is tried again for as long as nodes die


def code() -> str:
    """A fingerprint of the rules and the players, as this node has them."""
    root = Path(__file__).parent.parent
    return jit.digest(root / "amoba_env" / "games") + jit.digest(root / "agents")


def play(here: str, work: Work[T], first: int, count: int) -> T:
    """What a task does. Raises ValueError on a node with other code."""
    if code() != here:
        raise ValueError("a node of the Ray cluster has another version of amoba: install the same everywhere")
    return work(first, count, None, threading.Event())


class Ray:
    """The cores of a Ray cluster, as arena.play_match and runs.write_run want them.

    with Ray("auto") as workers:
        play_match(match, workers)
    """

    def __init__(self, address: str = "auto") -> None:
        """Join a cluster.

        Args:
            address: "auto" (the one that runs here), HOST:PORT, ray://HOST:PORT, or "local" for one of this machine's
                cores, that ends with this process.

        Raises:
            ImportError: Ray is not installed.
            ValueError: there is no such cluster.
        """
        if not address:
            raise ValueError("no Ray cluster at '': auto, HOST:PORT or local is wanted")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if address == "local":  # at 127.0.0.1; Ray names the setting after the systems where that is its default
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        try:
            import ray
        except ImportError:
            raise ImportError("a Ray cluster wants Ray: pip install 'amoba[ray]'") from None
        self._ray: Any = ray
        self._ours = not ray.is_initialized()
        local = {"include_dashboard": False} if address == "local" else {}
        try:
            if self._ours:
                ray.init(address, log_to_driver=False, logging_level="ERROR", **local)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise ValueError(f"no Ray cluster at {address!r}: {' '.join(str(error).split())}") from None
        self.jobs = max(1, int(ray.cluster_resources().get("CPU", 0)))

    def __enter__(self) -> Ray:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._ours:
            self._ray.shutdown()

    def run(
        self, work: Work[T], shards: Sequence[Shard], keep: Callable[[Shard, T], None], progress: Progress | None
    ) -> None:
        """See Workers; results are kept here, one after the other."""
        ray, here, waiting = self._ray, code(), list(reversed(shards))
        task = ray.remote(num_cpus=1, max_retries=FOREVER)(play)
        what = ray.put(work)
        under_way: dict[Any, Shard] = {}
        try:
            while waiting or under_way:
                while waiting and len(under_way) < AHEAD * self.jobs:
                    shard = waiting.pop()
                    under_way[task.remote(here, what, *shard)] = shard
                for done in ray.wait(list(under_way))[0]:
                    keep(under_way[done], ray.get(done))
                    if progress is not None:
                        progress(under_way[done][1])
                    del under_way[done]
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None
        finally:
            for each in under_way:
                ray.cancel(each, force=True)
