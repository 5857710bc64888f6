"""Halma's players: the worked example of the thesis, and the search against its definition."""

import numpy as np
import pytest
from effort import cases
from halma_positions import (
    RED_MEN,
    all_home,
    defined_best,
    moved,
    own,
    point,
    positions_of,
    some_positions,
    turn_to,
)

from amoba_agents import Seat, make_agent
from amoba_agents.halma.plan import all_best
from amoba_env import Position, games
from amoba_env.core import rules as ru

ALL_HOME = 8  # distance with all men home; the thesis shows distances less this
NOTHING = np.zeros(0, np.int16)


def best_moves(position: Position, depth: int, greedy: bool = False) -> tuple[set[int], int]:
    out = np.zeros(position.game.rules[ru.MEN] * position.game.n_cells, np.int32)
    count, value = all_best(position.game.rules, position.state.copy(), NOTHING, depth, greedy, out)
    return set(out[:count].tolist()), value


# --- the worked example ------------------------------------------------------------------------------------------


def ordered(position: Position, men: list[tuple[int, int]]) -> list[tuple[int, tuple[int, int], int]]:
    """Moves in the thesis's order: man, row of the target, column. (man, target, action)."""
    found = []
    for action in position.legal_actions().tolist():
        origin, to = divmod(action, position.game.n_cells)
        x, y = point(position.game, to)
        found.append((men.index(point(position.game, origin)), (y, x), action))
    return [(man, (x, y), action) for man, (y, x), action in sorted(found)]


@pytest.mark.plain
def test_red_plans() -> None:
    start = Position.start(games.make("halma"))
    moves = ordered(start, RED_MEN)
    found, value = best_moves(start, 1)
    assert (found, value - ALL_HOME) == ({moves[i][2] for i in (0, 1, 2, 3)}, 30)
    found, value = best_moves(start, 2)
    assert (found, value - ALL_HOME) == ({moves[i][2] for i in (5, 11)}, 27)


def test_reply_of_white() -> None:
    start = Position.start(games.make("halma"))
    position = start.play(ordered(start, RED_MEN)[5][2])
    assert position.to_move == 1
    ways = []
    for first in position.legal_actions().tolist():
        again = turn_to(position.play(first), 1)
        ways += [again.play(second).distance(1) - ALL_HOME for second in again.legal_actions().tolist()]
    assert min(ways) == 25
    assert ways.count(25) == 2
    assert best_moves(position, 2)[1] - ALL_HOME == 25


# --- the search against its definition ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("depth", "count"), [(1, 300), pytest.param(2, 60, id="depth2"), pytest.param(3, 4, id="depth3")]
)
@pytest.mark.parametrize("players", [3, 2])
def test_search_finds_what_the_definition_says(players: int, depth: int, count: int) -> None:
    for position in some_positions(players, cases(count), seed=depth):
        assert best_moves(position, depth) == defined_best(position, depth, greedy=False), position.text


LARGER = [
    ("chinese_checkers", {"players": 6}),
    ("chinese_checkers", {"players": 2, "men": 15}),
    ("square_halma", {"size": 8, "players": 2}),
    ("square_halma", {"directions": 4}),
    ("square_halma", {"size": 16, "players": 2}),
    ("square_halma", {"size": 16, "players": 2, "directions": 4}),
]


@pytest.mark.parametrize(("name", "options"), LARGER, ids=str)
def test_search_on_larger_boards(name: str, options: dict[str, int]) -> None:
    game = games.make(name, **options)
    for depth, count in ((1, 20), (2, 3)):
        for position in positions_of(game, count, seed=depth, plies=60 * game.players):
            assert best_moves(position, depth) == defined_best(position, depth, greedy=False), position.text


def test_greedy_leaves_the_least_distance() -> None:
    for position in some_positions(3, cases(300), seed=9):
        assert best_moves(position, 1, greedy=True) == defined_best(position, 1, greedy=True), position.text


@pytest.mark.plain
def test_arriving_earlier_is_better() -> None:
    game = games.make("halma")
    # Red has one man left to bring home: one step does it. Any line that arrives before the last move is worth 0.
    position = Position.from_text(game, "r/rr/2rr3/3r2/wwggg/wwwwgg/1g5/2/1 r 60")
    assert position.distance(0) > ALL_HOME
    for depth in (2, 3):
        assert best_moves(position, depth)[1] == 0
        assert best_moves(position, depth) == defined_best(position, depth, greedy=False)


def test_deeper_searches_agree_with_themselves() -> None:
    """Depth 4 by one search, and by a depth 3 search below each first move."""
    for position in some_positions(3, 3, seed=77):
        seat, distance = position.to_move, position.distance(position.to_move)
        values = {}
        for move in own(position, seat):
            below = moved(position, seat, move)
            home = all_home(below, seat)
            values[move] = 0 if home else min(distance, best_moves(turn_to(below, seat), 3)[1])
        best = min(values.values())
        assert best_moves(position, 4) == ({move for move, found in values.items() if found == best}, best)


# --- ties ---------------------------------------------------------------------------------------------------------


def shares(text: str, position: Position, count: int = 20_000) -> dict[int, float]:
    from amoba_env.core.rng import streams

    agent = make_agent(text)
    states = np.repeat(position.state[None], count, axis=0)
    actions = agent.act(
        position.game, states, streams(5, 0, count), np.zeros((count, agent.memory(position.game)), np.int16)
    )
    moves, times = np.unique(actions, return_counts=True)
    return dict(zip(moves.tolist(), (times / count).tolist(), strict=True))


def test_uniform_and_thesis_ties() -> None:
    start = Position.start(games.make("halma"))
    tied = [action for _, _, action in ordered(start, RED_MEN)[:4]]
    uniform, thesis = shares("lookahead:1", start), shares("lookahead:1,ties=thesis", start)
    for action, expected in zip(tied, (0.7**3, 0.3 * 0.49, 0.3 * 0.7, 0.3), strict=True):
        assert uniform[action] == pytest.approx(0.25, abs=0.015)
        assert thesis[action] == pytest.approx(expected, abs=0.015)


@pytest.mark.plain
def test_the_numbers_of_the_men_are_remembered() -> None:
    game = games.make("halma")
    agent = make_agent("lookahead:1,ties=thesis")
    position = Position.start(game)
    men = ru.table(game.rules, ru.HOMES)[0].tolist()
    states, memory = position.state[None].copy(), np.zeros((1, 6), np.int16)
    from amoba_env.core.rng import streams

    rng = streams(3, 0, 1)
    for _ in range(8):
        action = int(agent.act(game, states, rng, memory)[0])
        origin, to = divmod(action, game.n_cells)
        men[men.index(origin)] = to
        assert (memory[0] - 1).tolist() == men
        position = turn_to(Position(game, states[0]).play(action), 0)
        states = position.state[None].copy()


def test_a_seat_plays_a_whole_game() -> None:
    position = Position.start(games.make("halma"))
    seats = [Seat(make_agent(text), position, seed) for seed, text in enumerate(("greedy", "lookahead:2", "random"))]
    while not position.over:
        position = position.play(seats[position.to_move].act(position))
    assert position.outcome is not None
    assert position.outcome.ending == "goal"
