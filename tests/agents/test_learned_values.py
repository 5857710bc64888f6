"""The learned values and the policy of alphabeta: against their definition in plain Python, and what they are for."""

import random
from itertools import product

import numpy as np
import pytest
from alphabeta_values import scores_of, value_of
from naive_sets import counted

from amoba_agents import fingerprint, make_agent
from amoba_agents.alphabeta import stone_values as sv
from amoba_env import games
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.rng import streams
from amoba_env.games import Game
from amoba_env.symmetry import images

GAMES = [
    ("gomoku", {"size": 10}),
    ("gomoku", {"size": 15, "rule": "exact"}),
    ("renju", {}),
    ("amoba", {"board": "islands", "patterns": "5"}),
]


def state_of(game: Game, stones: dict[int, int], black: int = 0) -> np.ndarray:
    """The position with these stones: cell -> seat."""
    state = game.start()
    state[st.BLACK] = black
    for cell, seat in stones.items():
        state[st.CELLS + cell] = seat
    state[st.PLY] = len(stones)
    return state


def defined(game: Game, state: np.ndarray, seat: int) -> tuple[int, list[int]]:
    """The same from the definition: a small network over all empty cells, in whole numbers; a value and scores."""
    with np.load(sv.FILE) as found:
        layers = {name: found[name].astype(object) for name in found.files}
    words, _ = counted(game, state)
    kind = 0 if not game.rules[ru.BLACK_ONLY] else 1 if seat == state[st.BLACK] else 2

    def of(codes: list[tuple[int, int, int]], name: str) -> np.ndarray:
        inputs = [36 + kind]
        for number, (two, three, four) in enumerate(codes):
            inputs += [18 * number + two, 18 * number + 4 + three, 18 * number + 10 + four]
        return np.array([max(0, x) for x in sum(layers[name][i] for i in inputs)], object)

    def code(counts: dict[int, int]) -> tuple[int, int, int]:
        four = counts[4]
        return min(counts[2], 3), min(counts[3], 5), four if four < 5 else 5 if four < 7 else 6 if four < 10 else 7

    def rounded(numbers: np.ndarray, unit: int) -> np.ndarray:
        """Of numbers in 1 / 2 ** 22, in 1 / unit, between -8 and 8."""
        step = 2**22 // unit
        return np.array([max(-8 * unit, min(8 * unit, (x + step // 2) // step)) for x in numbers], object)

    sums, keys = np.zeros(32, object), []
    for cell in np.flatnonzero(state[st.CELLS :] == st.EMPTY):
        codes = [code(words[who * game.n_cells + cell]) for who in (seat, 1 - seat)]
        first, second = (of(codes, name) - of([(0, 0, 0)] * 2, name) for name in ("inputs", "key_inputs"))
        sums += rounded(first @ layers["vectors"], 2048)
        keys.append(rounded(second @ layers["keys"], 64))
    layer = np.array([max(0, x) for x in sums], object) @ layers["hidden"] + 2048 * layers["hidden_bias"]
    layer = np.array([max(0, x) for x in layer], object)
    second = (layer // 2048) @ layers["value"] + 2048 * layers["value_bias"][0]
    query = layer @ layers["query"] + 2**22 * layers["query_bias"]
    query = [max(-512, min(512, x >> 27)) for x in query]
    scores = [(64 * key[0] + key[1:] @ query) // 32 for key in keys]
    return int(np.clip(second * 30 // 2**22, -20_000, 20_000)), scores


def some_stones(game: Game, draw: random.Random) -> dict[int, int]:
    """Stones of both seats in turn, many of them near each other."""
    cells = draw.sample(range(game.n_cells), draw.randrange(2, game.n_cells // 3))
    return {cell: number % 2 for number, cell in enumerate(cells)}


@pytest.mark.parametrize(("name", "options"), GAMES, ids=lambda given: str(given))
def test_values_and_scores_fit_their_definition(name: str, options: dict[str, str]) -> None:
    game = games.make(name, **options)
    draw = random.Random(1)
    seen, distinct, others = set(), set(), []
    for _ in range(6):
        stones = some_stones(game, draw)
        for seat, black in product(range(2), range(2 if name == "renju" else 1)):
            state = state_of(game, stones, black)
            value = value_of(game, state, seat, sv.network(game.rules))
            expected, scores = defined(game, state, seat)
            assert value == expected
            empty = np.flatnonzero(game.cells(state) == st.EMPTY)
            found = scores_of(game, state, seat, sv.network(game.rules), empty)
            assert found == pytest.approx(scores, abs=1)  # lower products may borrow one
            distinct.add(len(set(scores)))
            others.append(value - value_of(game, state, seat, sv.COUNTED))
            seen.add(value)
    assert len(seen) > 6
    assert max(distinct) > 10
    assert np.count_nonzero(others) > len(others) // 2


def test_values_are_those_of_all_images() -> None:
    game = games.make("gomoku", size=15)
    draw = random.Random(2)
    for _ in range(5):
        state = state_of(game, some_stones(game, draw))
        seen = {value_of(game, image, int(image[st.TO_MOVE]), sv.network(game.rules)) for image in images(game, state)}
        assert seen == {value_of(game, state, 0, sv.network(game.rules))}


@pytest.mark.parametrize(("name", "options"), [("tictactoe", {}), ("amoba", {"board": "islands", "patterns": "5,xxx"})])
def test_games_without_learned_values_have_counted_ones(name: str, options: dict[str, str]) -> None:
    game = games.make(name, **options)
    state = state_of(game, {0: 0, game.n_cells - 1: 1})
    usual, counted = (make_agent(f"alphabeta:nodes=500{more}") for more in ("", ",evaluation=counted"))
    answers = [agent.think(game, state[None], streams(1, 0, 1)) for agent in (usual, counted)]
    assert (answers[0][0][0], answers[0][1][0]) == (answers[1][0][0], answers[1][1][0])
    assert fingerprint(usual.name, game) == fingerprint(counted.name, game) == {}
    assert list(fingerprint(usual.name, games.make("renju"))) == ["amoba_agents/alphabeta/values.npz"]
