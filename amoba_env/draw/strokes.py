"""Circles and lines as pixels, drawn by NumPy: resvg hands over a PNG, which takes ten times as long."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.draw.palette import channels

Point = tuple[float, float]
Lines = tuple[tuple[Point, Point], ...]  # from point to point; a point alone is a line too


class Stroke(NamedTuple):
    """All that lies at some distances from lines, in one color."""

    lines: Lines
    outer: float
    inner: float  # 0: all that is nearer than `outer`
    color: str


def strokes(svg: str) -> Iterator[Stroke]:
    """The circles and lines of a group of our drawings, from the bottom up."""
    group = ElementTree.fromstring(svg)
    for each in group.iter():
        look = group.attrib | each.attrib
        half = float(look.get("stroke-width", 0)) / 2
        if each.tag == "circle":
            centre, r = (float(look["cx"]), float(look["cy"])), float(look["r"])
            if look["fill"] != "none":
                yield Stroke(((centre, centre),), r, 0, look["fill"])
            if half:
                yield Stroke(((centre, centre),), r + half, r - half, look["stroke"])
        elif each.tag == "path":
            lines: list[tuple[Point, Point]] = []
            for part in look["d"].removeprefix("M").split("M"):
                points = [(float(x), float(y)) for x, y in map(str.split, part.removesuffix("h0").split("L"))]
                lines += zip(points, points[1:] or points, strict=False)
            yield Stroke(tuple(lines), half, 0, look["stroke"])


def painted(shape: tuple[int, int], drawn: list[Stroke], origin: Point, scale: float) -> NDArray[np.uint16]:
    """Strokes, composited in order, as pixels [h, w, 4]: premultiplied color times 255, and alpha 0..255.

    `origin` is the centre of the first pixel, `scale` the pixels for each unit of the drawing.
    """
    pixels = np.zeros((4, *shape), np.float32)
    most = max(each.outer for each in drawn) * scale + 1
    known: dict[Lines, NDArray[np.float32]] = {}
    for lines, outer, inner, color in drawn:
        if lines not in known:
            known[lines] = _distances(shape, (np.array(lines) - origin) * scale, most)
        cover = np.clip(outer * scale + 0.5 - known[lines], 0, 1)
        if inner > 0:
            cover -= np.clip(inner * scale + 0.5 - known[lines], 0, 1)
        for plane, value in zip(pixels, (*channels(color), 255), strict=True):
            plane += (value - plane) * cover
    pixels[:3] *= 255
    pixels += 0.5
    return np.ascontiguousarray(pixels.transpose(1, 2, 0), np.uint16)


def _distances(shape: tuple[int, int], lines: NDArray[np.float64], most: float) -> NDArray[np.float32]:
    """How far each pixel is from the nearest of some lines [n, 2, 2], if it is nearer than `most`."""
    found = np.full(shape, np.inf, np.float32)
    for line in lines.astype(np.float32):
        left, top = np.maximum(0, line.min(0) - most).astype(int)
        right, bottom = (line.max(0) + most + 1).astype(int)
        area = found[top:bottom, left:right]
        x = np.arange(left, left + area.shape[1], dtype=np.float32) - line[0, 0]
        y = (np.arange(top, top + area.shape[0], dtype=np.float32) - line[0, 1])[:, None]
        dx, dy = (line[1] - line[0]).tolist()
        if dx or dy:
            along = np.clip((x * dx + y * dy) / (dx * dx + dy * dy), 0, 1)
            x, y = x - along * dx, y - along * dy
        np.minimum(area, np.sqrt(x * x + y * y), out=area)
    return found
