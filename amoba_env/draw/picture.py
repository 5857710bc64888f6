"""Any board as SVG: stones on the crossings of lines or in cells, men on the holes of a star."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from amoba_env import checks
from amoba_env.border import checked
from amoba_env.core import state as st
from amoba_env.core.state import State
from amoba_env.draw import palette as colors
from amoba_env.draw.ground import Ground, Marks
from amoba_env.draw.heat import per_cell
from amoba_env.draw.letters import status
from amoba_env.draw.marks import forbidden_points, move_path, winning_cells
from amoba_env.draw.palette import Palette
from amoba_env.games import Game

RADIUS = 43  # of a stone
EDGE = 6  # width of the line around a stone


def svg(
    game: Game,
    state: State,
    *,
    moves: Sequence[int] = (),
    heat: ArrayLike | None = None,
    theme: str | Palette = "light",
    coordinates: bool = True,
    marks: Marks | None = None,
    size: int = 480,
) -> str:
    """A position as SVG, with its last move, winning cells, and the points that are forbidden or offered.

    Args:
        game: any game.
        state: int16[CELLS + n_cells], see core/state.py.
        moves: the actions of the game in order, also later ones. Stones get the numbers of their moves; men do not.
        heat: a number for each cell, [n_cells] or [H, W] on the board's grid, or for each action, [n_actions]. Cells
            have one colour above zero and another below; the number farthest from zero has the full colour. In games
            of men a cell shows the greatest number of the actions that end there. Only finite numbers are shown.
        theme: "light", "dark" or a palette.
        coordinates: name columns and rows.
        marks: "letters" (as in text) or "shapes" on stones, men and empty goals, for readers who cannot rely on
            colours. They replace the numbers of moves.
        size: the longer side in pixels.

    Raises:
        ValueError: an unknown theme or kind of marks, a move that is not a whole number, heat of another shape, a size
            that is not 1..10000, or a row that is not a position of the game.
    """
    moves = [checks.whole("move", move) for move in checks.listed("moves", moves)]
    sheet = Sheet(game, theme, coordinates, size, marks)
    title = escape(f"{game.name}: {status(game, state)}")
    tint = "" if heat is None else sheet.heat(per_cell(game, heat))
    body = sheet.ground() + tint + sheet.grid() + sheet.pieces(state, moves)
    return f"{sheet.head()}<title>{title}</title>{body}</svg>\n"


class Shape(NamedTuple):
    """A part of a drawing."""

    group: str  # attributes of the group that it is in; "": it is in none
    svg: str
    cells: Sequence[int]  # that it is on, see Sheet.box


def _grouped(shapes: Iterable[Shape]) -> str:
    """Shapes as SVG; consecutive shapes of the same group share one <g> element."""
    parts = []
    for group, members in groupby(shapes, key=lambda shape: shape.group):
        svg = "".join(shape.svg for shape in members)
        parts.append(f"<g {group}>{svg}</g>" if group else svg)
    return "".join(parts)


class Sheet(Ground):
    """The layers of a drawing of one game, from the bottom up."""

    def pieces(self, state: State, moves: Sequence[int] = ()) -> str:
        """The layers that change from move to move. ValueError if the row is not a position of the game."""
        game = self.game
        state = checked(game, state)
        written = bool(self.marks) or (bool(moves) and not game.moves_men)
        parts = [_grouped(self.shapes(state, written))]
        if self.marks:
            parts.append(self._marks(state))
        elif not game.moves_men:
            parts.append(self._numbers(state, moves))
        parts.append(_grouped(self._signs(state)))
        return "".join(parts)

    def shapes(self, state: State, written: bool = False) -> Iterator[Shape]:
        """Winning cells, stones or men, and the last move, from the bottom up; something may be `written` on stones."""
        look = self.colors
        won = winning_cells(self.game, state)
        if won:
            area = self._area("won", won, look.win, 2 * RADIUS + 22, filled=False, around=look.edge)
            yield Shape("", area, sorted(won))
        for seat in range(self.game.players):
            color = colors.stone(self.game.color(state, seat), seat)
            style = f'class="seat{seat}" fill="{color}" stroke="{look.edge}" stroke-width="{EDGE}"'
            for cell in np.flatnonzero(state[st.CELLS :] == seat).tolist():
                x, y = self.points[cell]
                yield Shape(style, f'<circle cx="{x}" cy="{y}" r="{RADIUS}"/>', [cell])
        yield from self._last(state, written)

    def _signs(self, state: State) -> list[Shape]:
        """Signs on points that are forbidden, or offered in an opening."""
        look = self.colors
        signs = {
            cell: ("forbidden", str(kind), look.alarm) for cell, kind in forbidden_points(self.game, state).items()
        }
        offered = np.flatnonzero(state[st.CELLS :] == st.OFFERED).tolist()
        signs |= dict.fromkeys(offered, ("offered", "?", look.edge))
        found = []
        for cell, (kind, sign, color) in signs.items():
            x, y = self.points[cell]
            ring = f'<circle cx="{x}" cy="{y}" r="32" fill="{look.board}" stroke="{color}" stroke-width="5"/>'
            found.append(Shape("", f'<g class="{kind}">{ring}{self._write(cell, sign, color, 46)}</g>', [cell]))
        return found

    def layers(self, state: State) -> list[Shape]:
        """The shapes of pieces() for a position of the game, without moves and numbers."""
        return [*self.shapes(state), *self._signs(state)]

    def box(self, cells: Sequence[int], margin: float) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the area of shapes on these cells."""
        x, y = zip(*(self.points[cell] for cell in cells), strict=True)
        return min(x) - margin, min(y) - margin, max(x) + margin, max(y) + margin

    def _last(self, state: State, written: bool) -> Iterator[Shape]:
        """The last move: a ring on its stone (around it if something is `written` on stones); of a man, its path."""
        origin, to = int(state[st.FROM]), int(state[st.TO])
        if not 0 <= to < self.game.n_cells or state[st.CELLS + to] < 0:
            return  # the start, or a choice or offer in an opening
        owner = int(state[st.CELLS + to])
        color = colors.stone(self.game.color(state, owner), owner)
        x, y = self.points[to]
        r, ink, wide = (RADIUS, self.colors.more, 11) if written else (20, colors.on(color), 6)
        ring = f'<circle cx="{x}" cy="{y}" r="{r}" fill="none" '
        mark = f'{ring}stroke="{ink}" stroke-width="{wide}"/>'
        if written:  # the ring is seen on a stone of its own colour too
            mark = f'{ring}stroke="{self.colors.board}" stroke-width="{wide + 8}"/>{mark}'
        if origin == st.NOWHERE:
            yield Shape('class="last"', mark, [to])
            return
        stops = move_path(self.game, state)
        line = "M" + "L".join(f"{x} {y}" for x, y in (self.points[cell] for cell in stops)) if stops else ""
        a, b = self.points[origin]
        trail = "".join(
            (f'<path class="path" d="{line}" stroke="{ink}" stroke-width="{wide}"/>' if line else "")
            + f'<circle cx="{a}" cy="{b}" r="30" stroke="{ink}" stroke-width="{wide}"/>'
            for ink, wide in ((self.colors.edge, 18), (color, 10))
        )
        style = 'class="last" fill="none" stroke-linejoin="round" stroke-linecap="round"'
        yield Shape(style, f"{trail}{mark}", [origin, to, *stops])

    def _numbers(self, state: State, moves: Sequence[int]) -> str:
        # The order of the stones: choices put none, and only the picked one of the offered cells has a stone.
        order = list(dict.fromkeys(reversed([move for move in moves if 0 <= move < self.game.n_cells])))[::-1]
        stones = [cell for cell in order if state[st.CELLS + cell] >= 0]
        written = "".join(
            self._write(cell, str(number), colors.on(colors.stone(self.game.color(state, owner), owner)), 46)
            for number, cell in enumerate(stones, start=1)
            for owner in [int(state[st.CELLS + cell])]
        )
        return f'<g class="numbers">{written}</g>' if written else ""

    def _marks(self, state: State) -> str:
        taken = np.flatnonzero(state[st.CELLS :] >= 0).tolist()
        marks = ""
        for cell, owner in ((cell, int(state[st.CELLS + cell])) for cell in taken):
            color = colors.stone(self.game.color(state, owner), owner)
            marks += self._mark(cell, self.game.colors.index(self.game.color(state, owner)), colors.on(color), 52)
        return f'<g class="marks">{marks}</g>' if marks else ""
