"""One drawing of any board, for people: as text, SVG, pixels, a window, a page of a whole game.

`text` needs nothing, `svg` and `html` neither; `png`, `rgb` and windows want `pip install 'amoba[render]'`.
"""

from amoba_env.draw.letters import KINDS, Style, plain, status, task, text
from amoba_env.draw.page import html
from amoba_env.draw.palette import THEMES, Palette
from amoba_env.draw.picture import svg
from amoba_env.draw.raster import png, rgb
from amoba_env.draw.screen import RENDER_MODES, Renderer, RenderMode

__all__ = [
    "KINDS",
    "RENDER_MODES",
    "THEMES",
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
