"""The scores of moves by their definition (see amoba_agents/values/line_scores.py), slowly, from the rules in words."""

from itertools import product

from naive import NaivePlace, referee

from amoba_agents.values.line_scores import WIN
from amoba_env import games

# The cells of a set, and which stones around it close it for which seat: (seat, ((cell, owner), ...)).
Closing = tuple[int, tuple[tuple[int, int], ...]]
Sets = list[tuple[list[int], list[Closing]]]


def lines(game: games.Game) -> Sets:
    """Winning sets, and what closes them, from the rules of the game as a person reads them."""
    slow = referee(game.name, game.options)
    assert isinstance(slow, NaivePlace)
    number = {point: cell for cell, point in enumerate(slow.board)}
    found = []
    for x, y in slow.board:
        for (k, exact), (dx, dy) in product(slow.rows, ((1, 0), (0, 1), (1, 1), (-1, 1))):
            before, *row, behind = [(x + i * dx, y + i * dy) for i in range(-1, k + 1)]
            exact = exact or (game.name == "omok" and game.options["rule"] == "exact")
            strict = range(game.players) if exact else [0] if game.name == "renju" else []
            closing = [(seat, ((cell, seat),)) for seat in strict for cell in (before, behind)]
            closing += [(seat, ((before, 1 - seat), (behind, 1 - seat))) for seat in (0, 1) if slow.caro]
            found.append((row, closing))
        for shape in slow.shapes:
            found.append(([(x + dx - shape[0][0], y + dy - shape[0][1]) for dx, dy in shape], []))
    on_board = {
        (
            tuple(sorted(number[cell] for cell in cells)),
            tuple(
                (seat, tuple((number[cell], owner) for cell, owner in stones))
                for seat, stones in closing
                if all(cell in number for cell, _ in stones)
            ),
        )
        for cells, closing in found
        if number.keys() >= set(cells)
    }  # a shape that is its own image counts once
    return [(list(cells), list(closing)) for cells, closing in sorted(on_board)]


def is_closed(cells: list[int], closing: list[Closing], seat: int) -> bool:
    return any(all(cells[cell] == owner for cell, owner in stones) for whose, stones in closing if whose == seat)


def score(cells: list[int], seat: int, cell: int, sets: Sets) -> int:
    """The score of a move by its definition: see agents/amoba_agents/values/line_scores.py."""
    smallest = min(len(line) for line, _ in sets)

    def worth(stones: int, size: int) -> int:
        return int(8 ** max(0, stones - 1 - (size - smallest))) if stones else 0

    total = 0
    for line, closing in sets:
        if cell not in line:
            continue
        stones = [cells[c] for c in line if cells[c] >= 0]
        owners, own = set(stones), len(stones)
        if owners <= {seat} and not is_closed(cells, closing, seat):
            total += WIN if own == len(line) - 1 else worth(own + 1, len(line)) - worth(own, len(line))
        elif len(owners - {seat}) == len(owners) == 1 and not is_closed(cells, closing, *owners):
            total += worth(own, len(line))
    return total
