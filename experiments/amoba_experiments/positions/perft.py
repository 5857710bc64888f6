"""The limits of `amoba perft`."""

from amoba_env.checks import brief
from amoba_env.position import Position

MOST = 10**15  # sequences: some weeks
DEEPEST = 100  # moves: each uses some of the stack


def check_depth(begin: Position, depth: int) -> None:
    """Raise ValueError if the count takes too long or overflows the stack."""
    moves, most = len(begin.legal_actions()), 1
    for ply in range(min(depth, DEEPEST + 1)):
        most *= max(1, moves if begin.game.moves_men else moves - ply)
    if depth > DEEPEST or most > MOST:
        raise ValueError(
            f"depth {brief(depth)}: too many sequences to count; {begin.game.name} has {moves} moves here, and the "
            f"limits are {MOST:.0e} sequences and {DEEPEST} moves"
        )
