"""Shards of a match as tasks of a Ray cluster: `amoba match ... --ray auto`.

Every node needs amoba in the version of this one, the packages of its players and the files that they read; all of it
is compared. A shard whose node dies is played again elsewhere; the games depend on their numbers alone, so the result
is that of one machine.
"""

from __future__ import annotations

import itertools
import os
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import amoba_agents
import amoba_env.games
from amoba_agents.networks import trust
from amoba_env.core import jit
from amoba_experiments.arena.workers import Flag, Progress, Shard, T, Work

AHEAD = 2  # shards for each core that are under way or wait on the cluster, so that memory stays flat
TRIES = 20  # of a shard whose worker ends: nodes die, but what ends twenty workers is the shard itself
ASKS = 0.5  # seconds between two questions of a task whether its match is called off
PATIENCE = 5  # seconds for the tasks of a match that is called off to end


def code() -> str:
    """A fingerprint of the rules, the players and how they are matched, as this node has them."""
    folders = [*amoba_env.games.__path__, *amoba_agents.__path__, str(Path(__file__).parent)]
    return "".join(jit.digest(Path(folder)) for folder in folders)


def play(here: str, trusted: frozenset[str], flag: Any, run: int, work: Work[T], first: int, count: int) -> T:
    """What a task does. Raises ValueError, and on which node, where code or files are others."""
    node = f"node {socket.gethostname()} of the Ray cluster"
    if code() != here:
        raise ValueError(f"{node} has another version of amoba: install the same everywhere")
    trust.take(trusted)
    cancel, ended = threading.Event(), threading.Event()
    threading.Thread(target=_listen, args=(flag, run, cancel, ended), daemon=True).start()
    try:
        return work(first, count, None, cancel)
    except ValueError as error:
        raise ValueError(f"{node}: {error}") from None
    finally:
        ended.set()


def _listen(flag: Any, run: int, cancel: threading.Event, ended: threading.Event) -> None:
    """Set `cancel` when the match is called off."""
    import ray

    while not ended.wait(ASKS):
        # A flag whose node has died is not up yet elsewhere.
        with suppress(ray.exceptions.RayError):
            if ray.get(flag.is_off.remote(run), timeout=10 * ASKS):
                cancel.set()
                return


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
        except Exception as error:  # Ray raises that too, such as where a node is not up in time
            raise ValueError(f"no Ray cluster at {address!r}: {' '.join(str(error).split())}") from None
        self.jobs = max(1, int(ray.cluster_resources().get("CPU", 0)))
        # Tasks end themselves: ray.cancel aborts this process where one is just ending.
        self._flag: Any = ray.remote(num_cpus=0, max_restarts=-1)(Flag).remote()
        self._runs = itertools.count()

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
        ray, here, waiting, number = self._ray, code(), list(reversed(shards)), next(self._runs)
        task = ray.remote(num_cpus=1, max_retries=TRIES)(play)
        what = ray.put(work)
        under_way: dict[Any, Shard] = {}
        try:
            while waiting or under_way:
                while waiting and len(under_way) < AHEAD * self.jobs:
                    shard = waiting.pop()
                    under_way[task.remote(here, trust.given(), self._flag, number, what, *shard)] = shard
                for done in ray.wait(list(under_way))[0]:
                    keep(under_way[done], ray.get(done))
                    if progress is not None:
                        progress(under_way[done][1])
                    del under_way[done]
        except ray.exceptions.RayError as error:
            cause = getattr(error, "cause", error)
            if isinstance(cause, ray.exceptions.RayError):
                raise OSError(f"the Ray cluster cannot go on: {str(cause).splitlines()[0]}") from None
            raise cause from None
        finally:
            if under_way:
                self._call_off(number, list(under_way))

    def _call_off(self, run: int, tasks: list[Any]) -> None:
        """Let these tasks end, and wait a while; later they end after a step, or with the cluster."""
        with suppress(self._ray.exceptions.RayError, ConnectionError):
            self._flag.call_off.remote(run)
            self._ray.wait(tasks, num_returns=len(tasks), timeout=PATIENCE)
