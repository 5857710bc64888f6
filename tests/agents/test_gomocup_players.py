"""Engines as players: games, commands, the opening swap2, ways to lose, and no process is left behind."""

import copy
import dataclasses
import os
import pickle
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from commands import Run
from errors import bad_value
from gomocup_logs import (
    HELPERS,
    IN_TIME,
    heard,
    pids,
    runs,
    text_of,
)
from gomocup_steady import Steady

from amoba_agents import AGENTS, Seat, make_agent
from amoba_agents.gomocup import Gomocup
from amoba_agents.gomocup.protocol import lines
from amoba_env import Position, games
from amoba_env.core import endings as en
from amoba_env.core import state as st
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.shard import usual_batch
from amoba_experiments.runs.play_match import play_match

ROOT = HELPERS.parents[1]
SIZE_5 = {"size": 5}
pytestmark = pytest.mark.usefixtures("no_engines_after_the_test")


# --- The same games -----------------------------------------------------------------------------------------------


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
        games_here, games_there = play_match(match, jobs=1), play_match(bridge, jobs=1, batch=1 + number % 2)
        assert games_there.incident.tolist() == [""] * match.games
        np.testing.assert_array_equal(games_here.digest, games_there.digest)
        np.testing.assert_array_equal(games_here.winner, games_there.winner)


# --- What is said -------------------------------------------------------------------------------------------------


def test_one_engine_for_game_after_game(tmp_path: Path) -> None:
    log = tmp_path / "log"
    played = play_match(
        Match("gomoku", (text_of("good", log, f"{IN_TIME},engines=1"), "random"), 3, options=SIZE_5), jobs=1
    )
    assert (played.ending != en.ILLEGAL).all()
    assert len(pids(log)) == 1
    told = heard(log)
    assert [told.count(word) for word in ("START 5", "RESTART", "BOARD")] == [3, 2, 0]
    assert told[told.index("RESTART") + 1] == "START 5"
    assert all(line.startswith(("START", "RESTART", "BEGIN", "TURN")) for line in told)


@pytest.mark.plain
@pytest.mark.parametrize("how", ["resets-at-start", "resets-at-restart", "no-restart"])
def test_ways_to_forget_a_game(how: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    played = play_match(
        Match("gomoku", (text_of(how, log, f"{IN_TIME},engines=1"), "random"), 3, options=SIZE_5), jobs=1
    )
    assert (played.ending != en.ILLEGAL).all(), played.incident
    assert len(pids(log)) == (3 if how == "no-restart" else 1)


@pytest.mark.plain
def test_more_games_than_engines(tmp_path: Path) -> None:
    """An engine that changes its game gets the position; the games are the same as with an engine for each game."""
    few, many = (text_of("good", tmp_path / f"log{n}", f"{IN_TIME},engines={n}") for n in (2, 5))
    match = Match("gomoku", (few, "random"), 5, options=SIZE_5)
    assert (usual_batch(match, 1), usual_batch(match, 2), usual_batch(match, 8)) == (2, 1, 1)
    shared = play_match(match, jobs=1, batch=5)
    apart = play_match(dataclasses.replace(match, agents=(many, "random")), jobs=1, batch=5)
    np.testing.assert_array_equal(shared.digest, apart.digest)
    assert (shared.ending != en.ILLEGAL).all()
    assert len(pids(tmp_path / "log2")) == 2
    assert "BOARD" in heard(tmp_path / "log2")
    assert "BOARD" not in heard(tmp_path / "log5")


@pytest.mark.parametrize(
    ("game", "options", "start", "rule"),
    [
        ("gomoku", {"size": 6}, "START 6", 0),
        ("gomoku", {"size": 6, "rule": "exact"}, "START 6", 1),
        ("gomoku", {"size": 6, "rule": "caro"}, "START 6", 8),
        ("gomoku", {"size": 6, "rule": "exact-caro"}, "START 6", 9),
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


@pytest.mark.plain
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
    played = play_match(Match("gomoku", (text_of(how, tmp_path / "log"), "random"), 2, options=SIZE_5), jobs=1)
    assert played.incident.tolist() == ["", ""]
    assert (played.ending != en.ILLEGAL).all()


@pytest.mark.plain
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
    with pytest.raises(ValueError, match=f"^gomocup: expected gomoku .* got {game}"):
        make_agent(text_of("good", tmp_path / "log")).memory(games.make(game, **options))  # type: ignore[arg-type]


# --- The opening swap2 ---------------------------------------------------------------------------------------------

SWAP2 = games.make("gomoku", size=7, opening="swap2")
STAY, SWAP, MORE = range(49, 52)


@pytest.mark.plain
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
    position = position.play(48) if position.to_move != mover and position.state[st.PHASE] == 0 else position
    if position.to_move == mover:
        assert position.is_legal(seat.act(position))
        assert heard(log)[-1] == "DONE"
        assert "BOARD" in heard(log)


@pytest.mark.plain
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
    assert play_match(match, jobs=1).incident.tolist() == [""] * 6


@pytest.mark.plain
def test_wrong_answers_in_swap2(tmp_path: Path) -> None:
    agent = make_agent(text_of("puts-four", tmp_path / "log"))
    Seat(agent, Position.start(SWAP2)).act(Position.from_moves(SWAP2, [8, 16, 24]))
    assert agent.incidents == [(0, "protocol error: expected an answer to SWAP2BOARD, got '0,0 1,0 2,0 3,0'")]  # type: ignore[attr-defined]
    Seat(agent, Position.start(SWAP2)).act(Position.from_moves(SWAP2, [8]))
    ((_, reason),) = agent.incidents  # type: ignore[attr-defined]
    assert reason.startswith("no command: SWAP2BOARD cannot express a position in the middle of a phase")


@pytest.mark.plain
def test_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amoba_agents.gomocup.agent.INTRODUCTION_MS", 60_000)
    agent = make_agent(text_of("about", tmp_path / "log"))
    assert isinstance(agent, Gomocup)
    fields = {"name": "First free", "version": "1.0", "author": "The tests", "country": "Nowhere"}
    assert agent.about() == fields
    assert agent.introduction() == "First free 1.0 by The tests"
    # Two that hang: what they say is waited for as long as for START, their introduction shorter.
    monkeypatch.setattr("amoba_agents.gomocup.agent.INTRODUCTION_MS", 100)
    monkeypatch.setattr("amoba_agents.gomocup.process.GRACE", 0.1)
    silent, slow = (make_agent(text_of("good", tmp_path / "log2", f"start_ms={ms}")) for ms in (100, 600_000))
    assert isinstance(silent, Gomocup)
    assert isinstance(slow, Gomocup)
    assert silent.about() == {}
    assert slow.introduction() == ""
    assert not [pid for log in ("log", "log2") for pid in pids(tmp_path / log) if runs(pid)]


@pytest.mark.plain
def test_a_program_is_tried(tmp_path: Path) -> None:
    agent = make_agent(text_of("good", tmp_path / "log"))
    assert isinstance(agent, Gomocup)
    agent.check()
    assert "START 15" in heard(tmp_path / "log")
    assert not [pid for pid in pids(tmp_path / "log") if runs(pid)]
    with pytest.raises(TimeoutError, match="gomocup: timeout: no answer to START 15 in time"):
        Gomocup("sleep 60", start_ms=50).check()
    with pytest.raises(ValueError, match="gomocup: crash: exit status 1 after START 15"):
        Gomocup("false").check()


# --- The player ---------------------------------------------------------------------------------------------------


@pytest.mark.plain
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gomocup", "gomocup: expected gomocup:COMMAND"),
        ("gomocup:no-such-program -x", "gomocup: the program no-such-program does not exist"),
        ("gomocup:'", 'gomocup: expected a command as in a shell, got "\'": No closing quotation'),
        ("gomocup:true,speed=1", "gomocup has no option 'speed'; its options: command, ms, match_ms, memory, toleranc"),
    ],
)
def test_bad_texts(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        make_agent(text)
    with bad_value("gomocup: ms"):
        make_agent("gomocup:true,ms=-1")


@pytest.mark.plain
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


@pytest.mark.plain
def test_lines() -> None:
    """Any line ends, split anywhere; a CR ends a line at once."""
    text = b"  one\r\n\r\ntwo\rthree\n\n\xff four" + b"x" * 5000 + b"\nfive"
    for size in (1, 3, 10_000):
        found = list(lines(reads([*(text[at : at + size] for at in range(0, len(text), size)), b""])))
        assert [line[:6] for line in found] == ["one", "two", "three", "\ufffd four", "five"]
        assert len(found[3]) <= 4096
    assert next(lines(reads([b"one\r"]))) == "one"


def test_a_match_says_who_the_engines_are(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amoba_agents.gomocup.agent.INTRODUCTION_MS", 60_000)
    text = text_of("about", tmp_path / "log")
    line = f"match gomoku {shlex.quote(text)} greedy --games 2"
    code, _, err = run(line)
    assert code == 0
    assert f"{text}: First free 1.0 by The tests\n" in err
    code, _, err = run(f"{line} --quiet")
    assert (code, err) == (0, "")
