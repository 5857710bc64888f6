"""Benchmarks of speed. Each module has `measure(runs) -> list[Measurement]`. Values are medians of several runs."""

from __future__ import annotations

import importlib
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from amoba_experiments.analysis.text_tables import TextTable, print_table

BENCHMARKS = ("aec", "batch", "matches", "startup", "train")
PACKAGES = ("numba", "numpy", "gymnasium", "pettingzoo", "open-spiel", "pgx", "jax", "torch", "sb3-contrib")


class Measurement(NamedTuple):
    """A measured value, beside that of another library (the peer) if it was measured in the same run."""

    name: str
    value: float
    unit: str
    peer: str | None
    peer_value: float | None
    ratio: float | None  # speed relative to the peer: value / peer_value for rates, the inverse for times
    runs: int


def compare(
    name: str, unit: str, ours: Sequence[float], peer: str | None = None, theirs: Sequence[float] = ()
) -> Measurement:
    """The medians of our runs and of the peer's, and the median ratio of the runs, taken in pairs."""
    value = statistics.median(ours)
    if peer is None:
        return Measurement(name, value, unit, None, None, None, len(ours))
    less_is_better = unit in ("s", "ns", "us")
    pairs = [b / a if less_is_better else a / b for a, b in zip(ours, theirs, strict=True)]
    return Measurement(name, value, unit, peer, statistics.median(theirs), statistics.median(pairs), len(ours))


def seconds(function: Callable[..., object], *arguments: object) -> float:
    """Wall-clock seconds of a call."""
    begun = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begun


def run_benchmarks(
    names: Sequence[str], runs: int, console: Console, package: str = "amoba_experiments.bench", **more: str
) -> list[Measurement]:
    """Run the benchmarks of a package one after the other, with `more` arguments, and print a table of each."""
    results: list[Measurement] = []
    for name in names:
        found: list[Measurement] = importlib.import_module(f"{package}.{name}").measure(runs, **more)
        print_results(name, found, console)
        results += found
    return results


def print_results(name: str, results: Sequence[Measurement], console: Console) -> None:
    """Print the table of a benchmark."""
    rows = []
    for r in results:
        peer = "" if r.peer_value is None else f"{_number(r.peer_value)} {r.unit}"
        ratio = "" if r.ratio is None else f"{_number(r.ratio)} x"
        rows.append([r.name, f"{_number(r.value)} {r.unit}", r.peer or "", peer, ratio, str(r.runs)])
    print_table(TextTable([name, "median", "peer", "peer's median", "ratio", "runs"], rows, (0, 2)), console)
    console.print()


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def machine() -> dict[str, Any]:
    """The machine, and the versions of the packages."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {"processor": _processor(), "cores": os.cpu_count(), "python": platform.python_version()} | versions


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def report(results: Sequence[Measurement]) -> dict[str, Any]:
    """The results and the machine, ready for JSON."""
    return {"machine": machine(), "results": [result._asdict() for result in results]}


def markdown(measured: Mapping[str, Any]) -> str:
    """The result of report() as a table in Markdown. Raises ValueError if it is not such a result."""
    rows = ["| what | here | peer | ratio |", "|---|--:|--:|--:|"]
    try:
        on = dict(measured["machine"])
        results = [Measurement(**each) for each in measured["results"]]
        where = f"{on.pop('cores')} cores of {on.pop('processor')}"
    except (KeyError, TypeError, ValueError):
        raise ValueError("expected a file of `amoba bench --json`") from None
    for result in results:
        peer = "" if result.peer_value is None else f"{_number(result.peer_value)} {result.unit}, {result.peer}"
        ratio = "" if result.ratio is None else _number(result.ratio)
        rows.append(f"| {result.name} | {_number(result.value)} {result.unit} | {peer} | {ratio} |")
    versions = ", ".join(f"{name} {number}" for name, number in on.items())
    return "\n".join([*rows, "", f"Medians, side by side with the peer in the same run, on {where}; {versions}."])
