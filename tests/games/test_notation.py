"""Text for cells, moves and positions: both ways for all games, and errors that quote what is wrong."""

import random
from typing import Any

import numpy as np
import pytest
from effort import cases
from environments import choose
from errors import error
from hypothesis import given, settings
from hypothesis import strategies as st

from amoba_env import Position, games
from amoba_env.core import state
from amoba_env.games import Game
from amoba_env.notation import cell_name, column_name, move_text, parse_cell, parse_move, position_from_cells

TICTACTOE, GOMOKU, HALMA = (games.make(name) for name in ("tictactoe", "gomoku", "halma"))
GAMES = [
    TICTACTOE,
    GOMOKU,
    games.make("gomoku", size=5),
    games.make("gomoku", size=6, rule="exact"),
    games.make("gomoku", size=15, rule="exact"),
    games.make("gomoku", size=30),
    games.make("amoba", board="strait", patterns="5 exact,xx/xx"),
    games.make("amoba", board=".#.#./#.#.#/.#.#.", patterns="x.x", players=3),
    games.make("amoba", board="#...#/...../..#../...../#...#", patterns="xxx,x...x", players=4),
    HALMA,
    games.make("halma", players=2),
    games.make("halma", max_plies=20),
    games.make("halma", max_plies=9, adjudicate=True),
    games.make("chinese_checkers", players=6, max_plies=30),
    games.make("square_halma", size=16, players=2, max_plies=6, anti_spoiling=True),
]
every_game = pytest.mark.parametrize("game", GAMES, ids=repr)
SEEDS = st.integers(0, 2**32 - 1)


def walk(game: Game, seed: int, plies: int = 10_000) -> list[Position]:
    """A random game: all its positions, the first one and the last one too."""
    dice = random.Random(seed)
    story = [Position.start(game, dice.randrange(game.players))]
    while not story[-1].over and len(story) <= plies:
        story.append(story[-1].play(choose(story[-1], dice)))
    return story


# --- Both ways --------------------------------------------------------------------------------------------------


def check_both_ways(position: Position) -> None:
    again = Position.from_text(position.game, position.text)
    assert np.array_equal(again.state, position.state)
    assert again.text == position.text
    assert (again, hash(again), again.outcome) == (position, hash(position), position.outcome)


@given(st.sampled_from(GAMES), SEEDS, st.integers(0, 100))
@settings(max_examples=cases(60))
def test_positions_both_ways(game: Game, seed: int, plies: int) -> None:
    for position in walk(game, seed, plies):
        check_both_ways(position)


@pytest.mark.parametrize("game", [game for game in GAMES if game.n_cells < 200], ids=repr)
def test_finished_games_both_ways(game: Game) -> None:
    for seed in range(5):
        last = walk(game, seed)[-1]
        assert last.over
        check_both_ways(last)


@pytest.mark.plain
@given(st.sampled_from(GAMES), SEEDS, st.integers(0, 60))
@settings(max_examples=cases(40))
def test_moves_cells_and_text_agree(game: Game, seed: int, plies: int) -> None:
    story = walk(game, seed, plies)
    first, last = story[0].to_move, story[-1]
    moves = [position.last_move for position in story[1:]]
    assert Position.from_moves(game, [str(move) for move in moves], first) == last
    assert Position.from_moves(game, " ".join(map(str, moves)), first) == last
    assert Position.from_moves(game, [parse_move(game, str(move)) for move in moves], first) == last
    grid = np.full((game.board.height, game.board.width), -1)
    for (x, y), owner in zip(game.board.coords.tolist(), last.cells.tolist(), strict=True):
        grid[y, x] = owner
    board_alone = Position.from_text(game, f"{last.text.split()[0]} {game.symbols[last.to_move]}")
    for cells in (last.cells, last.cells.tolist(), grid, grid.tolist(), grid.astype(float)):
        position = Position.from_cells(game, cells, last.to_move)
        assert position == board_alone
        assert np.array_equal(position.cells, last.cells)
        if not game.moves_men:
            assert (position.ply, position.over) == (last.ply, last.over)


@every_game
def test_cells_both_ways(game: Game) -> None:
    names = [cell_name(game, cell) for cell in range(game.n_cells)]
    assert len(set(names)) == game.n_cells
    for cell, name in enumerate(names):
        assert parse_cell(game, name) == parse_cell(game, f" {name.upper()} ") == cell


@every_game
def test_moves_both_ways(game: Game) -> None:
    for action in range(0, game.n_actions, 1 + game.n_actions // 10_000):
        assert parse_move(game, move_text(game, action)) == action


def test_moves_of_men_may_be_written_in_other_ways() -> None:
    action = parse_move(HALMA, "f2-h4")
    assert {parse_move(HALMA, text) for text in ("f2 h4", "F2-H4", " f2 - h4 ", "f2--h4", "f02-h4")} == {action}


@pytest.mark.parametrize(
    ("x", "name"), [(0, "a"), (25, "z"), (26, "aa"), (51, "az"), (52, "ba"), (99, "cv"), (701, "zz"), (702, "aaa")]
)
def test_columns(x: int, name: str) -> None:
    assert column_name(x) == name


@pytest.mark.parametrize(
    ("game", "cell", "name"),
    [
        (TICTACTOE, 0, "a3"),
        (TICTACTOE, 8, "c1"),
        (GOMOKU, 9, "j10"),
        (games.make("gomoku", size=30), 25, "z30"),
        (games.make("gomoku", size=30), 26, "aa30"),
        (games.make("gomoku", size=30), 899, "ad1"),
        (games.make("gomoku", size=100), 9999, "cv1"),
        (games.make("amoba", board="ring"), 33, "a8"),
        (games.make("amoba", board="ring"), 36, "i8"),  # after c8: the hole has no cells
        (HALMA, 0, "g9"),
        (HALMA, 3, "a7"),
        (HALMA, 9, "m7"),
        (HALMA, 36, "g1"),
    ],
)
def test_names_of_cells(game: Game, cell: int, name: str) -> None:
    assert cell_name(game, cell) == name
    assert parse_cell(game, name) == cell


# --- What may be left out ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "short", "text"),
    [
        (TICTACTOE, "3/3/3", "3/3/3 x 0 -"),
        (TICTACTOE, "3/1x1/3", "3/1x1/3 o 1 -"),
        (TICTACTOE, "o2/1x1/3", "o2/1x1/3 x 2 -"),
        (TICTACTOE, "o2/1x1/3 o", "o2/1x1/3 o 2 -"),
        (TICTACTOE, " 3/1x1/3  o  1  B2 ", "3/1x1/3 o 1 b2"),
        (TICTACTOE, "xxx/oo1/3", "xxx/oo1/3 o 5 a3"),  # a stone that wins
        (GOMOKU, "/".join(["10"] * 10), "10/10/10/10/10/10/10/10/10/10 x 0 -"),
        (HALMA, "1/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/r", "1/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/r r 0 -"),
        # White is shut in, so it is green's turn.
        (HALMA, "1/2/3rrww/3rrw/3gg/3ggw/3ggww/1r/r w 7 -", "1/2/3rrww/3rrw/3gg/3ggw/3ggww/1r/r g 7 -"),
    ],
)
def test_the_board_is_enough(game: Game, short: str, text: str) -> None:
    position = Position.from_text(game, short)
    assert position.text == text
    check_both_ways(position)


def test_the_last_position_of_the_longest_game_both_ways() -> None:
    game = games.make("halma", max_plies=state.MOST_PLIES)
    before = Position.from_text(game, f"1/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/r r {state.MOST_PLIES - 1}")
    last = before.play(int(before.legal_actions()[0]))
    assert last.over
    assert Position.from_text(game, last.text).text == last.text


def test_who_is_to_move_by_default() -> None:
    text = "1/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/r"
    cells = HALMA.cells(HALMA.start())
    for ply in range(4):
        state = position_from_cells(HALMA, cells, ply=ply)
        assert Position(HALMA, state).to_move == ply % 3
        assert Position.from_text(HALMA, f"{text} {'rwg'[ply % 3]} {ply}") == Position(HALMA, state)


# --- Errors -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        (TICTACTOE, "", "'' is not a cell: expected a letter and a number, such as b2"),
        (TICTACTOE, " 5e ", "'5e' is not a cell: expected a letter and a number, such as b2"),
        (TICTACTOE, "a-1", "'a-1' is not a cell: expected a letter and a number, such as b2"),
        (TICTACTOE, "d1", "the board has no cell 'd1': expected a cell such as b2"),
        (TICTACTOE, "a0", "the board has no cell 'a0': expected a cell such as b2"),
        (TICTACTOE, "A4", "the board has no cell 'A4': expected a cell such as b2"),
        (HALMA, "a1", "the board has no cell 'a1': expected a cell such as g5"),
    ],
)
def test_no_such_cell(game: Game, text: str, message: str) -> None:
    assert error(parse_cell, game, text) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("g1", "'g1' is not a move: expected two cells, such as g1-g5"),
        ("", "'' is not a move: expected two cells, such as g1-g5"),
        ("g1-g3-g5", "'g1-g3-g5' is not a move: expected two cells, such as g1-g5"),
        ("g1-z9", "the board has no cell 'z9': expected a cell such as g5"),
        ("g1-", "'' is not a cell: expected a letter and a number, such as g5"),
    ],
)
def test_no_such_move_of_a_man(text: str, message: str) -> None:
    assert error(parse_move, HALMA, text) == message


@pytest.mark.parametrize("action", [-1, 1369, 2**70])
def test_no_such_action(action: int) -> None:
    message = f"expected an action of halma, 0..1368, got {action}"
    assert error(move_text, HALMA, action) == message
    assert error(Position.start(HALMA).play, action) == message
    assert not Position.start(HALMA).is_legal(action)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        (TICTACTOE, "", "position: expected 1 to 4 parts (board, to move, moves played, last move), got 0"),
        (
            TICTACTOE,
            "3/3/3 x 0 - -",
            "position: expected 1 to 4 parts (board, to move, moves played, last move), got 5",
        ),
        (TICTACTOE, "3/3", "board '3/3' has 2 rows, tictactoe has 3"),
        (TICTACTOE, "3/3/3/3", "board '3/3/3/3' has 4 rows, tictactoe has 3"),
        (TICTACTOE, "3/1x2/3", "row 2 of the board ('1x2'): expected 3 cells, got more"),
        (TICTACTOE, "3/3/xo", "row 3 of the board ('xo'): expected 3 cells, got 2"),
        (TICTACTOE, "xx1/oo1/3 x 5", "moves played: expected 4, as many as stones and choices, got 5"),
        (TICTACTOE, "3//3", "row 2 of the board (''): expected 3 cells, got 0"),
        (TICTACTOE, "99999999999/3/3", "row 1 of the board ('99999999999'): expected 3 cells, got more"),
        (TICTACTOE, "3/x1y/3", "'y' in row 2 of the board ('x1y'): expected x, o or a number"),
        (TICTACTOE, "3/X2/3", "'X' in row 2 of the board ('X2'): expected x, o or a number"),
        (TICTACTOE, "3/-12/3", "'-' in row 2 of the board ('-12'): expected x, o or a number"),
        (HALMA, "1/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/x", "'x' in row 9 of the board ('x'): expected r, w, g or a number"),
        (TICTACTOE, "3/3/3 r", "player to move 'r': expected one of x, o"),
        (TICTACTOE, "3/3/3 xo", "player to move 'xo': expected one of x, o"),
        (TICTACTOE, "3/3/3 x -1", "moves played '-1': expected a number from 0 to 32767"),
        (TICTACTOE, "3/3/3 x b2", "moves played 'b2': expected a number from 0 to 32767"),
        (HALMA, "1/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/r r 32768", "'32768': expected a number from 0 to 32767"),
        (TICTACTOE, "3/1x1/3 o 2", "moves played: expected 1, as many as stones and choices, got 2"),
        (TICTACTOE, "3/1x1/3 o 1 d4", "last move 'd4': the board has no cell 'd4': expected a cell such as b2"),
        (TICTACTOE, "3/1x1/3 o 1 x", "last move 'x': 'x' is not a cell: expected a letter and a number, such as b2"),
        (TICTACTOE, "3/1x1/3 o 1 a1", "last move 'a1' does not fit the board"),
        (HALMA, "1/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/r w 1 f2-h4", "last move 'f2-h4' does not fit the board"),
        (HALMA, "1/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/r w 1 f2-h2", "last move 'f2-h2' does not fit the board"),
        (HALMA, "1/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/r w 1 f2", "last move 'f2': 'f2' is not a move: expected two cells"),
        (HALMA, "1/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/1", "a player has too many or too few men"),
        (HALMA, "1/2/ggg1www/gg2ww/g3w/w5/2rrr2/rr/r", "a player has too many or too few men"),
        (games.make("halma", players=2), "1/2/7/6/5/6/2rrr2/rr/r", "a player has too many or too few men"),
        (TICTACTOE, "xxx/ooo/3", "black and white have both won"),
        (HALMA, "r/rr/ggrrr2/gg4/w4/ww4/www4/gg/1", "red and white have both won"),
    ],
)
def test_no_such_position(game: Game, text: str, message: str) -> None:
    assert message in error(Position.from_text, game, text)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("game", "cells", "message"),
    [
        (TICTACTOE, [-1] * 8, "cells of shape (8,): expected (9,) or (3, 3)"),
        (TICTACTOE, [[-1] * 3] * 2, "cells of shape (2, 3): expected (9,) or (3, 3)"),
        (TICTACTOE, -1, "cells of shape (): expected (9,) or (3, 3)"),
        (HALMA, [-1] * 36, "cells of shape (36,): expected (37,) or (9, 13)"),
        (TICTACTOE, [2] + [-1] * 8, "a cell is owned by 2: expected a seat from 0 to 1, or -1"),
        (TICTACTOE, [-2] + [-1] * 8, "a cell is owned by -2: expected a seat from 0 to 1, or -1"),
        (TICTACTOE, [0.5] + [-1] * 8, "a cell is owned by 0.5: expected a seat from 0 to 1, or -1"),
        (TICTACTOE, ["x"] * 9, "a cell is owned by 'x': expected a seat from 0 to 1, or -1"),
        (games.make("halma", players=2), [2] * 37, "a cell is owned by 2: expected a seat from 0 to 1, or -1"),
        (TICTACTOE, [0, 0, 0, 1, 1, 1, -1, -1, -1], "black and white have both won"),
    ],
)
def test_no_such_cells(game: Game, cells: object, message: str) -> None:
    assert error(Position.from_cells, game, cells) == message


def test_cells_without_men() -> None:
    assert "a player has too many or too few men" in error(Position.from_cells, HALMA, [-1] * 37)


@pytest.mark.parametrize("seat", [-1, 2, 5])
def test_no_such_player_to_move(seat: int) -> None:
    assert str(seat) in error(Position.from_cells, TICTACTOE, [-1] * 9, seat)


@pytest.mark.parametrize("last", [-1, 9])
def test_no_such_last_action(last: int) -> None:
    message = f"expected an action of tictactoe, 0..8, got {last}"
    assert error(position_from_cells, TICTACTOE, [0] + [-1] * 8, 1, 1, last) == message


@pytest.mark.plain
@pytest.mark.parametrize(
    ("game", "moves", "message"),
    [
        (TICTACTOE, "b2 a3 b2", "move 3: illegal move b2: the cell is taken"),
        (TICTACTOE, "b2 d4", "move 2: the board has no cell 'd4': expected a cell such as b2"),
        (TICTACTOE, "a3 a2 b3 b2 c3 c2", "move 6: the game is over"),
        (TICTACTOE, [4, 9], "move 2: expected an action of tictactoe, 0..8, got 9"),
        (HALMA, "f2-h4 m7", "move 2: 'm7' is not a move: expected two cells, such as g1-g5"),
        (HALMA, "f2-h4 f2-d4", "move 2: illegal move f2-d4: white has no man on f2"),
        (HALMA, ["f2-f8"], "move 1: illegal move f2-f8: the man on f2 can go to d4, h4"),
        (HALMA, ["g1-e1"], "move 1: the board has no cell 'e1': expected a cell such as g5"),
        (HALMA, ["g1-g3"], "move 1: illegal move g1-g3: the man on g1 cannot move"),
    ],
)
def test_no_such_game(game: Game, moves: Any, message: str) -> None:
    assert error(Position.from_moves, game, moves) == message


def test_no_such_seat_to_begin() -> None:
    assert error(Position.start, HALMA, 3) == "expected a seat of halma, 0..2, got 3"
    assert error(Position.from_moves, HALMA, "", -1) == "expected a seat of halma, 0..2, got -1"


@pytest.mark.plain
@pytest.mark.parametrize("move", [1.5, None, 4.0])
def test_a_move_is_a_text_or_an_integer(move: Any) -> None:
    with pytest.raises(ValueError, match="expected a move, a text or a whole number, got"):
        Position.start(TICTACTOE).play(move)
