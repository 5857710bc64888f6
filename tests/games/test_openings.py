"""Openings: who does what in each phase, whose stones they are, and what is legal. See also test_opening_texts.py."""

from collections import Counter
from itertools import product
from typing import Any

import pytest
from both import SEEDS, Both, anything, both
from effort import cases
from hypothesis import given, settings
from hypothesis import strategies as hs
from naive import images
from opening_games import OPENINGS, every_opening, make

from amoba_env import Position, draw, games
from amoba_env.core import opening_rules as op
from amoba_env.core import state as st
from amoba_env.core.play import random_plies
from amoba_env.core.rng import streams
from amoba_env.notation import cell_name, parse_move

OF_RENJU = [name for name, (game, _) in OPENINGS.items() if game == "renju"]


# --- Against the slow referee -----------------------------------------------------------------------------------


def pair_of(opening: str, seed: int, first: int, **more: Any) -> Both:
    name, options = OPENINGS[opening]
    return both(name, seed, first, **options, **more)


@given(hs.sampled_from(["swap", "swap2"]), SEEDS, hs.sampled_from([0, 1]))
@settings(max_examples=cases(30))
def test_games_of_gomoku(opening: str, seed: int, first: int) -> None:
    assert pair_of(opening, seed, first).walk(anything) in ("line", "full_board")


@given(hs.sampled_from(OF_RENJU), hs.sampled_from(["mask", "lose"]), SEEDS, hs.sampled_from([0, 1]))
@settings(max_examples=cases(15))
def test_games_of_renju(opening: str, forbidden: str, seed: int, first: int) -> None:
    assert pair_of(opening, seed, first, forbidden=forbidden).walk(anything) != ""


@every_opening
def test_openings_alone(opening: str) -> None:
    for seed, first in product(range(cases(12)), (0, 1)):
        pair = pair_of(opening, seed, first)
        pair.walk(anything, plies=25)
        assert pair.slow.opening is None


def symmetric(pair: Both) -> int:
    """An action that keeps the stones symmetric, if there is one: offers have mirror images then."""
    size = pair.game.board.width
    n, stones = size * size, dict(pair.slow.owner)
    if pair.slow.opening is None or pair.slow.opening.phase not in ("put_three", "fourth", "put_one"):
        return anything(pair)
    x = size // 2
    column = [action for action in pair.expected if action < n and pair.slow.board[action][0] == x]
    assert all(point[0] == x for point in stones)
    return pair.dice.choice(column)


@pytest.mark.parametrize("opening", OF_RENJU)
def test_openings_with_a_symmetry(opening: str) -> None:
    for seed in range(cases(12)):
        pair_of(opening, seed, first=seed % 2).walk(symmetric, plies=25)


# --- Phases -----------------------------------------------------------------------------------------------------

# Moves, and after each of them who is to move, the phase, how often, and who has the black stones; seat 0 begins.
STORIES = {
    "swap, stay": ("swap", "d4 e5 f6 stay a1", "0p2 0p1 1c1 1-0 0-0", "00000"),
    "swap, swap": ("swap", "d4 e5 f6 swap a1", "0p2 0p1 1c1 0-0 1-0", "00011"),
    "swap2, stay": ("swap2", "d4 e5 f6 stay a1", "0p2 0p1 1c1 1-0 0-0", "00000"),
    "swap2, swap": ("swap2", "d4 e5 f6 swap a1", "0p2 0p1 1c1 0-0 1-0", "00011"),
    "swap2, more, stay": ("swap2", "d4 e5 f6 more a1 a2 stay b1", "0p2 0p1 1c1 1t2 1t1 0a1 1-0 0-0", "00000000"),
    "swap2, more, swap": ("swap2", "d4 e5 f6 more a1 a2 swap b1", "0p2 0p1 1c1 1t2 1t1 0a1 0-0 1-0", "00000011"),
    "rif26, stay": ("rif26", "e5 e6 e7 stay a1 b1 c1 b1 d1", "0p2 0p1 1c1 1f1 0o2 0o1 1k1 1-0 0-0", "0" * 9),
    "rif26, swap": ("rif26", "e5 e6 e7 swap a1 b1 c1 c1 d1", "0p2 0p1 1c1 0f1 1o2 1o1 0k1 0-0 1-0", "000111111"),
    "soosyrv8, stay, 1, stay": (
        "soosyrv8",
        "e5 e6 e7 stay a1 declare-1 stay b1 b1 c1",
        "0p2 0p1 1c1 1f1 1d1 0a1 0o1 1k1 1-0 0-0",
        "0" * 10,
    ),
    "soosyrv8, stay, 2, swap": (
        "soosyrv8",
        "e5 e6 e7 stay a1 declare-2 swap b1 c1 b1 c1",
        "0p2 0p1 1c1 1f1 1d1 0a2 1o2 1o1 0k1 0-0 1-0",
        "00000011111",
    ),
    "soosyrv8, swap, 3, stay": (
        "soosyrv8",
        "e5 e6 e7 swap a1 declare-3 stay b1 c1 d1 d1 c1",
        "0p2 0p1 1c1 0f1 0d1 1a3 1o3 1o2 1o1 0k1 0-0 1-0",
        "000111111111",
    ),
    "soosyrv8, swap, 2, swap": (
        "soosyrv8",
        "e5 e6 e7 swap a1 declare-2 swap b1 c1 c1 d1",
        "0p2 0p1 1c1 0f1 0d1 1a2 0o2 0o1 1k1 1-0 0-0",
        "00011100000",
    ),
    "taraguchi10, all stay": (
        "taraguchi10",
        "e5 stay e6 stay e7 stay b2 stay i1 stay a1",
        "1c1 1n1 0c1 0n1 1c1 1n1 0c1 0n1 1c1 1-0 0-0",
        "0" * 11,
    ),
    "taraguchi10, all swap": (
        "taraguchi10",
        "e5 swap e6 swap e7 swap b2 swap i1 swap a1",
        "1c1 0n1 1c1 0n1 1c1 0n1 1c1 0n1 1c1 0-0 1-0",
        "01100110011",
    ),
    "taraguchi10, offer": (
        "taraguchi10",
        "e5 stay e6 swap e7 stay b2 offer a1 b1 c1 d1 e1 f1 g1 h1 i1 a2 e1 c9",
        "1c1 1n1 0c1 1n1 0c1 0n1 1c1 1o10 1o9 1o8 1o7 1o6 1o5 1o4 1o3 1o2 1o1 0k1 0-0 1-0",
        "000" + "1" * 17,
    ),
    "yamaguchi, 3, stay": (
        "yamaguchi",
        "e5 e6 e7 declare-3 stay a1 b1 c1 d1 c1 i9",
        "0p2 0p1 0d1 1c3 1f3 0o3 0o2 0o1 1k1 1-0 0-0",
        "0" * 11,
    ),
    "yamaguchi, 1, swap": (
        "yamaguchi",
        "e5 e6 e7 declare-1 swap a1 b1 b1 i9",
        "0p2 0p1 0d1 1c1 0f1 1o1 0k1 0-0 1-0",
        "000011111",
    ),
}
LETTERS = dict(zip("-pctafdokn", op.PHASES, strict=True))


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("story", STORIES)
def test_phases(story: str, first: int) -> None:
    opening, moves, expected, blacks = STORIES[story]
    position = Position.start(make(opening), first)
    begin = ("put_one", 1) if opening == "taraguchi10" else ("put_three", 3)
    assert (position.to_move, op.PHASES[position.state[st.PHASE]], position.state[st.LEFT]) == (first, *begin)
    for move, (seat, letter, *left), black in zip(moves.split(), expected.split(), blacks, strict=True):
        position = position.play(move)
        assert position.to_move == (int(seat) + first) % 2
        assert op.PHASES[position.state[st.PHASE]] == LETTERS[letter]
        assert position.state[[st.LEFT, st.BLACK]].tolist() == [int("".join(left)), (int(black) + first) % 2]
        assert not position.over


def stones(position: Position) -> dict[str, str]:
    """The colours of the stones by cell, ? for an offered cell."""
    game, cells = position.game, position.cells.tolist()
    sign = {-2: "?"} | {seat: game.symbol(position.state, seat) for seat in (0, 1)}
    return {cell_name(game, cell): sign[owner] for cell, owner in enumerate(cells) if owner != -1}


@every_opening
def test_a_swap_exchanges_the_owners_and_no_colour(opening: str) -> None:
    game = make(opening)
    three = {"taraguchi10": "e5 stay e6 stay f6", "yamaguchi": "e5 e6 f6 declare-4"}.get(opening, "e5 e6 f6")
    before = Position.from_moves(game, "d4 e5 f6" if game.name == "gomoku" else three)
    after = before.play("swap")
    assert stones(after) == stones(before)
    taken = before.cells >= 0
    assert after.cells[taken].tolist() == [1 - owner for owner in before.cells[taken].tolist()]
    assert after.cells[~taken].tolist() == before.cells[~taken].tolist()
    assert (before.state[st.BLACK], after.state[st.BLACK]) == (0, 1)
    stayed = before.play("stay")
    assert stayed.cells.tolist() == before.cells.tolist()


@pytest.mark.plain
def test_colours_alternate() -> None:
    swap2 = Position.from_moves(make("swap2"), "a1 b1 c1 more d1 e1 swap f1 g1")
    assert stones(swap2) == dict(zip(["a1", "b1", "c1", "d1", "e1", "f1", "g1"], "xoxoxox", strict=True))
    rif26 = Position.from_moves(make("rif26"), "e5 d5 e6 swap a1 b1 c1 c1 d1 b1")
    assert stones(rif26) == dict(zip(["e5", "d5", "e6", "a1", "c1", "d1", "b1"], "xoxoxox", strict=True))


# --- What is legal ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opening", "moves", "legal"),
    [
        ("swap", "a1 b1 c1", "stay swap"),
        ("swap2", "a1 b1 c1", "stay swap more"),
        ("swap2", "a1 b1 c1 more d1 e1", "stay swap"),
        ("rif26", "", "e5"),
        ("rif26", "e5", "d6 e6 f6 d5 f5 d4 e4 f4"),
        ("rif26", "e5 e6 e7", "stay swap"),
        ("rif26", "e5 e6 e7 stay a1 h4 b2", "b2 h4"),
        ("soosyrv8", "e5 e6 e7", "stay swap"),
        ("soosyrv8", "e5 e6 e7 swap a1", " ".join(f"declare-{count}" for count in range(1, 9))),
        ("soosyrv8", "e5 e6 e7 swap a1 declare-8", "stay swap"),
        ("soosyrv8", "e5 e6 e7 swap a1 declare-1 stay c9", "c9"),
        ("taraguchi10", "", "e5"),
        ("taraguchi10", "e5", "stay swap"),
        ("taraguchi10", "e5 stay", "d6 e6 f6 d5 f5 d4 e4 f4"),
        ("taraguchi10", "e5 stay e6 swap e7 swap b2", "stay swap offer"),
        ("taraguchi10", "e5 stay e6 swap e7 swap b2 stay a1", "stay swap"),
        ("yamaguchi", "e5 e6 e7", " ".join(f"declare-{count}" for count in range(1, 11))),
        ("yamaguchi", "e5 e6 e7 declare-10", "stay swap"),
        ("yamaguchi", "e5 e6 e7 declare-1 swap a1 c9", "c9"),
    ],
)
def test_choices(opening: str, moves: str, legal: str) -> None:
    position = Position.from_moves(make(opening), moves)
    assert sorted(position.legal_moves()) == sorted(legal.split())


def test_cells() -> None:
    third = Position.from_moves(make("rif26"), "e5 d6")
    near = {f"{column}{row}" for column in "cdefg" for row in range(3, 8)}
    assert set(third.legal_moves()) == near - {"e5", "d6"}
    for moves in ("e5 d6 e7 stay", "e5 d6 e7 swap"):
        fourth = Position.from_moves(make("rif26"), moves)
        assert len(fourth.legal_moves()) == 78
    fourth = Position.from_moves(make("taraguchi10"), "e5 stay e6 swap e7 swap")
    near = {f"{column}{row}" for column in "bcdefgh" for row in range(2, 9)}
    assert set(fourth.legal_moves()) == near - {"e5", "e6", "e7"}
    for opening in ("swap", "swap2"):  # anywhere
        assert len(Position.from_moves(make(opening), "a1 g7").legal_moves()) == 47


@pytest.mark.parametrize("size", [9, 15])
@pytest.mark.parametrize("opening", ["rif26", "soosyrv8", "yamaguchi"])
def test_the_26_openings(opening: str, size: int) -> None:
    """Thirteen direct ones, the second stone beside the first, and thirteen indirect ones, at its corner."""
    start = Position.start(games.make("renju", size=size, opening=opening))
    middle = size * size // 2
    found: dict[tuple[tuple[int, int], ...], str] = {}
    for first in start.legal_actions().tolist():
        for second in start.play(first).legal_actions().tolist():
            for third in start.play(first).play(second).legal_actions().tolist():
                beside = abs(second - middle) in (1, size)
                points = [(cell % size - size // 2, cell // size - size // 2) for cell in (first, second, third)]
                found[min(map(tuple, images(points, "rotations+reflections")))] = "direct" if beside else "indirect"
    assert Counter(found.values()) == {"direct": 13, "indirect": 13}
    assert {points[0] for points in found} == {(0, 0)}


@pytest.mark.parametrize(
    ("four", "symmetries"),
    [
        ("e5 e6 e7 stay e4", 2),  # all on a column
        ("e5 d6 e4 stay f6", 2),
        ("e5 d5 f5 stay a5", 2),  # a row
        ("e5 d6 f4 stay c7", 2),  # a diagonal
        ("e5 f6 d4 stay a1", 2),  # the other one
        ("e5 e6 e4 stay a1", 1),
    ],
)
def test_no_two_offers_are_mirror_images(four: str, symmetries: int) -> None:
    pair = pair_of("soosyrv8", 1, 0)
    for move in f"{four} declare-8 stay".split():
        pair.play(parse_move(pair.game, move))
    opening = pair.slow.opening
    assert opening is not None
    assert len(opening.images(pair.slow, (0, 1))) == symmetries - 1
    pair.walk(anything, plies=9)  # eight offers and the pick, each compared with the referee
    assert pair.slow.opening is None


@pytest.mark.plain
def test_a_symmetry_of_stones_and_not_of_their_colours() -> None:
    # The stones stand symmetrically to the column e, but one of a pair is black and the other white.
    position = Position.from_moves(make("rif26"), "e5 d6 f6 stay e7 a1")
    assert "i1" in position.legal_moves()


@pytest.mark.plain
def test_the_opening_is_over() -> None:
    position = Position.from_moves(make("swap2"), "a1 b1 c1 stay")
    for choice in ("stay", "swap", "more"):
        with pytest.raises(ValueError, match=f"illegal move {choice}: the opening is over"):
            position.play(choice)
    with pytest.raises(ValueError, match="'declare-1' is not a cell"):
        position.play("declare-1")


@pytest.mark.plain
@pytest.mark.parametrize(
    ("opening", "moves", "move", "reason"),
    [
        ("rif26", "", "a1", "black has to put 3 stones: e5"),
        ("rif26", "e5 e6", "e1", "black has to put a stone: "),
        ("swap2", "a1", "a1", "black has to put 2 stones: "),
        ("swap", "a1 b1 c1", "d1", "white has to choose: stay, swap"),
        ("swap2", "a1 b1 c1 more d1 e1", "more", "black has to choose: stay, swap"),
        ("rif26", "e5 e6 e7 stay", "swap", "white has to put the fourth stone: "),
        (
            "soosyrv8",
            "e5 e6 e7 stay a1",
            "a2",
            "white has to declare how many fifth moves black has to offer: declare-1",
        ),
        ("rif26", "e5 e6 e7 stay e8 a1", "i1", "black has to offer 1 more: "),
        ("rif26", "e5 e6 e7 stay a1 a2 a3", "a4", "white has to pick an offered move: a3, a2"),
        ("taraguchi10", "e5 stay", "a1", "white has to put a stone: d6, e6"),
        ("taraguchi10", "e5 stay e6 stay e7", "offer", "white has to choose: stay, swap"),
        ("taraguchi10", "e5 stay e6 stay e7 stay b2 offer a1", "a1", "black has to offer 9 more: "),
        ("yamaguchi", "e5 e6 e7", "stay", "black has to declare how many fifth moves black has to offer: declare-1"),
    ],
)
def test_why_illegal(opening: str, moves: str, move: str, reason: str) -> None:
    position = Position.from_moves(make(opening), moves)
    with pytest.raises(ValueError, match=f"illegal move {move}: ") as raised:
        position.play(move)
    assert reason in str(raised.value)
    assert draw.task(position.state) in str(raised.value)


# --- Environments -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opening", ["swap", "swap2"])
def test_random_moves_go_on_after_a_choice(opening: str) -> None:
    """What was legal in the opening is not in the game that follows: every move but the choices puts a stone."""
    game = games.make("gomoku", size=7, opening=opening)
    for index in range(cases(50)):
        state = game.start()
        played = random_plies(game.rules, state, streams(3, index, 1), 1000)
        assert played == state[st.PLY]
        assert (game.cells(state) >= 0).sum() == state[st.PLY] - state[st.CHOICES]
