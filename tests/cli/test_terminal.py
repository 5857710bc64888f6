"""Whole games at the terminal: who plays, who wins, what is shown."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from sessions import GOMOKU, HALMA, TICTACTOE, Scripted, Session, by_hints, carelessly

from amoba_agents import make_agent
from amoba_env import games, notation
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core import rules as ru
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_experiments.people.terminal import STYLES


def test_tictactoe_won() -> None:
    session = Session(TICTACTOE, ["a1", "b1", "c1"], [Scripted("a1 a3 b1 b3")])
    assert session.replies[0].startswith("You are black (x); white (o) is scripted.")
    assert session.replies[1] == (
        "white plays a3\n\n3(o). .\n2 . . .\n1 x . .\n  a b c\nblack (x) to move, 2 moves played: your turn\n"
    )
    assert "white plays" not in session.replies[3]
    assert session.replies[3].endswith("\nblack (x) won after 5 moves (line): you win\n")


def test_the_agent_begins() -> None:
    session = Session(TICTACTOE, ["a3"], [Scripted("b2 a3 c3")], seat=1)
    assert session.replies[0].startswith("You are white (o); black (x) is scripted.")
    assert "\nblack plays b2\n" in session.replies[0]
    assert session.replies[0].endswith("white (o) to move, 1 move played: your turn\n")
    assert session.replies[1].startswith("black plays c3\n")


def test_the_second_seat_begins() -> None:
    assert Session(TICTACTOE, [], seat=1, first=1).replies[0].endswith("white (o) to move, 0 moves played: your turn\n")


DRAWN = "c3 b3 b2 d4 b4 d2 d3 c4 c2 a2 e4 e3 a4 a3 b5 b1 d1 d5 a1 e5 c5 c1 e1 a5 e2"
FIVE, TRUNCATED = games.make("gomoku", size=5), games.make("halma", max_plies=4)
SHORT = games.make("halma", max_plies=2, players=2, adjudicate=True)


@pytest.mark.parametrize(
    ("game", "lines", "script", "result"),
    [
        (TICTACTOE, "a1 b1 a2", "a1 a3 b1 b3 a2 c3", "white (o) won after 6 moves (line): you lose"),
        (TICTACTOE, "a3 c3 a2 b1 c1", "a3 b3 c3 b2 a2 a1 b1 c2", "draw after 9 moves (full board)"),
        (GOMOKU, "a1 b1 c1 d1 e1", "a1 a10 b1 b10 c1 c10 d1 d10", "black (x) won after 9 moves (line): you win"),
        (FIVE, " ".join(DRAWN.split()[::2]), DRAWN, "draw after 25 moves (full board)"),
        (TRUNCATED, "g3-f4 f4-e5", "", "no result after 4 moves (max plies)"),
        (SHORT, "e3-d4", "- k7-i5", "white (w) won after 2 moves (distance): you lose"),
        (SHORT, "e3-d4", "- j6-i5", "draw after 2 moves (distance)"),
    ],
)
def test_results(game: Game, lines: str, script: str, result: str) -> None:
    session = Session(game, lines.split(), [Scripted(script)] if script else "random")
    assert session.last_status() == result


@pytest.mark.parametrize(
    ("game", "against", "goes_on", "result"),
    [
        (GOMOKU, "greedy", carelessly, r"white \(o\) won after \d+ moves \(line\): you lose"),
        (HALMA, "random", by_hints, r"red \(r\) won after \d+ moves \(goal\): you win"),
        (games.make("halma", players=2), "random", by_hints, r"red \(r\) won after \d+ moves \(goal\): you win"),
        (HALMA, "greedy", carelessly, r"(white \(w\)|green \(g\)) won after \d+ moves \(goal\): you lose"),
    ],
)
def test_results_of_long_games(game: Game, against: str, goes_on: Callable[[Session], str], result: str) -> None:
    assert re.fullmatch(result, Session(game, [], against, goes_on=goes_on).last_status())


# The seats.


def test_three_seats_and_two_agents() -> None:
    session = Session(HALMA, [], [make_agent("random"), make_agent("greedy")], seat=1)
    assert session.replies[0].startswith("You are white (w); red (r) is random, green (g) is greedy.")
    assert "green plays" not in session.replies[0]
    session = Session(HALMA, [], seat=2)
    assert re.search(r"\nred plays \S+\nwhite plays \S+\n\n", session.replies[0])


def test_four_seats_on_a_board_with_a_hole() -> None:
    game = games.make("amoba", board=".../.#./...", patterns="xxx", players=4)
    session = Session(game, ["b3", "c3"], [Scripted("a3 b3 a1 b1 a2 c3 c2 c1")], seat=1)
    assert session.replies[0].startswith("You are white (o); black (x) is scripted, red (v) is scripted, blue (z) is")
    assert "red plays a1\nblue plays b1\nblack plays a2\n\n3 x o .\n2(x)  .\n1 v z .\n  a b c\n" in session.replies[1]
    assert all(color in STYLES for color in game.colors)


def test_halma_tells_the_goal() -> None:
    assert "\nBring your men to g9, f8, h8, e7, g7, i7.\n" in Session(HALMA, []).replies[0]


@pytest.mark.parametrize(
    ("game", "seat", "count", "message"),
    [
        (TICTACTOE, 2, 1, "expected a seat of tictactoe, 0..1, got 2"),
        (HALMA, -1, 1, "expected a seat of halma, 0..2, got -1"),
        (TICTACTOE, 0, 2, "agents: expected 1 for the other seats of tictactoe, got 2"),
        (HALMA, 0, 3, "agents: expected 1 or 2 for the other seats of halma, got 3"),
    ],
)
def test_wrong_seats(game: Game, seat: int, count: int, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Session(game, [], [make_agent("random")] * count, seat=seat)


class Listener(Agent):
    """Keeps the random streams it was given."""

    name = "listener"

    def __init__(self) -> None:
        self.heard: list[int] = []

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        self.heard.append(int(rng[0]))
        return make_agent("random").act(game, states, rng, memory)


def test_every_seat_and_game_has_its_own_random_stream() -> None:
    agent = Listener()
    Session(HALMA, ["e3-d4", "new", "e3-d4", "new", "e3-d4"], [agent])
    assert len(agent.heard) == len(set(agent.heard)) == 6


def test_the_same_seed_gives_the_same_game() -> None:
    lines = ["e3-d4", "new", "e3-d4"]
    assert Session(HALMA, lines, seed=7).replies == Session(HALMA, lines, seed=7).replies
    assert Session(HALMA, lines, seed=7).replies != Session(HALMA, lines, seed=8).replies


def test_an_illegal_move_of_an_agent_loses() -> None:
    session = Session(TICTACTOE, ["b2", "undo"], [Scripted([0, 4])])
    assert session.replies[1].startswith("white plays no legal move (4)\n")
    assert session.replies[1].endswith("\nblack (x) won after 1 move (illegal): you win\n")
    assert session.replies[2].endswith("black (x) to move, 0 moves played: your turn\n")
    assert Session(HALMA, ["e3-d4"], [Scripted([0, -1])]).last_status().startswith("white (w) lost after 1 move")


def test_who_cannot_move_is_skipped() -> None:
    # Green has men in two corners, all shut in.
    rules = HALMA.rules.copy()
    walled = notation.parse_position(HALMA, "g/gg/gggrr2/rwrrr1/www2/6/7/ww/1 w 0 -")
    ru.table(rules, ru.START)[:] = walled
    session = Session(replace(HALMA, rules=rules), [], [Scripted("f2-g1")], first=1)
    assert "\nwhite plays f2-g1\ngreen cannot move\n\n9" in session.replies[0]
    assert session.last_status() == "red (r) to move, 1 move played: your turn"
