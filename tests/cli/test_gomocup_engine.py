"""Our players as an engine: conversations with a scripted manager, in this process and over pipes."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from gomocup_manager import Manager, cell, point
from hypothesis import given, settings
from hypothesis import strategies as st

from amoba_agents import AGENTS
from amoba_agents.players.random import Random
from amoba_env import Position, games, notation
from amoba_env.agent import Actions, Memory, Streams
from amoba_env.core.state import States
from amoba_env.games import Game

# --- Whole games --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["random", "greedy"])
@pytest.mark.parametrize(
    ("game", "start", "rule"),
    [
        (games.make("gomoku", size=6), "START 6", 0),
        (games.make("gomoku", size=7, rule="exact"), "START 7", 1),
        (games.make("renju", size=9), "START 9", 4),
        (games.make("amoba", board="6x9"), "RECTSTART 6,9", 0),
        (games.make("amoba", board="9x6"), "RECTSTART 9 , 6", 0),
    ],
)
def test_whole_games(agent: str, game: Game, start: str, rule: int) -> None:
    """Every answer is a legal move of the game, in several games of one conversation."""
    ask = Manager(agent)
    assert ask(start, f"INFO rule {rule}") == ["OK"]
    rng = np.random.default_rng(1)
    for number in range(4):
        position, ours = Position.start(game), number % 2
        command = "BEGIN"
        while not position.over:
            if position.to_move == ours:
                (answer,) = ask(command)
                move = cell(game, point(answer))
                assert position.is_legal(move), answer
            else:
                move = int(rng.choice(position.legal_actions()))
                x, y = game.board.coords[move]
                command = f"TURN {x},{y}"
            position = position.play(move)
        if position.to_move == ours and position.outcome is not None:
            assert ask(command) == ["ERROR the game is over"]
        assert ask("RESTART") == ["OK"]


@pytest.mark.parametrize("agent", ["random", "greedy"])
def test_positions_with_blocked_cells(agent: str) -> None:
    ask = Manager(agent)
    blocked = [(x, y) for x in range(5) for y in range(6) if (x + 2 * y) % 7 == 0 or x == 0]
    lines = [*(f"{x},{y},3" for x, y in blocked), "1,1,2", "2,1,1", "1,2,2"]
    assert ask("RECTSTART 5,6") == ["OK"]
    taken = {*blocked, (1, 1), (2, 1), (1, 2)}
    (answer,) = ask("BOARD", *lines, "DONE")
    while answer != "ERROR the game is over":
        assert point(answer) not in taken
        taken.add(point(answer))
        free = min({(x, y) for x in range(5) for y in range(6)} - taken)
        taken.add(free)
        (answer,) = ask("TURN {},{}".format(*free))
    assert len(taken) > 16


@pytest.mark.parametrize("rule", [0, 1])
def test_a_board_in_parts(rule: int) -> None:
    """The top row, the right column and one in the middle are blocked; four in a row have one end left."""
    ask = Manager("greedy")
    blocked = sorted({*((x, 0) for x in range(9)), *((5, y) for y in range(9)), *((8, y) for y in range(9))})
    ask("START 9", f"INFO rule {rule}")
    four = [*(f"{x},4,1" for x in (1, 2, 3, 4)), *(f"6,{y},2" for y in (1, 3, 5, 7))]
    assert ask("BOARD", *four, *("{},{},3".format(*at) for at in blocked), "DONE") == ["0,4"]


@pytest.mark.parametrize("start", ["START 9", "RECTSTART 9,10"])
@pytest.mark.parametrize("rule", [0, 1, 8, 9])
def test_it_sees_what_wins(rule: int, start: str) -> None:
    """Four stones are made five, six only where it wins, and in caro no five between two stones."""
    ask = Manager("greedy")
    assert ask(start, f"INFO rule {rule}") == ["OK"]
    four = [f"{x},4,1" for x in (0, 1, 2, 3)] + [f"{x},0,2" for x in (0, 2, 4, 6)]
    assert ask("BOARD", *four, "DONE") == ["4,4"]
    five_and_six = [*(f"{x},4,1" for x in (0, 1, 2, 3, 5)), *(f"{x},0,2" for x in (0, 2, 4, 6, 8))]
    (answer,) = ask("BOARD", *five_and_six, "DONE")
    assert (answer == "4,4") == (rule in (0, 8))
    between = [*(f"{x},4,1" for x in (2, 3, 4, 5)), *(f"{x},4,2" for x in (1, 7)), "0,0,2", "8,8,2"]
    (answer,) = ask("BOARD", *between, "DONE")
    assert (answer == "6,4") == (rule in (0, 1))


def test_renju_knows_its_colour() -> None:
    """Black, who has as many stones as the other side, may not make six; White wins by them."""
    ask = Manager("greedy")
    ask("START 9", "INFO rule 4")
    theirs = [(8, 0), (8, 2), (8, 4), (8, 6), (6, 8), (4, 8), (2, 8)]
    four_and_more = [(x, 4) for x in (1, 2, 3, 5, 6)]  # 4,4 makes six
    black = ask("BOARD", *(f"{x},{y},1" for x, y in four_and_more), *(f"{x},{y},2" for x, y in theirs[:5]), "DONE")
    white = ask("BOARD", *(f"{x},{y},1" for x, y in four_and_more), *(f"{x},{y},2" for x, y in theirs[:6]), "DONE")
    assert black != ["4,4"]
    assert white == ["4,4"]


def test_all_that_a_move_needs_runs_before_the_first_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What START does not use would be compiled in the time of the first move, which would be lost each time anew."""
    used: list[str] = []
    for module, name in ((notation, "position_from_cells"), (Position, "is_legal")):
        does = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, does=does, name=name: used.append(name) or does(*args))
    ask = Manager()
    assert ask("START 9") == ["OK"]
    at_start = set(used)
    used.clear()
    ask("BOARD", "0,0,1", "1,1,2", "DONE")
    assert set(used) == at_start == {"position_from_cells", "is_legal"}


# --- The other commands -------------------------------------------------------------------------------------------


def test_takeback_and_play() -> None:
    ask = Manager()
    assert ask("START 6", "PLAY 2,2", "TAKEBACK 2,2", "TAKEBACK 2,2") == ["OK", "2,2", "OK", "ERROR no stone on 2,2"]
    (answer,) = ask("TURN 2,2")
    assert ask(f"TAKEBACK {answer}", "TAKEBACK 2,2", "PLAY 2,2") == ["OK", "OK", "2,2"]
    assert ask("TURN 2,2") == ["ERROR 2,2 is taken"]
    assert ask("RESTART", "TURN 2,2")[0] == "OK"


def test_a_turn_that_fails_leaves_no_stone() -> None:
    ask = Manager()
    five = [*(f"{x},4,2" for x in range(5)), *(f"{x},0,1" for x in (0, 2, 4, 6))]
    assert ask("START 9", "YXBOARD", *five, "DONE", "TURN 8,8", "TURN 8,8") == ["OK", *["ERROR the game is over"] * 2]


@pytest.mark.parametrize("rule", [0, 1])
def test_swap2(rule: int) -> None:
    ask = Manager("random")
    ask("START 7", f"INFO rule {rule}")
    three, kinds = ["3,3", "4,4", "2,5"], set()
    (answer,) = ask("SWAP2BOARD", "DONE")
    assert len({point(each) for each in answer.split()}) == 3
    for _ in range(40):
        (answer,) = ask("SWAP2BOARD", *three, "DONE")
        kinds.add(
            "SWAP" if answer == "SWAP" else len({point(each) for each in answer.split()} - set(map(point, three)))
        )
        (answer,) = ask("SWAP2BOARD", *three, "0,0", "1,1", "DONE")
        assert answer == "SWAP" or point(answer) not in map(point, [*three, "0,0", "1,1"])
        kinds.add(("five", answer == "SWAP"))
    assert kinds == {"SWAP", 1, 2, ("five", True), ("five", False)}
    wrong = "ERROR expected none, three or five different points"
    assert ask("SWAP2BOARD", "1,1", "DONE", "SWAP2BOARD", *three[:2], "3,3", "DONE") == [wrong] * 2
    assert ask("INFO rule 4", "SWAP2BOARD", "DONE") == ["ERROR swap2 is played in gomoku, on a square"]


def test_about() -> None:
    (answer,) = Manager("lookahead:2,ties=thesis")("about")
    fields = dict(re.findall(r'(\w+)="([^"]*)"', answer))
    assert list(fields) == ["name", "version", "author", "country"]
    assert fields["name"] == "amoba lookahead:2,ties=thesis"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("FLY 1,2", "UNKNOWN FLY 1,2"),
        ("\x00\xff", "UNKNOWN \x00\xff"),
        ("BEGIN", "ERROR expected START first"),
        ("TURN 1,1", "ERROR expected START first"),
        ("RESTART", "ERROR expected START first"),
        ("START", "ERROR expected a board such as START 15 or RECTSTART 20,15, got ''"),
        ("START x", "ERROR expected a board such as START 15 or RECTSTART 20,15, got 'x'"),
        ("START -5", "ERROR expected a board such as START 15 or RECTSTART 20,15, got '-5'"),
        ("START 4", "ERROR gomoku: size: expected 5..100, got 4"),
        ("RECTSTART 4,3", "ERROR amoba: pattern '5' fits nowhere on this board of 12 cells in 4 columns and 3 rows"),
    ],
)
def test_errors_at_first(line: str, answer: str) -> None:
    assert Manager()(line) == [answer]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("TURN", "ERROR expected a point x,y, got ''"),
        ("TURN e5", "ERROR expected a point x,y, got 'e5'"),
        ("TURN 9,0", "ERROR 9,0 is outside of the board"),
        ("TURN -1,0", "ERROR expected a point x,y, got '-1,0'"),
        ("INFO", None),
        ("INFO timeout_turn", None),
        ("INFO timeout_turn soon", None),
        ("INFO time_left --5", None),
        ("INFO folder /tmp/a b", None),
        ("INFO evaluate 1,2", None),
        ("INFO rule 16", None),
        ("", None),
    ],
)
def test_it_stays(line: str, answer: str | None) -> None:
    ask = Manager()
    assert ask("START 9", line) == ["OK", *([] if answer is None else [answer])]
    (move,) = ask("INFO rule 0", "BEGIN")
    assert point(move)


def test_bad_boards_and_rules() -> None:
    ask = Manager()
    ask("START 9")
    assert ask("BOARD", "1,1,1", "x", "BEGIN", "DONE") == ["ERROR expected a point x,y, got ''"]
    assert ask("BOARD", "1,1,4", "DONE") == ["ERROR expected a line x,y,1 or 2 or 3, got '1,1,4'"]
    assert ask("BOARD", "1,1,1", "1,1,2", "DONE") == ["ERROR two stones on 1,1"]
    fives = [*(f"{x},1,1" for x in range(5)), *(f"{x},2,2" for x in range(5))]
    assert ask("BOARD", *fives[:5], "DONE") == ["ERROR the game is over"]
    assert ask("BOARD", *fives, "DONE") == ["ERROR black and white have both won"]
    assert ask("BOARD", "1,1,1") == []
    assert ask("RESTART", "INFO rule 16", "BEGIN")[1].startswith("ERROR rule: expected 0 (freestyle), 1 (exact), 8 ")
    assert ask("INFO rule 4", "BOARD", "1,1,3", "DONE") == ["ERROR expected a square without blocked cells for renju"]
    assert ask("INFO rule 0", "RESTART", "TURN 1,1")[0] == "OK"


class Broken(Random):
    """Fails."""

    name = "broken"

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        raise RuntimeError("out\nof luck")


def test_a_player_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "broken", Broken)
    assert Manager("broken")("START 9", "BEGIN", "ABOUT")[:2] == ["ERROR out of luck"] * 2
    with pytest.raises(ValueError, match="unknown agent 'nobody'"):
        Manager("nobody")


POINTS = st.builds("{},{}".format, st.integers(-1, 6), st.integers(0, 6))
WORDS = st.sampled_from(
    ["START 6", "RECTSTART 6,5", "RESTART", "BEGIN", "BOARD", "DONE", "SWAP2BOARD", "ABOUT", "DONE"]
)
LINES = st.one_of(
    WORDS,
    st.builds("{} {}".format, st.sampled_from(["TURN", "TAKEBACK", "PLAY", "INFO rule", "INFO"]), POINTS),
    st.builds("INFO rule {}".format, st.integers(0, 9)),
    st.builds("{},{}".format, POINTS, st.integers(0, 4)),
    POINTS,
    st.text(max_size=8),
)


@settings(max_examples=30)
@given(st.lists(LINES, max_size=40), st.sampled_from(["\r", "\n", "\r\n"]))
def test_whatever_is_said(said: list[str], end: str) -> None:
    """It stays, and answers in the words of the protocol."""
    ask = Manager()
    for answer in ask("START 6", *(line for line in said if line.strip()[:3].upper() != "END"), end=end):
        assert re.match(r'OK$|(ERROR|UNKNOWN) .|SWAP$|\d+,\d+( \d+,\d+){0,2}$|name="', answer), answer
        assert "\n" not in answer
    assert ask("DONE", "START 9", "BEGIN")[-2] == "OK"


# --- Over pipes ---------------------------------------------------------------------------------------------------


@pytest.fixture
def engine() -> Iterator[Callable[[bytes], str]]:
    """`amoba gomocup` as a program: what it answers to bytes, a line."""
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-c", "from amoba_experiments.cli import main; main()", "gomocup", "--agent", "greedy"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None

        def say(data: bytes) -> str:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(data)
            return process.stdout.readline().decode()

        yield say
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(timeout=60) == 0


def test_a_real_pipe(engine: Callable[[bytes], str]) -> None:
    """Each answer comes at once, whatever ends the line; the end of the input ends it."""
    assert engine(b"\r\n\nnonsense\r\n") == "UNKNOWN nonsense\n"
    assert engine(b"start 15\r") == "OK\n"
    assert engine(b"InFo timeout_turn 100\nINFO rule 1\r\n\r\nBEGIN\n")
    assert point(engine(b"turn 0,0\r\n").strip())
    assert engine(b"RESTART\n") == "OK\n"
    assert point(engine(b"BOARD\r7,7,1\r8,8,2\rDONE\r").strip())
    assert engine(b"END\r\n") == ""
