"""Exact values: known facts, an independent brute force, symmetry, and refused games."""

import random
from functools import cache

import numpy as np
import pytest

from amoba_agents.values.exact import ILLEGAL, Solver, estimate, regret
from amoba_env import Position, games
from amoba_env.core import board as boards
from amoba_env.core import state as st
from amoba_env.games import Game
from amoba_env.games.rows import k_in_a_row, stones
from amoba_env.symmetry import images, symmetries


def row_game(width: int, height: int, k: int) -> Game:
    return k_in_a_row("rectangle", {"width": width, "height": height, "k": k}, width, height, k, "freestyle")


def value_of(game: Game) -> int:
    return int(Solver(game).values(game.batch(1))[0])


# --- Facts ------------------------------------------------------------------------------------------------------

DRAW, WIN = 0, 1


DRAWN = [(3, 3, 3), (4, 4, 4), (5, 5, 5), (5, 4, 4), (6, 4, 4), (7, 4, 4), (5, 5, 4), (6, 6, 5)]
WON = [(4, 3, 3), (6, 5, 4), (6, 6, 4), (7, 7, 4)]


@pytest.mark.parametrize(("board", "value"), [*((each, DRAW) for each in DRAWN), *((each, WIN) for each in WON)])
def test_known_values(board: tuple[int, int, int], value: int) -> None:
    columns, rows, k = board
    assert value_of(row_game(columns, rows, k)) == value
    assert value_of(row_game(rows, columns, k)) == value


def test_every_position_of_four_by_three() -> None:
    """All 111,973 positions, valued by going back from the ends of all 151,188,768 games."""
    game = row_game(4, 3, 3)
    found: dict[bytes, tuple[int, int, np.ndarray]] = {}  # cells -> games from here, value for the player to move

    def walk(position: Position) -> tuple[int, int]:
        key = position.cells.tobytes()
        if key not in found:
            if position.over:
                count, value = 1, 0 if position.outcome.winner is None else -1
            else:
                below = [walk(position.play(action)) for action in position.legal_actions().tolist()]
                count, value = sum(count for count, _ in below), -min(value for _, value in below)
            found[key] = count, value, position.state
        return found[key][:2]

    assert walk(Position.start(game)) == (151_188_768, WIN)
    assert len(found) == 111_973
    _, expected, states = zip(*found.values(), strict=True)
    assert Solver(game).values(np.array(states)).tolist() == list(expected)
    assert set(expected) == {-1, 0, 1}


# --- Brute force ------------------------------------------------------------------------------------------------

Sets = list[tuple[frozenset[int], frozenset[int]]]  # cells and guards


def brute_force(sets: Sets, n: int, mine: frozenset[int], theirs: frozenset[int]) -> int:
    """The value for the player to move, by exhaustive search."""

    @cache
    def value(mine: frozenset[int], theirs: frozenset[int]) -> int:
        best = -1 if len(mine) + len(theirs) < n else 0
        for cell in set(range(n)) - mine - theirs:
            own = mine | {cell}
            won = any(cell in cells and cells <= own and not guards & own for cells, guards in sets)
            best = max(best, 1 if won else -value(theirs, own))
        return best

    return value(mine, theirs)


def random_sets(dice: random.Random, n: int) -> Sets:
    sets = []
    guarded = dice.random() < 0.4
    for _ in range(dice.randint(2, 10)):
        cells = dice.sample(range(n), n)
        k = dice.choice((2, 3, 3, 3, 4))
        sets.append((frozenset(cells[:k]), frozenset(cells[k : k + dice.randint(0, 2)] if guarded else ())))
    return sets


def game_of(sets: Sets, width: int, height: int) -> Game:
    """The game with these winning sets."""
    board = boards.square(width, height)
    guards = [tuple([*sorted(guards), st.NOWHERE, st.NOWHERE][:2]) for _, guards in sets]
    cells = [tuple(sorted(own)) for own, _ in sets]
    return stones("custom", {"sets": str(sets), "width": width}, board, cells, guards, 2)  # type: ignore[arg-type]


def random_position(game: Game, dice: random.Random) -> Position:
    """A position that is not over."""
    trail = [Position.start(game)]
    while not trail[-1].over:
        trail.append(trail[-1].play(dice.choice(trail[-1].legal_actions().tolist())))
    return dice.choice(trail[:-1])


def check_against_brute_force(sets: Sets, width: int, height: int, dice: random.Random, positions: int) -> set[int]:
    """Value and moves of random positions, from a solver for the whole game and one for the position alone."""
    game = game_of(sets, width, height)
    solver, seen = Solver(game), set()
    for _ in range(positions):
        position = random_position(game, dice)
        mine, theirs = (frozenset(np.flatnonzero(position.cells == seat).tolist()) for seat in (0, 1))
        if position.to_move == 1:
            mine, theirs = theirs, mine
        expected = brute_force(sets, game.n_cells, mine, theirs)
        for each in (solver, Solver(game, position.state)):
            assert each.values(position.state[None])[0] == expected, (sets, position)
            moves = each.move_values(position.state[None])[0]
            assert moves.max() == expected, (sets, position)
            assert (moves != ILLEGAL).tolist() == (position.cells < 0).tolist()
        seen.add(expected)
    return seen


@pytest.mark.plain
def test_random_games_of_few_cells_against_brute_force() -> None:
    dice = random.Random(3)
    seen = [check_against_brute_force(random_sets(dice, 6), 3, 2, dice, 2) for _ in range(8)]
    assert set().union(*seen) == {-1, 0, 1}


def test_random_games_against_brute_force() -> None:
    dice = random.Random(4)
    sizes = ((3, 3), (4, 2), (3, 3), (2, 4), (5, 2))
    seen = [check_against_brute_force(random_sets(dice, w * h), w, h, dice, 4) for w, h in sizes * 8]
    assert set().union(*seen) == {-1, 0, 1}


# --- Symmetry, regret, refusals ---------------------------------------------------------------------------------


def test_images_of_a_position_have_its_value_and_moves() -> None:
    dice = random.Random(6)
    game = row_game(4, 4, 3)
    solver = Solver(game)
    for _ in range(30):
        rows = images(game, random_position(game, dice).state)
        assert len(set(solver.values(rows).tolist())) == 1
        moves = solver.move_values(rows)
        for cells, values in zip(symmetries(game).cells, moves, strict=True):
            assert values[cells].tolist() == moves[0].tolist()


def test_a_finished_game_has_the_value_of_its_outcome() -> None:
    game = games.make("tictactoe")
    solver = Solver(game)
    for moves, value in (("a1 b1 a2 b2 a3", -1), ("a1 a2 b1 b2 c2 c1 a3 b3 c3", 0)):
        state = Position.from_moves(game, moves).state
        assert solver.values(state[None]).tolist() == [value]
        assert set(solver.move_values(state[None])[0].tolist()) == {ILLEGAL}


@pytest.mark.plain
def test_regret() -> None:
    game = games.make("tictactoe")
    corner = Position.from_moves(game, "a1")
    assert {move: regret(corner, move) for move in corner.legal_moves()} == {
        move: 0 if move == "b2" else 1 for move in corner.legal_moves()
    }
    won = Position.from_text(game, "xx1/oo1/3 x")
    assert regret(won, "c3") == 0
    assert regret(won, "c2") == 1  # blocks one row, and the other is blocked
    assert regret(won, "a1") == 2  # lets white win
    assert regret(won, 8) == 2
    with pytest.raises(ValueError, match="illegal move a3: the cell is taken"):
        regret(won, "a3")


@pytest.mark.plain
def test_what_is_too_large() -> None:
    with pytest.raises(ValueError, match=r"^gomoku is too large to solve: 676 free cells; expected at most 60$"):
        Solver(games.make("gomoku", size=26))
    for name, options in (("halma", {}), ("halma", {"players": 2})):
        with pytest.raises(ValueError, match=r"^halma cannot be solved: only placing games of two players"):
            Solver(games.make(name, **options))
    game = games.make("gomoku", size=6)
    with pytest.raises(
        ValueError, match=r"^gomoku is too large to solve: no value after 20 positions, of up to 2e\+16$"
    ):
        Solver(game, max_positions=20).values(game.batch(1))
    with pytest.raises(ValueError, match="no value after 20 positions"):
        Solver(game, max_positions=20).move_values(game.batch(1))


def test_a_late_position_of_a_large_board() -> None:
    """A board of 100 cells with 4 free cells is small enough, and the solver finds a decisive line."""
    game = games.make("gomoku", size=10)
    cells = np.array([(x // 2 + y) % 2 for y in range(10) for x in range(10)])
    cells[[0, 1, 2, 3]] = 0
    cells[[4, 50, 72, 99]] = -1
    state = Position.from_cells(game, cells, to_move=0).state
    assert state[st.STATUS] == -1
    assert Solver(game, state).values(state[None]).tolist() == [1]
    state[st.TO_MOVE] = 1
    moves = Solver(game, state).move_values(state[None])[0]
    assert np.flatnonzero(moves != ILLEGAL).tolist() == [4, 50, 72, 99]
    assert moves[4] > -1
    assert moves[[50, 72, 99]].tolist() == [-1, -1, -1]
    assert regret(Position(game, state), 50) == moves[4] + 1
    assert len(state) == st.CELLS + 100


def test_estimate() -> None:
    assert estimate(9) == 6046  # boards of noughts and crosses with as many stones as turns
    assert estimate(0) == 1
