"""The openings of gomoku and renju for the slow referee: who does what next, as a list of tasks.

An action is a cell, or, counted from the number of cells: 0 stay, 1 swap, and 2 more (swap2), 2 offer ten fifth moves
(taraguchi10), or 2 and on that many fifth moves less one (soosyrv8, yamaguchi).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from naive import NaivePlace, Point

# A task is its name, who has it (the colour, or the first or second player of the game), and how often.
TASKS = {
    "swap": [("put_three", "first", 3), ("choose", "second", 1)],
    "swap2": [("put_three", "first", 3), ("choose", "second", 1)],  # put_two, choose_again: where it is chosen
    "rif26": [("put_three", "first", 3), ("choose", "second", 1), ("fourth", "white", 1), ("offer", "black", 0)],
    "soosyrv8": [
        ("put_three", "first", 3),
        ("choose", "second", 1),
        ("fourth", "white", 1),
        ("declare", "white", 1),
        ("choose_again", "black", 0),
        ("offer", "black", 0),
    ],
    "taraguchi10": [
        *(("put_one", "black", 1), ("choose", "white", 1), ("put_one", "white", 1), ("choose", "black", 1)) * 2,
        *(("put_one", "black", 1), ("choose", "white", 1)),  # the last three: or ten offers
    ],
    "yamaguchi": [
        ("put_three", "first", 3),
        ("declare", "first", 1),
        ("choose", "second", 0),
        ("fourth", "white", 0),
        ("offer", "black", 0),
    ],
}
# 0: the number of fifth moves that is declared.


class Opening:
    """What is left of an opening."""

    def __init__(self, name: str, size: int) -> None:
        self.name, self.size = name, size
        self.tasks = list(TASKS[name])
        self.left = self.tasks[0][2]
        self.declared = 2
        self.first: int | None = None  # the seat that began
        self.offered: list[Point] = []

    @property
    def phase(self) -> str:
        return self.tasks[0][0]

    def twin(self) -> Opening:
        other = Opening(self.name, self.size)
        other.tasks, other.left, other.declared = list(self.tasks), self.left, self.declared
        other.first, other.offered = self.first, list(self.offered)
        return other

    # --- What is legal ----------------------------------------------------------------------------------------------

    def legal_actions(self, game: NaivePlace) -> list[int]:
        n = len(game.board)
        if self.phase == "choose":
            third = self.name == "swap2" or (self.name == "taraguchi10" and len(game.owner) == 4)
            return [n, n + 1, n + 2] if third else [n, n + 1]
        if self.phase == "choose_again":
            return [n, n + 1]
        if self.phase == "declare":
            return list(range(n + 2, n + (10 if self.name == "soosyrv8" else 12)))
        return [i for i, point in enumerate(game.board) if self.may_put(game, point)]

    def may_put(self, game: NaivePlace, point: Point) -> bool:
        if self.phase == "pick":
            return point in self.offered
        if point in game.owner or point in self.offered:
            return False
        if self.phase == "offer":
            return not any(image in self.offered for image in self.images(game, point))
        if self.phase == "put_one" or (self.phase == "put_three" and self.name in ("rif26", "soosyrv8", "yamaguchi")):
            middle = self.size // 2
            away = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4}[len(game.owner) + 1]
            return abs(point[0] - middle) <= away and abs(point[1] - middle) <= away
        return True

    def images(self, game: NaivePlace, point: Point) -> set[Point]:
        """Where the symmetries of the board that keep all stones carry the point."""
        last = self.size - 1
        symmetries = [
            lambda x, y: (last - y, x),  # quarter turns
            lambda x, y: (last - x, last - y),
            lambda x, y: (y, last - x),
            lambda x, y: (last - x, y),  # reflections
            lambda x, y: (x, last - y),
            lambda x, y: (y, x),
            lambda x, y: (last - y, last - x),
        ]
        keeping = [f for f in symmetries if {f(*stone): seat for stone, seat in game.owner.items()} == game.owner]
        return {f(*point) for f in keeping}

    # --- What happens -----------------------------------------------------------------------------------------------

    def play(self, game: NaivePlace, action: int) -> None:
        if self.first is None:
            self.first = game.to_move
        n = len(game.board)
        if self.phase == "offer":
            game.choices += 1
            self.offered.append(game.board[action])
        elif self.phase == "pick":
            self.offered = []
            game.owner[game.board[action]] = game.black
        elif action < n:
            game.owner[game.board[action]] = game.black if len(game.owner) % 2 == 0 else 1 - game.black
        else:
            game.choices += 1
            self.choose(game, action - n)
        self.left -= 1
        if self.left == 0 or self.phase == "fourth":
            self.next_task(game)
        if game.opening:
            game.to_move = self.seat(game, self.tasks[0][1])
        else:
            game.to_move = 1 - game.black

    def choose(self, game: NaivePlace, choice: int) -> None:
        if self.phase == "declare":
            self.declared = choice - 1
        elif choice == 1:
            game.black = 1 - game.black
            game.owner = {point: 1 - seat for point, seat in game.owner.items()}
        elif choice == 2 and self.name == "swap2":
            self.tasks += [("put_two", "second", 2), ("choose_again", "first", 1)]
        elif choice == 2:
            self.tasks, self.declared = [self.tasks[0], ("offer", "black", 0)], 10
        if self.phase in ("choose", "choose_again"):
            self.left = 1

    def next_task(self, game: NaivePlace) -> None:
        done = self.tasks.pop(0)[0]
        if done == "offer":
            self.tasks.append(("pick", "white", 1))
        if not self.tasks:
            game.opening = None
            return
        self.left = self.tasks[0][2] or self.declared

    def seat(self, game: NaivePlace, who: str) -> int:
        first = self.first if self.first is not None else game.to_move
        return {"first": first, "second": 1 - first, "black": game.black, "white": 1 - game.black}[who]
