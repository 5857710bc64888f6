"""The planes of an observation after those of the players' stones or men, in order. play.observe() writes them."""

CELLS, BLACK, OFFERED, PHASE, LEFT = range(5)
MEANINGS = (
    "1 on every cell of the board",
    "1 everywhere if the agent has the black stones, else 0",
    "the cells that are offered for the fifth stone",
    "the number of the phase on every cell",
    "the number of actions left in this phase on every cell",
)


def last(colored: int, opening_rule: int) -> int:
    """The last plane of a game: openings have all of them, and games where colours matter BLACK."""
    return LEFT if opening_rule else BLACK if colored else CELLS
