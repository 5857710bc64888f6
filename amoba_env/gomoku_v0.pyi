"""Made from amoba_env/games/gomoku.py by `make golden`, for editors and type checkers."""

from typing import Literal

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode

def env(
    size: int = 10,
    rule: Literal["freestyle", "exact", "caro", "exact-caro"] = "freestyle",
    opening: Literal["none", "swap", "swap2"] = "none",
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses the game."""

def raw_env(
    size: int = 10,
    rule: Literal["freestyle", "exact", "caro", "exact-caro"] = "freestyle",
    opening: Literal["none", "swap", "swap2"] = "none",
    on_illegal: OnIllegal = "raise",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
