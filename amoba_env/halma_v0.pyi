"""Made from amoba_env/games/halma.py by `make golden`, for editors and type checkers."""

from typing import Literal

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode

def env(
    players: Literal[2, 3] = 3,
    anti_spoiling: bool = False,
    max_plies: int = 600,
    adjudicate: bool = False,
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses the game."""

def raw_env(
    players: Literal[2, 3] = 3,
    anti_spoiling: bool = False,
    max_plies: int = 600,
    adjudicate: bool = False,
    on_illegal: OnIllegal = "raise",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
