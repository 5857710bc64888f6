"""alphabeta with a limit of time: when its clock begins, and who stops the search."""

import contextlib
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

from amoba_agents.alphabeta import AlphaBeta, alphabeta_player
from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.deadline import LEAST_NODES, NODES_BETWEEN
from amoba_agents.alphabeta.fours import is_stopped
from amoba_env import games
from amoba_env.core.rng import streams


def test_the_time_of_a_move_begins_when_all_is_compiled_and_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([18.0, 20.0, 30.0])  # compiled and loaded, then the end of each search
    seen: list[object] = []

    @contextlib.contextmanager
    def stopping(w: np.ndarray, until: float) -> Iterator[None]:
        seen.append(until)
        yield

    monkeypatch.setattr(alphabeta_player, "think", lambda rules, states, *_: seen.append(len(states)))
    monkeypatch.setattr(alphabeta_player, "stopping", stopping)
    monkeypatch.setattr(alphabeta_player, "READS_CLOCK", False)
    monkeypatch.setattr(alphabeta_player, "time", SimpleNamespace(perf_counter=lambda: next(seconds)))
    game = games.make("tictactoe")
    AlphaBeta(ms=500).think(game, game.batch(2), streams(0, 0, 2))
    assert seen == [0, 18 + 0.5, 1, 20 + 0.5, 1]


@pytest.mark.plain
def test_a_search_looks_at_the_clock_itself() -> None:
    w = li.workspace(games.make("tictactoe").rules)
    w[li.LIMIT] = w[li.NODES] = 10**6
    w[li.LIMIT] += 10**6
    threads = set(threading.enumerate())
    with alphabeta_player.stopping(w, alphabeta_player.time.perf_counter() + 1e6):
        assert set(threading.enumerate()) <= threads
        assert not is_stopped(w)
    with alphabeta_player.stopping(w, alphabeta_player.time.perf_counter()):
        assert not is_stopped(w)  # it has just looked
        w[li.NODES] += NODES_BETWEEN
        assert is_stopped(w)
    assert w[li.STOP] == 1


@pytest.mark.parametrize(("size", "least"), [(10, LEAST_NODES), (15, LEAST_NODES), (30, LEAST_NODES // 4)])
def test_a_search_ends_before_another_break_could_make_it_late(size: int, least: int) -> None:
    """But it searches a few positions in any case, fewer on a large board, where each takes longer."""
    w = li.workspace(games.make("gomoku", size=size).rules)
    second = 10**9
    with alphabeta_player.stopping(w, alphabeta_player.time.perf_counter() + 1e6):
        w[li.LIMIT] = 10**6
        w[li.LOOKED] -= 1000 * second  # the processor was away for so long
        assert not is_stopped(w)
        w[li.DEADLINE] = w[li.LOOKED] + 999 * second
        w[li.NODES] += NODES_BETWEEN
        assert not is_stopped(w)  # it has hardly begun
        w[li.NODES] += least - NODES_BETWEEN - 1
        w[li.LOOK] = 0
        assert not is_stopped(w)
        w[li.NODES] += NODES_BETWEEN
        assert is_stopped(w)


def test_a_stop_between_two_lines_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread calls stop() just after the search has read that nobody called it."""
    seen: list[int] = []

    class Interrupted(AlphaBeta):
        called = 0

        @property
        def _stopped(self) -> int:
            before, self.called = self.called, 1
            self._work[li.STOP] = 1
            return before

        @_stopped.setter
        def _stopped(self, value: int) -> None:
            self.called = value

    def think(rules: object, states: np.ndarray, rng: object, w: np.ndarray, *_: object) -> None:
        if len(states):
            seen.append(int(w[li.STOP]))

    monkeypatch.setattr(alphabeta_player, "think", think)
    game = games.make("tictactoe")
    Interrupted(ms=500).think(game, game.batch(1), streams(0, 0, 1))
    assert seen == [1]


@pytest.mark.plain
def test_without_a_compiled_clock_a_thread_stops_the_search_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alphabeta_player, "READS_CLOCK", False)
    w = li.workspace(games.make("tictactoe").rules)
    before = set(threading.enumerate())
    with (
        pytest.raises(RuntimeError, match="out of luck"),
        alphabeta_player.stopping(w, alphabeta_player.time.perf_counter() + 1e6),
    ):
        raise RuntimeError("out of luck")
    assert w[li.STOP] == 0
    assert set(threading.enumerate()) <= before
    with alphabeta_player.stopping(w, -1.0):  # long ago: a thread that starts late stops at once
        while w[li.STOP] == 0:
            pass
    assert set(threading.enumerate()) <= before
