"""Omok: double-threes of both players, by hand, in games, and in positions by chance, against a slow referee."""

import random
from typing import Any

import numpy as np
import pytest
from both import SEEDS, anything, both
from effort import cases
from hypothesis import given, settings
from hypothesis import strategies as hs
from naive_omok import kind
from renju_boards import drawn, free_cells, scattered, state_of

from amoba_env import Position, games
from amoba_env.core import renju
from amoba_env.explain import explain
from amoba_env.games import Game
from amoba_env.notation import cell_name

GAMES: dict[str, dict[str, Any]] = {"exact": {}, "freestyle": {"rule": "freestyle"}}

# A drawing, and what a stone on + makes: exactly five win, or five and more.
BY_HAND = {
    "two threes": (["xx+", "..x", "..x"], "double_three", "double_three"),
    "three threes": (["xx+", "..xx", "..x.x"], "double_three", "double_three"),
    "two split threes": (["x.x+", "...x", "....", "...x"], "double_three", "double_three"),
    "one three": (["xx+"], "legal", "legal"),
    "a three and a blocked one": (["oxx+", "...x", "...x"], "legal", "legal"),
    "two fours": (["xxx+", "...x", "...x", "...x"], "legal", "legal"),
    "a four and a three": (["xxx+", "...x", "...x"], "legal", "legal"),
    "a six and two threes": (["xxx+xx", "...xx", "...x.x"], "double_three", "five"),
    "a five and two threes": (["xxxx+", "...xx", "..x.x"], "five", "five"),
    "a six": (["xxx+xx"], "legal", "five"),
}


def positions(game: Game, lines: list[str]) -> list[tuple[Position, int]]:
    """A drawing for both players, x being the one to move, and the cell +."""
    mine, theirs, p = drawn(lines, (4, 4))
    assert p is not None
    both_ways = (state_of(game, mine, theirs, to_move=0), state_of(game, theirs, mine, to_move=1))
    return [(Position(game, state), p[1] * 15 + p[0]) for state in both_ways]


@pytest.mark.plain
@pytest.mark.parametrize("rule", GAMES)
@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name: str, rule: str) -> None:
    lines, *kinds = BY_HAND[name]
    what = kinds[list(GAMES).index(rule)]
    for position, cell in positions(games.make("omok", rule=rule), lines):
        assert explain(position, cell).kind == what
        if what == "double_three":
            with pytest.raises(ValueError, match=r"forbidden for (black|white) \(double-three\)"):
                position.play(cell)
            lost = Position(games.make("omok", rule=rule, forbidden="lose"), position.state).play(cell)
            assert lost.outcome is not None
            assert (lost.outcome.ending, lost.outcome.winner) == ("forbidden", 1 - position.to_move)
            assert Position.from_text(lost.game, lost.text) == lost
        else:
            after = position.play(cell)
            assert after.over == (what == "five")
            assert Position.from_text(after.game, after.text) == after


@given(hs.sampled_from([*GAMES]), hs.sampled_from(["mask", "lose"]), SEEDS, hs.sampled_from([0, 1]))
@settings(max_examples=cases(15))
def test_games(rule: str, forbidden: str, seed: int, first: int) -> None:
    assert both("omok", seed, first, size=9, rule=rule, forbidden=forbidden).walk(anything) != ""


@pytest.mark.parametrize("rule", GAMES)
def test_positions_by_chance(rule: str) -> None:
    dice, game, met = random.Random(7), games.make("omok", size=9, rule=rule), set()
    for _ in range(cases(150)):
        mine, theirs = scattered(dice, 9, 0.25, 0.05)
        seat, kinds = dice.randrange(2), np.zeros(81, np.int8)
        state = state_of(game, *((mine, theirs) if seat == 0 else (theirs, mine)), to_move=seat)
        free = free_cells(9, mine, theirs)
        expected = {y * 9 + x: kind(mine, free, (x, y), 5 if rule == "exact" else 9) for x, y in free}
        renju.points(game.rules, state, kinds)
        assert {cell: renju.KINDS.get(int(kinds[cell]), "") for cell in expected} == expected
        for cell in expected:
            found = renju.is_forbidden(game.rules, state, seat, cell)
            assert found == (expected[cell] == "double_three")
        met |= set(expected.values())
    assert met == {"", "five", "double_three"}


@pytest.mark.plain
def test_the_words() -> None:
    ((position, cell), (other, _)) = positions(games.make("omok"), BY_HAND["two threes"][0])
    assert str(explain(position, cell)).splitlines() == [
        "g11 is forbidden for black: double-three",
        "  row: a three: e11 f11 g11, and d11 makes the straight four d11 e11 f11 g11",
        "  column: a three: g11 g10 g9, and g12 makes the straight four g12 g11 g10 g9",
    ]
    assert str(explain(other, cell)).startswith("g11 is forbidden for white: double-three")
    assert str(explain(other, 0)) == "a15 is legal for white: it makes no three"
    (six, cell), _ = positions(games.make("omok"), BY_HAND["a six"][0])
    assert str(explain(six, cell)).splitlines() == [
        f"{cell_name(six.game, cell)} is legal for black: it makes no three",
        "  row: overline e11 f11 g11 h11 i11 j11",
    ]
