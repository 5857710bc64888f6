"""The renderer of environments. Missing libraries are reported when the environment is made."""

from __future__ import annotations

from typing import Any

from gymnasium.error import DependencyNotInstalled

from amoba_env.draw import FPS, Renderer


def renderer(mode: str | None, **more: Any) -> Renderer:
    """A Renderer for this mode.

    Raises:
        ValueError: an unknown mode.
        DependencyNotInstalled: pictures and windows need the extra "render".
    """
    made = Renderer(mode, FPS, **more)
    try:
        made.check()
    except ImportError as error:
        raise DependencyNotInstalled(str(error)) from None
    return made
