"""The slow referee of a game that has none of its own: the rules in plain Python over the game's tables.

So it does not judge the tables, only what the core makes of them.
"""

from naive import NaiveHalma, NaivePlace
from naive_races import Point, Race

from amoba_env.core import rules as ru
from amoba_env.games import Game
from amoba_env.games import make_from as make_from  # naive.py has it from here


def points(game: Game) -> list[Point]:
    """The cells in their order."""
    return [(x, y) for x, y in game.board.coords.tolist()]


def race_of(game: Game) -> Race:
    """The board and the seats of a game where men move."""
    cells = points(game)
    men, goals, left = (ru.table(game.rules, slot).tolist() for slot in (ru.HOMES, ru.GOALS, ru.STEPS))
    steps = {
        (cells[to][0] - x, cells[to][1] - y)
        for (x, y), around in zip(cells, game.board.neighbor.tolist(), strict=True)
        for to in around
        if to >= 0
    }
    return Race(
        cells,
        tuple(sorted(steps)),
        [[cells[man] for man in own] for own in men],
        [[cells[goal] for goal in own] for own in goals],
        [dict(zip(cells, own, strict=True)) for own in left],
    )


class NaiveSets(NaivePlace):
    """Players put stones; one who owns a winning set wins, unless it also owns a guard of the set."""

    def __init__(self, game: Game) -> None:
        super().__init__(1, 1, 1)
        self.board, self.players = points(game), game.players
        sets = ru.table(game.rules, ru.SETS).reshape(-1, int(game.rules[ru.SET_SIZE])).tolist()
        guards = ru.table(game.rules, ru.GUARDS).reshape(-1, 2).tolist()
        self.sets = [
            ([self.board[cell] for cell in row if cell >= 0], [self.board[cell] for cell in pair if cell >= 0])
            for row, pair in zip(sets, guards, strict=True)
        ]

    def winning_runs(self) -> list[list[Point]]:
        found = []
        for row, pair in self.sets:
            seat = self.owner.get(row[0])
            if seat is not None and all(self.owner.get(point) == seat for point in row):
                if all(self.owner.get(point) != seat for point in pair):
                    found.append(row)
        return found


def referee_of(game: Game) -> NaivePlace | NaiveHalma:
    """The referee. Raises ValueError for a game with an opening rule or colours: more than tables make its rules."""
    if game.moves_men:
        limit, adjudicate, spoiling = (
            int(game.rules[slot]) for slot in (ru.PLY_LIMIT, ru.ADJUDICATE, ru.ANTI_SPOILING)
        )
        return NaiveHalma(race_of(game), limit, bool(adjudicate), bool(spoiling))
    if game.choices or game.rules[ru.COLORED]:
        raise ValueError(f"no referee for {game.name}")
    return NaiveSets(game)
