"""Amoba against the slow referee: any board, any patterns, two to four players."""

import pickle

import numpy as np
import pytest
from both import SEEDS, Both, anything, both
from effort import cases
from hypothesis import given, settings
from hypothesis import strategies as hs
from naive import NaiveAmoba, drawn_board

from amoba_env import Position, games
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.rules import table
from amoba_env.games.board_text import ready_boards
from amoba_env.notation import cell_name
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match

ORIENTATIONS = hs.sampled_from(["fixed", "rotations", "rotations+reflections"])


@hs.composite
def boards(draw: hs.DrawFn) -> str:
    """Cells that grow around a first one: concave, with holes, and in one piece."""
    cells = {(10, 10)}
    for step, which in draw(
        hs.lists(hs.tuples(hs.sampled_from([(1, 0), (0, 1), (1, 1), (-1, 1)]), hs.integers(0, 99)), max_size=35)
    ):
        x, y = sorted(cells)[which % len(cells)]
        cells |= {(x + step[0], y + step[1])} if which % 2 else {(x - step[0], y - step[1])}
    separator, hole = draw(hs.sampled_from(["/", "\n"])), draw(hs.sampled_from(["#", " "]))
    width = max(x for x, _ in cells) + 1
    rows = ("".join("." if (x, y) in cells else hole for x in range(width)) for y in range(50))
    return separator.join(rows)


ROWS = hs.tuples(hs.integers(2, 4), hs.booleans()).map(lambda row: f"{row[0]}{' exact' if row[1] else ''}")
DRAWN = (
    hs.lists(hs.text("xxx.", min_size=1, max_size=3), min_size=1, max_size=3)
    .map("/".join)
    .filter(lambda text: text.count("x") > 1)
)
PATTERNS = hs.lists(hs.one_of(ROWS, DRAWN), min_size=1, max_size=3).map(",".join)


@given(boards(), PATTERNS, ORIENTATIONS, hs.integers(2, 4), SEEDS)
@settings(max_examples=cases(80))
def test_any_board_and_any_patterns(board: str, patterns: str, orientations: str, players: int, seed: int) -> None:
    # A pattern fits if it is on the board that one player has filled.
    alone = [NaiveAmoba(board, part.removesuffix(" exact"), orientations, players) for part in patterns.split(",")]
    for slow in alone:
        slow.owner = dict.fromkeys(slow.board, 0)
    options = {"board": board, "patterns": patterns, "orientations": orientations, "players": players}
    if not all(slow.winning_runs() for slow in alone):
        with pytest.raises(ValueError, match="fits nowhere"):
            games.make("amoba", **options)
        return
    pair = both("amoba", seed, **options)
    assert pair.slow.board == drawn_board(board)
    assert pair.walk(anything) in ("line", "full_board")
    again = pickle.loads(pickle.dumps(pair.game))
    assert (again, again.rules.tolist()) == (pair.game, pair.game.rules.tolist())


def quiet(pair: Both) -> int:
    """A move that completes nothing, if there is one: so that much is completed in the end, and much at once."""
    for action in pair.dice.sample(pair.expected, len(pair.expected)):
        after = pair.slow.twin()
        after.play(action)
        if after.ending != "line":
            return action
    return anything(pair)


@given(
    hs.sampled_from([".../.#./.../...", "#..#/..../..../#..#", "5x4", ".../..#/...../#.#.."]),
    hs.sampled_from(["3", "3 exact,xx/x.", "x.x,x/./x", "2 exact,x..x,xxx/.x."]),
    ORIENTATIONS,
    hs.integers(2, 4),
    SEEDS,
)
@settings(max_examples=cases(60))
def test_crowded_boards(board: str, patterns: str, orientations: str, players: int, seed: int) -> None:
    if orientations == "fixed":
        patterns = patterns.replace("x..x", "x.x")  # four columns are too few on one of the boards
    pair = both("amoba", seed, board=board, patterns=patterns, orientations=orientations, players=players)
    assert pair.walk(quiet) in ("line", "full_board")


def test_a_row_may_be_guarded_and_free() -> None:
    # "3 exact" wins nothing that "3" does not; a drawn row is free too, but runs along rows and columns only.
    def sets(patterns: str) -> set[tuple[int, ...]]:
        game = games.make("amoba", board="5x4", patterns=patterns)
        cells, guards = table(game.rules, ru.SETS).reshape(-1, 3), table(game.rules, ru.GUARDS).reshape(-1, 2)
        return set(map(tuple, np.hstack([cells, guards]).tolist()))

    free, exact, drawn = sets("3"), sets("3 exact"), sets("xxx")
    assert sets("3,3 exact") == sets("3 exact,3,xxx") == free
    assert drawn < free
    assert sets("xxx,3 exact") == drawn | {row for row in exact if row[:3] not in {row[:3] for row in drawn}}
    assert all(row[3:] == (st.NOWHERE, st.NOWHERE) for row in free)


@pytest.mark.parametrize(
    ("options", "moves", "cells"),
    [
        ({"board": "8x1", "patterns": "3 exact"}, "a1 b1 d1 c1 e1 g1 f1", "d1 e1 f1"),
        ({"board": "8x1", "patterns": "3 exact"}, "a1 h1 b1 f1 d1 e1 c1", ""),  # four
        ({"board": "8x1", "patterns": "3 exact,4"}, "a1 h1 b1 f1 d1 e1 c1", "a1 b1 c1 d1"),
        ({"board": "..#../.....", "patterns": "2 exact"}, "a2 a1 b2", "a2 b2"),  # a hole ends a row ...
        ({"board": "..#../.....", "patterns": "3"}, "a2 a1 b2 b1 d2", ""),
        ({"board": ".../.#./...", "patterns": "x.x"}, "a2 a1 c2", "a2 c2"),  # ... but may lie in a shape
        ({"board": "4x3", "patterns": "xx/x."}, "a1 d3 b1 d2 b2", "a1 b1 b2"),
        ({"board": "4x3", "patterns": "xx/x.", "orientations": "fixed"}, "a1 d3 b1 d2 b2", ""),
        ({"board": "4x3", "patterns": "xx/x.", "orientations": "fixed"}, "a1 d3 b2 d2 a2", "a1 a2 b2"),
        ({"board": "4x3", "patterns": "xxx/x..", "orientations": "rotations"}, "a2 d3 b2 d2 c2 d1 c1", ""),
        ({"board": "4x3", "patterns": "xxx/x.."}, "a2 d3 b2 d2 c2 d1 c1", "a2 b2 c2 c1"),
        ({"board": "4x3", "patterns": "3", "players": 3}, "a1 b1 c1 a2 b2 c2 a3", "a1 a2 a3"),
        ({"board": "4x3", "patterns": "3", "players": 4}, "a1 b1 c1 d1 a2 b2 c3 d3 c2 b3", "b1 b2 b3"),
    ],
)
def test_by_hand(options: dict[str, str | int], moves: str, cells: str) -> None:
    game = games.make("amoba", **options)
    position = Position.from_moves(game, moves)
    won = position.outcome.cells if position.outcome else ()
    assert {cell_name(game, cell) for cell in won} == set(cells.split())
    assert position.over == bool(cells)
    if position.outcome:
        winner = (position.ply - 1) % game.players
        lose = -1 / (game.players - 1)
        assert position.outcome.winner == winner
        assert position.outcome.rewards == tuple(1.0 if seat == winner else lose for seat in range(game.players))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("board", ready_boards())
def test_ready_boards(board: str, players: int) -> None:
    pair = both("amoba", players, board=board, patterns="4,xx/x.", players=players)
    assert pair.walk(anything) == "line"


# --- Players ----------------------------------------------------------------------------------------------------

GAMES = [
    {"board": "cross", "patterns": "4 exact,xx/xx"},
    {"board": "ring", "patterns": "x.x.x,4", "orientations": "rotations", "players": 3},
    {"board": "#...#/...../..#../...../#...#", "patterns": "xx/x.,xxx", "players": 4},
]


@pytest.mark.parametrize("agent", ["greedy", "lookahead:2"])
@pytest.mark.parametrize("options", GAMES, ids=lambda options: options["board"])
def test_players_beat_random(options: dict[str, str | int], agent: str) -> None:
    agents = (agent, *["random"] * (int(options.get("players", 2)) - 1))
    played = play_match(Match("amoba", agents, 60, seed=5, rotate=True, options=options))
    assert (played.seating.argmin(axis=1) == played.winner).sum() > 45


def test_a_board_of_every_other_square_is_a_board_of_squares() -> None:
    """It is connected by its corners, and no star."""
    board = games.make("amoba", board=".#.#./#.#.#/.#.#./#.#.#", patterns="3").board
    assert not board.double_width
    assert games.make("halma").board.double_width
