"""A first small call runs as plain Python while another process compiles (core/later.py, core/plain.py)."""

import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fresh_runs import FreshRuns
from numba import typeof

from amoba_agents.halma.plan import plan
from amoba_agents.values.line_scores import choose
from amoba_env import games
from amoba_env.core import batch, check, play
from amoba_env.core import state as st
from amoba_env.core.jit import CHECKSUM
from amoba_env.core.later import ROWS, First, is_small
from amoba_env.core.plain import twin
from amoba_env.core.rng import streams

# play.winning_cells calls place.winning_cells, and that calls place.is_full: few functions, so little to compile.
SCRIPT = """
import os, time
import numpy as np
from amoba_env import games
from amoba_env.core import later, play
from amoba_env.core.endings import LINE
from amoba_env.core.state import CELLS, ENDING, TO

game = games.make("tictactoe")
state = game.start()
state[CELLS : CELLS + 3] = 0
state[TO], state[ENDING] = 2, LINE
compiled, calls = play.winning_cells, []


def call():
    marks = np.zeros(9, np.int8)
    compiled(game.rules, state, marks)
    assert marks.sum() == 3
    calls.append(len(compiled.overloads))


def other_process():
    process = later.COMPILER.process
    return process is not None and process.poll() is None


call()
begun = other_process()
if begun and "LARGE" in os.environ:
    compiled._compile_for_args.small = lambda *arguments: False
    call()
elif begun and "WAIT" in os.environ:
    end = time.monotonic() + 300
    while not compiled.overloads and time.monotonic() < end:
        time.sleep(0.05)
        call()
print(begun, calls[0], calls[-1], sum(compiled.stats.cache_hits.values()), sum(compiled.stats.cache_misses.values()))
"""


@pytest.fixture(scope="module")
def runs() -> Iterator[FreshRuns]:
    """Runs of SCRIPT: whether another process compiles; machine codes after the first call and in the end; cache hits
    and misses."""
    with FreshRuns(SCRIPT, Path.cwd(), AMOBA_COMPILE="") as found:
        yield found


def test_a_first_call_does_not_wait(runs: FreshRuns, tmp_path: Path) -> None:
    found = runs.words(NUMBA_CACHE_DIR=str(tmp_path / "new"), WAIT="1")
    assert found == ["True", "0", "1", "1", "0"], "machine code should come from the disk"


def test_a_large_call_waits_for_what_the_other_process_compiles(runs: FreshRuns, tmp_path: Path) -> None:
    found = runs.words(NUMBA_CACHE_DIR=str(tmp_path), LARGE="1")
    assert found == ["True", "0", "1", "1", "0"], "machine code should come from the disk"


def test_it_is_compiled_here_if_nobody_else_can(runs: FreshRuns, tmp_path: Path) -> None:
    (tmp_path / "a file").touch()
    found = runs.words(NUMBA_CACHE_DIR=str(tmp_path / "a file"), WAIT="1")
    assert found == ["False", "1", "1", "0", "1"], "such a cache cannot be written"


def test_what_was_asked_for_is_done_though_the_process_ends(runs: FreshRuns, tmp_path: Path) -> None:
    assert runs.words(NUMBA_CACHE_DIR=str(tmp_path)) == ["True", "0", "0", "0", "0"]
    assert runs.words(NUMBA_CACHE_DIR=str(tmp_path), WAIT="1")[-1] == "0"


# Eight processes that compile for others, at once; they are forks, so that Numba is imported once.
SERVERS = """
import io, os, sys
from amoba_env.core import later, play

wanted = sys.stdin.buffer.read()
for _ in range(8):
    if os.fork() == 0:
        sys.stdin = io.TextIOWrapper(io.BytesIO(wanted))
        later.serve()
        stats = play.winning_cells.stats
        print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), flush=True)
        os._exit(0)
for _ in range(8):
    assert os.wait()[1] == 0
"""


def test_of_eight_that_begin_at_once_one_compiles(tmp_path: Path) -> None:
    game = games.make("tictactoe")
    kinds = tuple(map(typeof, (game.rules, game.start(), np.zeros(9, np.int8))))
    wanted = pickle.dumps(("amoba_env.core.play", "winning_cells", kinds))
    (tmp_path / "amoba").mkdir()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "AMOBA_REGISTER": "0", "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-c", SERVERS]
    done = subprocess.run(command, env=environment, input=wanted, stdout=subprocess.PIPE, check=True)
    assert sorted(done.stdout.splitlines()) == [b"0 1"] + [b"1 0"] * 7
    files = [each.read_bytes() for each in (tmp_path / "amoba").glob("*.bin*")]
    assert len(files) > 1
    for data in files:
        assert hashlib.sha256(data[CHECKSUM:]).digest() == data[:CHECKSUM], "each file should be whole"


def test_large_batches_wait_for_the_compiler() -> None:
    rules = np.zeros(3)
    assert is_small(rules, np.zeros((ROWS, 9)), 1)
    assert not is_small(rules, np.zeros((ROWS + 1, 9)), 1)
    states = np.zeros((1, 9))
    placing: Any = choose
    for function in (placing.place, plan):
        first: Any = function._compile_for_args
        assert isinstance(first, First)
        before = [rules, states, rules, states] if function is plan else [rules, states, rules]
        assert first.small(*before, 1, True, False, rules)
        assert not first.small(*before, 2, False, False, rules), "a search should wait"


@pytest.mark.parametrize("name", games.GAMES)
def test_a_twin_gives_the_same_bits(name: str) -> None:
    game = games.make(name)
    height, width, planes = game.observation_shape
    state, stream = game.start(), streams(3, 0, 1)
    legal = np.empty(game.n_actions, np.int32)

    def both(function: Any, *arguments: Any) -> None:
        """Call a function and its twin on copies of the arguments, and compare what they return and write."""
        given = [[each.copy() if isinstance(each, np.ndarray) else each for each in arguments] for _ in range(2)]
        assert function(*given[0]) == twin(function.py_func)(*given[1])
        for one, two in zip(*given, strict=True):
            np.testing.assert_array_equal(one, two)

    for _ in range(12):
        if state[st.STATUS] != st.RUNNING:
            break
        both(play.moves, game.rules, state, legal)
        seat, action = int(state[st.TO_MOVE]), int(legal[0])
        room = np.zeros((planes, height, width), np.int8), np.zeros(game.n_actions, np.int8)
        both(play.observe, game.rules, state, seat, *room)
        both(check.fault, game.rules, state, True)
        both(play.step, game.rules, state, action)
        actions, memory = np.zeros(1, np.int32), np.zeros((1, 0), np.int16)
        if game.moves_men:
            both(plan, game.rules, state[None], stream, memory, 1, True, False, actions)
        else:
            both(choose, game.rules, state[None], stream, 1, True, False, actions)
        both(batch.step_all, game.rules, state[None], np.zeros(1, np.int64))
        play.random_plies(game.rules, state, stream, 1)
