"""Levels: mistakes are next-best moves and as frequent as stated; the games do not depend on batches and threads."""

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from simple_scores import lines, score
from walks import random_position

from amoba_agents import Seat, make_agent
from amoba_agents.players import levels
from amoba_agents.players.levels import LEVELS, kind
from amoba_agents.players.mistakes import NEXT, make_mistakes
from amoba_agents.values.line_scores import WIN
from amoba_env import Position, games
from amoba_env.core import state as st
from amoba_env.core.rng import streams

PLAYED = [
    ("tictactoe", {}, "tictactoe"),
    ("gomoku", {"size": 15, "rule": "exact"}, "placing, two players"),
    ("gomoku", {"opening": "swap2"}, "placing, two players"),
    ("renju", {}, "placing, two players"),
    ("amoba", {"board": "islands", "players": 4}, "placing, three or more players"),
    ("halma", {"players": 2}, "halma, two players"),
    ("square_halma", {"players": 2}, "moving, two players"),
    ("halma", {}, "moving, three or more players"),
    ("chinese_checkers", {"players": 6}, "moving, three or more players"),
    ("square_halma", {}, "moving, three or more players"),
]
GAMES = [
    ("tictactoe", {}),
    ("gomoku", {"size": 7}),
    ("renju", {"size": 9}),
    ("amoba", {"board": "hexagon", "patterns": "4,xx./.xx", "players": 3}),
    ("halma", {}),
    ("square_halma", {}),
]
BLUNDERING = 200  # mistakes seen at a position: each of a few moves among them


def worth(position: Position) -> dict[int, float]:
    """The value of each legal move for a player who does not look ahead."""
    seat, game, cells = position.to_move, position.game, position.cells.tolist()
    values: dict[int, float] = {}
    sets = [] if game.moves_men else lines(game)
    for action in position.legal_actions().tolist():
        after = position.play(action)
        if after.outcome is not None and after.outcome.winner == seat:
            values[action] = float("inf")
        elif game.moves_men:
            values[action] = position.distance(seat) - after.distance(seat)
        elif any(score(cells, other, action, sets) >= WIN for other in range(game.players) if other != seat):
            values[action] = WIN
        else:
            values[action] = score(cells, seat, action, sets)
    return values


def next_best(values: dict[int, float]) -> set[int]:
    """By the definition of mistakes.py."""
    best = max(values.values())
    less = sorted((value for value in values.values() if 0 <= value < best), reverse=True)
    if best == float("inf") or not less:
        return set()
    bar = less[min(NEXT, len(less)) - 1]
    return {action for action, value in values.items() if bar <= value < best}


def mistakes_at(position: Position, percent: int, count: int) -> Counter[int]:
    actions = np.empty(count, np.int32)
    states = np.repeat(position.state[None], count, axis=0)
    make_mistakes(position.game.rules, states, streams(4, 0, count), percent, actions)
    assert (states == position.state).all()
    return Counter(actions.tolist())


@pytest.mark.parametrize(("name", "options"), GAMES, ids=[name for name, _ in GAMES])
def test_mistakes_by_their_definition(name: str, options: dict[str, int | str]) -> None:
    game, draw = games.make(name, **options), random.Random(1)
    for _ in range(12):
        position = walk(game, draw) if game.moves_men else random_position(game, draw, 0, game.n_cells - 2)
        expected = next_best(worth(position))
        found = set(mistakes_at(position, 100, BLUNDERING))
        if len(expected) <= 12:
            assert found == (expected or {st.NOWHERE}), position.text
        assert found <= (expected or {st.NOWHERE}), position.text


@pytest.mark.plain
def test_small_mistakes() -> None:
    """Also in plain Python: where stones are placed, and where men move."""
    tictactoe = games.make("tictactoe")
    texts = ("xo1/1x1/2o x 4", "xo1/3/3 x 2")
    for position in (*(Position.from_text(tictactoe, text) for text in texts), Position.start(games.make("halma"))):
        assert set(mistakes_at(position, 100, 60)) == (next_best(worth(position)) or {st.NOWHERE}), position.text


def walk(game: games.Game, draw: random.Random) -> Position:
    """A position from a game of greedy players, near the end too."""
    position = Position.start(game)
    seats = [Seat(make_agent("greedy"), position, draw.randrange(99)) for _ in range(game.players)]
    for _ in range(draw.randrange(120)):
        after = position.play(seats[position.to_move].act(position))
        if after.over:
            break
        position = after
    return position


@pytest.mark.plain
def test_a_win_is_never_overlooked() -> None:
    one_to_go = Position.from_text(games.make("tictactoe"), "xx1/oo1/3 x 4")
    assert mistakes_at(one_to_go, 100, 9) == {st.NOWHERE: 9}
    for level in range(1, 11):
        assert one_to_go.play(Seat(make_agent(f"level:{level}"), one_to_go).act(one_to_go)).over
    one_to_stop = Position.from_text(games.make("tictactoe"), "xx1/o2/3 o 3")
    assert set(mistakes_at(one_to_stop, 100, 99)) <= {one_to_stop.game.n_cells - 9 + cell for cell in (4, 5, 6, 7, 8)}


def test_as_many_mistakes_as_are_said() -> None:
    position = Position.from_moves(games.make("gomoku"), "e5 f6")
    for percent in (0, 5, 60, 100):
        share = 1 - mistakes_at(position, percent, 4000)[st.NOWHERE] / 4000
        assert abs(share - percent / 100) <= 4 * (percent * (100 - percent) / 4000) ** 0.5 / 100


def test_the_kind_of_a_game_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(levels, "plays", lambda player, game: asked.append(game) or True)
    agent, game = make_agent("level:5"), games.make("amoba", board="5x5", patterns="4")
    for _ in range(3):
        agent.memory(game)
    assert len(asked) == 1


@pytest.mark.parametrize(("name", "options", "expected"), PLAYED)
def test_every_game_has_ten_levels(name: str, options: dict[str, int | str], expected: str) -> None:
    game = games.make(name, **options)
    assert kind(game) == expected
    position = Position.start(game)
    for level in (1, 9):
        agent = make_agent(f"level:{level}")
        assert agent.name == f"level:{level}"
        assert position.is_legal(Seat(agent, position).act(position))


def test_the_table_of_levels() -> None:
    for each in LEVELS.values():
        assert len(each) == 10
        assert len({player.name for player in each}) == 10
        for player, above in pairwise(each):  # who is the same errs less
            assert player.agents[0].name != above.agents[0].name or player.percent > above.percent
        assert each[-1].percent == 0
