"""Pictures of one game as pixels: the board is drawn once, and each stone once for its cell."""

from __future__ import annotations

import functools
from collections import OrderedDict
from math import ceil, floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.core.state import State
from amoba_env.draw.ground import RIM
from amoba_env.draw.picture import Shape, Sheet
from amoba_env.draw.raster import rgb, rgba
from amoba_env.draw.strokes import painted, strokes
from amoba_env.games import Game

KEPT = 8_000_000  # values of patches in memory, 4 bytes each: the path of a man can be as large as the picture


class Patch(NamedTuple):
    """The pixels of a shape and its place in the picture: premultiplied colors, and the weight of what is below."""

    place: tuple[slice, slice]
    color: NDArray[np.uint16]  # [h, w * 3], times 255, and a half for rounding
    below: NDArray[np.uint16]  # [h, w * 3], 0..255


@functools.lru_cache(8)
def _ground(game: Game, size: int, theme: str) -> tuple[Sheet, NDArray[np.uint8]]:
    """The empty board, for all environments of a game."""
    sheet = Sheet(game, theme, size=size)
    return sheet, rgb(f"{sheet.head()}{sheet.ground()}{sheet.grid()}</svg>")


class Frames:
    """Pictures of positions of one game in one size. They equal those of picture.svg() except for rounding."""

    def __init__(self, game: Game, size: int, theme: str) -> None:
        """Raises ValueError as picture.svg(), ImportError without the extra "render"."""
        self.sheet, self.ground = _ground(game, size, theme)
        self.patches: OrderedDict[str, Patch] = OrderedDict()
        self.kept = 0  # values

    def frame(self, state: State) -> NDArray[np.uint8]:
        """The picture of a position of the game, uint8 (H, W, 3), a fresh array."""
        pixels = self.ground.copy()
        rows = pixels.reshape(len(pixels), -1)  # NumPy is slow along a last axis of three
        for shape in self.sheet.layers(state):
            place, color, below = self._patch(shape)
            area = rows[place]
            area[...] = (color + area * below) // 255
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
        drawn = [] if "<text" in svg else [*strokes(svg)]
        margin = max((each.outer for each in drawn), default=RIM)
        left, top, right, bottom = self.sheet.box(shape.cells, margin)
        height, width, _ = self.ground.shape
        scale, x0, y0 = self._scale
        x, y = max(0, floor((left - x0) * scale)), max(0, floor((top - y0) * scale))
        wide = min(width, ceil((right - x0) * scale)) - x
        high = min(height, ceil((bottom - y0) * scale)) - y
        if drawn:
            origin = x0 + (x + 0.5) / scale, y0 + (y + 0.5) / scale  # the centre of the first pixel
            colors = painted((high, wide), drawn, origin, scale)
        else:
            box = f"{x0 + x / scale} {y0 + y / scale} {wide / scale} {high / scale}"
            colors = rgba(f"{self.sheet.tag(box, wide, high)}{svg}</svg>").astype(np.uint16)
            colors[..., :3] *= colors[..., 3:]
        color, below = colors[..., :3].reshape(high, -1) + np.uint16(127), np.repeat(255 - colors[..., 3], 3, axis=1)
        return Patch((slice(y, y + high), slice(3 * x, 3 * (x + wide))), color, below)

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
