"""Made from amoba_env/games/tictactoe.py by `make golden`, for editors and type checkers."""

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode

def env(
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses the game."""

def raw_env(
    on_illegal: OnIllegal = "raise",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
