"""Why a point of renju or omok is forbidden or not, and why a five does not win, as data and in words.

An explanation follows the recursive definition; its text has a line for each reason:

    >>> from amoba_env import games, Position
    >>> from amoba_env.explain import explain
    >>> position = Position.from_moves(games.make("renju", size=9), "e5 a1 d5 a3 c3 a5 c4 a7 e9 a9")
    >>> print(explain(position, "c5"))
    c5 is forbidden for black: double-three
      row: a three: c5 d5 e5, and f5 makes the straight four c5 d5 e5 f5
      column: a three: c5 c4 c3, and c6 makes the straight four c6 c5 c4 c3
    >>> caro = Position.from_moves(games.make("gomoku", rule="caro"), "c5 b5 d5 a1 e5 a2 f5 h5")
    >>> print(explain(caro, "g5"))
    g5 is legal for black: no row wins
      row: five c5 d5 e5 f5 g5, blocked by b5 and h5
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from amoba_env import checks, notation
from amoba_env.core import renju
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.line_windows import FIVES, FOURS, OFFSETS
from amoba_env.core.state import State
from amoba_env.games import Game
from amoba_env.position import Position

DIRECTIONS = ("row", "column", "falling diagonal", "rising diagonal")
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
AWAY = (-3, -2, -1, 1, 2, 3)  # distance from the stone, for each of the OFFSETS bits


class Row(NamedTuple):
    """An unbroken row with the new stone: a five or an overline."""

    direction: str
    cells: tuple[int, ...]
    blockers: tuple[int, ...] = ()  # the opponent's stones at both ends that keep a five of caro from winning


class Four(NamedTuple):
    """Renju: four black stones in a line that one more stone makes exactly five."""

    direction: str
    cells: tuple[int, ...]  # the four stones
    completions: tuple[int, ...]  # the empty cells that make five: two for a straight four


class StraightFour(NamedTuple):
    """A straight four that a three becomes with one more stone."""

    cell: int  # where the fourth stone goes
    cells: tuple[int, ...]  # the four stones then
    explanation: Explanation  # of `cell` after the new stone; if its kind is "legal", the three is real


class Three(NamedTuple):
    """A direction that holds a three, real or false."""

    direction: str
    straight_fours: tuple[StraightFour, ...]

    @property
    def real(self) -> bool:
        """Whether the player can make it a straight four with a stone that is neither forbidden nor a five."""
        return any(four.explanation.kind == "legal" for four in self.straight_fours)


class Explanation(NamedTuple):
    """The kind of a stone on an empty cell, and the reasons. Cells are numbers; str() gives the words."""

    game: Game
    cell: int
    color: str  # of the stone: "black"
    kind: str  # "legal", "five", "overline", "double_four" or "double_three"
    fives: tuple[Row, ...]  # rows that win
    overlines: tuple[Row, ...]  # rows that are too long to win
    blocked: tuple[Row, ...]  # fives of caro that do not win
    fours: tuple[Four, ...]
    threes: tuple[Three, ...]

    @property
    def forbidden(self) -> bool:
        """Whether the point is forbidden."""
        return self.kind not in ("legal", "five")

    def __str__(self) -> str:
        return "\n".join(_words(self, ""))


def explain(position: Position, move: int | str) -> Explanation:
    """Explain the kind of a stone on an empty cell: in renju of a black one, else of the player to move.

    Args:
        position: of a game that has_reasons().
        move: a cell, as text ("h8") or as a number.

    Raises:
        ValueError: another game, a cell that does not exist, or one that is not empty.
    """
    game = position.game
    if not has_reasons(game):
        raise ValueError(
            f"expected a position of renju, omok, or gomoku with rule=exact, caro or exact-caro, got {game.name}, "
            "where every point is allowed"
        )
    cell = notation.parse_cell(game, move) if isinstance(move, str) else checks.whole("cell", move, 0, game.n_cells - 1)
    if (field := position.state[st.CELLS + cell]) != st.EMPTY:
        state = "offered" if field == st.OFFERED else "taken"
        raise ValueError(f"the cell {notation.cell_name(game, cell)} is {state}")
    return _explain(game, position.state.copy(), renju.judged(game.rules, position.state), cell)


def has_reasons(game: Game) -> bool:
    """Whether explain() takes positions of this game: with forbidden points, or with fives that may not win."""
    guarded = game.name == "gomoku" and bool(game.rules[ru.OWN_GUARD] or game.rules[ru.OTHER_GUARD])
    return guarded or bool(game.rules[ru.FAMILY] == ru.RENJU)


def _explain(game: Game, s: State, seat: int, cell: int) -> Explanation:
    """The explanation of a stone of the seat on a cell. `s` is changed during the call and restored."""
    y, x = divmod(cell, game.board.width)
    shapes, kind = [0] * 4, renju.LEGAL
    if game.rules[ru.FAMILY] == ru.RENJU:
        shapes = [int(renju.shapes_in_direction(game.rules, s, seat, x, y, d)) for d in range(4)]
        found = int(renju.shapes_at(game.rules, s, seat, x, y))
        kind = int(renju.classify(game.rules, renju.read_lines(game.rules, s, seat), x, y, found))
    s[st.CELLS + cell] = seat
    fives, overlines, blocked, fours, threes = [], [], [], [], []
    for d, made in enumerate(shapes):
        run, ends, blockers = _run(game, s, seat, cell, d)
        if len(run) > 5 and game.rules[ru.OWN_GUARD]:
            overlines.append(Row(DIRECTIONS[d], run))
        elif len(run) == 5 and game.rules[ru.OTHER_GUARD] and len(blockers) == 2:
            blocked.append(Row(DIRECTIONS[d], run, blockers))
        elif len(run) >= 5:
            fives.append(Row(DIRECTIONS[d], run))
        fours += _fours(game, s, seat, d, ends) if made >> FOURS & 15 else []
        offsets = [AWAY[bit] for bit in range(6) if made >> OFFSETS + bit & 1]
        if offsets:
            threes.append(Three(DIRECTIONS[d], tuple(_straight_four(game, s, seat, cell, d, i) for i in offsets)))
    s[st.CELLS + cell] = st.EMPTY
    name, color = "five" if fives else renju.KINDS.get(kind, "legal"), game.color(s, seat)
    rows = tuple(fives), tuple(overlines), tuple(blocked)
    return Explanation(game, cell, color, name, *rows, tuple(fours), tuple(threes))


def _step(game: Game, cell: int, d: int, count: int) -> int | None:
    """The cell `count` steps further in direction `d`, or None beyond the rim."""
    size = game.board.width  # and its height
    y, x = divmod(cell, size)
    x, y = x + count * STEPS[d][0], y + count * STEPS[d][1]
    return y * size + x if 0 <= x < size and 0 <= y < size else None


def _run(game: Game, s: State, seat: int, cell: int, d: int) -> tuple[tuple[int, ...], list[int], tuple[int, ...]]:
    """The unbroken row of the seat through its stone, and at its ends the empty cells and the opponent's stones."""
    run, ends, blockers, size = [cell], list[int](), list[int](), game.board.width
    for side in (-1, 1):
        last = _step(game, cell, d, side)
        while last is not None and s[st.CELLS + last] == seat:
            run.append(last)
            last = _step(game, last, d, side)
        if last is not None:
            (ends if s[st.CELLS + last] == st.EMPTY else blockers).append(last)
    return tuple(sorted(run, key=lambda each: each % size if d != 1 else each)), ends, tuple(blockers)


def _fours(game: Game, s: State, seat: int, d: int, ends: list[int]) -> list[Four]:
    """The fours of a line: the stones that each completion joins; a straight four has two completions."""
    completions: dict[tuple[int, ...], list[int]] = {}
    for end in ends:
        y, x = divmod(end, game.board.width)
        if renju.shapes_in_direction(game.rules, s, seat, x, y, d) >> FIVES & 7:
            s[st.CELLS + end] = seat
            stones = tuple(each for each in _run(game, s, seat, end, d)[0] if each != end)
            s[st.CELLS + end] = st.EMPTY
            completions.setdefault(stones, []).append(end)
    return [Four(DIRECTIONS[d], stones, tuple(ends)) for stones, ends in completions.items()]


def _straight_four(game: Game, s: State, seat: int, cell: int, d: int, offset: int) -> StraightFour:
    fourth = _step(game, cell, d, offset)
    assert fourth is not None, "shapes are made of cells of the board"
    why = _explain(game, s, seat, fourth)
    s[st.CELLS + fourth] = seat
    stones, *_ = _run(game, s, seat, fourth, d)
    s[st.CELLS + fourth] = st.EMPTY
    return StraightFour(fourth, stones, why)


# --- In words ---------------------------------------------------------------------------------------------------


def _words(e: Explanation, indent: str) -> Iterator[str]:
    yield f"{indent}{notation.cell_name(e.game, e.cell)} {_headline(e)}"
    yield from _reasons(e, indent + "  ")


def _headline(e: Explanation) -> str:
    if e.kind == "five":
        return f"wins for {e.color}: five" + (", which counts even on a forbidden point" if _more_than_five(e) else "")
    if e.forbidden:
        return f"is forbidden for {e.color}: {e.kind.replace('_', '-')}"
    false = sum(not three.real for three in e.threes)
    made = [f"{len(e.fours)} four"] if e.fours else []
    made += [f"{len(e.threes) - false} three"] if len(e.threes) > false else []
    made += [f"{false} false three{'s' if false > 1 else ''}"] if false else []
    nothing = "no row wins" if e.overlines or e.blocked else "it makes no five"
    if e.game.rules[ru.FAMILY] == ru.RENJU:
        nothing = "it makes no four and no three" if e.game.rules[ru.BLACK_ONLY] else "it makes no three"
    return f"is legal for {e.color}: {', '.join(made) if made else nothing}"


def _more_than_five(e: Explanation) -> bool:
    return (
        bool(e.overlines and e.game.rules[ru.BLACK_ONLY])
        or len(e.fours) > 1
        or sum(three.real for three in e.threes) > 1
    )


def _reasons(e: Explanation, indent: str) -> Iterator[str]:
    for what, rows in (("five", e.fives), ("overline", e.overlines)):
        for row in rows:
            yield f"{indent}{row.direction}: {what} {_names(e.game, row.cells)}"
    for row in e.blocked:
        blockers = " and ".join(notation.cell_name(e.game, cell) for cell in row.blockers)
        yield f"{indent}{row.direction}: five {_names(e.game, row.cells)}, blocked by {blockers}"
    for four in e.fours:
        name = "a straight four" if len(four.completions) == 2 else "a four"
        completions = " or ".join(notation.cell_name(e.game, cell) for cell in four.completions)
        yield f"{indent}{four.direction}: {name}: {_names(e.game, four.cells)}, and {completions} makes five"
    for three in e.threes:
        yield from _three(e.game, three, indent)


def _three(game: Game, three: Three, indent: str) -> Iterator[str]:
    if three.real:
        four = next(four for four in three.straight_fours if four.explanation.kind == "legal")
        stones = _names(game, [each for each in four.cells if each != four.cell])
        makes = f"{notation.cell_name(game, four.cell)} makes the straight four {_names(game, four.cells)}"
        yield f"{indent}{three.direction}: a three: {stones}, and {makes}"
        return
    yield f"{indent}{three.direction}: a false three: no straight four can be made"
    for four in three.straight_fours:
        if four.explanation.kind == "five":
            yield f"{indent}  {notation.cell_name(game, four.cell)} makes five at once, not a straight four"
        else:
            yield from _words(four.explanation, indent + "  ")


def _names(game: Game, cells: tuple[int, ...] | list[int]) -> str:
    return " ".join(notation.cell_name(game, cell) for cell in cells)
