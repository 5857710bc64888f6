"""Made from amoba_env/games/omok.py by `make golden`, for editors and type checkers."""

from typing import Literal

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode

def env(
    size: int = 15,
    rule: Literal["exact", "freestyle"] = "exact",
    forbidden: Literal["mask", "lose"] = "mask",
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses the game."""

def raw_env(
    size: int = 15,
    rule: Literal["exact", "freestyle"] = "exact",
    forbidden: Literal["mask", "lose"] = "mask",
    on_illegal: OnIllegal = "raise",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
