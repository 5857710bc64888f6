"""explain(): every verdict of the labelled corpus with its reasons, and the words for people."""

import doctest

import pytest

from amoba_env import Position, games
from amoba_env import explain as module
from amoba_env.core import state as st
from amoba_env.explain import Explanation, Three, explain
from amoba_experiments.positions.forbidden import position_of
from workshop.bench.renju_points import corpus

RENJU = games.make("renju", size=9)


def check(e: Explanation) -> None:
    """The reasons are those that the verdict needs, all the four down."""
    real = [three for three in e.threes if three.real]
    if e.kind == "five":
        assert e.fives
    elif e.kind == "overline":
        assert e.overlines
    elif e.kind == "double_four":
        assert len(e.fours) > 1
    elif e.kind == "double_three":
        assert len(real) > 1
    else:
        assert e.kind == "legal"
        assert len(e.fours) < 2
        assert len(real) < 2
    assert bool(e.fives) == (e.kind == "five")
    assert all(len(row.cells) == 5 for row in e.fives)
    assert all(len(row.cells) > 5 for row in e.overlines)
    for four in e.fours:
        assert len(four.cells) == 4
        assert e.cell in four.cells
        assert len(four.completions) in (1, 2)
    for three in e.threes:
        for four in three.straight_fours:
            assert {e.cell, four.cell} < set(four.cells)
            assert four.explanation.cell == four.cell
            check(four.explanation)


def test_the_corpus() -> None:
    deepest = 0
    for number, row in enumerate(corpus()):
        position = position_of(row)
        before = position.state.copy()
        expected = {tuple(point): kind for point, kind in zip(row["forbidden"], row["kinds"], strict=True)}
        expected |= {tuple(point): "five" for point in row["five"]}
        for y, x in [*expected, *(divmod(cell, 15) for cell in range(number % 10, 225, 10))]:
            if position.cells[15 * y + x] == st.EMPTY:
                found = explain(position, 15 * y + x)
                assert found.kind == expected.get((y, x), "legal"), (row["id"], y, x)
                assert found.forbidden == (found.kind not in ("legal", "five"))
                check(found)
                deepest = max(deepest, depth(found))
        assert (position.state == before).all()
    assert deepest >= 5


def depth(e: Explanation) -> int:
    return 1 + max((depth(four.explanation) for three in e.threes for four in three.straight_fours), default=0)


def test_the_example() -> None:
    assert doctest.testmod(module) == doctest.TestResults(failed=0, attempted=6)


@pytest.mark.plain
def test_a_false_three() -> None:
    # c5-d5-e5 is not a real three: f5 would be an overline down the column f.
    position = Position.from_cells(RENJU, cells("d5 e5 c4 c3 f2 f3 f4 f6 f7", "a5"), to_move=0)
    found = explain(position, "c5")
    assert found.kind == "legal"
    assert [(three.direction, three.real) for three in found.threes] == [("row", False), ("column", True)]
    (four,) = found.threes[0].straight_fours
    assert (four.explanation.kind, len(four.explanation.overlines)) == ("overline", 1)
    assert str(found).splitlines() == [
        "c5 is legal for black: 1 three, 1 false three",
        "  row: a false three: no straight four can be made",
        "    f5 is forbidden for black: overline",
        "      column: overline f7 f6 f5 f4 f3 f2",
        "      row: a straight four: c5 d5 e5 f5, and b5 or g5 makes five",
        "  column: a three: c5 c4 c3, and c6 makes the straight four c6 c5 c4 c3",
    ]


def cells(black: str, white: str) -> list[int]:
    owners = [st.EMPTY] * RENJU.n_cells
    for seat, names in enumerate((black, white)):
        for name in names.split():
            owners[(9 - int(name[1])) * 9 + ord(name[0]) - ord("a")] = seat
    return owners


@pytest.mark.plain
def test_words_for_each_kind() -> None:
    lone = Position.start(RENJU)
    assert str(explain(lone, "e5")) == "e5 is legal for black: it makes no four and no three"
    five = Position.from_cells(RENJU, cells("a1 b1 c1 d1 e2 e3 e4 e5 e6", ""), to_move=0)
    assert str(explain(five, "e1")).splitlines() == [
        "e1 wins for black: five, which counts even on a forbidden point",
        "  row: five a1 b1 c1 d1 e1",
        "  column: overline e6 e5 e4 e3 e2 e1",
    ]
    fours = Position.from_cells(RENJU, cells("a5 c5 e5 g5", ""), to_move=0)
    assert str(explain(fours, "d5")).splitlines() == [
        "d5 is forbidden for black: double-four",
        "  row: a four: a5 c5 d5 e5, and b5 makes five",
        "  row: a four: c5 d5 e5 g5, and f5 makes five",
    ]


def test_a_three_that_only_makes_five() -> None:
    three = Three("row", ())
    assert not three.real


@pytest.mark.plain
@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("z9", "the board has no cell 'z9'"),
        ("??", "is not a cell"),
        (81, "cell: expected 0..80, got 81"),
        ("e5", "the cell e5 is taken"),
    ],
)
def test_bad_input(move: int | str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        explain(Position.from_moves(RENJU, "e5"), move)


def test_offered_cells_are_not_explained() -> None:
    position = Position.from_moves(games.make("renju", size=9, opening="rif26"), "e5 e6 e7 stay c3 b2")
    with pytest.raises(ValueError, match="the cell b2 is offered"):
        explain(position, "b2")


@pytest.mark.plain
@pytest.mark.parametrize("name", ["gomoku", "tictactoe", "amoba", "halma"])
def test_other_games_have_nothing_to_explain(name: str) -> None:
    with pytest.raises(ValueError, match=f"expected a position of renju, omok, or gomoku .*, got {name}"):
        explain(Position.start(games.make(name)), 0)


# Black puts + between its stones x and White's o.
@pytest.mark.plain
@pytest.mark.parametrize(
    ("rule", "row", "kind", "words"),
    [
        ("exact", "xx+xxx...", "legal", ["c9 is legal for black: no row wins", "  row: overline a9 b9 c9 d9 e9 f9"]),
        ("exact", "oxx+xxo..", "five", ["d9 wins for black: five", "  row: five b9 c9 d9 e9 f9"]),
        ("caro", "oxx+xx...", "five", ["d9 wins for black: five", "  row: five b9 c9 d9 e9 f9"]),
        ("caro", "xx+xxo...", "five", ["c9 wins for black: five", "  row: five a9 b9 c9 d9 e9"]),  # the rim
        ("caro", "oxxx+xxo.", "five", ["e9 wins for black: five", "  row: five b9 c9 d9 e9 f9 g9"]),
        (
            "caro",
            "oxx+xxo..",
            "legal",
            ["d9 is legal for black: no row wins", "  row: five b9 c9 d9 e9 f9, blocked by a9 and g9"],
        ),
        (
            "exact-caro",
            "oxxx+xxo.",
            "legal",
            ["e9 is legal for black: no row wins", "  row: overline b9 c9 d9 e9 f9 g9"],
        ),
        ("caro", "..x+x....", "legal", ["d9 is legal for black: it makes no five"]),
    ],
)
def test_rows_that_do_not_win(rule: str, row: str, kind: str, words: list[str]) -> None:
    game = games.make("gomoku", size=9, rule=rule)
    owners = ["xo".find(char) for char in row] + [-1] * 72
    position = Position.from_cells(game, owners, to_move=0)
    found = explain(position, row.index("+"))
    assert (found.kind, found.forbidden, str(found).splitlines()) == (kind, False, words)
    assert position.play(row.index("+")).over == (kind == "five")
    white = Position.from_cells(game, [-1 if owner < 0 else 1 - owner for owner in owners], to_move=1)
    assert str(explain(white, row.index("+"))).splitlines() == [words[0].replace("black", "white"), *words[1:]]
