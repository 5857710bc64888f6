"""Drawings as pixels: resvg draws the SVG, with the font of pygame, so that pixels are the same on every machine."""

from __future__ import annotations

import importlib
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_env.extras import needs

FONT, FAMILY = "freesansbold.ttf", "FreeSans"


def need(name: str) -> Any:
    """A module of the extra "render", imported at its first use. The ImportError says how to install it."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # else pygame greets on stdout
    with needs("render", "pictures and windows"):
        return importlib.import_module(name)


def png(svg: str) -> bytes:
    """The drawing as a PNG file of the same size. Raises ImportError without the extra "render"."""
    resvg, pygame = need("resvg_py"), need("pygame")
    font = str(Path(pygame.__file__).with_name(FONT))
    made: bytes = resvg.svg_to_bytes(
        svg_string=svg, skip_system_fonts=True, font_files=[font], sans_serif_family=FAMILY
    )
    return made


def rgb(svg: str) -> NDArray[np.uint8]:
    """The drawing as pixels, uint8 (H, W, 3), a fresh array. Raises ImportError without the extra "render"."""
    return _pixels(svg, "RGB")


def rgba(svg: str) -> NDArray[np.uint8]:
    """The same with the opacity of each pixel, uint8 (H, W, 4)."""
    return _pixels(svg, "RGBA")


def _pixels(svg: str, colors: str) -> NDArray[np.uint8]:
    pygame = need("pygame")
    surface = pygame.image.load(io.BytesIO(png(svg)), "drawing.png")
    width, height = surface.get_size()
    pixels: bytes = pygame.image.tobytes(surface, colors)
    return np.array(np.frombuffer(pixels, np.uint8).reshape(height, width, len(colors)))
