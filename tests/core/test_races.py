"""The halma family: boards, seats and distances, whole games against the slow referee, spoiling."""

import numpy as np
import pytest
from both import SEEDS, anything, both, forward
from effort import cases
from hypothesis import given, settings
from hypothesis import strategies as hs
from naive import NaiveHalma, Point, race

from amoba_env import Position, games
from amoba_env.core import endings as en
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.rules import table
from amoba_env.games import Game
from amoba_env.options import Value
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match

Options = dict[str, Value]

STARS: list[tuple[str, Options]] = [
    ("chinese_checkers", {"players": players, "men": men})
    for players, men in ((2, 10), (3, 10), (4, 10), (6, 10), (2, 15), (3, 15))
]
SQUARES: list[tuple[str, Options]] = [
    ("square_halma", {"size": size, "players": players, "directions": directions})
    for size, players in ((8, 2), (10, 2), (10, 4), (16, 2), (16, 4))
    for directions in (8, 4)
]
HALMA: list[tuple[str, Options]] = [("halma", {"players": 2}), ("halma", {"players": 3})]
RACES = HALMA + STARS + SQUARES


every_race = pytest.mark.parametrize(
    ("name", "options"), RACES, ids=[f"{name}{tuple(options.values())}" for name, options in RACES]
)


def points(game: Game, cells: np.ndarray) -> set[Point]:
    return {(x, y) for x, y in game.board.coords[cells].tolist()}


def view(game: Game, seat: int) -> list[Point]:
    """Where `seat` sees each cell: the board is turned round its centre until the seat's goal is where seat 0's is."""
    slow = race(game.name, game.options)
    points = sorted(slow.board, key=lambda point: (point[1], point[0]))
    x, y = (sum(numbers) / len(points) for numbers in zip(*points, strict=True))
    height = 1 if game.board.neighbor.shape[1] != 6 else 3**0.5  # of a row; the grid of a star has double width

    def from_centre(point: Point) -> complex:
        return complex(point[0] - x, (y - point[1]) * height)

    turn = sum(map(from_centre, slow.goals[0])) / sum(map(from_centre, slow.goals[seat]))
    seen = [from_centre(point) * turn for point in points]
    return [(round(place.real + x), round(y - place.imag / height)) for place in seen]


# --- Seats ------------------------------------------------------------------------------------------------------


@every_race
def test_homes_goals_and_distances(name: str, options: Options) -> None:
    game = games.make(name, **options)
    slow = race(name, game.options)
    assert sorted(slow.board, key=lambda point: (point[1], point[0])) == list(map(tuple, game.board.coords.tolist()))
    for seat in range(game.players):
        home = [(x, y) for x, y in game.board.coords[table(game.rules, ru.HOMES)[seat]].tolist()]
        assert home == slow.men[seat] or (name != "halma" and set(home) == set(slow.men[seat]))  # halma numbers its men
        assert points(game, table(game.rules, ru.GOALS)[seat]) == set(slow.goals[seat])
        steps = table(game.rules, ru.STEPS)[seat].tolist()
        assert {(x, y): far for (x, y), far in zip(game.board.coords.tolist(), steps, strict=True)} == slow.left[seat]


@pytest.mark.parametrize(
    ("name", "options", "moves", "distance"),
    [
        # 8 steps and 6 jumps; 1 x 8, 2 x 7, 3 x 6 steps to go.
        ("halma", {}, 14, 40),
        # 4 men of the front row have 2 steps each, 3 of the second 2 jumps; 1 x 16, 2 x 15, 3 x 14, 4 x 13 steps to go.
        ("chinese_checkers", {}, 14, 140),
        ("chinese_checkers", {"players": 6}, 14, 140),
        # Rows of 5 and 4, and at each end a step and a jump sideways; 5 x 12 more.
        ("chinese_checkers", {"men": 15}, 22, 200),
        # 10 x 18 less 1 x 0, 2 x 1, 3 x 2, 4 x 3.
        ("square_halma", {"directions": 4}, 14, 160),
        # 10 steps and 10 jumps; 19 x 30 less 10, 15, 14, 12, 9 row by row.
        ("square_halma", {"size": 16, "players": 2, "directions": 4}, 20, 510),
    ],
)
def test_facts(name: str, options: Options, moves: int, distance: int) -> None:
    position = Position.start(games.make(name, **options))
    assert (len(position.legal_actions()), position.distance(0)) == (moves, distance)


@every_race
def test_seats_are_alike(name: str, options: Options) -> None:
    """Turned, every seat stands, runs and sees as the first."""
    game = games.make(name, **options)
    board, rules = game.board, game.rules
    for seat in range(game.players):
        turn, back = table(rules, ru.VIEW)[seat], table(rules, ru.BACK)[seat]
        assert [tuple(point) for point in board.coords[turn].tolist()] == view(game, seat)
        assert turn[back].tolist() == back[turn].tolist() == list(range(game.n_cells))
        turned = np.where(board.neighbor == st.NOWHERE, st.NOWHERE, turn[board.neighbor])
        assert np.sort(turned, axis=1).tolist() == np.sort(board.neighbor[turn], axis=1).tolist()
        assert sorted(turn[table(rules, ru.HOMES)[seat]]) == sorted(table(rules, ru.HOMES)[0])
        assert sorted(turn[table(rules, ru.GOALS)[seat]]) == table(rules, ru.GOALS)[0].tolist()
        assert table(rules, ru.STEPS)[0][turn].tolist() == table(rules, ru.STEPS)[seat].tolist()
        x, y = board.coords[turn].T.astype(int)
        assert table(rules, ru.SITE)[seat].tolist() == (board.width * y + x).tolist()


# --- Games ------------------------------------------------------------------------------------------------------


@given(hs.sampled_from(RACES), hs.sampled_from([1, 2, 5, 12]), hs.booleans(), hs.booleans(), SEEDS)
@settings(max_examples=cases(40))
def test_first_moves(kind: tuple[str, Options], max_plies: int, adjudicate: bool, against: bool, seed: int) -> None:
    name, options = kind
    more = {"max_plies": max_plies, "adjudicate": adjudicate, "anti_spoiling": against}
    assert both(name, seed, **options, **more).walk(anything) == ("distance" if adjudicate else "max_plies")


@every_race
def test_to_the_goal(name: str, options: Options) -> None:
    pair = both(name, 1, **options, anti_spoiling=True, max_plies=2000)
    assert pair.walk(forward) == "goal"


@given(hs.sampled_from(RACES), hs.booleans(), SEEDS)
@settings(max_examples=cases(60))
def test_nearly_full_goals(kind: tuple[str, Options], against: bool, seed: int) -> None:
    name, options = kind
    pair = both(name, seed, **options, anti_spoiling=against, max_plies=8)
    dice, slow = pair.dice, pair.slow
    assert isinstance(slow, NaiveHalma)
    owner = {point: dice.randrange(slow.players) for point in dice.sample(slow.board, 5)}
    lucky = dice.randrange(slow.players)
    for seat, goal in enumerate(slow.race.goals):
        taken = dice.sample(goal, len(goal) - (1 if seat == lucky else 3))
        owner |= {point: seat if dice.random() < 0.8 else dice.randrange(slow.players) for point in taken}
        for point in set(goal) - set(taken):
            owner.pop(point, None)
    pair.set_up(owner, to_move=dice.randrange(slow.players))
    pair.walk(forward)


@pytest.mark.parametrize("agent", ["greedy", "lookahead:2"])
@every_race
def test_players_reach_the_goal(agent: str, name: str, options: Options) -> None:
    players = games.make(name, **options).players
    options = {**options, "anti_spoiling": True}
    played = play_match(Match(name, (agent,) * players, 20, seed=1, options=options), jobs=2)
    assert (played.ending == en.GOAL).mean() >= 0.75  # others end in a draw by max_plies
    assert len(np.unique(played.winner[played.winner >= 0])) == players


# --- Spoiling ---------------------------------------------------------------------------------------------------

# White has left a man at home. When red's k13 steps to l14, nine red men and that one fill the goal.
LEFT_AT_HOME = "w/rr/rrr/r1rr/5r7/5r6/11/10/9/10/11/12/6w6/www1/www/1w/w"


def red_arrives(anti_spoiling: bool) -> Position:
    game = games.make("chinese_checkers", anti_spoiling=anti_spoiling)
    return Position.from_text(game, LEFT_AT_HOME).play("k13-l14")


def test_a_man_left_at_home_does_not_help() -> None:
    position = red_arrives(anti_spoiling=True)
    assert position.outcome is not None
    assert (position.outcome.ending, position.outcome.winner, position.outcome.places) == ("goal", 0, (1, 2))
    assert set(position.outcome.cells) == set(range(10))


def test_without_the_rule_it_does() -> None:
    assert not red_arrives(anti_spoiling=False).over


@pytest.mark.plain
def test_going_back_home_loses() -> None:
    game = games.make("chinese_checkers", anti_spoiling=True)
    position = Position.from_text(game, LEFT_AT_HOME.replace("5r7", "5w7").replace("6w6", "6r6") + " w 0 -")
    after = position.play("k13-l14")
    assert after.outcome is not None
    assert after.outcome.winner == 0
