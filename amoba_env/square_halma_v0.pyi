"""Made from amoba_env/games/square_halma.py by `make golden`, for editors and type checkers."""

from typing import Literal

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode

def env(
    size: Literal[8, 10, 16] = 10,
    players: Literal[2, 4] = 4,
    directions: Literal[4, 8] = 8,
    anti_spoiling: bool = False,
    max_plies: int = 1200,
    adjudicate: bool = False,
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses the game."""

def raw_env(
    size: Literal[8, 10, 16] = 10,
    players: Literal[2, 4] = 4,
    directions: Literal[4, 8] = 8,
    anti_spoiling: bool = False,
    max_plies: int = 1200,
    adjudicate: bool = False,
    on_illegal: OnIllegal = "raise",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
