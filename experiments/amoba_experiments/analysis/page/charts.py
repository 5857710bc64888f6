"""The charts of a report as SVG. Their colours are classes of the page's style sheet, so they turn dark with it.

Only the SVG of `curves` can stand alone, with a style of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import cycle, islice
from typing import Any, NamedTuple

from amoba_env.draw.palette import THEMES
from amoba_experiments.analysis.page.content import CrossTable, Histogram, RatedAgent

WIDE, HIGH, LEFT, BELOW = 640, 220, 44, 34
SERIES = ("#2f77d0", "#e0861a", "#2a9d7c", "#b565c9", "#c8452e", "#8a7a2e")
MORE = ("#5c6670", "#d1588f")  # colours of further curves
COLUMNS = 4  # of names in a legend below the title
BESIDE = 100  # characters that fit into the line of the title, a coloured mark counts as four


class Curve(NamedTuple):
    """A share that changes over time, with its intervals."""

    at: list[int]
    share: list[float]
    ci95: list[list[float]]


class Axes(NamedTuple):
    """Curves over one axis, by name."""

    unit: str
    curves: dict[str, Curve]


def interval(row: dict[str, Any], par: float) -> str:
    """A share on a line from 0 to 1, with its interval, and a mark at the share of equal players."""
    return _whisker(row["share"], row["ci95"], 0.0, 1.0, f'<path class="par" d="M{200 * par:.1f} 1V15"/>')


def ladder(standing: RatedAgent, table: CrossTable) -> str:
    """A rating on a line from the lowest to the highest rating of a table, with its interval if that is known."""
    bounds = [[each.elo, *(each.elo_ci95 or ())] for each in table.standings]
    least, most = min(map(min, bounds)), max(map(max, bounds))
    return _whisker(standing.elo, standing.elo_ci95, least, max(most, least + 1))


def _whisker(value: float, ends: Sequence[float] | None, least: float, most: float, mark: str = "") -> str:
    """A number on a line from `least` to `most`, with its interval if that is known."""
    at, low, high = (200 * (each - least) / (most - least) for each in (value, *(ends or (value, value))))
    return (
        f'<svg class="interval" viewBox="-6 0 212 16" aria-hidden="true"><path class="axis" d="M0 8H200"/>{mark}'
        f'<path class="whisker" d="M{low:.1f} 8H{high:.1f}"/><circle class="dot" cx="{at:.1f}" cy="8" r="4.5"/></svg>'
    )


def histogram(lengths: Histogram) -> str:
    """A bar chart of the lengths of games, stacked by winner. Classes are series0, series1, ... and nobody."""
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
    single = edges[1] - edges[0] == 1  # a bar of one length has its number below its middle
    for value in range(-(-edges[0] // step) * step, edges[-1] + (not single), step):
        x = LEFT + ((value - edges[0]) / (edges[1] - edges[0]) + single / 2) * bar
        parts.append(f'<text x="{x:.1f}" y="{floor + 16}">{value:,}</text>')
    parts.append(f'<text x="{(WIDE + LEFT) / 2}" y="{HIGH - 3}">moves</text>')
    return (
        f'<svg class="chart" viewBox="0 0 {WIDE + 16} {HIGH}" role="img" aria-label="games by length">'
        f"{''.join(parts)}</svg>"
    )


def curves(title: str, panels: Sequence[Axes], par: float) -> str:
    """Shares over time with their intervals, panels side by side, and a line at the share of equal players."""
    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    fit = len(title) + sum(4 + len(name) for name in names) <= BESIDE
    below = 0 if fit else 18 * -(-len(names) // COLUMNS)  # the title: lines of names
    top, floor, gap = 30 + below, HIGH + 20 + below, 24
    wide = (WIDE - LEFT - gap * (len(panels) - 1)) / len(panels)
    page, ink = THEMES["light"].page, THEMES["light"].ink

    def y(share: float) -> str:
        return f"{floor - share * (floor - top):.1f}"

    # Curves that lie on each other are all seen, as those below are wider.
    wider = min(1.5, 4.5 / max(1, len(names) - 1))
    colors = "".join(
        f".s{i}{{stroke:{color};fill:{color};stroke-width:{2 + wider * (len(names) - 1 - i):g}}}"
        for i, color in enumerate(islice(cycle(SERIES + MORE), len(names)))
    )
    marks = [f'<tspan class="mark s{i}" dx="12">●</tspan> {escape(name)}' for i, name in enumerate(names)]
    legend = "" if below else "".join(marks)
    lines = []
    for number, mark in enumerate(marks if below else ()):
        across, down = 8 + number % COLUMNS * WIDE / COLUMNS, 34 + 18 * (number // COLUMNS)
        lines.append(f'<text class="left" x="{across:.1f}" y="{down}">{mark}</text>')
    parts = [
        f"<style>text{{fill:{ink};font:12px system-ui,sans-serif;text-anchor:middle}}.y{{text-anchor:end}}"
        f".left{{text-anchor:start}}.rule{{stroke:{ink};stroke-opacity:.2}}.par{{stroke:{ink};stroke-dasharray:4 4}}"
        f"{colors}.mark,.band{{stroke:none}}.band{{fill-opacity:.18}}.line{{fill:none;stroke-linecap:round}}</style>"
        f'<rect width="{WIDE + 16}" height="{floor + BELOW}" fill="{page}"/>'
        f'<text class="left" x="8" y="16">{escape(title)}{legend}</text>',
        *lines,
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<text class="y" x="{LEFT - 6}" y="{y(share)}" dy=".35em">{100 * share:.0f} %</text>')
    for number, panel in enumerate(panels):
        left = LEFT + number * (wide + gap)
        first, last = (end(end(curve.at) for curve in panel.curves.values()) for end in (min, max))
        span = max(last - first, 1)
        inner = wide - 12

        def x_of(value: int, left: float = left + 6, first: int = first, scale: float = inner / span) -> str:
            return f"{left + (value - first) * scale:.1f}"

        parts += [f'<path class="rule" d="M{left:.1f} {y(share)}h{wide:.1f}"/>' for share in (0, 0.25, 0.5, 0.75, 1)]
        parts.append(f'<path class="par" d="M{left:.1f} {y(par)}h{wide:.1f}"/>')
        for name, curve in panel.curves.items():
            i = names.index(name)
            lows = [f"{x_of(at)} {y(low)}" for at, (low, _) in zip(curve.at, curve.ci95, strict=True)]
            highs = [f"{x_of(at)} {y(high)}" for at, (_, high) in zip(curve.at, curve.ci95, strict=True)]
            points = [f"{x_of(at)} {y(share)}" for at, share in zip(curve.at, curve.share, strict=True)]
            parts.append(f'<path class="band s{i}" d="M{" ".join([*lows, *highs[::-1]])}Z"/>')
            parts.append(f'<path class="line s{i}" d="M{" ".join(points)}h0"/>')
        step = _tick(span, max(2, int(inner / 90)))
        for value in range(-(-first // step) * step, last + 1, step):
            parts.append(f'<text x="{x_of(value)}" y="{floor + 16}">{_short(value)}</text>')
        parts.append(f'<text x="{left + wide / 2:.1f}" y="{floor + BELOW - 3}">{escape(panel.unit)}</text>')
    box = f'viewBox="0 0 {WIDE + 16} {floor + BELOW}" width="{WIDE + 16}" height="{floor + BELOW}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )


def series(names: Iterable[str]) -> list[str]:
    """The class of each agent in charts and legends; "" is nobody."""
    return [f"series{i}" if name else "nobody" for i, name in enumerate(names)]


def _label(edges: list[int], i: int) -> str:
    last = edges[i + 1] - 1
    return f"{edges[i]} moves" if last == edges[i] else f"{edges[i]} to {last} moves"


def _short(number: int) -> str:
    """1.5 M, 200 k, 12."""
    for unit, size in ((" M", 1_000_000), (" k", 1_000)):
        if number >= size:
            return f"{number / size:g}{unit}"
    return str(number)


def _tick(span: int, count: int) -> int:
    """The smallest round step (1, 2 or 5 times a power of ten) that goes into a span at most this many times."""
    steps = (digit * int(f"1{'0' * zeros}") for zeros in range(10) for digit in (1, 2, 5))
    return next(step for step in steps if span <= step * count)
