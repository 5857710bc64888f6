"""Engines that lose by time, by crashes and by what they say; and no process is left behind."""

import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from commands import hear_interrupts
from gomocup_logs import HELPERS, IN_TIME, LATE, heard, pids, runs, text_of, wait_until

from amoba_agents import Seat, make_agent
from amoba_agents.gomocup import close_engines, engine, process
from amoba_agents.gomocup.process import Process
from amoba_env import Position, games
from amoba_env.core import endings as en
from amoba_env.core import state as st
from amoba_experiments.analysis.queries import stats
from amoba_experiments.analysis.summary import summarize
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.replay import positions_of
from amoba_experiments.runs.store import load

ROOT = HELPERS.parents[1]
SIZE_5 = {"size": 5}
pytestmark = pytest.mark.usefixtures("no_engines_after_the_test")


# --- How they lose ------------------------------------------------------------------------------------------------


def test_the_time_of_a_move_begins_when_the_question_is_written() -> None:
    """The thread that writes may wake up late on a busy machine: that is not the engine's fault."""
    answers = iter([TimeoutError(), (12.0, "7,7")])
    asked_until = []

    def receive(until: float) -> tuple[float, str]:
        asked_until.append(until)
        asked.written_at = 11.9  # meanwhile
        answer = next(answers)
        if isinstance(answer, TimeoutError):
            raise answer
        return answer

    asked = SimpleNamespace(written_at=3.0, receive=receive)
    assert engine._receive(cast(Process, asked), 10.0, 1.0) == (11.9, 12.0, "7,7")
    assert asked_until == [11.0, 12.9]
    answers = iter([TimeoutError()])
    with pytest.raises(TimeoutError):
        engine._receive(cast(Process, asked), 10.0, 1.0)


@pytest.mark.parametrize(
    ("how", "options", "reason"),
    [
        ("hung-at-start", "start_ms=100", "timeout: no answer to START 5 in time"),
        ("refuses", IN_TIME, "refused: 'ERROR unsupported size' to START 5"),
        ("hung", LATE, "timeout: no answer to (TURN|BEGIN) in time"),
        ("slow", "ms=10,tolerance=40,start_ms=600000", "timeout: no answer to (TURN|BEGIN) in time"),
        ("flood", LATE, "timeout: no answer to (TURN|BEGIN) in time"),
        ("keeps-suggesting", LATE, "timeout: no answer to (TURN|BEGIN) in time"),
        ("endless-line", LATE, "timeout: no answer to (TURN|BEGIN) in time"),
        ("stubborn", LATE, "timeout: no answer to (TURN|BEGIN) in time"),
        ("crash", IN_TIME, "crash: exit status 1 after TURN: out of luck"),
        ("taken", IN_TIME, "illegal move: the cell is taken"),
        ("outside", IN_TIME, "illegal move: not on the board"),
        ("garbage", IN_TIME, "protocol error: expected a move, got 'e5'"),
    ],
)
def test_a_game_is_lost_and_the_match_goes_on(
    how: str, options: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "JOIN_TIMEOUT", 60.0)
    log = tmp_path / "log"
    text = text_of(how, log, options)
    match = Match("gomoku", (text, "random"), 2, start="rotate", options=SIZE_5)
    played = play_match(match, jobs=1)
    lost = (played.ending == en.ILLEGAL) & (played.winner == 1)
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


def test_runs_on_disk_keep_the_reasons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "JOIN_TIMEOUT", 60.0)
    text = text_of("crash", tmp_path / "log")
    match = Match("gomoku", (text, "random"), 2, start="first", options=SIZE_5)
    play_match(match, tmp_path / "run", jobs=1)
    rows = load(tmp_path / "run").to_pylist()
    reason = f"{text}: crash: exit status 1 after TURN: out of luck"
    assert [(row["incident"], row["ending"], row["winner"], row["moves"][-1]) for row in rows] == [
        (reason, "illegal", 1, st.NOWHERE)
    ] * 2
    found = stats(tmp_path / "run", first_moves=3)
    assert found["match"]["incidents"] == [{"what": reason, "games": 2, "first": 0}]
    assert all(row["opening"].endswith(" none") for row in found["openings"])
    assert positions_of(games.make("gomoku", size=5), rows[0])[-1].over
    played = Match("gomoku", ("random", "random"), 2, options=SIZE_5)
    play_match(played, tmp_path / "other")
    assert {row["incident"] for row in load(tmp_path / "other").to_pylist()} == {None}


@pytest.mark.plain
def test_time_of_a_game(tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = text_of("slow-2", log, "ms=60000,match_ms=5500,tolerance=0,start_ms=600000")
    played = play_match(Match("gomoku", (text, "random"), 1, start="first", options=SIZE_5), jobs=1)
    assert played.incident[0].endswith("in time (the game's time is used up)")
    left = [int(line.split()[-1]) for line in log.read_text().splitlines() if "time_left" in line]
    assert left[0] == 5500
    assert len(left) > 1
    assert all(left <= 3500 for left in left[1:])


@pytest.mark.plain
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
from amoba_experiments.runs.play_match import play_match
match = Match("gomoku", (sys.argv[1], "random"), int(sys.argv[2]), start="first", options={"size": 5})
play_match(match, jobs=1, progress=lambda _: 1 / 0)
"""


def test_engines_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines that obey END, an engine that ignores it, and processes that engines started."""
    logs = [tmp_path / name for name in ("good", "family", "deaf")]
    agents = [make_agent(text_of(log.name, log)) for log in logs]
    position = Position.start(games.make("gomoku", size=5))
    for agent in agents:
        Seat(agent, position).act(position)
    started = [pid for log in logs for pid in pids(log)]
    assert len(started) == 4
    assert all(map(runs, started))
    all_know = lambda *_: wait_until(lambda: all(heard(log)[-1] == "END" for log in logs))  # noqa: E731
    monkeypatch.setattr(Process, "wait_closed", all_know)  # however long that takes
    close_engines()
    assert wait_until(lambda: not any(map(runs, started)))
    assert [heard(log)[-1] for log in logs] == ["END"] * 3


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
@pytest.mark.parametrize(("how", "games"), [("kill", 1), ("interrupt", 1), ("interrupt", 2), ("error", 1)])
def test_no_engine_outlives_us(how: str, games: int, tmp_path: Path) -> None:
    """And Ctrl-C does not wait for their moves, which may take hours."""
    log = tmp_path / "log"
    limits = f"ms=3600000,tolerance=60000,start_ms=600000,engines={games}"
    text = text_of("family-garbage" if how == "error" else "family-hung", log, limits)
    parent = subprocess.Popen(
        [sys.executable, "-c", PLAYS, text, str(games)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=hear_interrupts,
    )
    with parent:
        assert wait_until(lambda: log.exists() and log.read_text().count("TURN") == games)
        started = pids(log)
        assert len(started) == 2 * games
        if how != "error":
            assert all(map(runs, started))
            parent.send_signal(signal.SIGKILL if how == "kill" else signal.SIGINT)
        output, _ = parent.communicate(timeout=600)
        assert {"kill": b"", "interrupt": b"KeyboardInterrupt", "error": b"ZeroDivisionError"}[how] in output
        assert parent.returncode != 0
    assert wait_until(lambda: not any(map(runs, started)))
