"""How long a move takes to reach the opponent, on a server with many rooms. The clients run on the same machine.

The clients are one process, which may itself be late. How late it wakes is measured and shown. The times of moves
contain that, so they are never too short.

    python -m workshop.bench.web --rooms 1000 --rate 200 --seconds 540 --runs 1
"""

from __future__ import annotations

import _thread
import argparse
import asyncio
import contextlib
import gc
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from amoba_env import checks
from amoba_experiments.bench import Measurement, compare, print_results
from amoba_experiments.cli.errors import exit_code
from clients.with_network import ask

SERVER = """
import sys, tempfile
from workshop.bench.web import end_with_input
from amoba_experiments.cli import main
end_with_input()
with tempfile.TemporaryDirectory() as folder:
    sys.argv[1:] = ["serve", "--no-open", "--port", "0", "--data", folder]
    main()
"""
LOOKS = 6  # at the server's memory, in a run
MACHINES = {"game": "gomoku", "seats": ["level:10", "level:10"], "series": 1000}


class Load(NamedTuple):
    """What one run found; times are in milliseconds."""

    median: float  # from a move to the opponent's client
    p99: float
    late: float  # by which the clients' process woke too late, 99th percentile
    moves: int  # that reached the opponent
    cpu: float  # the server's processor time a move
    memory: list[float]  # MiB of the server at the start and after each of LOOKS parts of the run


def measure(runs: int, rooms: int = 50, rate: float = 50, seconds: float = 10, thinkers: int = 0) -> list[Measurement]:
    """Milliseconds from a move to the opponent's client, moves a second that were reached, memory of the server.

    Args:
        runs: how many times to measure.
        rooms: number of rooms with two clients each.
        rate: moves a second to send, in all rooms together.
        seconds: length of each run.
        thinkers: number of further rooms, in which two players of level:10 play each other.
    """
    checks.whole("rooms", rooms, 1, 100_000)
    checks.real("rate", rate, 0.1, 1e6)
    checks.real("seconds", seconds, 1, 1e6)
    checks.whole("thinkers", thinkers, 0, 1000)
    found = [load(rooms, rate, seconds, thinkers) for _ in range(runs)]
    name = f"{rooms} rooms, {rate:g} moves/s for {seconds:g} s{f', {thinkers} thinking' if thinkers else ''}: "
    return [
        compare(f"{name}reached", "moves/s", [each.moves / seconds for each in found]),
        compare(f"{name}the server's processor time a move", "ms", [each.cpu for each in found]),
        compare(f"{name}move to the opponent, median", "ms", [each.median for each in found]),
        compare(f"{name}move to the opponent, 99th percentile", "ms", [each.p99 for each in found]),
        compare(f"{name}the clients themselves are late by, 99th percentile", "ms", [each.late for each in found]),
        *(
            compare(
                f"{name}the server has after {seconds * look / LOOKS:g} s", "MiB", [one.memory[look] for one in found]
            )
            for look in range(LOOKS + 1)
        ),
    ]


def load(rooms: int, rate: float, seconds: float, thinkers: int = 0) -> Load:
    """One run of the benchmark. Raises ValueError: too few moves for percentiles."""
    with _served() as (url, process):
        for _ in range(thinkers):
            ask(f"{url}api/rooms", MACHINES)
        return asyncio.run(_load(url, process.pid, rooms, rate, seconds))


@contextlib.contextmanager
def _served() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in a process of its own, with its rooms in a temporary folder."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            for text in process.stderr:
                if found := re.search(r"http://\S+/", text):
                    yield found[0], process
                    return
            raise OSError("the server did not start")
        finally:
            process.stdin.close()  # ends it
            process.wait()


def end_with_input() -> None:
    """Interrupt this process as soon as its standard input ends, as it does when its parent ends or is killed."""

    def watch() -> None:
        sys.stdin.read()
        _thread.interrupt_main()

    signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background of a script ignore it
    threading.Thread(target=watch, daemon=True).start()


class Pair:
    """The two clients of a room."""

    def __init__(self, url: str, number: int) -> None:
        self.drawn = random.Random(number)  # so that games of different rooms end at different times
        made = ask(f"{url}api/rooms", {"name": "A", "game": "gomoku", "seats": ["me", "guest"]})
        room = f"{url}api/rooms/{made['room']}"
        joined = ask(f"{room}/join", {"name": "B", "invite": made["invites"][0]})
        self.keys, self.live = (made["key"], joined["key"]), f"ws{room.removeprefix('http')}/live"
        self.names: list[str] = ask(f"{room}/board")["names"]
        self.lines: list[Any] = []
        self.rooms: list[dict[str, Any]] = [{}, {}]
        self.sent: tuple[int, list[int], float] | None = None  # to which seat, the position then, when

    async def listen(self, seat: int, times: list[float]) -> None:
        """Receive what the server sends to a seat; add the milliseconds that each move took to `times`."""
        async for text in self.lines[seat]:
            message = json.loads(text)
            if message["type"] != "room":
                continue
            self.rooms[seat] = message
            if self.sent is not None and (seat, message["at"]) == self.sent[:2]:
                times.append(1000 * (time.perf_counter() - self.sent[2]))
                self.sent = None
            if message["phase"] == "over" and not message["agreed"]:
                await self.lines[seat].send('{"do":"new"}')

    async def move(self) -> None:
        """Let the client to move play a random free cell, unless a message is still on its way."""
        if self.sent is not None or self.rooms[0]["n"] != self.rooms[1]["n"]:
            return
        for seat, room in enumerate(self.rooms):
            if room["targets"]:
                at, cells = room["at"], room["targets"]["cells"]
                cell = self.drawn.choice(cells)
                self.sent = 1 - seat, [at[0], at[1] + 1], time.perf_counter()
                move = {"do": "move", "move": self.names[cell], "at": at}
                await self.lines[seat].send(json.dumps(move))
                return


async def _load(url: str, pid: int, rooms: int, rate: float, seconds: float) -> Load:
    from websockets.asyncio.client import connect

    pairs, times, late, tasks = [Pair(url, number) for number in range(rooms)], list[float](), list[float](), []
    for pair in pairs:
        for seat in range(2):
            pair.lines.append(await connect(pair.live, compression=None))
            await pair.lines[seat].send(json.dumps({"key": pair.keys[seat]}))
            tasks.append(asyncio.create_task(pair.listen(seat, times)))
    while not all(room for pair in pairs for room in pair.rooms):
        await asyncio.sleep(0.1)
    gc.collect()
    gc.freeze()  # or the clients would be late
    await asyncio.sleep(1)
    tasks.append(asyncio.create_task(_wake(late)))
    memory, used, begun, count = [_memory(pid)], _cpu(pid), time.perf_counter(), 0
    while (passed := time.perf_counter() - begun) < seconds:
        if passed * LOOKS >= seconds * len(memory):
            memory.append(_memory(pid))
        await pairs[count % rooms].move()
        count += 1
        await asyncio.sleep(max(0.0, begun + count / rate - time.perf_counter()))
    await asyncio.sleep(1)
    for task in tasks:
        task.cancel()
    if len(times) < 2:
        raise ValueError(f"only {len(times)} moves reached an opponent, too few for percentiles: give more seconds")
    memory += [_memory(pid)] * (LOOKS + 1 - len(memory))
    cpu = (_cpu(pid) - used) / len(times)
    return Load(statistics.median(times), _p99(times), _p99(late), len(times), cpu, memory)


def _p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


async def _wake(late: list[float]) -> None:
    """Note how many milliseconds too late this process wakes."""
    while True:
        wanted = time.perf_counter() + 0.01
        await asyncio.sleep(0.01)
        late.append(1000 * (time.perf_counter() - wanted))


def _cpu(pid: int) -> float:
    """Processor time of a process so far, in milliseconds; 0 where the system does not say."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    user, system = text.rpartition(")")[2].split()[11:13]
    return 1000 * (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _memory(pid: int) -> float:
    """Memory of a process, in MiB; 0 where the system does not say."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    found = re.search(r"VmRSS:\s+(\d+)", text)
    return int(found[1]) / 1024 if found else 0.0


def main() -> None:
    """Measure, and print the medians."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="measure this many times")
    parser.add_argument("--rooms", type=int, default=50, help="rooms with two clients each")
    parser.add_argument("--rate", type=float, default=50, help="moves a second, in all rooms")
    parser.add_argument("--seconds", type=float, default=10, help="length of each run")
    parser.add_argument("--thinkers", type=int, default=0, help="further rooms, in which two level:10 play each other")
    print_results("web", measure(**vars(parser.parse_args())), Console())


if __name__ == "__main__":
    sys.exit(exit_code(main))
