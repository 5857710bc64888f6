"""Engines as players: games, commands, the opening swap2, ways to lose, and no process is left behind."""

import copy
import dataclasses
import os
import pickle
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from commands import hear_interrupts
from gomocup_steady import Steady

from amoba_agents import AGENTS, Seat, make_agent
from amoba_agents.gomocup import Gomocup, close_engines
from amoba_agents.gomocup.protocol import lines
from amoba_env import Position, games
from amoba_env.core.state import ILLEGAL, NOWHERE, PHASE
from amoba_experiments.analysis.queries import stats
from amoba_experiments.analysis.summary import summarize
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.play import play_match, usual_batch
from amoba_experiments.runs.replay import replay
from amoba_experiments.runs.store import load, write_run

HELPERS = Path(__file__).parents[1] / "helpers"
ROOT = HELPERS.parents[1]
IN_TIME = "ms=60000,tolerance=60000,start_ms=600000"  # an engine that compiles on a busy machine may take minutes
LATE = "ms=50,tolerance=50"
SIZE_5 = {"size": 5}


@pytest.fixture(autouse=True)
def no_engines_after_the_test() -> Iterator[None]:
    yield
    close_engines()


def command(how: str, log: Path) -> str:
    return shlex.join([sys.executable, "-I", "-S", str(HELPERS / "gomocup_brain.py"), how, str(log)])


def text_of(how: str, log: Path, options: str = IN_TIME) -> str:
    return f"gomocup:{command(how, log)},{options}"


def heard(log: Path) -> list[str]:
    """The lines that the engines of a log received, except INFO."""
    return [line for line in log.read_text().splitlines() if not line.startswith(("pid", "INFO"))]


def pids(log: Path) -> list[int]:
    return [int(line[4:]) for line in log.read_text().splitlines() if line.startswith("pid")] if log.exists() else []


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def wait_until(condition, seconds: float = 60) -> bool:  # type: ignore[no-untyped-def]
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


# --- The same games -----------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_our_engine_plays_the_games_of_our_player(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "steady", Steady)
    engine = f"gomocup:{shlex.join([sys.executable, str(HELPERS / 'gomocup_steady.py')])},{IN_TIME},engines=1"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    board = {"board": "..#...../......../...#..../......../........#/.......", "patterns": "5 exact"}
    for number, match in enumerate(
        [
            Match("gomoku", ("steady", "greedy"), 6, 1, options={"size": 9}),
            Match("gomoku", ("steady", "random"), 4, 2, options={"size": 7, "rule": "exact"}),
            Match("renju", ("steady", "greedy"), 4, 3, openings=("random:5",), paired=True, options={"size": 11}),
            Match("amoba", ("greedy", "steady"), 4, 4, options={"board": "9x6"}),
            Match("amoba", ("greedy", "steady"), 4, 5, options=board),
        ]
    ):
        bridge = dataclasses.replace(
            match, agents=tuple(engine if agent == "steady" else agent for agent in match.agents)
        )
        games_here, games_there = play_match(match, 1), play_match(bridge, 1, batch=1 + number % 2)
        assert games_there.incident.tolist() == [""] * match.games
        np.testing.assert_array_equal(games_here.digest, games_there.digest)
        np.testing.assert_array_equal(games_here.status, games_there.status)


# --- What is said -------------------------------------------------------------------------------------------------


def test_one_engine_for_game_after_game(tmp_path: Path) -> None:
    log = tmp_path / "log"
    played = play_match(Match("gomoku", (text_of("good", log, f"{IN_TIME},engines=1"), "random"), 3, options=SIZE_5), 1)
    assert (played.ending != ILLEGAL).all()
    assert len(pids(log)) == 1
    told = heard(log)
    assert [told.count(word) for word in ("START 5", "RESTART", "BOARD")] == [3, 2, 0]
    assert told[told.index("RESTART") + 1] == "START 5"
    assert all(line.startswith(("START", "RESTART", "BEGIN", "TURN")) for line in told)


@pytest.mark.parametrize("how", ["resets-at-start", "resets-at-restart", "no-restart"])
def test_ways_to_forget_a_game(how: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    played = play_match(Match("gomoku", (text_of(how, log, f"{IN_TIME},engines=1"), "random"), 3, options=SIZE_5), 1)
    assert (played.ending != ILLEGAL).all(), played.incident
    assert len(pids(log)) == (3 if how == "no-restart" else 1)


def test_more_games_than_engines(tmp_path: Path) -> None:
    """An engine that changes its game gets the position; the games are the same as with an engine for each game."""
    few, many = (text_of("good", tmp_path / f"log{n}", f"{IN_TIME},engines={n}") for n in (2, 5))
    match = Match("gomoku", (few, "random"), 5, options=SIZE_5)
    assert (usual_batch(match, 1), usual_batch(match, 2), usual_batch(match, 8)) == (2, 1, 1)
    shared = play_match(match, 1, batch=5)
    apart = play_match(dataclasses.replace(match, agents=(many, "random")), 1, batch=5)
    np.testing.assert_array_equal(shared.digest, apart.digest)
    assert (shared.ending != ILLEGAL).all()
    assert len(pids(tmp_path / "log2")) == 2
    assert "BOARD" in heard(tmp_path / "log2")
    assert "BOARD" not in heard(tmp_path / "log5")


@pytest.mark.parametrize(
    ("game", "options", "start", "rule"),
    [
        ("gomoku", {"size": 6}, "START 6", 0),
        ("gomoku", {"size": 6, "rule": "exact"}, "START 6", 1),
        ("renju", {"size": 9}, "START 9", 4),
        ("renju", {"size": 9, "forbidden": "lose"}, "START 9", 4),
        ("amoba", {"board": "7x5"}, "RECTSTART 7,5", 0),
        ("amoba", {"board": "7x5", "patterns": "5 exact"}, "RECTSTART 7,5", 1),
    ],
)
def test_rules(game: str, options: dict[str, object], start: str, rule: int, tmp_path: Path) -> None:
    log = tmp_path / "log"
    made = games.make(game, **options)  # type: ignore[arg-type]
    agent = make_agent(text_of("good", log, "ms=30000,match_ms=90000,memory=5,tolerance=60000,start_ms=60000"))
    Seat(agent, Position.start(made)).act(Position.start(made))
    told = log.read_text().splitlines()[1:]
    info = ["timeout_turn 30000", "timeout_match 90000", f"max_memory {5 << 20}", "game_type 1", f"rule {rule}"]
    info = [f"INFO {line}" for line in info]
    assert told == [*info, start, *info, "INFO time_left 90000", "BEGIN"]


def test_positions_and_undo(tmp_path: Path) -> None:
    """BOARD has its lines in a possible order of play, holes are blocked cells, and a move is told by TURN."""
    log = tmp_path / "log"
    game = games.make("amoba", board="#......#/......../........", patterns="5")
    position = Position.from_moves(game, "b3 c3 b1 c1 d1")
    seat = Seat(make_agent(text_of("good", log)), position)
    blocked = ["0,0,3", "7,0,3"]
    assert position.play(seat.act(position)).last_move == "d3"
    assert heard(log) == ["RECTSTART 8,3", "BOARD", "1,0,2", "2,0,1", "1,2,2", "2,2,1", "3,2,2", *blocked, "DONE"]
    later = position.play("d3").play("h1")
    assert later.play(seat.act(later)).last_move == "e3"
    assert heard(log)[-1] == "TURN 7,2"
    other = position.play("d3").play("g1")
    assert other.play(seat.act(other)).last_move == "e3"
    stones = ["1,0,2", "2,0,1", "1,2,2", "3,0,1", "3,2,2", "2,2,1", "6,2,2"]
    assert heard(log)[-13:] == ["RESTART", "RECTSTART 8,3", "BOARD", *stones, *blocked, "DONE"][-13:]


@pytest.mark.parametrize("how", ["good", "chatty", "cr", "crlf", "suggests", "family"])
def test_all_of_these_are_in_order(how: str, tmp_path: Path) -> None:
    played = play_match(Match("gomoku", (text_of(how, tmp_path / "log"), "random"), 2, options=SIZE_5), 1)
    assert played.incident.tolist() == ["", ""]
    assert (played.ending != ILLEGAL).all()


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("tictactoe", {}),
        ("amoba", {"patterns": "4"}),
        ("amoba", {"patterns": "5,xx/xx"}),
        ("amoba", {"players": 3}),
        ("gomoku", {"opening": "swap"}),
        ("renju", {"opening": "rif26"}),
        ("halma", {}),
    ],
)
def test_games_that_cannot_be_said(game: str, options: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^gomocup: engines play five in a row by two players: .* not games\.make"):
        make_agent(text_of("good", tmp_path / "log")).memory(games.make(game, **options))  # type: ignore[arg-type]


# --- The opening swap2 ---------------------------------------------------------------------------------------------

SWAP2 = games.make("gomoku", size=7, opening="swap2")
STAY, SWAP, MORE = range(49, 52)


@pytest.mark.parametrize(
    ("how", "before", "answer"),
    [
        ("good", [], [0, 1, 2]),  # three stones
        ("swaps", [8, 16, 24], [SWAP]),
        ("good", [8, 16, 24], [STAY, 0]),
        ("puts-two", [8, 16, 24], [MORE, 0, 1]),
        ("swaps", [8, 16, 24, MORE, 5, 6], [STAY]),  # "SWAP" means: play Black, which who put three does without a swap
        ("good", [8, 16, 24, MORE, 5, 6], [SWAP, 0]),
    ],
)
def test_an_answer_in_swap2_is_one_or_more_actions(
    how: str, before: list[int], answer: list[int], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    position = Position.from_moves(SWAP2, before)
    seat, mover = Seat(make_agent(text_of(how, log)), position), position.to_move
    played = []
    while not position.over and position.to_move == mover and len(played) < len(answer):
        played.append(seat.act(position))
        position = position.play(played[-1])
    assert played == answer
    points = [f"{cell % 7},{cell // 7}" for cell in before if cell < 49]
    assert heard(log)[:2] == ["START 7", "SWAP2BOARD"]
    assert sorted(heard(log)[2:-1]) == sorted(points)
    if len(points) == 3:
        assert heard(log)[3] == points[1]  # white's
    position = position.play(48) if position.to_move != mover and position.state[PHASE] == 0 else position
    if position.to_move == mover:
        assert position.is_legal(seat.act(position))
        assert heard(log)[-1] == "DONE"
        assert "BOARD" in heard(log)


def test_swap2_after_moves_are_taken_back(tmp_path: Path) -> None:
    """Planned stones are dropped if the position is another one."""
    log = tmp_path / "log"
    position = Position.start(SWAP2)
    seat = Seat(make_agent(text_of("good", log)), position)
    assert position.play(seat.act(position)).last_move == "a7"
    assert seat.act(position) == 0
    assert heard(log).count("SWAP2BOARD") == 2


@pytest.mark.parametrize("how", ["good", "swaps", "puts-two"])
def test_matches_with_swap2(how: str, tmp_path: Path) -> None:
    match = Match("gomoku", (text_of(how, tmp_path / "log"), "random"), 6, options=dict(SWAP2.options), start="rotate")
    assert play_match(match, 1).incident.tolist() == [""] * 6


def test_wrong_answers_in_swap2(tmp_path: Path) -> None:
    agent = make_agent(text_of("puts-four", tmp_path / "log"))
    Seat(agent, Position.start(SWAP2)).act(Position.from_moves(SWAP2, [8, 16, 24]))
    assert agent.incidents == [(0, "protocol error: '0,0 1,0 2,0 3,0' to SWAP2BOARD")]  # type: ignore[attr-defined]
    Seat(agent, Position.start(SWAP2)).act(Position.from_moves(SWAP2, [8]))
    ((_, reason),) = agent.incidents  # type: ignore[attr-defined]
    assert reason.startswith("no command: SWAP2BOARD cannot express a position in the middle of a phase")


def test_about(tmp_path: Path) -> None:
    agent = make_agent(text_of("about", tmp_path / "log"))
    assert isinstance(agent, Gomocup)
    fields = {"name": "First free", "version": "1.0", "author": "The tests", "country": "Nowhere"}
    assert agent.about() == fields
    silent = make_agent(text_of("good", tmp_path / "log2", "start_ms=200"))
    assert isinstance(silent, Gomocup)
    assert silent.about() == {}
    assert not [pid for log in ("log", "log2") for pid in pids(tmp_path / log) if runs(pid)]


# --- How they lose ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "options", "reason"),
    [
        ("hung-at-start", "start_ms=100", "timeout: no answer to START 5 in time"),
        ("refuses", IN_TIME, "refused: 'ERROR unsupported size' to START 5"),
        ("hung", LATE, "timeout: no answer to TURN in time"),
        ("slow", "ms=10,tolerance=40", "timeout: no answer to (TURN|BEGIN) in time"),
        ("flood", LATE, "timeout: no answer to TURN in time"),
        ("endless-line", LATE, "timeout: no answer to TURN in time"),
        ("stubborn", LATE, "timeout: no answer to TURN in time"),
        ("crash", IN_TIME, "crash: exit status 1 after TURN: out of luck"),
        ("taken", IN_TIME, "illegal move: the cell is taken"),
        ("outside", IN_TIME, "illegal move: not on the board"),
        ("garbage", IN_TIME, "protocol error: 'e5' for a move"),
    ],
)
def test_a_game_is_lost_and_the_match_goes_on(how: str, options: str, reason: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = text_of(how, log, options)
    match = Match("gomoku", (text, "random"), 2, start="rotate", options=SIZE_5)
    played = play_match(match, 1)
    lost = (played.ending == ILLEGAL) & (played.status == 1)
    assert lost.any()
    if "slow" in how or options != IN_TIME:
        assert lost.all()
    for incident in played.incident[lost]:
        assert re.fullmatch(f"{re.escape(text)}: {reason}", incident), incident
    found = summarize(match, played, 1.0)
    assert found["forfeits"] == lost.sum() == sum(row["games"] for row in found["incidents"])
    assert any(each.startswith(f"{text}: ") for each in found["warnings"])
    close_engines()
    assert not [pid for pid in pids(log) if runs(pid)]


@pytest.mark.compiled
def test_runs_on_disk_keep_the_reasons(tmp_path: Path) -> None:
    text = text_of("hung", tmp_path / "log", LATE)
    match = Match("gomoku", (text, "random"), 2, start="first", options=SIZE_5)
    write_run(tmp_path / "run", match, jobs=1)
    rows = load(tmp_path / "run").to_pylist()
    reason = f"{text}: timeout: no answer to TURN in time"
    assert [(row["incident"], row["ending"], row["winner"], row["moves"][-1]) for row in rows] == [
        (reason, "illegal", 1, NOWHERE)
    ] * 2
    found = stats(tmp_path / "run", first_moves=3)
    assert found["match"]["incidents"] == [{"what": reason, "games": 2, "first": 0}]
    assert all(row["opening"].endswith(" none") for row in found["openings"])
    assert replay(games.make("gomoku", size=5), rows[0])[-1].over
    played = Match("gomoku", ("random", "random"), 2, options=SIZE_5)
    write_run(tmp_path / "other", played)
    assert {row["incident"] for row in load(tmp_path / "other").to_pylist()} == {None}


def test_time_of_a_game(tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = text_of("slow", log, "ms=60000,match_ms=500,tolerance=0")
    played = play_match(Match("gomoku", (text, "random"), 1, start="first", options=SIZE_5), 1)
    assert played.incident[0].endswith("in time (the game's time is used up)")
    left = [int(line.split()[-1]) for line in log.read_text().splitlines() if "time_left" in line]
    assert left[0] == 500
    assert all(left <= 200 for left in left[1:])


def test_a_forbidden_point_loses(tmp_path: Path) -> None:
    position = Position.from_moves(games.make("renju", size=9), "c7 i1 d7 g1 b6 e1 b5 i3")
    agent = make_agent(text_of("at-1-2", tmp_path / "log"))
    action = Seat(agent, position).act(position)
    assert agent.incidents == [(0, "illegal move: forbidden for black (double-three)")]  # type: ignore[attr-defined]
    assert action == 19


# --- Nothing is left behind ---------------------------------------------------------------------------------------

PLAYS = """
import sys
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.play import play_match
match = Match("gomoku", (sys.argv[1], "random"), 1, start="first", options={"size": 5})
play_match(match, jobs=1, progress=lambda _: 1 / 0)
"""


def test_engines_end(tmp_path: Path) -> None:
    """Engines that obey END, an engine that ignores it, and processes that engines started."""
    logs = [tmp_path / name for name in ("good", "family", "deaf")]
    agents = [make_agent(text_of(log.name, log)) for log in logs]
    position = Position.start(games.make("gomoku", size=5))
    for agent in agents:
        Seat(agent, position).act(position)
    started = [pid for log in logs for pid in pids(log)]
    assert len(started) == 4
    assert all(map(runs, started))
    close_engines()
    assert wait_until(lambda: not any(map(runs, started)))
    assert [heard(log)[-1] for log in logs] == ["END"] * 3


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
@pytest.mark.parametrize("how", ["kill", "interrupt", "error"])
def test_no_engine_outlives_us(how: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = text_of("family-hung", log, IN_TIME if how == "kill" else "ms=1000,tolerance=0")
    parent = subprocess.Popen(
        [sys.executable, "-c", PLAYS, text],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=hear_interrupts,
    )
    with parent:
        assert wait_until(lambda: log.exists() and "TURN" in log.read_text())
        started = pids(log)
        assert len(started) == 2
        if how != "error":
            assert all(map(runs, started))
            parent.send_signal(signal.SIGKILL if how == "kill" else signal.SIGINT)
        output, _ = parent.communicate(timeout=60)
        assert {"kill": b"", "interrupt": b"KeyboardInterrupt", "error": b"ZeroDivisionError"}[how] in output
        assert parent.returncode != 0
    assert wait_until(lambda: not any(map(runs, started)))


# --- The player ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gomocup", "gomocup: which engine? Write gomocup:COMMAND"),
        ("gomocup:no-such-program -x", "gomocup: no such program: no-such-program"),
        ("gomocup:'", 'gomocup: command "\'" cannot be read: No closing quotation'),
        ("gomocup:true,ms=-1", "gomocup: ms must be 0..2147483647, not -1"),
        ("gomocup:true,ms=x", "gomocup: option ms takes a whole number, not 'x'"),
        ("gomocup:true,speed=1", "gomocup has no option 'speed'; its options: command, ms, match_ms, memory, toleranc"),
    ],
)
def test_bad_texts(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        make_agent(text)


def test_commands_are_written_as_in_a_shell(tmp_path: Path) -> None:
    (tmp_path / "my, engine").write_text("#!/bin/sh\n")
    (tmp_path / "my, engine").chmod(0o755)
    text = f"gomocup:\"{tmp_path}/my, engine\" --set a=1:2 'b,c',ms=7,engines=3"
    agent = make_agent(text)
    assert isinstance(agent, Gomocup)
    assert agent.name == text
    settings = agent._pool.settings
    assert settings.argv == (f"{tmp_path}/my, engine", "--set", "a=1:2", "b,c")
    assert (settings.ms, settings.engines, agent.at_once) == (7, 3, 3)
    for twin in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent), make_agent(agent.name)):
        assert (twin.name, twin._pool) == (agent.name, agent._pool)
    assert make_agent("gomocup:true").name == "gomocup:true"


def reads(chunks: list[bytes]) -> Callable[[int], bytes]:
    left = iter(chunks)
    return lambda _: next(left)


def test_lines() -> None:
    """Any line ends, split anywhere; a CR ends a line at once."""
    text = b"  one\r\n\r\ntwo\rthree\n\n\xff four" + b"x" * 5000 + b"\nfive"
    for size in (1, 3, 10_000):
        found = list(lines(reads([*(text[at : at + size] for at in range(0, len(text), size)), b""])))
        assert [line[:6] for line in found] == ["one", "two", "three", "\ufffd four", "five"]
        assert len(found[3]) <= 4096
    assert next(lines(reads([b"one\r"]))) == "one"
