"""Made from amoba_env/games/amoba.py by `make golden`, for editors and type checkers."""

from typing import Literal

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode

def env(
    board: str = "10x10",
    patterns: str = "5",
    orientations: Literal["fixed", "rotations", "rotations+reflections"] = "rotations+reflections",
    players: int = 2,
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses the game."""

def raw_env(
    board: str = "10x10",
    patterns: str = "5",
    orientations: Literal["fixed", "rotations", "rotations+reflections"] = "rotations+reflections",
    players: int = 2,
    on_illegal: OnIllegal = "raise",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
