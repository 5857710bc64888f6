"""Shards of a match as tasks of a Ray cluster: `amoba match ... --ray auto`.

Every node needs the same version of amoba, and the same packages and files of the players: each task compares them with
the sender's. If a node dies, its shards are played on another node. A game depends only on its number, so the result is
the same as on one machine.
"""

from __future__ import annotations

import itertools
import os
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

from amoba_env.core.interrupt import interrupt, interruptible
from amoba_env.extras import needs
from amoba_experiments.arena.code import code_of_all
from amoba_experiments.arena.workers import Cancelled, Flag, Progress, Shard, T, Work

SHARDS_PER_CORE = 2  # sent to the cluster at a time; more would need more memory
RETRIES = 20  # of a shard whose worker process died; after these the shard itself is the cause
POLL_SECONDS = 0.5  # between a task's checks whether its match is cancelled
CANCEL_SECONDS = 5  # how long to wait for the tasks of a cancelled match
ANSWER_SECONDS = 10  # how long the machine of a cluster may take to answer


def play(here: str, flag: Any, run: int, work: Work[T], first: int, count: int) -> T:
    """Play a shard, on a node of the cluster. Raises ValueError, naming the node, if its code or files differ."""
    node = f"node {socket.gethostname()} of the Ray cluster"
    if code_of_all() != here:
        raise ValueError(f"{node} has another version of amoba: install the same one everywhere")
    cancel, ended = threading.Event(), threading.Event()
    threading.Thread(target=_listen, args=(flag, run, cancel, ended), daemon=True).start()
    try:
        with interruptible():
            return work(first, count, None, cancel)
    except ValueError as error:
        raise ValueError(f"{node}: {error}") from None
    except KeyboardInterrupt:
        raise Cancelled from None
    finally:
        ended.set()


def _listen(flag: Any, run: int, cancel: threading.Event, ended: threading.Event) -> None:
    """Set `cancel` when the match is cancelled."""
    import ray

    while not ended.wait(POLL_SECONDS):
        # If the flag's node has died, Ray is still starting it on another node.
        with suppress(ray.exceptions.RayError):
            if ray.get(flag.is_cancelled.remote(run), timeout=10 * POLL_SECONDS):
                cancel.set()
                interrupt()  # this process plays nothing else
                return


def check_address(address: str) -> None:
    """Raise ValueError unless it is auto, local, or HOST:PORT of something that answers. Ray waits for minutes."""
    if address in ("auto", "local"):
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"no Ray cluster at {address!r}: expected auto, HOST:PORT or local")
    try:
        socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS).close()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "no answer"
        raise ValueError(f"no Ray cluster at {address!r}: {reason}") from None


class Ray:
    """The cores of a Ray cluster, as an argument `jobs` of play_match.

    with Ray("auto") as workers:
        play_match(match, jobs=workers)
    """

    def __init__(self, address: str) -> None:
        """Join a cluster.

        Args:
            address: "auto" for the cluster that this machine belongs to, HOST:PORT, ray://HOST:PORT, or "local" to
                start one on this machine, which ends with this process.

        Raises:
            ImportError: Ray is not installed.
            ValueError: the cluster does not exist.
        """
        check_address(address)
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if address == "local":  # listen on 127.0.0.1 only, as Ray does by default on the systems of this name
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        with needs("ray", "clusters"):
            import ray
        self._ray: Any = ray
        self._ours = not ray.is_initialized()
        local = {"include_dashboard": False} if address == "local" else {}
        try:
            if self._ours:
                ray.init(address, log_to_driver=False, logging_level="ERROR", **local)
        except Exception as error:  # Ray also raises plain Exceptions, for instance if a node starts too slowly
            raise ValueError(f"expected a Ray cluster at {address!r}: {' '.join(str(error).split())}") from None
        self.jobs = max(1, int(ray.cluster_resources().get("CPU", 0)))
        # Tasks stop themselves: ray.cancel can abort this process if a task ends at the same moment.
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
        """See Workers. `keep` is called in this process, for one shard after the other."""
        ray, here, waiting, number = self._ray, code_of_all(), list(reversed(shards)), next(self._runs)
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(play)
        what = ray.put(work)
        under_way: dict[Any, Shard] = {}
        try:
            while waiting or under_way:
                while waiting and len(under_way) < SHARDS_PER_CORE * self.jobs:
                    shard = waiting.pop()
                    under_way[task.remote(here, self._flag, number, what, *shard)] = shard
                for done in ray.wait(list(under_way))[0]:
                    keep(under_way[done], ray.get(done))
                    if progress is not None:
                        progress(under_way[done][1])
                    del under_way[done]
        except ray.exceptions.RayError as error:
            cause = getattr(error, "cause", error)
            if isinstance(cause, ray.exceptions.RayError):
                raise OSError(f"the Ray cluster failed: {str(cause).splitlines()[0]}") from None
            raise cause from None
        finally:
            if under_way:
                self._cancel(number, list(under_way))

    def _cancel(self, run: int, tasks: list[Any]) -> None:
        """Tell these tasks to stop, and wait a while for them; each stops after its next step."""
        with suppress(self._ray.exceptions.RayError, ConnectionError):
            self._flag.cancel.remote(run)
            self._ray.wait(tasks, num_returns=len(tasks), timeout=CANCEL_SECONDS)
