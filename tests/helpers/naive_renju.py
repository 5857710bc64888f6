"""What a black stone makes in renju, word by word as the rules say it: sets of cells and recursion.

Nothing of amoba_env, no windows, no tables. `black` has Black's stones, `free` the empty cells; the rest of the
plane, White's stones and all beyond the rim, is neither.
"""

Point = tuple[int, int]
Cells = frozenset[Point]

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


def run(black: Cells, cell: Point, direction: Point) -> Cells:
    """The unbroken row through a cell in one direction, of black stones and of one on the cell itself."""
    found = {cell}
    for dx, dy in (direction, (-direction[0], -direction[1])):
        x, y = cell[0] + dx, cell[1] + dy
        while (x, y) in black:
            found.add((x, y))
            x, y = x + dx, y + dy
    return frozenset(found)


def ends(row: Cells, direction: Point) -> tuple[Point, Point]:
    """The cells next to a row on either side."""
    (first_x, first_y), (last_x, last_y), (dx, dy) = min(row), max(row), direction
    return (first_x - dx, first_y - dy), (last_x + dx, last_y + dy)


def next_to_row(black: Cells, free: Cells, p: Point, direction: Point) -> list[Point]:
    """The empty cells that can be in one unbroken row with the stone p when a stone is put there: no others can, for
    all between is black."""
    return [e for e in ends(run(black, p, direction), direction) if e in free]


def fours(black: Cells, free: Cells, p: Point) -> set[Cells]:
    """Sets of 4 black stones in a line with p, to which one empty cell can be added so that the run is exactly 5."""
    found = set()
    for direction in DIRECTIONS:
        for e in next_to_row(black, free, p, direction):
            row = run(black, e, direction)
            if len(row) == 5 and p in row:
                found.add(row - {e})
    return found


def is_straight_four(black: Cells, free: Cells, p: Point, e: Point, direction: Point) -> bool:
    """With a black stone on e: is the run through e exactly 4 long, p in it, and are both end cells empty and does
    either make exactly 5?"""
    row = run(black, e, direction)
    if len(row) != 4 or p not in row:
        return False
    black |= {e}
    return all(end in free and len(run(black, end, direction)) == 5 for end in ends(row, direction))


def depth_and_kind(black: Cells, free: Cells, p: Point, levels: int = 1000) -> tuple[int, str]:
    """How many levels of recursion it took to say what a black stone on the empty cell p is, and what it is.

    The definition has no limit; with fewer `levels` the last of them takes every three for a real one.
    """
    black, free = black | {p}, free - {p}
    lengths = [len(run(black, p, direction)) for direction in DIRECTIONS]
    if 5 in lengths:
        return 0, "five"
    if max(lengths) >= 6:
        return 0, "overline"
    if len(fours(black, free, p)) >= 2:
        return 0, "double_four"
    straight_fours = []  # for each direction that may hold a three: the cells that make it a straight four
    for direction in DIRECTIONS:
        line = next_to_row(black, free, p, direction)
        found = [e for e in line if is_straight_four(black, free, p, e, direction)]
        if found:
            straight_fours.append(found)
    if len(straight_fours) < 2:
        return 0, ""
    if levels == 0:
        return 0, "double_three"
    answers = [[depth_and_kind(black, free, e, levels - 1) for e in found] for found in straight_fours]
    depth = 1 + max(depth for found in answers for depth, _ in found)
    threes = [found for found in answers if any(what == "" for _, what in found)]
    return depth, "double_three" if len(threes) >= 2 else ""


def kind(black: Cells, free: Cells, p: Point) -> str:
    """five, overline, double_four, double_three or nothing: what a black stone on the empty cell p is."""
    return depth_and_kind(black, free, p)[1]


def forbidden(black: Cells, free: Cells) -> dict[Point, str]:
    """The forbidden points of a position."""
    kinds = {p: kind(black, free, p) for p in free}
    return {p: what for p, what in kinds.items() if what not in ("", "five")}
