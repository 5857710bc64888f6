"""Forbidden points of tens of thousands of positions: the core against naive_renju.py and the package `renju`."""

import random
from collections import Counter
from functools import cache

import pytest
from naive import Point
from naive_renju import Cells, depth_and_kind, kind
from renju import BoardStatus, RenjuBoard
from renju.check_forbid import get_foul_type
from renju_boards import core_kinds, corpus, free_cells, is_crossed, scattered

from amoba_env import Position, games

SIZES = (9, 10, 11, 12, 13, 15, 17, 19)
# Shares of black and white cells. Many threes meet where few white stones stand between.
DENSITIES = ((0.1, 0.02), (0.15, 0.02), (0.2, 0.02), (0.2, 0.05), (0.25, 0.05), (0.25, 0.15), (0.35, 0.1), (0.3, 0.3))


def by_chance(dice: random.Random) -> tuple[int, Cells, Cells]:
    size = dice.choice(SIZES)
    return size, *scattered(dice, size, *dice.choice(DENSITIES))


def test_every_cell() -> None:
    dice, seen = random.Random(1), Counter[str]()
    for _ in range(200):
        size, black, white = by_chance(dice)
        free = free_cells(size, black, white)
        found = core_kinds(size, black, white)
        for p in free:
            what = kind(black, free, p)
            assert found.get(p, "") == what, (size, p, sorted(black), sorted(white))
            seen[what] += 1
    assert min(seen[what] for what in ("five", "overline", "double_four", "double_three")) > 100
    assert seen[""] > 5000


@cache
def around(p: Point) -> Cells:
    """The cells in the square of seven by seven about a cell."""
    return frozenset((p[0] + x, p[1] + y) for x in range(-3, 4) for y in range(-3, 4))


def test_many_positions() -> None:
    # Of each a cell that is something, by the core, and a cell among many black stones, whatever the core says of it.
    dice, seen = random.Random(2), Counter[str]()
    for _ in range(6000):
        size, black, white = by_chance(dice)
        free = free_cells(size, black, white)
        found = core_kinds(size, black, white)
        some = dice.sample(sorted(free), 10)
        crowded = max(some, key=lambda p: len(around(p) & black))
        for p in {crowded, dice.choice(sorted(found) or some)}:
            what = kind(black, free, p)
            assert found.get(p, "") == what, (size, p, sorted(black), sorted(white))
            seen[what] += 1
    assert min(seen[what] for what in ("five", "overline", "double_four", "double_three")) > 500
    assert seen[""] > 5000


def test_the_largest_board() -> None:
    dice = random.Random(3)
    for _ in range(2):
        black, white = scattered(dice, 40, 0.2, 0.04)
        free = free_cells(40, black, white)
        found = core_kinds(40, black, white)
        for p in free:
            assert found.get(p, "") == kind(black, free, p), (p, sorted(black), sorted(white))


def cut_off(black: Cells, free: Cells, p: Point, levels: int) -> str:
    """What p would be if after this many levels every three counted."""
    return depth_and_kind(black, free, p, levels)[1]


def test_deep_recursion() -> None:
    # Levels are there, and are needed: cut off, the answer is wrong somewhere, by turns too strict and too lenient.
    dice, depths = random.Random(4), Counter[int]()
    wrong: dict[int, set[str]] = {levels: set() for levels in range(4)}
    boards = [(19, *scattered(dice, 19, 0.2, 0.02)) for _ in range(100)]
    deep = [entry for entry in corpus() if entry.get("cls") in ("33-need2", "legal-need3", "33-need4+")]
    boards += [(15, frozenset(entry["black"]), frozenset(entry["white"])) for entry in deep]
    for size, black, white in boards:
        free = free_cells(size, black, white)
        found = core_kinds(size, black, white)
        for p in free:
            if not is_crossed(black, p):
                assert found.get(p, "") != "double_three"
                continue
            depth, what = depth_and_kind(black, free, p)
            assert found.get(p, "") == what, (p, sorted(black), sorted(white))
            depths[depth] += 1
            for levels in range(min(depth, 4)):
                if cut_off(black, free, p, levels) != what:
                    wrong[levels].add(what)
    assert {1, 2, 3, 4} <= set(depths)
    assert wrong == {0: {""}, 1: {"double_three"}, 2: {""}, 3: {"double_three"}}


# --- The package renju ------------------------------------------------------------------------------------------

FOULS = {0: "", 1: "double_three", 2: "double_four", 3: "overline"}  # it says 0 for a five too


def package_kind(size: int, black: set[Point] | Cells, white: set[Point] | Cells, p: Point) -> str:
    board = [[1 if (x, y) in black else 2 if (x, y) in white else 0 for y in range(size)] for x in range(size)]
    return FOULS[get_foul_type(board, *p)]


def test_the_package_on_positions_by_chance() -> None:
    dice, seen = random.Random(5), Counter[str]()
    for _ in range(1500):
        size, black, white = by_chance(dice)
        found = core_kinds(size, black, white)
        fouls = sorted(p for p, what in found.items() if what != "five")
        free = sorted(free_cells(size, black, white))
        for p in {dice.choice(free), dice.choice(fouls or free)}:
            what = package_kind(size, black, white, p)
            assert found.get(p, "").replace("five", "") == what, (size, p, sorted(black), sorted(white))
            seen[what] += 1
    assert min(seen[what] for what in FOULS.values()) > 100


def near_others(dice: random.Random, stones: set[Point], free: list[Point]) -> Point:
    """Mostly a cell next to a stone, or with one cell between."""
    if not stones or dice.random() < 0.1:
        return dice.choice(free)
    x, y = dice.choice(sorted(stones))
    near = [p for p in free if max(abs(p[0] - x), abs(p[1] - y)) <= 2]
    return dice.choice(near or free)


@pytest.mark.parametrize("size", [9, 15])
def test_whole_games_with_the_package(size: int) -> None:
    game, dice, endings = games.make("renju", size=size, forbidden="lose"), random.Random(size), Counter[str]()
    for _ in range(120):
        position, other = Position.start(game), RenjuBoard(board_size=size, rule="renju")
        stones: tuple[set[Point], set[Point]] = (set(), set())
        while not position.over:
            free = [(cell % size, cell // size) for cell in position.legal_actions().tolist()]
            p = near_others(dice, stones[position.to_move], free)
            kinds = core_kinds(size, *stones)
            position = position.play(p[1] * size + p[0])
            status, reason = other.play_move(*p)
            stones[1 - position.to_move].add(p)
        assert position.outcome is not None
        winner = {BoardStatus.BLACK_WIN: 0, BoardStatus.WHITE_WIN: 1, BoardStatus.DRAW: None}
        assert winner[status] == position.outcome.winner
        how = kinds[p] if position.outcome.ending == "forbidden" else position.outcome.ending
        assert {"five_in_a_row": "line", "draw": "full_board"}.get(reason.value, reason.value) == how
        endings[f"{how} {position.outcome.winner}"] += 1
    assert endings.keys() >= {"line 0", "line 1", "double_three 1", "double_four 1"}
