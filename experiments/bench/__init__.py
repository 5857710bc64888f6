"""Benchmarks: one file each, `measure(runs) -> list[Result]`; each value is the median of several runs."""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

BENCHMARKS = ("aec", "batch", "halma", "renju", "rollouts", "wincheck")


class Result(NamedTuple):
    """A measured figure, with that of a peer measured in the same run where there is one."""

    name: str
    value: float
    unit: str
    peer: str | None
    peer_value: float | None
    ratio: float | None  # value / peer_value for rates, peer_value / value for times: more is better for us
    runs: int


def compare(
    name: str, unit: str, ours: Sequence[float], peer: str | None = None, theirs: Sequence[float] = ()
) -> Result:
    """Medians, and the median of the pairwise ratios."""
    value = statistics.median(ours)
    if peer is None:
        return Result(name, value, unit, None, None, None, len(ours))
    less_is_better = unit in ("s", "ns", "us")
    pairs = [b / a if less_is_better else a / b for a, b in zip(ours, theirs, strict=True)]
    return Result(name, value, unit, peer, statistics.median(theirs), statistics.median(pairs), len(ours))


def seconds(function: Callable[..., object], *arguments: object) -> float:
    """Wall time of a call."""
    begun = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begun


def run_benchmarks(names: Sequence[str], runs: int, console: Console) -> list[Result]:
    """Run benchmarks one after the other and print a table of each."""
    results: list[Result] = []
    for name in names:
        found: list[Result] = importlib.import_module(f"experiments.bench.{name}").measure(runs)
        table = Table(name, "median", "peer", "its median", "ratio", "runs", box=None, pad_edge=False)
        for r in found:
            peer = "" if r.peer_value is None else f"{_number(r.peer_value)} {r.unit}"
            ratio = "" if r.ratio is None else f"{r.ratio:.1f} x"
            table.add_row(r.name, f"{_number(r.value)} {r.unit}", r.peer or "", peer, ratio, str(r.runs))
        console.print(table)
        console.print()
        results += found
    return results


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
