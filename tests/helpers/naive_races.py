"""The boards of the halma family for the slow referee: who starts where, who runs where. Nothing of amoba_env."""

from functools import cache
from typing import NamedTuple

Point = tuple[int, int]  # x to the right, y downwards


class Race(NamedTuple):
    """A board and its seats; each list has an entry a seat."""

    board: list[Point]
    neighbors: tuple[Point, ...]  # as steps (dx, dy)
    men: list[list[Point]]
    goals: list[list[Point]]
    left: list[dict[Point, int]]  # step distance of a man on a point


HEX = ((2, 0), (-2, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def step_distance(man: Point, tip: Point) -> int:
    """On a star."""
    dx, dy = abs(man[0] - tip[0]), abs(man[1] - tip[1])
    return (dx + dy) // 2 if dx > dy else dy


# --- The star of 37 cells ---------------------------------------------------------------------------------------

PICTURE = """
      o
     o o
o o o o o o o
 o o o o o o
  o o o o o
 o o o o o o
o o o o o o o
     o o
      o
"""
STAR = [(x, y) for y, line in enumerate(PICTURE.splitlines()[1:]) for x, char in enumerate(line) if char == "o"]

# Red, white, green.
MEN = [
    [(6, 8), (5, 7), (7, 7), (4, 6), (6, 6), (8, 6)],
    [(8, 2), (10, 2), (12, 2), (9, 3), (11, 3), (10, 4)],
    [(0, 2), (2, 2), (4, 2), (1, 3), (3, 3), (2, 4)],
]
TIPS = [(6, 0), (0, 6), (12, 6)]
GOALS = [
    [(6, 0), (5, 1), (7, 1), (4, 2), (6, 2), (8, 2)],
    [(0, 6), (2, 6), (4, 6), (1, 5), (3, 5), (2, 4)],
    [(12, 6), (10, 6), (8, 6), (11, 5), (9, 5), (10, 4)],
]


@cache
def halma(players: int) -> Race:
    left = [{point: step_distance(point, tip) for point in STAR} for tip in TIPS]
    return Race(STAR, HEX, MEN[:players], GOALS[:players], left)


# --- The star of 121 cells --------------------------------------------------------------------------------------

# The six points, clockwise from the bottom; the tips are capitals.
POINTS = """
            D
           d d
          d d d
         d d d d
C c c c . . . . . e e e E
 c c c . . . . . . e e e
  c c . . . . . . . e e
   c . . . . . . . . e
    . . . . . . . . .
   b . . . . . . . . f
  b b . . . . . . . f f
 b b b . . . . . . f f f
B b b b . . . . . f f f F
         a a a a
          a a a
           a a
            A
"""
OPPOSITE = dict(zip("abcdef", "defabc", strict=True))
SITTING = {2: "ad", 3: "ace", 4: "abde", 6: "abcdef"}


@cache
def chinese_checkers(players: int, men: int) -> Race:
    drawn = {(x, y): c for y, line in enumerate(POINTS.splitlines()[1:]) for x, c in enumerate(line) if c != " "}

    def triangle(letter: str) -> list[Point]:
        ten = {point for point, char in drawn.items() if char.lower() == letter}
        around = {(x + dx, y + dy) for x, y in ten for dx, dy in HEX} & drawn.keys()
        return sorted(ten if men == 10 else ten | around)

    tips = {char.lower(): point for point, char in drawn.items() if char.isupper()}
    seats = SITTING[players]
    return Race(
        list(drawn),
        HEX,
        [triangle(seat) for seat in seats],
        [triangle(OPPOSITE[seat]) for seat in seats],
        [{point: step_distance(point, tips[OPPOSITE[seat]]) for point in drawn} for seat in seats],
    )


# --- Squares ----------------------------------------------------------------------------------------------------

# Men in each row of a camp, from the rim.
CAMPS = {(8, 2): [4, 3, 2, 1], (10, 2): [5, 4, 3, 2, 1], (10, 4): [4, 3, 2, 1]}
CAMPS |= {(16, 2): [5, 5, 4, 3, 2], (16, 4): [4, 4, 3, 2]}


def king_steps(a: Point, b: Point) -> int:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


@cache
def square_halma(size: int, players: int, directions: int) -> Race:
    last = size - 1
    board = [(x, y) for y in range(size) for x in range(size)]
    top_left = [(x, y) for y, row in enumerate(CAMPS[size, players]) for x in range(row)]
    camps = [  # clockwise from the bottom left
        [(x, last - y) for x, y in top_left],
        top_left,
        [(last - x, y) for x, y in top_left],
        [(last - x, last - y) for x, y in top_left],
    ]
    tips = [(0, last), (0, 0), (last, 0), (last, last)]
    seats = [0, 2] if players == 2 else [0, 1, 2, 3]
    goals = [(seat + 2) % 4 for seat in seats]

    def left(goal: int) -> dict[Point, int]:
        if directions == 4:
            return {(x, y): abs(x - tips[goal][0]) + abs(y - tips[goal][1]) for x, y in board}
        # Steps into the goal, and from inside of it steps to its inner side.
        outside = [point for point in board if point not in camps[goal]]
        to_go = {
            point: min(king_steps(point, other) for other in camps[goal])
            if point in outside
            else 1 - min(king_steps(point, other) for other in outside)
            for point in board
        }
        return {point: steps - to_go[tips[goal]] for point, steps in to_go.items()}

    return Race(
        board,
        STRAIGHT if directions == 4 else STRAIGHT + DIAGONAL,
        [camps[seat] for seat in seats],
        [camps[goal] for goal in goals],
        [left(goal) for goal in goals],
    )
