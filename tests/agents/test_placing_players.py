"""Greedy and lookahead where stones are placed: against plain definitions, and tic-tac-toe without a loss."""

import random

import numpy as np
import pytest
from simple_scores import Sets, lines, score
from walks import random_position

from amoba_agents import make_agent
from amoba_agents.values.line_scores import WIN, load, put, workspace
from amoba_env import Position, games
from amoba_env.core import state as st
from amoba_env.core.rng import streams

GAMES = [
    ("tictactoe", {}),
    ("gomoku", {"size": 7}),
    ("gomoku", {"size": 7, "rule": "exact"}),
    ("gomoku", {"size": 7, "rule": "caro"}),
    ("gomoku", {"size": 7, "rule": "exact-caro"}),
    ("omok", {"size": 9, "rule": "freestyle"}),
    ("gomoku", {}),
    ("renju", {"size": 9}),
    ("amoba", {"board": "hexagon", "patterns": "4 exact,xx./.xx"}),
    ("amoba", {"board": "...#./...../#..../....#", "patterns": "3 exact,x..x,x.x.x", "players": 3}),  # of 2 to 3 cells
    ("amoba", {"board": "islands", "patterns": "6,xxxxx/..x..", "orientations": "rotations", "players": 4}),
]
IDS = [f"{name}{''.join(map(str, options.values()))}" for name, options in GAMES]


@pytest.mark.parametrize(("name", "options"), GAMES, ids=IDS)
def test_scores_are_kept_up_to_date(name: str, options: dict[str, int | str]) -> None:
    game = games.make(name, **options)
    sets = lines(game)
    draw = random.Random(1)
    w = workspace(game.rules, 1)
    empty = w.copy()
    for _ in range(20):
        position = random_position(game, draw, 0, game.n_cells - 2)
        load(game.rules, w, position.state, 1)
        cells = position.cells.tolist()
        for seat in range(game.players):
            for cell in position.legal_actions().tolist():
                at = int(w[4]) + seat * game.n_cells + cell  # w[4]: where SCORE begins
                assert w[at] == score(cells, seat, cell, sets), (position.text, seat, cell)
        load(game.rules, w, position.state, -1)
        np.testing.assert_array_equal(w, empty)
    put(game.rules, game.start(), w, 0, 0, 1)
    assert (w != empty).any()


def chosen(text: str, position: Position, count: int = 300) -> set[int]:
    """All moves that an agent plays here with many random streams."""
    agent = make_agent(text)
    states = np.repeat(position.state[None], count, axis=0)
    before = states.copy()
    memory = np.zeros((count, agent.memory(position.game)), np.int16)
    actions = agent.act(position.game, states, streams(11, 0, count), memory)
    np.testing.assert_array_equal(states, before)
    return set(actions.tolist())


@pytest.mark.parametrize(("name", "options"), GAMES, ids=IDS)
def test_greedy_by_its_definition(name: str, options: dict[str, int | str]) -> None:
    game = games.make(name, **options)
    sets = lines(game)
    draw = random.Random(2)
    for _ in range(25):
        position = random_position(game, draw, 0, game.n_cells - 2)
        cells, seat, legal = position.cells.tolist(), position.to_move, position.legal_actions().tolist()
        wins = {cell for cell in legal if score(cells, seat, cell, sets) >= WIN}
        others = set(range(game.players)) - {seat}
        stops = {cell for cell in legal if any(score(cells, other, cell, sets) >= WIN for other in others)}
        most = max(score(cells, seat, cell, sets) for cell in legal)
        best = {cell for cell in legal if score(cells, seat, cell, sets) == most}
        assert chosen("greedy", position) == (wins or stops or best), position.text


@pytest.mark.parametrize("text", ["greedy", "lookahead:1", "lookahead:2", "lookahead:3"])
def test_nobody_plays_a_forbidden_point(text: str) -> None:
    """In renju, even where forbidden points are legal and lose; by winning sets alone e5 would be chosen."""
    two_twos = "o7o/9/4x4/4x4/2xx5/9/9/9/o7o x 8 -"
    for forbidden in ("mask", "lose"):
        position = Position.from_text(games.make("renju", size=9, forbidden=forbidden), two_twos)
        for action in chosen(text, position):
            outcome = position.play(action).outcome
            assert outcome is None, position.play(action).text
    freestyle = Position.from_text(games.make("gomoku", size=9), two_twos)
    assert {freestyle.play(action).last_move for action in chosen("greedy", freestyle)} == {"e5"}


def minimax(
    cells: list[int],
    seat: int,
    root: int,
    left: int,
    ply: int,
    path: int,
    sets: Sets,
    players: int,
) -> int:
    """The value of a position without any pruning; all others play against `root`."""
    free = [cell for cell, owner in enumerate(cells) if owner < 0]
    sign = 1 if seat == root else -1
    if not free or left == 0:
        return path
    values = []
    for cell in free:
        gain = score(cells, seat, cell, sets)
        if gain >= WIN // 2:
            return sign * (WIN - ply - 1)
        after = cells.copy()
        after[cell] = seat
        values.append(minimax(after, (seat + 1) % players, root, left - 1, ply + 1, path + sign * gain, sets, players))
    return max(values) if sign > 0 else min(values)


@pytest.mark.parametrize(
    ("name", "options", "depth", "count"),
    [
        ("tictactoe", {}, 2, 20),
        ("tictactoe", {}, 4, 6),
        ("gomoku", {"size": 5}, 2, 4),
        ("gomoku", {"size": 6, "rule": "exact"}, 2, 2),
        ("amoba", {"board": "#..#/..../..../#..#", "patterns": "3 exact,x.x/.x.", "players": 3}, 3, 5),
    ],
)
def test_lookahead_is_minimax(name: str, options: dict[str, int | str], depth: int, count: int) -> None:
    game = games.make(name, **options)
    sets = lines(game)
    draw = random.Random(depth)
    for _ in range(count):
        position = random_position(game, draw, 0, game.n_cells - 2)
        cells, seat = position.cells.tolist(), position.to_move
        values = {}
        for cell in position.legal_actions().tolist():
            gain = score(cells, seat, cell, sets)
            after = cells.copy()
            after[cell] = seat
            won = gain >= WIN // 2
            then = minimax(after, (seat + 1) % game.players, seat, depth - 1, 1, gain, sets, game.players)
            values[cell] = WIN - 1 if won else then
        best = max(values.values())
        expected = {cell for cell, value in values.items() if value == best}
        assert chosen(f"lookahead:{depth}", position) == expected, position.text


@pytest.mark.parametrize("depth", [2, 9])
@pytest.mark.parametrize("seat", [0, 1])
def test_lookahead_never_loses_tictactoe(depth: int, seat: int) -> None:
    """Against an opponent who tries every move; every tie of the player is followed, so all its games are covered."""
    game = games.make("tictactoe")
    level = [Position.start(game)]
    ended = 0
    while level:
        following: dict[bytes, Position] = {}
        for position in level:
            own_turn = position.to_move == seat
            for action in chosen(f"lookahead:{depth}", position, 60) if own_turn else position.legal_actions().tolist():
                after = position.play(action)
                following[after.state.tobytes()] = after
        level = []
        for position in following.values():
            if position.over:
                ended += 1
                assert position.state[st.STATUS] != 1 - seat, position.text
            else:
                level.append(position)
    assert ended > 10


@pytest.mark.plain
@pytest.mark.parametrize(
    "text",
    ["greedy", "lookahead:1", "lookahead:3", "alphabeta:nodes=30", "alphabeta:depth=2", "alphabeta:ms=5", "mcts:200"],
)
def test_tictactoe_by_hand(text: str) -> None:
    winning = Position.from_moves(games.make("tictactoe"), "a3 b3 a2 b2 c1 c3")
    assert {winning.play(action).last_move for action in chosen(text, winning, 3)} == {"a1"}
    losing = Position.from_moves(games.make("tictactoe"), "a3 b2 a2")
    if text != "lookahead:1":
        assert {losing.play(action).last_move for action in chosen(text, losing, 3)} == {"a1"}


@pytest.mark.plain
@pytest.mark.parametrize(
    ("text", "players", "board"),
    [
        ("greedy", 2, "x1x2/4/5 x"),  # completes its own shape
        ("lookahead:1", 2, "x1x2/4/5 x"),
        ("greedy", 3, "v1v2/4/5 x"),  # stops the player before it, two turns ahead
        ("lookahead:3", 3, "v1v2/4/5 x"),
    ],
)
def test_shapes_by_hand(text: str, players: int, board: str) -> None:
    game = games.make("amoba", board="...../..#../.....", patterns="x.x/x..", players=players)
    position = Position.from_text(game, board)
    assert {position.play(action).last_move for action in chosen(text, position, 3)} == {"a2"}
