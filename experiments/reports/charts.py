"""The few charts of a report as SVG; their colours are classes of the page's style sheet, so they turn dark with it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from experiments.reports.facts import CrossTable, Histogram, Standing

WIDE, HIGH, LEFT, BELOW = 640, 220, 44, 34


def interval(row: dict[str, Any], par: float) -> str:
    """A share on a line from 0 to 1 with its interval, and a mark where all would be alike."""
    low, high = (200 * bound for bound in row["ci95"])
    at, even = 200 * row["share"], 200 * par
    return (
        '<svg class="interval" viewBox="-6 0 212 16" aria-hidden="true"><path class="axis" d="M0 8H200"/>'
        f'<path class="par" d="M{even:.1f} 1V15"/><path class="whisker" d="M{low:.1f} 8H{high:.1f}"/>'
        f'<circle class="dot" cx="{at:.1f}" cy="8" r="4.5"/></svg>'
    )


def ladder(standing: Standing, table: CrossTable) -> str:
    """A rating on a line from the lowest to the highest of a table, with its interval where it is known."""
    bounds = [[each.elo, *(each.elo_ci95 or ())] for each in table.standings]
    least, most = min(map(min, bounds)), max(map(max, bounds))
    scale = 200 / max(most - least, 1.0)
    at = (standing.elo - least) * scale
    low, high = ((bound - least) * scale for bound in standing.elo_ci95 or (standing.elo, standing.elo))
    return (
        '<svg class="interval" viewBox="-6 0 212 16" aria-hidden="true"><path class="axis" d="M0 8H200"/>'
        f'<path class="whisker" d="M{low:.1f} 8H{high:.1f}"/><circle class="dot" cx="{at:.1f}" cy="8" r="4.5"/></svg>'
    )


def histogram(lengths: Histogram) -> str:
    """Games by length, stacked by who won: series 0, 1, ... and "nobody" as classes."""
    edges, counts = lengths.edges.tolist(), lengths.counts
    totals = sum(counts.values()).tolist()  # type: ignore[union-attr]
    most, bar = max(totals), (WIDE - LEFT) / (len(edges) - 1)
    tick = _tick(most, 4)
    scale = (HIGH - BELOW - 8) / max(most, 1)
    floor = HIGH - BELOW
    parts = [
        f'<path class="rule" d="M{LEFT} {floor - y * scale:.1f}H{WIDE}"/>'
        f'<text class="y" x="{LEFT - 6}" y="{floor - y * scale:.1f}" dy=".35em">{y:,}</text>'
        for y in range(0, most + 1, tick)
    ]
    heights = [0] * len(totals)
    for name, values in zip(series(counts), counts.values(), strict=True):
        bars = []
        for i, count in enumerate(values.tolist()):
            if count:
                heights[i] += count
                box = f'x="{LEFT + i * bar + 0.5:.1f}" width="{max(bar - 1, 0.5):.1f}"'
                side = f'y="{floor - heights[i] * scale:.1f}" height="{count * scale:.1f}"'
                bars.append(f"<rect {box} {side}><title>{escape(_label(edges, i))}: {count:,}</title></rect>")
        parts.append(f'<g class="{name}">{"".join(bars)}</g>')
    step = _tick(edges[-1] - edges[0], 8)
    single = edges[1] - edges[0] == 1  # bars of one length have it below their middle
    for value in range(-(-edges[0] // step) * step, edges[-1] + (not single), step):
        x = LEFT + ((value - edges[0]) / (edges[1] - edges[0]) + single / 2) * bar
        parts.append(f'<text x="{x:.1f}" y="{floor + 16}">{value:,}</text>')
    parts.append(f'<text x="{(WIDE + LEFT) / 2}" y="{HIGH - 3}">moves</text>')
    return (
        f'<svg class="chart" viewBox="0 0 {WIDE + 16} {HIGH}" role="img" aria-label="games by length">'
        f"{''.join(parts)}</svg>"
    )


def series(names: Iterable[str]) -> list[str]:
    """The class of each agent in charts and legends; "" is nobody."""
    return [f"series{i}" if name else "nobody" for i, name in enumerate(names)]


def _label(edges: list[int], i: int) -> str:
    last = edges[i + 1] - 1
    return f"{edges[i]} moves" if last == edges[i] else f"{edges[i]} to {last} moves"


def _tick(span: int, count: int) -> int:
    """A round step that goes into a span so many times, or less."""
    steps = (digit * int(f"1{'0' * zeros}") for zeros in range(10) for digit in (1, 2, 5))
    return next(step for step in steps if span <= step * count)
