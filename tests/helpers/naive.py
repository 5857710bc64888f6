"""A slow referee, written from the rules of the games alone: obvious Python, nothing of amoba_env.

It knows cells by their coordinates and looks at the whole board every time. Where the core and this file
disagree, one of them is wrong, and the rules say which.
"""

import re
from collections.abc import Iterator, Mapping
from copy import copy
from pathlib import Path

import naive_omok
import naive_races as races
import naive_renju
from naive_opening import Opening
from naive_races import Point, Race

READY_BOARDS = Path(__file__).parents[2] / "amoba_env" / "games" / "boards"


class Naive:
    """What the referees of all games have in common: who is to move, and how the game ended."""

    def __init__(self, board: list[Point]) -> None:
        self.board = sorted(board, key=lambda point: (point[1], point[0]))
        self.owner: dict[Point, int] = {}  # the taken cells only
        self.to_move = 0
        self.ply = 0
        self.winner: int | None = None
        self.ending = ""
        self.black = 0  # who has the black stones
        self.opening: Opening | None = None  # until it is over
        self.choices = 0  # plies that put no stone

    @property
    def over(self) -> bool:
        return self.ending != ""

    @property
    def cells(self) -> list[int]:
        offered = self.opening.offered if self.opening else []
        return [-2 if point in offered else self.owner.get(point, -1) for point in self.board]

    def twin(self) -> "Naive":
        other = copy(self)
        other.owner = dict(self.owner)
        other.opening = self.opening.twin() if self.opening else None
        return other

    def end(self, ending: str, winner: int | None = None) -> None:
        self.ending, self.winner = ending, winner

    def legal_actions(self) -> list[int]:
        raise NotImplementedError

    def play(self, action: int) -> None:
        """Play an action; whether it is legal is for the caller to ask."""
        raise NotImplementedError

    def settle(self) -> None:
        """Work out whether a position that was put together by hand is over, and who is to move."""
        raise NotImplementedError

    def winning_cells(self) -> set[Point]:
        raise NotImplementedError

    def places(self) -> list[int]:
        raise NotImplementedError


class NaivePlace(Naive):
    """Two players on a rectangle; k in a row win, or (exact) k in a row and no more; in caro k only if not blocked."""

    def __init__(self, width: int, height: int, k: int, rule: str = "freestyle", opening: str = "none") -> None:
        super().__init__([(x, y) for x in range(width) for y in range(height)])
        self.players = 2
        self.rows = [(k, "exact" in rule)]
        self.caro = "caro" in rule
        self.shapes: list[list[Point]] = []
        if opening != "none":
            self.opening = Opening(opening, width)

    def legal_actions(self) -> list[int]:
        if self.over:
            return []
        if self.opening:
            return self.opening.legal_actions(self)
        legal = self.legal_points()
        return [i for i, point in enumerate(self.board) if point in legal]

    def legal_points(self) -> set[Point]:
        return set(self.board) - set(self.owner)

    def play(self, action: int) -> None:
        self.ply += 1
        if self.opening:
            self.opening.play(self, action)
        else:
            self.put(self.board[action])

    def put(self, point: Point) -> None:
        self.owner[point] = self.to_move
        self.to_move = (self.to_move + 1) % self.players
        self.settle()

    def settle(self) -> None:
        winning = self.winning_runs()
        if winning:
            self.end("line", self.owner[winning[0][0]])
        elif len(self.owner) == len(self.board):
            self.end("full_board")

    def runs(self) -> Iterator[list[Point]]:
        """Every unbroken row of one player's stones, in each of the four directions."""
        for (x, y), seat in self.owner.items():
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                if self.owner.get((x - dx, y - dy)) == seat:
                    continue  # the run began before
                run, onward = [(x, y)], (x + dx, y + dy)
                while self.owner.get(onward) == seat:
                    run.append(onward)
                    onward = (onward[0] + dx, onward[1] + dy)
                yield run

    def winning_runs(self) -> list[list[Point]]:
        runs = list(self.runs())
        long = [run for run in runs for k, exact in self.rows if self.wins(run, k, exact)]
        return long + self.owned_shapes()

    def wins(self, run: list[Point], k: int, exact: bool) -> bool:
        return not self.is_blocked(run) if len(run) == k else len(run) > k and not exact

    def is_blocked(self, run: list[Point]) -> bool:
        """Caro: do stones of the opponent stand at both ends of a row?"""
        if not self.caro:
            return False
        (x, y), (end_x, end_y) = run[0], run[-1]
        dx, dy = run[1][0] - x, run[1][1] - y
        around = self.owner.get((x - dx, y - dy)), self.owner.get((end_x + dx, end_y + dy))
        return all(seat is not None and seat != self.owner[run[0]] for seat in around)

    def owned_shapes(self) -> list[list[Point]]:
        """Every place where one player owns all cells of a shape."""
        found = []
        for (x, y), seat in self.owner.items():
            for shape in self.shapes:
                cells = [(x + dx - shape[0][0], y + dy - shape[0][1]) for dx, dy in shape]
                if all(self.owner.get(cell) == seat for cell in cells):
                    found.append(cells)
        return found

    def winning_cells(self) -> set[Point]:
        return {point for run in self.winning_runs() for point in run} if self.ending == "line" else set()

    def places(self) -> list[int]:
        return [1 if self.winner in (None, seat) else 2 for seat in range(self.players)]


class NaiveAmoba(NaivePlace):
    """Two to four players on any board; whoever owns a pattern wins."""

    def __init__(self, board: str, patterns: str, orientations: str, players: int) -> None:
        Naive.__init__(self, drawn_board(board))
        self.players, self.rows, self.shapes, self.caro = players, [], [], False
        for pattern in patterns.split(","):
            words = pattern.split()
            if words[0].isdecimal():
                self.rows.append((int(words[0]), words[1:] == ["exact"]))
            else:
                self.shapes += images(marked(pattern, "x"), orientations)


def marked(text: str, mark: str) -> list[Point]:
    """The points with this mark in a drawing, whose rows are lines or stand between slashes."""
    rows = re.split("[/\n]", text)
    return [(x, y) for y, row in enumerate(rows) for x, char in enumerate(row) if char == mark]


def drawn_board(text: str) -> list[Point]:
    """The cells of a rectangle (10x8), a built-in board (cross) or a drawing, counted from its first column and row."""
    if re.fullmatch("[0-9]+x[0-9]+", text):
        width, height = map(int, text.split("x"))
        return [(x, y) for y in range(height) for x in range(width)]
    cells = marked((READY_BOARDS / f"{text}.txt").read_text() if text.isalpha() else text, ".")
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    return [(x - left, y - top) for x, y in cells]


def images(shape: list[Point], orientations: str) -> list[list[Point]]:
    """The shape, turned (x, y) -> (-y, x), and also mirrored (x, y) -> (-x, y)."""
    turned = [[[(x, y), (-y, x), (-x, -y), (y, -x)][quarter] for x, y in shape] for quarter in range(4)]
    mirrored = [[(-x, y) for x, y in image] for image in turned]
    return {"fixed": [shape], "rotations": turned, "rotations+reflections": turned + mirrored}[orientations]


class NaiveRenju(NaivePlace):
    """Black wins with exactly five and has forbidden points, which are illegal or lose; White with five or more."""

    both = False  # whether both colours have forbidden points

    def __init__(self, size: int, forbidden: str = "mask", opening: str = "none") -> None:
        super().__init__(size, size, 5, opening=opening)
        self.loses = forbidden == "lose"

    def kind(self, point: Point) -> str:
        mine = frozenset(stone for stone in self.owner if self.owner[stone] == self.judged)
        return naive_renju.kind(mine, frozenset(self.board) - self.owner.keys(), point)

    @property
    def judged(self) -> int:
        """The seat that has forbidden points."""
        return self.to_move if self.both else self.black

    def is_forbidden(self, point: Point) -> bool:
        return self.kind(point) not in ("", "five")

    def legal_points(self) -> set[Point]:
        return {point for point in super().legal_points() if self.may_put(point)}

    def may_put(self, point: Point) -> bool:
        return self.to_move != self.judged or self.loses or not self.is_forbidden(point)

    def put(self, point: Point) -> None:
        if self.loses and self.to_move == self.judged and self.is_forbidden(point):
            self.end("forbidden", 1 - self.to_move)
            self.owner[point] = self.to_move
            self.to_move = 1 - self.to_move
        else:
            super().put(point)

    def settle(self) -> None:
        super().settle()
        if not self.over and not any(self.may_put(point) for point in super().legal_points()):
            self.end("no_moves")

    def winning_runs(self) -> list[list[Point]]:
        return [run for run in self.runs() if len(run) == 5 or (len(run) > 5 and self.owner[run[0]] != self.black)]


class NaiveOmok(NaiveRenju):
    """Nobody may make a double-three; five in a row win, exactly or (freestyle) five or more."""

    both = True

    def __init__(self, size: int, rule: str, forbidden: str) -> None:
        super().__init__(size, forbidden)
        self.longest = 5 if rule == "exact" else size

    def kind(self, point: Point) -> str:
        mine = frozenset(stone for stone in self.owner if self.owner[stone] == self.to_move)
        return naive_omok.kind(mine, frozenset(self.board) - self.owner.keys(), point, self.longest)

    def winning_runs(self) -> list[list[Point]]:
        return [run for run in self.runs() if 5 <= len(run) <= self.longest]


class NaiveHalma(Naive):
    """Men race across a board; an action is from * cells + to."""

    def __init__(self, race: Race, max_plies: int, adjudicate: bool = False, anti_spoiling: bool = False) -> None:
        super().__init__(race.board)
        self.race, self.players = race, len(race.men)
        self.number = {point: i for i, point in enumerate(self.board)}
        self.max_plies, self.adjudicate, self.anti_spoiling = max_plies, adjudicate, anti_spoiling
        self.owner = {man: seat for seat, men in enumerate(race.men) for man in men}

    def legal_actions(self) -> list[int]:
        return [] if self.over else self.actions_of(self.to_move)

    def actions_of(self, seat: int) -> list[int]:
        moves = [(man, to) for man in self.men_of(seat) for to in self.steps(man) | self.jumps(man)]
        return sorted(self.number[man] * len(self.board) + self.number[to] for man, to in moves)

    def can_move(self, seat: int) -> bool:
        return any(self.steps(man) or self.jumps(man) for man in self.men_of(seat))

    def men_of(self, seat: int) -> list[Point]:
        return [man for man, owner in self.owner.items() if owner == seat]

    def steps(self, man: Point) -> set[Point]:
        around = {(man[0] + dx, man[1] + dy) for dx, dy in self.race.neighbors}
        return {point for point in around if point in self.number and point not in self.owner}

    def jumps(self, man: Point) -> set[Point]:
        others = self.owner.keys() - {man}
        reached = {man}

        def jump_on(x: int, y: int) -> None:
            for dx, dy in self.race.neighbors:
                over, to = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if over in others and to in self.number and to not in others and to not in reached:
                    reached.add(to)
                    jump_on(*to)

        jump_on(*man)
        return reached - {man}

    def play(self, action: int) -> None:
        me = self.to_move
        origin, to = divmod(action, len(self.board))
        del self.owner[self.board[origin]]
        self.owner[self.board[to]] = me
        self.ply += 1
        self.to_move = (me + 1) % self.players
        self.settle()

    def settle(self) -> None:
        seats = [(self.to_move + i) % self.players for i in range(self.players)]
        for seat in seats:
            if self.is_home(seat):
                self.end("goal", seat)
                return
        if self.ply >= self.max_plies:
            self.end(*self.verdict())
            return
        for seat in seats:
            if self.can_move(seat):
                self.to_move = seat
                return
        self.end("no_moves")

    def is_home(self, seat: int) -> bool:
        owners = [self.owner.get(point) for point in self.race.goals[seat]]
        if self.anti_spoiling:
            return None not in owners and seat in owners
        return set(owners) == {seat}

    def verdict(self) -> tuple[str, int | None]:
        if not self.adjudicate:
            return "max_plies", None
        distances = [self.distance(seat) for seat in range(self.players)]
        leaders = [seat for seat in range(self.players) if distances[seat] == min(distances)]
        return "distance", leaders[0] if len(leaders) == 1 else None

    def distance(self, seat: int) -> int:
        return sum(self.race.left[seat][man] for man in self.owner if self.owner[man] == seat)

    def winning_cells(self) -> set[Point]:
        return set(self.race.goals[self.winner]) if self.ending == "goal" and self.winner is not None else set()

    def places(self) -> list[int]:
        """The winner is first and the others follow by distance, unless the game ended without a verdict."""
        left = [0] * self.players
        if self.ending in ("goal", "distance"):
            left = [-1 if seat == self.winner else self.distance(seat) for seat in range(self.players)]
        return [1 + sum(other < own for other in left) for own in left]


def race(name: str, options: Mapping[str, int | str | bool]) -> Race:
    """The board and the seats of a game where men move."""
    players = int(options["players"])
    if name == "halma":
        return races.halma(players)
    if name == "chinese_checkers":
        return races.chinese_checkers(players, int(options["men"]))
    return races.square_halma(int(options["size"]), players, int(options["directions"]))


def referee(name: str, options: Mapping[str, int | str | bool]) -> Naive:
    """The referee for a game of the catalogue."""
    if name in ("halma", "chinese_checkers", "square_halma"):
        rules = int(options["max_plies"]), bool(options["adjudicate"]), bool(options.get("anti_spoiling", False))
        return NaiveHalma(race(name, options), *rules)
    if name == "gomoku":
        size = int(options["size"])
        return NaivePlace(size, size, 5, str(options["rule"]), str(options["opening"]))
    if name == "renju":
        return NaiveRenju(int(options["size"]), str(options["forbidden"]), str(options["opening"]))
    if name == "omok":
        return NaiveOmok(int(options["size"]), str(options["rule"]), str(options["forbidden"]))
    if name == "tictactoe":
        return NaivePlace(3, 3, 3)
    if name == "amoba":
        board, patterns, orientations = (str(options[key]) for key in ("board", "patterns", "orientations"))
        return NaiveAmoba(board, patterns, orientations, int(options["players"]))
    import naive_data  # builds on this file

    return naive_data.referee_of(naive_data.make_from(name, options))


def perft(game: Naive, depth: int) -> int:
    """The number of different ways to play `depth` more plies."""
    actions = game.legal_actions()
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        child = game.twin()
        child.play(action)
        total += perft(child, depth - 1)
    return total
