"""Many pictures of one game as pixels: the board is drawn once, and each stone once for its cell."""

from __future__ import annotations

import functools
import xml.etree.ElementTree as ElementTree
from collections import OrderedDict
from collections.abc import Iterator
from math import ceil, floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.core.state import State
from amoba_env.draw.ground import RIM
from amoba_env.draw.palette import channels
from amoba_env.draw.picture import Shape, Sheet
from amoba_env.draw.raster import rgb, rgba
from amoba_env.games import Game

KEPT = 4_000_000  # pixels of shapes in memory, 8 bytes each: the path of a man can be as large as the picture


class Patch(NamedTuple):
    """The pixels of a shape and its place in the picture: color * alpha, and what stays of what is below it."""

    place: tuple[slice, slice]
    color: NDArray[np.uint16]  # [h, w, 3], times 255
    below: NDArray[np.uint16]  # [h, w, 1], 0..255


@functools.lru_cache(8)
def _ground(game: Game, size: int, theme: str) -> tuple[Sheet, NDArray[np.uint8]]:
    """The empty board, for all environments of a game."""
    sheet = Sheet(game, theme, size=size)
    return sheet, rgb(f"{sheet.head()}{sheet.ground()}{sheet.grid()}</svg>")


class Frames:
    """Pictures of positions of one game in one size. They are those of picture.svg() but for rounding."""

    def __init__(self, game: Game, size: int, theme: str) -> None:
        """Raises ValueError as picture.svg(), ImportError without the extra "render"."""
        self.sheet, self.ground = _ground(game, size, theme)
        self.patches: OrderedDict[str, Patch] = OrderedDict()
        self.kept = 0  # pixels

    def frame(self, state: State) -> NDArray[np.uint8]:
        """The picture of a position of the game, uint8 (H, W, 3), a fresh array."""
        pixels = self.ground.copy()
        for shape in self.sheet.layers(state):
            place, color, below = self._patch(shape)
            area = pixels[place]
            area[...] = (color + area * below + 127) // 255
        return pixels

    def _patch(self, shape: Shape) -> Patch:
        key = f"<g {shape.group}>{shape.svg}</g>"
        patch = self.patches.get(key)
        if patch is None:
            patch = self.patches[key] = self._drawn(key, shape)
            self.kept += patch.below.size
            while self.kept > KEPT:
                self.kept -= self.patches.popitem(last=False)[1].below.size
        return patch

    def _drawn(self, svg: str, shape: Shape) -> Patch:
        """Draw a shape alone, on the pixels that its box touches."""
        strokes = [] if "<text" in svg else [*_strokes(svg)]
        margin = max((each.outer for each in strokes), default=RIM)
        left, top, right, bottom = self.sheet.box(shape.cells, margin)
        height, width, _ = self.ground.shape
        scale, x0, y0 = self._scale
        x, y = max(0, floor((left - x0) * scale)), max(0, floor((top - y0) * scale))
        wide = min(width, ceil((right - x0) * scale)) - x
        high = min(height, ceil((bottom - y0) * scale)) - y
        x0, y0 = x0 + x / scale, y0 + y / scale
        place = slice(y, y + high), slice(x, x + wide)
        if not strokes:
            box = f"{x0} {y0} {wide / scale} {high / scale}"
            colors = rgba(f"{self.sheet.tag(box, wide, high)}{svg}</svg>").astype(np.uint16)
            alpha = colors[..., 3:]
            return Patch(place, colors[..., :3] * alpha, 255 - alpha)
        pixels = np.zeros((high, wide, 4), np.float32)
        apart: dict[Lines, NDArray[np.float32]] = {}
        for lines, outer, inner, color in strokes:
            if lines not in apart:
                apart[lines] = _distances((high, wide), (np.array(lines) - (x0, y0)) * scale - 0.5, margin * scale + 1)
            cover = np.clip(outer * scale + 0.5 - apart[lines], 0, 1)
            if inner > 0:
                cover -= np.clip(inner * scale + 0.5 - apart[lines], 0, 1)
            pixels += (np.array([*channels(color), 255], np.float32) - pixels) * cover[..., None]
        alpha = pixels[..., 3:]
        return Patch(place, (pixels[..., :3] * 255 + 0.5).astype(np.uint16), 255 - (alpha + 0.5).astype(np.uint16))

    @functools.cached_property
    def _scale(self) -> tuple[float, float, float]:
        """Pixels for each unit of the drawing, and where the picture begins, in units.

        The scale is the same in both directions: what is left over of the picture is divided between both sides.
        """
        sheet, (wide, high) = self.sheet, self.sheet.pixels
        scale = min(wide / sheet.width, high / sheet.height)
        x = sheet.left - (wide / scale - sheet.width) / 2
        y = sheet.top - (high / scale - sheet.height) / 2
        return scale, x, y


Point = tuple[float, float]
Lines = tuple[tuple[Point, Point], ...]  # from point to point; a point alone is a line too


class Stroke(NamedTuple):
    """What lies at some distances from lines, in one color."""

    lines: Lines
    outer: float
    inner: float  # 0: all that is nearer than `outer`
    color: str


def _strokes(svg: str) -> Iterator[Stroke]:
    """The circles and lines of a shape, from the bottom up. NumPy draws them ten times as fast as resvg makes a PNG."""
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


def _distances(shape: tuple[int, int], lines: NDArray[np.float64], most: float) -> NDArray[np.float32]:
    """How far each pixel is from the nearest line, if it is nearer than `most`; lines [n, 2, 2] of x and y."""
    found = np.full(shape, np.inf, np.float32)
    for line in lines:
        (left, top), (right, bottom) = (
            np.maximum(0, np.floor(line.min(0) - most)).astype(int),
            np.ceil(line.max(0) + most + 1).astype(int),
        )
        area = found[top:bottom, left:right]
        x = np.arange(left, left + area.shape[1], dtype=np.float32) - np.float32(line[0, 0])
        y = (np.arange(top, top + area.shape[0], dtype=np.float32) - np.float32(line[0, 1]))[:, None]
        dx, dy = (line[1] - line[0]).tolist()
        if dx or dy:
            along = np.clip((x * dx + y * dy) / (dx * dx + dy * dy), 0, 1)
            x, y = x - along * dx, y - along * dy
        np.minimum(area, np.sqrt(x * x + y * y), out=area)
    return found
