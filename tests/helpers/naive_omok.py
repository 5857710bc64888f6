"""What a stone makes in omok, by trying: sets of cells and recursion; nothing of amoba_env.

`mine` has the mover's stones, `free` the empty cells; the rest of the plane, the opponent's stones and all beyond the
rim, is neither. A five has five stones, or up to `longest`.
"""

from naive_renju import DIRECTIONS, Cells, Point, run


def line(p: Point, direction: Point, reach: int) -> list[Point]:
    """The points of a line around p."""
    return [(p[0] + i * direction[0], p[1] + i * direction[1]) for i in range(-reach, reach + 1)]


def is_five(mine: Cells, p: Point, longest: int) -> bool:
    return any(5 <= len(run(mine, p, direction)) <= longest for direction in DIRECTIONS)


def is_three(mine: Cells, free: Cells, p: Point, direction: Point, longest: int) -> bool:
    """With a stone on p: can one more stone, which is neither a five nor forbidden, make four in a row with p, and two
    places beside them where a stone makes a five of this line?"""
    for e in set(line(p, direction, 3)) & free:
        more = mine | {e}
        for start in range(-3, 1):
            before, *four, after = (
                (p[0] + i * direction[0], p[1] + i * direction[1]) for i in range(start - 1, start + 5)
            )
            if e in four and more.issuperset(four) and {before, after} <= free:
                both = all(5 <= len(run(more, end, direction)) <= longest for end in (before, after))
                if both and kind(mine, free, e, longest) == "":
                    return True
    return False


def kind(mine: Cells, free: Cells, p: Point, longest: int) -> str:
    """five, double_three or nothing: what a stone of the mover on the empty cell p is."""
    if is_five(mine, p, longest):
        return "five"
    with_p, rest = mine | {p}, free - {p}
    threes = sum(is_three(with_p, rest, p, direction, longest) for direction in DIRECTIONS)
    return "double_three" if threes >= 2 else ""
