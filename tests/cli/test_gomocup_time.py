"""Our players as an engine: the time they have, as managers say it and as they count it."""

import gc
import inspect
import time
from typing import Any

import pytest
from gomocup_manager import Manager

from amoba_agents import AGENTS
from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.lines import HashTable
from amoba_agents.players.random import Random
from amoba_env.agent import Actions, Memory, Streams
from amoba_env.core.interrupt import call
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_experiments.gomocup.brain import Brain
from amoba_experiments.gomocup.clock import BREAKS_MS, FORGET, LEAST_MS, MARGIN_MS, SHARE, TURN_MS

TRIALS = [LEAST_MS] * 4  # moves on trial at START: two of renju, two without forbidden points


class Timed(Random):
    """Notes its time."""

    name = "timed"
    times: list[int] = []  # noqa: RUF012

    def __init__(self, ms: int = 5) -> None:
        self.ms = ms

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        self.times.append(self.ms)
        return super().act(game, states, rng, memory)


@pytest.mark.parametrize(
    ("info", "ms"),
    [
        ([], TURN_MS - MARGIN_MS),
        (["timeout_turn 5000"], 5000 - MARGIN_MS),
        (["timeout_turn 0"], LEAST_MS),
        (["timeout_turn 5000", "timeout_match 0", "time_left 2147483647"], 5000 - MARGIN_MS),
        (["timeout_turn 5000", "timeout_match 180000"], 5000 - MARGIN_MS),
        (["timeout_turn 5000", "timeout_match 180000", "time_left 20000"], 20_000 // SHARE - MARGIN_MS),
        (["timeout_match 180000"], 180_000 // SHARE - MARGIN_MS),
        (["timeout_turn 5000", "time_left 0"], LEAST_MS),
        (["TIMEOUT_TURN 3000", "timeout_turn x"], 3000 - MARGIN_MS),
    ],
)
def test_a_player_with_a_time_limit_gets_the_managers(
    info: list[str], ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(AGENTS, "timed", Timed)
    monkeypatch.setattr(Timed, "times", [])
    Manager("timed")("START 9", *(f"INFO {line}" for line in info), "BEGIN")
    assert Timed.times == [*TRIALS, ms]
    Manager("timed:ms=77")("START 9", "INFO timeout_turn 3000", "BEGIN")
    assert Timed.times[len(TRIALS) + 1 :] == [77] * (len(TRIALS) + 1)


def test_the_time_of_the_thread_that_computes_counts() -> None:
    """The engine's own thread waits while another one searches. The clock counts the processor time of both."""
    used = inspect.signature(Brain).parameters["used"].default

    def compute() -> None:
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass

    before = used()
    call(compute)
    assert used() - before >= 0.02


class Late(Random):
    """Notes its time, and takes it and some more."""

    name = "late"
    times: list[int] = []  # noqa: RUF012
    manager: Manager
    delay_ms = 0
    waits = 0.0  # the part of its time in which others use the processor

    def __init__(self, ms: int = 5) -> None:
        self.ms = ms

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        self.times.append(self.ms)
        taken = (self.ms + self.delay_ms) / 1000
        type(self).manager.seconds += taken
        type(self).manager.waited += taken * self.waits
        return super().act(game, states, rng, memory)


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> Manager:
    monkeypatch.setitem(AGENTS, "late", Late)
    monkeypatch.setattr(Late, "times", [])
    monkeypatch.setattr(Late, "delay_ms", 0)
    monkeypatch.setattr(Late, "waits", 0.0)
    monkeypatch.setattr(Late, "manager", Manager.__new__(Manager), raising=False)
    Late.manager.seconds = Late.manager.waited = 0.0
    manager = Manager("late")
    Late.manager = manager
    manager("START 9")
    Late.times.clear()
    return manager


def test_delays_of_the_machine_are_kept_back(late: Manager) -> None:
    late("INFO timeout_turn 1000", "INFO timeout_match 0")
    Late.delay_ms = 200
    late("BEGIN")
    Late.delay_ms = 0
    for _ in range(3):
        late("RESTART", "BEGIN")
    usual = 1000 - MARGIN_MS
    assert Late.times == [usual, usual - 200, usual - int(200 * FORGET), usual - int(200 * FORGET**2)]


def test_a_processor_that_others_use_leaves_less_time(late: Manager) -> None:
    late("INFO timeout_turn 1000", "INFO timeout_match 0")
    usual = 1000 - MARGIN_MS
    Late.waits = 0.5
    late("BEGIN")
    Late.waits = 0.0
    for _ in range(2):
        late("RESTART", "BEGIN")
    assert Late.times == pytest.approx([usual, usual - BREAKS_MS / 2, usual - BREAKS_MS / 2 * FORGET], abs=1)


def test_start_measures_how_busy_the_machine_is(late: Manager) -> None:
    Late.waits = 1.0
    late("START 9", "INFO timeout_turn 1000", "BEGIN")
    assert Late.times == [*TRIALS, pytest.approx(1000 - MARGIN_MS - BREAKS_MS, abs=1)]


def test_garbage_is_collected_between_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(Timed, "act", lambda self, *given: seen.append(gc.isenabled()) or Random.act(self, *given))
    monkeypatch.setitem(AGENTS, "timed", Timed)
    Manager("timed")("START 9", "BEGIN")
    assert seen
    assert not any(seen)
    assert gc.isenabled()


def test_the_time_of_a_game_is_counted_where_the_manager_does_not(late: Manager) -> None:
    late("INFO timeout_match 60000", "BEGIN", "TAKEBACK 0,0", "BOARD", "DONE", "BOARD", "DONE")
    left, expected = 60_000, []
    for _ in range(3):
        expected.append(left // SHARE - MARGIN_MS)
        left -= expected[-1]
    assert Late.times == expected
    late("INFO time_left 20000", "BOARD", "DONE", "BOARD", "DONE")
    second = (20_000 - (20_000 // SHARE - MARGIN_MS)) // SHARE - MARGIN_MS
    assert Late.times[3:] == [20_000 // SHARE - MARGIN_MS, second]
    late("RESTART", "BEGIN")
    assert Late.times[5] == expected[0]


def test_alphabeta_goes_on_with_its_table_when_its_time_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[bool] = []
    original = li.hash_table

    def recorded(*arguments: Any) -> HashTable:
        kept.append(arguments[3] is not None)
        return original(*arguments)

    manager = Manager("alphabeta")
    manager("START 9", "INFO timeout_turn 60")
    monkeypatch.setattr(li, "hash_table", recorded)
    manager("BEGIN", "INFO timeout_turn 70", "TURN 0,0", "INFO timeout_turn 80", "TURN 0,8")
    assert kept == [False, True, True]
    manager("RESTART", "INFO timeout_turn 60", "BEGIN")
    assert kept[3:] == [False]
