"""The player `endgame`: its table of distances, its values and its search, on a small star and on halma's board."""

import numpy as np
import pytest
from effort import cases
from halma_positions import all_home, men_of, moves_needed, needed, positions_of, small
from naive import NaiveHalma
from naive_data import referee_of

from amoba_agents.endgame import race_search, race_tables
from amoba_agents.endgame import race_value as worth
from amoba_agents.players.endgame_player import Endgame
from amoba_env import Position, games
from amoba_env.core import rules as ru
from amoba_env.core.rng import streams
from amoba_env.games import Game
from amoba_experiments import Match, play_match

WON = race_search.WIN // 2


def one_move_later(game: Game, men: set[int]) -> list[set[int]]:
    """Where men can stand after a move, if nobody else is on the board."""
    slow = referee_of(game)
    assert isinstance(slow, NaiveHalma)
    slow.owner = {slow.board[man]: 0 for man in men}
    ways = [(man, to) for man in slow.owner for to in slow.steps(man) | slow.jumps(man)]
    return [men - {slow.number[man]} | {slow.number[to]} for man, to in ways]


def check_distances(game: Game, count: int) -> None:
    """A placing needs one move more than the best one that it can become; only the goal needs none."""
    for position in positions_of(game, count, seed=3, plies=40):
        for seat in range(2):
            found = moves_needed(position, seat)
            assert (found == 0) == all_home(position, seat)
            if found:
                after = [needed(game, men, seat) for men in one_move_later(game, men_of(position, seat))]
                assert found == 1 + min(after)


@pytest.mark.plain
def test_distances_on_a_small_star() -> None:
    check_distances(small(), cases(100))


def test_distances_of_halma() -> None:
    game = games.make("halma", players=2)
    check_distances(game, 60)
    found = race_tables.tables_for(game.rules).distances
    assert len(found) == 2_324_784
    assert found.max() < race_tables.UNKNOWN  # there is always a way
    assert (found == 0).sum() == 1


def value(position: Position, root: int, own_turn: bool) -> int:
    """What the search for `root` says of a position at its end, from its definition, to the side to move."""
    goals, other = ru.table(position.game.rules, ru.GOALS), 1 - root
    needs = [moves_needed(position, seat) for seat in range(2)]
    if needs[root] < worth.NEAR and (position.cells[goals[root]] == other).any():
        needs[root] = 2 * worth.NEAR + 1 - needs[root]
    ahead = needs[other] - needs[root]
    steps = position.distance(other) - position.distance(root)
    sign = 1 if own_turn else -1
    race = (worth.RACE if sign * ahead >= 0 else -worth.RACE) if is_race(position) else 0
    return sign * (ahead * worth.MOVE_VALUE + steps) + worth.TEMPO + race


def is_race(position: Position) -> bool:
    table = ru.table(position.game.rules, ru.STEPS)
    men = [np.flatnonzero(position.cells == seat) for seat in range(2)]
    return all(table[seat][men[seat]].max() < table[seat][men[1 - seat]].min() for seat in range(2))


def minimax(position: Position, depth: int, ply: int, root: int) -> int:
    """What a position is worth to the side to move."""
    if position.outcome is not None:
        return ply - race_search.WIN  # the other side just came home
    if depth == 0:
        return value(position, root, position.to_move == root)
    actions = position.legal_actions().tolist()
    return max(-minimax(position.play(action), depth - 1, ply + 1, root) for action in actions)


@pytest.mark.parametrize("size", [pytest.param("small", marks=pytest.mark.plain), "halma"])
def test_shallow_searches_are_minimax(size: str) -> None:
    """To a depth of 2 nothing is left out."""
    game = small() if size == "small" else games.make("halma", players=2)
    for position in positions_of(game, cases(8) if size == "small" else 3, seed=5, plies=30):
        for depth in (1, 2):
            actions, values = Endgame(depth=depth).think(game, position.state[None], streams(1, 0, 1))
            expected = minimax(position, depth, 0, position.to_move)
            if abs(expected) < WON:
                assert values[0] == expected
                after = position.play(int(actions[0]))
                assert -minimax(after, depth - 1, 1, position.to_move) == expected
            else:  # which of several wins is found first does not matter
                assert (values[0] > 0) == (expected > 0)


@pytest.mark.parametrize("players", [pytest.param(2, marks=pytest.mark.plain), 3])
def test_the_same_seed_gives_the_same_moves_alone_and_in_a_batch(players: int) -> None:
    game = small() if players == 2 else games.make("halma")
    states = np.array([position.state for position in positions_of(game, 8, seed=1, plies=10)])
    player = Endgame(nodes=60 if players == 2 else 3000)
    together, _ = player.think(game, states, streams(4, 0, 8))
    apart = [player.think(game, states[i : i + 1], streams(4, i, 1))[0][0] for i in range(8)]
    assert together.tolist() == apart
    assert all(Position(game, state).is_legal(int(action)) for state, action in zip(states, together, strict=True))


@pytest.mark.parametrize(("players", "nodes", "share"), [(2, 200, 2 / 3), (3, 3000, 1 / 3)])
def test_stronger_than_looking_ahead(players: int, nodes: int, share: float) -> None:
    agents = (f"endgame:nodes={nodes}", *["lookahead:2"] * (players - 1))
    match = Match("halma", agents, 24, options={"players": players, "max_plies": 200}, openings=("random:4",))
    played = play_match(match)
    wins = [(played.winner == seat).sum() for seat in range(players)]
    assert wins[0] > share * sum(wins)


def test_most_games_against_a_player_who_waits_are_won() -> None:
    """It does not keep a man in the other's goal for ever, so few games reach the limit of plies."""
    match = Match(
        "halma", ("endgame:nodes=1000", "maxn:3"), 8, options={"players": 2, "max_plies": 120}, openings=("random:4",)
    )
    played = play_match(match)
    assert sum(played.winner == np.argmin(played.seating, axis=1)) >= 5


def test_a_search_of_one_position_proves_nothing() -> None:
    game = games.make("halma", players=2)
    (value,) = Endgame(nodes=1).think(game, game.batch(1), streams(0, 0, 1))[1]
    assert abs(value) < 1000
