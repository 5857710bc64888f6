"""Any board as text. The last move is in (), winning cells are in [], * is the cell that the man left.

Points that are forbidden to the player to move (renju, omok) show their kind: 3 double-three, 4 double-four, 6
overline. ? is a cell offered in an opening.

3 . . o
2 .[x].
...
"""

from collections.abc import Callable

from amoba_env.border import checked
from amoba_env.core import endings as en
from amoba_env.core import opening_rules as op
from amoba_env.core import state as st
from amoba_env.core.state import State
from amoba_env.draw.marks import forbidden_points, winning_cells
from amoba_env.games import Game
from amoba_env.notation import column_name

Style = Callable[[str, str], str]  # (kind, one of KINDS; glyph) -> the text to print

KINDS = ("label", "empty", "seat0", "seat1", "seat2", "seat3", "seat4", "seat5", "mark", "forbidden")


def plain(kind: str, glyph: str) -> str:
    """The style without colours."""
    return glyph


def text(game: Game, state: State, style: Style = plain) -> str:
    """The board as lines of text with coordinates; `style` may colour each glyph.

    Raises:
        ValueError: the row is not a position of the game; the message says why.
    """
    state = checked(game, state)
    board = game.board
    pitch = 1 if board.double_width else 2
    grid = [[" "] * ((board.width - 1) * pitch + 3) for _ in range(board.height)]
    won = winning_cells(game, state)
    forbidden = forbidden_points(game, state)
    for cell, (x, y) in enumerate(board.coords.tolist()):
        row, at = grid[y], x * pitch + 1
        owner = int(state[st.CELLS + cell])
        if owner >= 0:
            row[at] = style(f"seat{owner}", game.symbol(state, owner))
        elif owner == st.OFFERED:
            row[at] = style("mark", "?")
        elif cell in forbidden:
            row[at] = style("forbidden", str(forbidden[cell]))
        else:
            row[at] = style("mark", "*") if cell == state[st.FROM] else style("empty", ".")
        if cell in won or cell == state[st.TO]:
            before, after = "[]" if cell in won else "()"
            # A run of winning cells has one pair of brackets: [x x x]
            row[at - 1] = style("mark", before) if row[at - 1] == " " else " "
            row[at + 1] = style("mark", after)
    digits = len(str(board.height))
    lines = [style("label", f"{board.height - y:>{digits}}") + "".join(row).rstrip() for y, row in enumerate(grid)]
    names = [column_name(x) for x in range(board.width)]
    depth = max(map(len, names))
    for i in range(depth):
        letters = (" " * (pitch - 1)).join(name.rjust(depth)[i] for name in names)
        lines.append(" " * (digits + 1) + style("label", letters))
    return "\n".join(lines)


def status(game: Game, state: State) -> str:
    """One line: the player to move, or the result. Raises ValueError if the row is not a position of the game."""
    state = checked(game, state)
    mover = int(state[st.TO_MOVE])
    if state[st.STATUS] == st.RUNNING:
        return f"{_name(game, state, mover)} to {task(state)}, {_moves(state)} played"
    how = en.NAMES[state[st.ENDING]].replace("_", " ")
    if state[st.STATUS] >= 0:
        winner = int(state[st.STATUS])
        return f"{_name(game, state, winner)} won after {_moves(state)} ({how})"
    if state[st.ENDING] in en.FORFEITS:
        return f"{_name(game, state, mover)} lost after {_moves(state)} ({how})"
    return f"{'no result' if state[st.ENDING] == en.MAX_PLIES else 'draw'} after {_moves(state)} ({how})"


def _name(game: Game, state: State, seat: int) -> str:
    return f"{game.color(state, seat)} ({game.symbol(state, seat)})"


def task(state: State) -> str:
    """The task of the player to move, such as "put 2 stones"."""
    left = int(state[st.LEFT])
    stones = "a stone" if left == 1 else f"{left} stones"
    return {
        op.PUT_ONE: f"put {stones}",
        op.PUT_THREE: f"put {stones}",
        op.CHOOSE: "choose",
        op.PUT_TWO: f"put {stones}",
        op.CHOOSE_AGAIN: "choose",
        op.FOURTH: "put the fourth stone",
        op.DECLARE: "declare how many fifth moves black has to offer",
        op.OFFER: f"offer {left} more",
        op.PICK: "pick an offered move",
    }.get(int(state[st.PHASE]), "move")


def _moves(state: State) -> str:
    return "1 move" if state[st.PLY] == 1 else f"{int(state[st.PLY])} moves"
