"""Symmetries: the groups that geometry tells, and games whose images are the same games."""

import doctest
import random
from itertools import product

import numpy as np
import pytest
from environments import VARIANTS, Variant, every_variant

from amoba_env import Position, games, symmetry
from amoba_env.core import board as boards
from amoba_env.core import play
from amoba_env.core import state as st
from amoba_env.games import Game
from amoba_env.games.rows import k_in_a_row, stones
from amoba_env.symmetry import board_maps, canonical, images, symmetries


def rectangle(width: int, height: int, k: int) -> Game:
    return k_in_a_row("rectangle", {"width": width, "height": height, "k": k}, width, height, k)


def shape(name: str, *sets: tuple[int, ...]) -> Game:
    """A game on 3x3 cells with these winning sets."""
    return stones(name, {}, boards.square(3, 3), list(sets), [(st.NOWHERE, st.NOWHERE)] * len(sets), 2)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("game", "order"),
    [
        (games.make("tictactoe"), 8),
        (games.make("gomoku"), 8),
        (games.make("gomoku", size=7, rule="exact"), 8),
        (rectangle(4, 3, 3), 4),
        (rectangle(5, 1, 3), 2),
        (rectangle(1, 1, 1), 1),
        (games.make("halma"), 3),
        (games.make("halma", players=2), 2),
        (shape("rows", (0, 1, 2), (3, 4, 5), (6, 7, 8)), 4),
        (shape("corner", (0, 1, 3)), 2),
        (shape("odd", (0, 1, 5)), 1),
    ],
    ids=lambda value: value.name if isinstance(value, Game) else str(value),
)
def test_the_order_of_the_group(game: Game, order: int) -> None:
    group = symmetries(game)
    assert group.cells.shape == (order, game.n_cells)
    assert group.actions.shape == (order, game.n_actions)
    assert group.seats.shape == (order, game.players)
    assert {array.dtype for array in group} == {np.dtype(np.int32)}
    for array in group:
        assert array[0].tolist() == list(range(array.shape[1]))
        rows = set(map(tuple, array.tolist()))
        assert {tuple(a[b].tolist()) for a, b in product(array, array)} == rows
    assert len(set(map(tuple, group.cells.tolist()))) == order


def test_guards_count() -> None:
    """A row of two at the left may be longer, one at the right may not: the mirror image is another game."""
    guards = [(st.NOWHERE, 2), (st.NOWHERE, st.NOWHERE)]
    game = stones("guarded", {}, boards.square(3, 1), [(0, 1), (1, 2)], guards, 2)
    assert symmetries(game).cells.tolist() == [[0, 1, 2]]


@pytest.mark.plain
@pytest.mark.parametrize(("size", "order"), [(9, 8), (10, 2)])
@pytest.mark.parametrize("opening", ["rif26", "soosyrv8", "taraguchi10", "yamaguchi"])
def test_openings_around_a_centre(opening: str, size: int, order: int) -> None:
    """The first stone of these openings is in the centre: on a board of even size it is on one of the two diagonals."""
    game = games.make("renju", size=size, opening=opening)
    assert len(symmetries(game).cells) == order
    state = game.start()
    for _ in range(3):
        check_images(game, state)
        legal = Position(game, state).legal_actions()
        assert play.step(game.rules, state, int(legal[0]))
    check_images(game, state)


@pytest.mark.plain
@pytest.mark.parametrize("opening", ["none", "swap", "swap2"])
def test_openings_anywhere(opening: str) -> None:
    assert len(symmetries(games.make("gomoku", size=6, opening=opening)).cells) == 8
    assert len(symmetries(games.make("renju", size=10)).cells) == 8


def test_maps_of_boards() -> None:
    for side in (1, 2, 3):
        assert len(board_maps(boards.hexagram(side))) == 12
    l_shape = boards.from_cells([(2, 5), (2, 6), (2, 7), (3, 7), (4, 7)], boards.SQUARE)
    assert sorted(map(list, board_maps(l_shape))) == [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]]


def test_halma_is_turned() -> None:
    """A third of a turn carries red's men, tip and turn to the next seat's."""
    game = games.make("halma")
    group = symmetries(game)
    assert sorted(group.seats.tolist()) == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    start = Position.start(game)
    for seats, row in zip(group.seats.tolist(), images(game, start.state), strict=True):
        assert Position(game, row) == Position.start(game, seats[0])
    mirror = symmetries(games.make("halma", players=2)).cells[1]
    coords = game.board.coords.tolist()
    swapped = {tuple(coords[cell]): tuple(coords[mirror[cell]]) for cell in range(37)}
    assert swapped[6, 8] == (12, 2)
    assert swapped[6, 0] == (0, 6)
    assert swapped[12, 6] == (12, 6)


def test_turned_seats_see_the_same() -> None:
    """Each seat sees halma with its own goal at the top, so a turn of the board changes nothing that is seen."""
    game = games.make("halma")
    state = Position.from_moves(game, "e3-f4 k7-g7 c7-e5").state

    def seen(row: np.ndarray, seat: int) -> tuple[object, object]:
        planes, mask = np.empty((4, 9, 13), np.int8), np.empty(game.n_actions, np.int8)
        play.observe(game.rules, row, seat, planes, mask)
        return planes.tolist(), mask.tolist()

    for seats, row in zip(symmetries(game).seats.tolist(), images(game, state), strict=True):
        for seat in range(3):
            assert seen(row, seats[seat]) == seen(state, seat)


def check_images(game: Game, state: np.ndarray) -> None:
    """What the rules say of a position and of its images: legal actions, places and winning cells are carried along."""
    group, rows = symmetries(game), images(game, state)
    places, won = np.zeros(game.players, np.int64), np.zeros(game.n_cells, np.uint8)
    play.places(game.rules, state, places)
    play.winning_cells(game.rules, state, won)
    legal = set(Position(game, state).legal_actions().tolist())
    for cells, actions, seats, row in zip(*group, rows, strict=True):
        assert set(Position(game, row).legal_actions().tolist()) == set(actions[list(legal)].tolist())
        other = np.empty_like(places), np.empty_like(won)
        play.places(game.rules, row, other[0])
        play.winning_cells(game.rules, row, other[1])
        assert other[0][seats].tolist() == places.tolist()
        assert other[1][cells].tolist() == won.tolist()
        assert row[st.CELLS :][cells].tolist() == [owner if owner < 0 else seats[owner] for owner in state[st.CELLS :]]
        assert canonical(game, row).tobytes() == canonical(game, state).tobytes()


@every_variant
def test_the_image_of_a_game_is_a_game(variant: Variant) -> None:
    game, dice = variant.game, random.Random(1)
    group, state = symmetries(game), game.start()
    rows = images(game, state)
    while state[st.STATUS] == st.RUNNING:
        if state[st.PLY] in (0, 4, 8):
            check_images(game, state)
        action = dice.choice(Position(game, state).legal_actions().tolist())
        assert play.step(game.rules, state, action)
        for row, own in zip(rows, group.actions[:, action].tolist(), strict=True):
            assert play.step(game.rules, row, own)
        np.testing.assert_array_equal(rows, images(game, state))
    check_images(game, state)


def test_positions_of_tictactoe_up_to_symmetry() -> None:
    """5478 positions, 765 of them different."""
    game = games.make("tictactoe")
    seen, layer = {}, [game.start()]
    while layer:
        after = []
        for state in layer:
            for action in Position(game, state).legal_actions().tolist():
                child = Position(game, state).play(action).state
                if child[st.CELLS :].tobytes() not in seen:
                    seen[child[st.CELLS :].tobytes()] = canonical(game, child)
                    after.append(child)
        layer = after
    assert len(seen) + 1 == 5478
    assert len({row[st.CELLS :].tobytes() for row in seen.values()}) + 1 == 765


@pytest.mark.plain
def test_canonical_forgets_the_last_move() -> None:
    game = games.make("tictactoe")
    one, other = (Position.from_moves(game, moves).state for moves in ("a1 b2 c3", "c3 b2 a1"))
    assert canonical(game, one).tobytes() == canonical(game, other).tobytes()
    assert canonical(game, one)[[st.FROM, st.TO]].tolist() == [st.NOWHERE, st.NOWHERE]
    won = Position.from_moves(game, "a1 b2 a2 c3 a3")
    assert Position(game, canonical(game, won.state)).outcome.cells in ((0, 1, 2), (0, 3, 6), (2, 5, 8), (6, 7, 8))


def test_symmetries_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        symmetries(VARIANTS[0].game).cells[0, 0] = 1


def test_the_example() -> None:
    result = doctest.testmod(symmetry)
    assert (result.failed, result.attempted) == (0, 2)
