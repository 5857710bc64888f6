"""Openings: who does what in each phase, whose stones they are, and what is legal; matches, copies and texts."""

import random
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from both import SEEDS, Both, anything, both
from effort import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from amoba_env import Position, draw, games, gomoku_v0, renju_v0
from amoba_env.core import play
from amoba_env.core.opening import OFFER, PHASES
from amoba_env.core.state import BLACK, CHOICES, ILLEGAL, LEFT, OFFERED, PHASE, State
from amoba_env.games import Game
from amoba_env.notation import cell_name
from experiments.arena import Match, play_match

OPENINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "swap": ("gomoku", {"size": 7, "opening": "swap"}),
    "swap2": ("gomoku", {"size": 7, "opening": "swap2"}),
    "rif26": ("renju", {"size": 9, "opening": "rif26"}),
    "soosyrv8": ("renju", {"size": 9, "opening": "soosyrv8"}),
}
every_opening = pytest.mark.parametrize("opening", OPENINGS)


def make(opening: str) -> Game:
    name, options = OPENINGS[opening]
    return games.make(name, **options)


# --- Against the slow referee -----------------------------------------------------------------------------------


def pair_of(opening: str, seed: int, first: int, **more: Any) -> Both:
    name, options = OPENINGS[opening]
    return both(name, seed, first, **options, **more)


@given(st.sampled_from(["swap", "swap2"]), SEEDS, st.sampled_from([0, 1]))
@settings(max_examples=cases(30))
def test_games_of_gomoku(opening: str, seed: int, first: int) -> None:
    assert pair_of(opening, seed, first).walk(anything) in ("line", "full_board")


@pytest.mark.compiled
@given(st.sampled_from(["rif26", "soosyrv8"]), st.sampled_from(["mask", "lose"]), SEEDS, st.sampled_from([0, 1]))
@settings(max_examples=cases(15))
def test_games_of_renju(opening: str, forbidden: str, seed: int, first: int) -> None:
    assert pair_of(opening, seed, first, forbidden=forbidden).walk(anything) != ""


@every_opening
def test_openings_alone(opening: str) -> None:
    for seed, first in product(range(cases(12)), (0, 1)):
        pair = pair_of(opening, seed, first)
        pair.walk(anything, plies=17)
        assert pair.slow.opening is None


def symmetric(pair: Both) -> int:
    """An action that keeps the stones symmetric, if there is one: offers have mirror images then."""
    size = pair.game.board.width
    n, stones = size * size, dict(pair.slow.owner)
    if pair.slow.opening is None or pair.slow.opening.phase not in ("put_three", "fourth"):
        return anything(pair)
    x = size // 2
    column = [action for action in pair.expected if action < n and pair.slow.board[action][0] == x]
    assert all(point[0] == x for point in stones)
    return pair.dice.choice(column)


@pytest.mark.parametrize("opening", ["rif26", "soosyrv8"])
def test_openings_with_a_symmetry(opening: str) -> None:
    for seed in range(cases(12)):
        pair_of(opening, seed, first=seed % 2).walk(symmetric, plies=17)


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
}
LETTERS = dict(zip("-pctafdok", PHASES, strict=True))


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("story", STORIES)
def test_phases(story: str, first: int) -> None:
    opening, moves, expected, blacks = STORIES[story]
    position = Position.start(make(opening), first)
    assert (position.to_move, PHASES[position.state[PHASE]], position.state[LEFT]) == (first, "put_three", 3)
    for move, (seat, letter, left), black in zip(moves.split(), expected.split(), blacks, strict=True):
        position = position.play(move)
        assert position.to_move == (int(seat) + first) % 2
        assert PHASES[position.state[PHASE]] == LETTERS[letter]
        assert position.state[[LEFT, BLACK]].tolist() == [int(left), (int(black) + first) % 2]
        assert not position.over


def stones(position: Position) -> dict[str, str]:
    """The colours of the stones by cell, ? for an offered cell."""
    game, cells = position.game, position.cells.tolist()
    sign = {-2: "?"} | {seat: game.symbol(position.state, seat) for seat in (0, 1)}
    return {cell_name(game, cell): sign[owner] for cell, owner in enumerate(cells) if owner != -1}


@every_opening
def test_a_swap_exchanges_the_owners_and_no_colour(opening: str) -> None:
    game = make(opening)
    before = Position.from_moves(game, "d4 e5 f6" if game.name == "gomoku" else "e5 e6 f6")
    after = before.play("swap")
    assert stones(after) == stones(before)
    taken = before.cells >= 0
    assert after.cells[taken].tolist() == [1 - owner for owner in before.cells[taken].tolist()]
    assert after.cells[~taken].tolist() == before.cells[~taken].tolist()
    assert (before.state[BLACK], after.state[BLACK]) == (0, 1)
    stayed = before.play("stay")
    assert stayed.cells.tolist() == before.cells.tolist()


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
    for opening in ("swap", "swap2"):  # anywhere
        assert len(Position.from_moves(make(opening), "a1 g7").legal_moves()) == 47


def images(size: int, cells: tuple[int, ...]) -> set[tuple[int, ...]]:
    """A sequence of cells under the eight symmetries of the square."""
    found = set()
    for mirror, turns in product((False, True), range(4)):
        grid = np.rot90(np.arange(size * size).reshape(size, size), turns)
        grid = grid.T if mirror else grid
        found.add(tuple(grid.ravel()[list(cells)].tolist()))
    return found


@pytest.mark.parametrize("size", [9, 15])
@pytest.mark.parametrize("opening", ["rif26", "soosyrv8"])
def test_the_26_openings(opening: str, size: int) -> None:
    """Thirteen direct ones, the second stone beside the first, and thirteen indirect ones, at its corner."""
    start = Position.start(games.make("renju", size=size, opening=opening))
    middle = size * size // 2
    found: dict[tuple[int, ...], str] = {}
    for first in start.legal_actions().tolist():
        for second in start.play(first).legal_actions().tolist():
            for third in start.play(first).play(second).legal_actions().tolist():
                beside = abs(second - middle) in (1, size)
                found[min(images(size, (first, second, third)))] = "direct" if beside else "indirect"
    assert Counter(found.values()) == {"direct": 13, "indirect": 13}
    assert {cells[0] for cells in found} == {middle}


def keeping(position: Position) -> list[np.ndarray]:
    """The symmetries of the board, identity included, that keep the stones."""
    size, owner = position.game.board.width, position.cells
    stones = np.where(owner == OFFERED, -1, owner)
    grids = [np.rot90(np.arange(size * size).reshape(size, size), turns) for turns in range(4)]
    every = [grid.ravel() for grid in (*grids, *(grid.T for grid in grids))]
    return [image for image in every if np.array_equal(stones[image], stones)]


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
    position = Position.from_moves(make("soosyrv8"), f"{four} declare-8 stay")
    assert len(keeping(position)) == symmetries
    dice = random.Random(1)
    for left in range(8, 0, -1):
        offered = np.flatnonzero(position.cells == OFFERED).tolist()
        ruled_out = {int(cell) for image in keeping(position) for cell in image[offered]}
        free = set(np.flatnonzero(position.cells < 0).tolist())
        assert set(position.legal_actions().tolist()) == free - ruled_out
        assert len(offered) == 8 - left
        position = position.play(dice.choice(position.legal_actions().tolist()))
    assert len(position.legal_moves()) == 8
    picked = position.play(position.legal_moves()[3])
    assert (picked.cells == OFFERED).sum() == 0
    assert picked.cells[position.legal_actions()[3]] == picked.state[BLACK]
    assert picked.to_move == 1 - picked.state[BLACK]


def test_a_symmetry_of_stones_and_not_of_their_colours() -> None:
    # The stones stand symmetrically to the column e, but one of a pair is black and the other white.
    position = Position.from_moves(make("rif26"), "e5 d6 f6 stay e7 a1")
    assert "i1" in position.legal_moves()


def test_the_opening_is_over() -> None:
    position = Position.from_moves(make("swap2"), "a1 b1 c1 stay")
    for choice in ("stay", "swap", "more"):
        with pytest.raises(ValueError, match=f"illegal move {choice}: the opening is over"):
            position.play(choice)
    with pytest.raises(ValueError, match="'declare-1' is no cell"):
        position.play("declare-1")


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
    ],
)
def test_why_illegal(opening: str, moves: str, move: str, reason: str) -> None:
    position = Position.from_moves(make(opening), moves)
    with pytest.raises(ValueError, match=f"illegal move {move}: ") as raised:
        position.play(move)
    assert reason in str(raised.value)
    assert draw.task(position.state) in str(raised.value)


# --- Environments -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("story", STORIES)
def test_agents_follow(story: str) -> None:
    opening, moves, expected, _ = STORIES[story]
    name, options = OPENINGS[opening]
    env = {"gomoku": gomoku_v0, "renju": renju_v0}[name].raw_env(**options)
    env.reset()
    for move, (seat, letter, left) in zip(moves.split(), expected.split(), strict=True):
        env.step(env.encode(env.agent_selection, move))
        assert env.agent_selection == f"player_{seat}"
        phase = PHASES.index(LETTERS[letter])
        for agent in env.possible_agents:
            seen = env.observe(agent)
            planes = seen["observation"]
            assert seen["action_mask"].any() == (agent == env.agent_selection)
            assert (planes[:, :, 5] == phase).all()
            assert (planes[:, :, 6] == int(left)).all()
            assert (planes[:, :, 3] == (agent == f"player_{env.position.state[BLACK]}")).all()
            assert planes[:, :, 4].sum() == (env.position.cells == OFFERED).sum()
            assert env.observation_space(agent).contains(seen)
        assert env.rewards == {"player_0": 0.0, "player_1": 0.0}


# --- Copies and texts -------------------------------------------------------------------------------------------


def walk(game: Game, seed: int, plies: int = 30) -> list[tuple[State, int]]:
    """Positions of a random game, and the action that was played in each."""
    dice, state, story = random.Random(seed), game.start(seed % 2), []
    legal = np.empty(game.n_actions, np.int32)
    for _ in range(plies):
        count = play.moves(game.rules, state, legal)
        if count == 0:
            break
        action = dice.choice(legal[:count].tolist())
        story.append((state.copy(), action))
        assert play.step(game.rules, state, action)
    return [*story, (state, -1)]


@every_opening
def test_undo_by_copy(opening: str) -> None:
    game = make(opening)
    for seed in range(10):
        story = walk(game, seed)
        for at in range(len(story)):
            state = story[at][0].copy()
            for now, action in story[at:]:
                assert np.array_equal(state, now)
                assert action < 0 or play.step(game.rules, state, action)


@every_opening
def test_texts_both_ways(opening: str) -> None:
    game, seen = make(opening), Counter[str]()
    for seed in range(40):
        for state, action in walk(game, seed, plies=18):
            position = Position(game, state)
            again = Position.from_text(game, position.text)
            assert np.array_equal(again.state, state), position.text
            assert again.text == position.text
            if action >= 0:
                assert again.play(action) == position.play(action)
            seen[PHASES[state[PHASE]]] += 1
            if state[PHASE]:  # who is to move and how many moves were played need not be said
                parts = [part for part in position.text.split()[1:] if "=" in part and not part.startswith("choices")]
                short = Position.from_text(game, " ".join([position.text.split()[0], *parts]))
                assert short.legal_moves() == position.legal_moves()
                assert (short.to_move, short.ply) == (position.to_move, position.ply - state[CHOICES])
    phases = {"swap": 3, "swap2": 5, "rif26": 6, "soosyrv8": 8}
    assert len(seen) == phases[opening]


EMPTY_9, FOUR_9 = "9/9/9/9/9/9/9/9/9", "9/9/4x4/4o4/4x4/9/9/9/o8"


@pytest.mark.parametrize(
    ("opening", "text", "message"),
    [
        ("rif26", f"{EMPTY_9} x 0 - phase=chat left=1", "'phase=chat': one of play, put_three, "),
        ("rif26", f"{EMPTY_9} x 0 - stage=offer", "'stage=offer': renju has no such part; black, phase, left, choices"),
        ("rif26", f"{EMPTY_9} x 0 - black=2", "'black=2': a number from 0 to 1 is wanted"),
        ("rif26", f"{EMPTY_9} x 0 - phase=put_three left=-3", "'left=-3': a number from 0 to 99 is wanted"),
        ("rif26", f"{EMPTY_9} x 0 - phase=put_three left=2", "phase 'put_three' with 2 left does not fit 0 stones"),
        ("rif26", f"{EMPTY_9} x 0 - phase=put_two left=2", "phase 'put_two' is not part of this opening"),
        ("rif26", f"{EMPTY_9} x 0 - phase=declare left=1", "phase 'declare' is not part of this opening"),
        ("swap", "7/7/7/7/7/7/7 x 0 - phase=offer left=1", "phase 'offer' is not part of this opening"),
        ("rif26", f"{EMPTY_9} x 0 - left=2", "phase 'play' with 2 left does not fit 0 stones, 0 offers"),
        ("rif26", f"{EMPTY_9} x 0 - choices=2", "moves played 0: the board has 0 stones and 2 choices were made"),
        ("rif26", f"{EMPTY_9} x 3 - choices=x", "'choices=x': a number from 0 to 99 is wanted"),
        ("rif26", f"{FOUR_9} x 5 - phase=offer left=3 choices=1", "phase 'offer' with 3 left does not fit 4 stones"),
        ("rif26", f"{FOUR_9} x 5 - phase=offer left=1 choices=1", "phase 'offer' with 1 left does not fit 4 stones, 0"),
        ("rif26", f"{FOUR_9} o 5 - phase=offer left=2 choices=1", "player to move 1: in phase 'offer' it is seat 0"),
        ("rif26", f"{FOUR_9} x 5 - black=1 phase=pick left=1 choices=1", "does not fit 4 stones, 0 offers"),
        ("rif26", f"{FOUR_9[:-2]}o?7 o 5 - choices=1", "phase 'play' with 0 left does not fit 4 stones, 1 offers"),
        ("rif26", f"{FOUR_9} o 5 - phase=fourth left=1 choices=1", "phase 'fourth' with 1 left does not fit 4 stones"),
        ("soosyrv8", f"{FOUR_9} x 6 - phase=choose_again left=9 choices=2", "with 9 left does not fit 4 stones"),
        ("soosyrv8", f"{FOUR_9} o 5 - phase=declare left=2 choices=1", "with 2 left does not fit 4 stones"),
        ("soosyrv8", f"{FOUR_9} x 5 declare-9 phase=declare left=1", "last move 'declare-9': "),
        ("swap", "7/7/7/7/7/7/x1o1x2 o 3 more phase=choose left=1", "last move 'more': 'more' is no cell"),
    ],
)
def test_no_such_position(opening: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        Position.from_text(make(opening), text)
    assert message in str(raised.value)


def test_games_without_an_opening_have_no_such_parts() -> None:
    with pytest.raises(ValueError, match="'phase=play': gomoku has no such part; none"):
        Position.from_text(games.make("gomoku", size=5), "5/5/5/5/5 x 0 - phase=play")
    with pytest.raises(ValueError, match=r"'\?' in row 1"):
        Position.from_text(games.make("gomoku", size=5), "?4/5/5/5/5")


# --- Matches ----------------------------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("opening", "more"),
    [(opening, {}) for opening in OPENINGS] + [(opening, {"forbidden": "lose"}) for opening in ("rif26", "soosyrv8")],
    ids=str,
)
def test_matches(opening: str, more: dict[str, str]) -> None:
    """Whoever begins and whoever has the black stones, the better player wins, on either seat."""
    name, options = OPENINGS[opening]
    match = Match(name, ("greedy", "random"), 200, seed=3, start="rotate", rotate=True, options=options | more)
    found = play_match(match)
    assert (found.ending != ILLEGAL).all()
    for seat, starter in product((0, 1), (0, 1)):
        rows = (found.seating[:, seat] == 0) & (found.starter == starter)
        assert rows.sum() == 50
        assert (found.status[rows] == seat).mean() > 0.9
    assert len(set(found.digest.tolist())) == 200


@pytest.mark.compiled
@every_opening
def test_matches_of_lookahead(opening: str) -> None:
    name, options = OPENINGS[opening]
    match = Match(name, ("lookahead:2", "greedy"), 16, seed=5, start="rotate", rotate=True, options=options)
    found = play_match(match)
    assert (found.ending != ILLEGAL).all()
    assert np.array_equal(found.digest, play_match(match, jobs=1, batch=3).digest)


@pytest.mark.compiled
def test_players_offer_and_pick_all_kinds() -> None:
    """At random: every choice of an opening comes about."""
    game, seen = make("soosyrv8"), Counter[str]()
    for seed in range(60):
        for state, action in walk(game, seed, plies=20):
            if action >= game.n_cells:
                seen[game.choices[action - game.n_cells]] += 1
            if state[PHASE] == OFFER:
                assert (state[CHOICES] - 3) == (game.cells(state) == OFFERED).sum()
    assert set(seen) == set(game.choices)
