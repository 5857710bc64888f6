"""One drawing of any board. Text for now; the last move stands in (), winning cells in [].

3 . . o
2 .[x].
...
"""

from collections.abc import Callable

import numpy as np

from amoba_env.core import play
from amoba_env.core.state import (
    CELLS,
    EMPTY,
    ENDING,
    ENDINGS,
    FORFEITS,
    FROM,
    MAX_PLIES,
    NOWHERE,
    PLY,
    RUNNING,
    STATUS,
    TO,
    TO_MOVE,
    State,
)
from amoba_env.games import Game
from amoba_env.notation import column_name

Style = Callable[[str, str], str]  # (kind, glyph) -> what is printed; kinds: see KINDS

KINDS = ("label", "empty", "seat0", "seat1", "seat2", "seat3", "mark")


def plain(kind: str, glyph: str) -> str:
    """The style without colours."""
    return glyph


def text(game: Game, state: State, style: Style = plain) -> str:
    """The board as lines of text with coordinates; `style` may colour each glyph."""
    board = game.board
    pitch = 1 if game.moves_men else 2  # a star's grid has double width already
    grid = [[" "] * (board.width * pitch + 1) for _ in range(board.height)]
    marks = _marks(game, state)
    for cell, (x, y) in enumerate(board.coords.tolist()):
        owner = int(state[CELLS + cell])
        at = x * pitch + 1
        grid[y][at] = style("empty", ".") if owner == EMPTY else style(f"seat{owner}", game.symbols[owner])
        if cell in marks:
            before, after = marks[cell]
            grid[y][at - 1] = style("mark", before)
            if at + 1 < len(grid[y]):
                grid[y][at + 1] = style("mark", after)
            else:
                grid[y].append(style("mark", after))
    digits = len(str(board.height))
    lines = [style("label", f"{board.height - y:>{digits}}") + "".join(row).rstrip() for y, row in enumerate(grid)]
    names = [column_name(x) for x in range(board.width)]
    depth = max(map(len, names))
    for i in range(depth):
        letters = (" " * (pitch - 1)).join(name.rjust(depth)[i] for name in names)
        lines.append(" " * (digits + 1) + style("label", letters))
    return "\n".join(lines)


def _marks(game: Game, state: State) -> dict[int, tuple[str, str]]:
    """Which cells stand in brackets: the winning ones, and the last move."""
    marks = {int(cell): ("(", ")") for cell in (state[FROM], state[TO]) if cell != NOWHERE}
    if state[STATUS] >= 0:
        won = np.zeros(game.n_cells, np.uint8)
        play.winning_cells(game.rules, state, won)
        marks |= {int(cell): ("[", "]") for cell in np.flatnonzero(won)}
    return marks


def status(game: Game, state: State) -> str:
    """One line: whose turn it is, or how the game ended."""
    mover = int(state[TO_MOVE])
    if state[STATUS] == RUNNING:
        return f"{game.colors[mover]} ({game.symbols[mover]}) to move, {int(state[PLY])} moves played"
    how = ENDINGS[state[ENDING]].replace("_", " ")
    if state[STATUS] >= 0:
        winner = int(state[STATUS])
        return f"{game.colors[winner]} ({game.symbols[winner]}) won after {int(state[PLY])} moves ({how})"
    if state[ENDING] in FORFEITS:
        return f"{game.colors[mover]} ({game.symbols[mover]}) lost after {int(state[PLY])} moves ({how})"
    return f"{'no result' if state[ENDING] == MAX_PLIES else 'draw'} after {int(state[PLY])} moves ({how})"
