"""`render()` of all environments."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from amoba_env import checks
from amoba_env.core.state import State
from amoba_env.draw.frames import Frames
from amoba_env.draw.letters import status, text
from amoba_env.draw.picture import svg
from amoba_env.draw.raster import need
from amoba_env.extras import install
from amoba_env.games import Game

RenderMode = Literal["ansi", "svg", "rgb_array", "human"]
RENDER_MODES: tuple[str, ...] = get_args(RenderMode)
PIXELS = ("rgb_array", "human")
FPS = 2  # positions a second in windows and videos


class Renderer:
    """Draws positions in one mode. Copies and pickles do not share the window.

    Args:
        mode: "ansi": text, "svg": SVG, "rgb_array": uint8 (H, W, 3), "human": a window; None: no drawing.
        fps: positions a second in a window, at most.
        size: the longer side of a drawing, in pixels.
        theme: "light" or "dark".
        modes: the modes that are allowed.

    Raises:
        ValueError: an unknown mode.
    """

    def __init__(
        self,
        mode: str | None,
        fps: float = FPS,
        size: int = 480,
        theme: str = "light",
        modes: tuple[str, ...] = RENDER_MODES,
    ) -> None:
        if mode is not None and not (isinstance(mode, str) and mode in modes):
            known = ", ".join(map(repr, modes))
            raise checks.BadValue("render_mode", f"expected None, {known}, got {checks.brief(mode)}")
        self.mode, self.fps, self.size, self.theme, self.modes = mode, fps, size, theme, modes
        self._frames: Frames | None = None
        self._window: Any = None
        self._clock: Any = None

    def check(self) -> None:
        """Raise ImportError if the mode needs the extra "render" and it is not installed."""
        if self.mode in PIXELS:
            need("pygame")
            need("resvg_py")

    def render(self, game: Game, state: State) -> str | NDArray[np.uint8] | None:
        """The drawing; in "human" mode None, and a window shows it.

        Raises:
            RuntimeError: the mode is None.
            ImportError: pictures and windows need the extra "render".
        """
        if self.mode is None:
            modes = ", ".join(map(repr, self.modes))
            raise RuntimeError(f"render_mode: expected one of {modes} when the environment is made, got None")
        if self.mode == "ansi":
            return f"{text(game, state)}\n{status(game, state)}"
        if self.mode == "svg":
            return svg(game, state, size=self.size, theme=self.theme)
        if self._frames is None or self._frames.sheet.game != game:
            self._frames = Frames(game, self.size, self.theme)
        pixels = self._frames.frame(state)
        if self.mode == "rgb_array":
            return pixels
        self._show(pixels, f"{game.name}: {status(game, state)}")
        return None

    def _show(self, pixels: NDArray[np.uint8], title: str) -> None:
        pygame = need("pygame")
        if not hasattr(pygame, "Window"):
            raise ImportError(f"windows need pygame-ce in place of pygame: {install('render')}")
        height, width, _ = pixels.shape
        if self._window is None:
            pygame.display.init()
            self._window, self._clock = pygame.Window(title, (width, height)), pygame.time.Clock()
        self._window.title = title
        surface = pygame.image.frombuffer(pixels.tobytes(), (width, height), "RGB")
        self._window.get_surface().blit(surface, (0, 0))
        self._window.flip()
        pygame.event.pump()  # else the desktop reports that the window hangs
        self._clock.tick(self.fps)

    def close(self) -> None:
        """Close the window, if there is one. A later render() opens a new one."""
        if self._window is not None:
            self._window.destroy()
        self._window = self._clock = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_frames": None, "_window": None, "_clock": None}
