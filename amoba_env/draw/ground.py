"""The board of a drawing: its size, lines, goals and coordinates, computed from the data of the board alone.

Cells are PITCH units apart. A drawing has no ids, scripts or links, so a page can have any number of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from amoba_env import checks
from amoba_env.core import rules as ru
from amoba_env.draw import palette as colors
from amoba_env.draw.palette import THEMES, Palette
from amoba_env.games import Game
from amoba_env.notation import column_name

Marks = Literal["letters", "shapes"]  # on stones and men

PITCH = 100
ROW = 87  # from row to row of a star: PITCH * sqrt(3) / 2
OUTLINE = 16  # by how much an outline is broader than what it surrounds
GOAL_TINT = 0.22  # share of the player's colour in its goal, low enough for the contrast of lines and men
RIM = 62  # from the outermost cells to the edge of the board
SPACE = 24  # around all
MOST_PIXELS = 10_000  # of the longer side: each pixel takes a few bytes
LETTER = 0.62  # width of a bold letter or digit, as a share of its height
WIDEST = 1.1  # width of a bold m in the broadest of the usual fonts
NAME = 0.034  # height of coordinates, as a share of the longer side: they stay readable in small pictures
FULL = 80  # if coordinates would be higher, only every fifth is written
SHAPES = (  # by colour: disc, square, triangle, diamond, plus, cross
    "M-19 0a19 19 0 1 0 38 0a19 19 0 1 0 -38 0z",
    "M-18 -18h36v36h-36z",
    "M0 -25L23 16H-23z",
    "M0 -27L27 0L0 27L-27 0z",
    "M-8 -24h16v16h16v16h-16v16h-16v-16h-16v-16h16z",
    "M-11 -22L0 -11L11 -22L22 -11L11 0L22 11L11 22L0 11L-11 22L-22 11L-11 0L-22 -11z",
)


class Ground:
    """The common part of all drawings of a game."""

    def __init__(
        self,
        game: Game,
        theme: str | Palette = "light",
        coordinates: bool = True,
        size: int = 480,
        marks: Marks | None = None,
    ) -> None:
        """Raises ValueError for an unknown theme or kind of marks, or an impossible size."""
        if not isinstance(theme, Palette) and not (isinstance(theme, str) and theme in THEMES):
            raise ValueError(f"unknown theme {checks.brief(theme)}; the themes: {', '.join(THEMES)}")
        size = checks.whole("size", size, 1, MOST_PIXELS)
        if marks is not None:
            checks.one_of("marks", marks, get_args(Marks))
        self.game, self.coordinates, self.marks = game, coordinates, marks
        self.colors = THEMES[theme] if isinstance(theme, str) else theme
        board = game.board
        self.star = board.double_width
        # Stones lie on crossings where the board is a rectangle that is large enough for lines to look like lines.
        full = board.n_cells == board.width * board.height
        self.crossings = full and not game.moves_men and min(board.width, board.height) >= 5
        self.spacing = column, _ = (PITCH // 2, ROW) if self.star else (PITCH, PITCH)
        self.points: list[tuple[int, int]] = (board.coords.astype(int) * self.spacing).tolist()
        right, bottom = max(x for x, _ in self.points), max(y for _, y in self.points)
        wanted = round(NAME * (max(right, bottom) + 2 * PITCH))
        self.step = 1 if wanted <= FULL else 5
        widest = WIDEST * len(column_name(board.width - 1))
        self.letter = min(wanted, round(0.9 * self.step * column / widest))
        aside = round(len(str(board.height)) * LETTER * self.letter) + SPACE if coordinates else 0
        below = round(1.25 * self.letter) if coordinates else 0
        beyond = max(0, round(widest * self.letter / 2) - RIM - SPACE) if coordinates else 0  # half of the last name
        above = max(0, self.letter // 2 - RIM - SPACE) if coordinates else 0
        self.left, self.top = -RIM - aside - SPACE, -RIM - above - SPACE
        self.width = right + RIM + beyond + SPACE - self.left
        self.height = bottom + RIM + below + SPACE - self.top
        longer = max(self.width, self.height)
        # Even numbers, because most video formats need them.
        self.pixels = tuple(max(2, round(side * size / longer / 2) * 2) for side in (self.width, self.height))

    def head(self, label: str | None = None) -> str:
        """The opening tag of the drawing; `label` is for screen readers, if the drawing has no <title>."""
        return self.tag(f"{self.left} {self.top} {self.width} {self.height}", self.pixels[0], self.pixels[1], label)

    def tag(self, box: str, wide: int, high: int, label: str | None = None) -> str:
        """The opening tag of a part of the drawing: its view box, and its size in pixels."""
        named = "" if label is None else f'aria-label="{escape(label)}" '
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{wide}" height="{high}" role="img" {named}'
            'font-family="sans-serif" font-weight="600" text-anchor="middle">'
        )

    def ground(self) -> str:
        """The page and the board, each goal in the colour of the seat whose men have to go there."""
        page, board = self.colors.page, self.colors.board
        # Larger than the view box: rounding the picture's sides to pixels changes its proportions a little.
        box = f'x="{self.left - 50}" y="{self.top - 50}" width="{self.width + 100}" height="{self.height + 100}"'
        parts = [f'<rect class="page" {box} fill="{page}"/>']
        everywhere = range(self.game.n_cells)
        if self.crossings:
            (_, _), (x, y) = self.points[0], self.points[-1]
            sides = f'width="{x + 2 * RIM}" height="{y + 2 * RIM}"'
            parts.append(f'<rect class="board" x="{-RIM}" y="{-RIM}" {sides} rx="12" fill="{board}"/>')
        else:
            parts.append(self._area("board", everywhere, board, 2 * RIM))
        if self.game.moves_men:
            for seat, goal in enumerate(ru.table(self.game.rules, ru.GOALS).tolist()):
                color = colors.mix(board, colors.stone(self.game.colors[seat], seat), GOAL_TINT)
                parts.append(self._area(f"goal{seat}", goal, color, 92, around=self.colors.line))
        return "".join(parts)

    def heat(self, values: NDArray[np.float64]) -> str:
        """Cells tinted by `values` [n_cells]; cells with NaN are not tinted."""
        shown = np.isfinite(values)
        most = np.abs(values[shown]).max(initial=0.0)
        tiles = "".join(
            f'<path d="{self._tile(cell)}" fill="{self._tint(values[cell] / most)}"/>'
            for cell in np.flatnonzero(shown).tolist()
            if most > 0
        )
        return f'<g class="heat">{tiles}</g>'

    def grid(self) -> str:
        """Lines, holes and coordinates."""
        line, board = self.colors.line, self.game.board
        width, height = board.width, board.height
        if self.crossings:
            x, y = self.points[-1]
            d = "".join([f"M0 {i * PITCH}H{x}" for i in range(height)] + [f"M{i * PITCH} 0V{y}" for i in range(width)])
        else:
            every = range(board.n_cells)
            d = self._links(every) if self.star else "".join(map(self._tile, every))
        parts = [f'<path class="grid" d="{d}" fill="none" stroke="{line}" stroke-width="3" stroke-linecap="square"/>']
        dots = self.points if self.star else _star_points(width, height) if self.crossings else []
        r = 15 if self.star else 9
        if dots:
            circles = "".join(f'<circle cx="{x}" cy="{y}" r="{r}"/>' for x, y in dots)
            parts.append(f'<g class="points" fill="{line}">{circles}</g>')
        if self.marks and self.game.moves_men:
            parts.append(f'<g class="goals">{self._goal_marks()}</g>')
        if self.coordinates:
            parts.append(self._names())
        return "".join(parts)

    def _goal_marks(self) -> str:
        """Whose goal it is, on each of its cells; a star's holes and lines would be in the way."""
        cells = enumerate(ru.table(self.game.rules, ru.GOALS).tolist())
        marks = [(cell, self._mark(cell, seat, self.colors.edge, 38)) for seat, goal in cells for cell in goal]
        below = '<circle cx="{}" cy="{}" r="25" fill="' + self.colors.board + '"/>' if self.star else ""
        return "".join(below.format(*self.points[cell]) + mark for cell, mark in marks)

    def _names(self) -> str:
        board, size = self.game.board, self.letter
        column, row = self.spacing
        below = self.top + self.height - SPACE - round(0.25 * size)
        side = -RIM - 14
        names = [f'<text x="{x * column}" y="{below}">{column_name(x)}</text>' for x in self._named(board.width)]
        rows = [
            f'<text x="{side}" y="{(board.height - 1 - y) * row}" dy=".35em">{y + 1}</text>'
            for y in self._named(board.height)
        ]
        return (
            f'<g class="coordinates" fill="{self.colors.ink}" font-size="{size}">{"".join(names)}'
            f'<g text-anchor="end">{"".join(rows)}</g></g>'
        )

    def _named(self, count: int) -> list[int]:
        """Which of this many columns or rows have their names written."""
        return [i for i in range(count) if i == 0 or (i + 1) % self.step == 0]

    def _write(self, cell: int, text: str, color: str, most: int) -> str:
        """Text on a cell, at most `most` high."""
        x, y = self.points[cell]
        size = min(most, round(66 / (LETTER * len(text))))
        return f'<text x="{x}" y="{y}" dy=".35em" font-size="{size}" fill="{color}">{text}</text>'

    def _mark(self, cell: int, kind: int, color: str, most: int) -> str:
        """The letter or shape of the seat whose colour is Game.colors[kind]."""
        if self.marks == "letters":
            return self._write(cell, self.game.symbols[kind], color, most)
        x, y = self.points[cell]
        place = f"translate({x} {y}) scale({most / 52:.2f})"
        return f'<path d="{SHAPES[kind]}" transform="{place}" fill="{color}"/>'

    def _tint(self, share: float) -> str:
        """The colour of a cell whose heat is this share (-1..1) of the greatest."""
        return colors.mix(self.colors.board, self.colors.above if share > 0 else self.colors.below, abs(share))

    def _tile(self, cell: int) -> str:
        """The outline of a cell."""
        x, y = self.points[cell]
        if self.star:
            return f"M{x} {y - 58}l50 29v58l-50 29l-50 -29v-58z"
        half = PITCH // 2
        return f"M{x - half} {y - half}h{PITCH}v{PITCH}h{-PITCH}z"

    def _links(self, cells: Iterable[int]) -> str:
        """Lines between those of the cells that are neighbours, and a dot on each."""
        inside = set(cells)
        parts = []
        for cell in sorted(inside):
            x, y = self.points[cell]
            parts.append(f"M{x} {y}h0")
            near = self.game.board.neighbor[cell]
            for other in near[: len(near) // 2].tolist():
                if other in inside:
                    parts.append("M{} {}L{} {}".format(x, y, *self.points[other]))
        return "".join(parts)

    def _area(
        self, name: str, cells: Iterable[int], color: str, width: int, filled: bool = True, around: str | None = None
    ) -> str:
        """An area of cells: squares, or (on a star, and if not `filled`) broad lines that overlap.

        `around` is the colour of an outline: the same shape, broader, below the area.
        """
        tiles = filled and not self.star
        d = "".join(map(self._tile, cells)) if tiles else self._links(cells)
        round_ends = 'stroke-linecap="round" stroke-linejoin="round"'
        outline = ""
        if around is not None:
            broad = OUTLINE if tiles else width + OUTLINE
            outline = f'<path d="{d}" fill="none" stroke="{around}" stroke-width="{broad}" {round_ends}/>'
        if tiles:
            return f'{outline}<path class="{name}" d="{d}" fill="{color}"/>'
        return (
            f'{outline}<path class="{name}" d="{d}" fill="none" stroke="{color}" stroke-width="{width}" {round_ends}/>'
        )


def _star_points(width: int, height: int) -> list[tuple[int, int]]:
    """The dots that help the eye on a board of crossings: near the corners, and in the centre if there is one."""
    shorter = min(width, height)
    margin = 3 if shorter >= 12 else 2
    corners = [(x, y) for y in (margin, height - 1 - margin) for x in (margin, width - 1 - margin)]
    centre = [(width // 2, height // 2)] if width % 2 and height % 2 else []
    return [(x * PITCH, y * PITCH) for x, y in (corners if shorter >= 8 else []) + centre]
