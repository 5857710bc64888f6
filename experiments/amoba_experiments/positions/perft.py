"""How long counting takes: `amoba perft`."""

from amoba_env.checks import brief
from amoba_env.position import Position

MOST = 10**15  # sequences: some weeks
DEEPEST = 100  # moves, each of which takes room on the stack


def check_depth(begin: Position, depth: int) -> None:
    """Raise ValueError where nobody can wait for the count, or the stack has no room for it."""
    moves, most = len(begin.legal_actions()), 1
    for ply in range(min(depth, DEEPEST + 1)):
        most *= max(1, moves if begin.game.moves_men else moves - ply)
    if depth > DEEPEST or most > MOST:
        raise ValueError(
            f"depth {brief(depth)}: too many moves ahead to count; {begin.game.name} has {moves} moves here, and at "
            f"most {MOST:.0e} sequences of at most {DEEPEST} moves can be counted"
        )
