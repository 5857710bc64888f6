"""Drawings of any board: as text, SVG, pixels, in a window, and as a page of a whole game.

`png`, `rgb` and windows need the libraries of the extra "render". `text`, `svg` and `html` do not.
"""

from amoba_env.draw.ground import Marks
from amoba_env.draw.letters import KINDS, Style, plain, status, task, text
from amoba_env.draw.page import html
from amoba_env.draw.palette import THEMES, Palette
from amoba_env.draw.picture import svg
from amoba_env.draw.raster import png, rgb
from amoba_env.draw.screen import FPS, RENDER_MODES, Renderer, RenderMode

__all__ = [
    "FPS",
    "KINDS",
    "RENDER_MODES",
    "THEMES",
    "Marks",
    "Palette",
    "RenderMode",
    "Renderer",
    "Style",
    "html",
    "plain",
    "png",
    "rgb",
    "status",
    "svg",
    "task",
    "text",
]
