"""Threads: the same bits with any number of them, errors, forks, and which agents they ask."""

import copy
import multiprocessing
import pickle
import threading
from typing import Any

import numpy as np
import pytest
from child_threads import N, in_a_child
from environments import same

from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.games import Game
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_env.threads import LEAST, Part, each, parts
from amoba_env.vector import BatchEnv


@pytest.mark.parametrize("count", [0, 1, LEAST - 1, LEAST, 2 * LEAST - 1, 2 * LEAST, 1000, 4096])
@pytest.mark.parametrize("num_threads", [1, 2, 3, 16, 1000])
def test_parts(count: int, num_threads: int) -> None:
    found = parts(count, num_threads)
    assert [row for part in found for row in range(count)[part]] == list(range(count))
    lengths = [part.stop - part.start for part in found]
    assert max(lengths) - min(lengths) <= 1
    assert len(found) == max(1, min(num_threads, count // LEAST))


def test_each_part_has_a_thread() -> None:
    meet, seen = threading.Barrier(3, timeout=60), []

    def work(part: Part) -> None:
        meet.wait()  # goes on when all three are here at the same time
        seen.append(part)

    each(work, parts(N, 3))
    assert sorted(seen, key=lambda part: int(part.start)) == parts(N, 3)


@pytest.mark.plain
def test_one_pool_for_all_numbers_of_parts() -> None:
    def waiting() -> int:
        return sum(thread.name.startswith("amoba-call") for thread in threading.enumerate())

    before = waiting()
    for count in range(2, 9):
        meet = threading.Barrier(count, timeout=60)  # else one thread may take two parts
        each(lambda _, meet=meet: meet.wait(), parts(8 * LEAST, count))
    assert waiting() == max(before, 7)


def test_threads_within_threads() -> None:
    seen: list[tuple[int, int]] = []

    def work(outer: Part) -> None:
        each(lambda inner: seen.append((outer.start, inner.start)), parts(N, 2))

    each(work, parts(N, 2))
    starts = [part.start for part in parts(N, 2)]
    assert sorted(seen) == [(a, b) for a in starts for b in starts]


@pytest.mark.plain
@pytest.mark.parametrize("bad", [0, 1, 2])
def test_an_error_comes_when_all_are_done(bad: int) -> None:
    done, wrong = [], parts(N, 3)[bad]

    def work(part: Part) -> None:
        if part == wrong:
            raise ValueError(f"part {bad}")
        done.append(part)

    for _ in range(3):
        done.clear()
        with pytest.raises(ValueError, match=f"part {bad}"):
            each(work, parts(N, 3))
        assert len(done) == 2


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize(
    "start", [each for each in ("fork", "spawn") if each in multiprocessing.get_all_start_methods()]
)
def test_a_child_has_threads_of_its_own(start: str) -> None:
    each(lambda part: None, parts(N, 3))
    child = multiprocessing.get_context(start).Process(target=in_a_child)
    child.start()
    child.join(600)
    child.kill()  # does nothing if it has ended
    assert child.exitcode == 0


GAMES: list[tuple[str, dict[str, Any]]] = [
    ("tictactoe", {"opponent": None}),
    ("tictactoe", {"opponent": ["random", "greedy"], "random_plies": 2}),
    ("gomoku", {"opponent": ["random", "greedy", "lookahead:2"], "size": 6}),
    ("gomoku", {"opponent": None, "size": 7, "opening": "swap2"}),
    ("renju", {"opponent": "greedy", "size": 9}),
    ("halma", {"opponent": None, "max_plies": 15}),
    ("halma", {"opponent": ["lookahead:2,ties=thesis", "maxn:1", "hinder:1"], "max_plies": 15}),
]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(("game", "options"), GAMES, ids=str)
def test_the_same_bits(game: str, options: dict[str, Any], mode: str) -> None:
    envs = [BatchEnv(game, N, autoreset_mode=mode, num_threads=threads, **options) for threads in (1, 2, 3)]
    seen = [env.reset(seed=1) for env in envs]
    dice = np.random.default_rng(4)
    for _ in range(25):
        for other in seen[1:]:
            same(other, seen[0])
        masks = seen[0][-1]["action_mask"]
        actions = [dice.choice(np.flatnonzero(mask)) if mask.any() and dice.random() < 0.98 else 0 for mask in masks]
        seen = [env.step(actions) for env in envs]
    for env in envs[1:]:
        assert np.array_equal(env.states, envs[0].states)
    for twin in (copy.deepcopy(envs[2]), pickle.loads(pickle.dumps(envs[2]))):
        same(twin.step(actions), copy.deepcopy(envs[0]).step(actions))


def test_stable_baselines3() -> None:
    envs = [SelfPlayVecEnv("tictactoe", N, ["random", "greedy"], num_threads=threads) for threads in (1, 3)]
    for env in envs:
        env.seed(1)
        env.reset()
    for _ in range(10):
        actions = envs[0].action_masks().argmax(axis=1)
        one, many = (env.step(actions) for env in envs)
        for infos in (one[3], many[3]):
            for info in infos:
                info.get("episode", {}).pop("t", None)  # seconds
        same(many, one)
        assert np.array_equal(envs[1].action_masks(), envs[0].action_masks())


class Lowest(Agent):
    """The first free cell; it remembers how many rows it was asked for at a time, and by whom."""

    name = "lowest"

    def __init__(self, rowwise: bool) -> None:
        self.rowwise = rowwise
        self.asked: list[tuple[int, str]] = []

    def act(self, game: Game, states: np.ndarray, rng: Streams, memory: Memory) -> Actions:
        self.asked.append((len(states), threading.current_thread().name))
        return (game.cells(states) < 0).argmax(axis=1).astype(np.int32)


@pytest.mark.plain
def test_only_rowwise_agents_are_asked_by_several() -> None:
    for rowwise in (True, False):
        agent = Lowest(rowwise)
        envs = BatchEnv("gomoku", N, opponent=agent, seat=0, num_threads=3)
        envs.reset(seed=1)
        envs.step(np.full(N, 50))
        assert sum(rows for rows, _ in agent.asked) == N
        assert len(agent.asked) == (3 if rowwise else 1)
        main = threading.current_thread().name
        assert [name for _, name in agent.asked].count(main) == 1
