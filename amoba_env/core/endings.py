"""Why a game is over: the number in a position's ENDING slot, and its name in outcomes, records and runs."""

NAMES = ("", "line", "goal", "full_board", "no_moves", "max_plies", "distance", "illegal", "resigned", "forbidden")
(
    NOT_OVER,
    LINE,  # a winning set is full
    GOAL,  # all men are home
    FULL_BOARD,
    NO_MOVES,
    MAX_PLIES,  # the limit of plies: the game is truncated, and nobody wins
    DISTANCE,  # the limit of plies: the least step distance wins
    ILLEGAL,
    RESIGNED,
    FORBIDDEN,  # a stone on a forbidden point (renju, omok)
) = range(len(NAMES))

FORFEITS = (ILLEGAL, RESIGNED)  # TO_MOVE is the seat that lost, all others share the win
