"""The random streams: reproducible, independent of slicing, and uniform."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amoba_env.core.rng import below, streams

SEEDS = st.integers(0, 2**64)
COUNTS = st.integers(0, 40)


def draw(stream: np.ndarray, n: int, count: int) -> np.ndarray:
    return np.array([below(stream, n) for _ in range(count)])


def chi_square(counts: np.ndarray) -> float:
    """Against equal chances; with d degrees of freedom some d, and d + 5 sqrt(2 d) is far out."""
    expected = counts.sum() / len(counts)
    return float(((counts - expected) ** 2 / expected).sum())


def assert_uniform(values: np.ndarray, n: int) -> None:
    counts = np.bincount(values, minlength=n)
    assert len(counts) == n
    assert chi_square(counts) < (n - 1) + 5 * (2 * (n - 1)) ** 0.5


@given(SEEDS, COUNTS, COUNTS)
def test_streams_do_not_depend_on_slicing(seed: int, start: int, count: int) -> None:
    whole = streams(seed, 0, 100)
    assert whole.dtype == np.uint64
    assert whole.shape == (100,)
    assert np.array_equal(streams(seed, start, count), whole[start : start + count])


@given(st.lists(SEEDS, min_size=2, max_size=5, unique=True))
def test_streams_differ_between_seeds_and_games(seeds: list[int]) -> None:
    every = np.concatenate([streams(seed, 0, 200) for seed in seeds])
    assert len(np.unique(every)) == len(every)


def test_streams_are_what_they_were() -> None:
    # Published results name a seed; it must go on meaning the same games.
    assert streams(0, 0, 2).tolist() == [721221332719839402, 8971444433896164856]
    assert draw(streams(7, 3, 1), 6, 8).tolist() == [2, 3, 5, 1, 5, 4, 0, 3]


def test_below_is_splitmix64() -> None:
    # The published outputs for the state 1234567; a power of two takes their highest bits.
    outputs = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    stream = np.array([1234567], np.uint64)
    assert draw(stream, 2**31, 5).tolist() == [output >> 33 for output in outputs]


@given(SEEDS, st.integers(1, 2**32 - 1))
def test_below_is_in_range(seed: int, n: int) -> None:
    values = draw(streams(seed, 0, 1), n, 20)
    assert values.min() >= 0
    assert values.max() < n


@pytest.mark.parametrize("n", [2, 3, 6, 10, 37, 100])
def test_one_stream_is_uniform(n: int) -> None:
    assert_uniform(draw(streams(2024, 0, 1), n, 20_000), n)


@pytest.mark.parametrize("n", [3, 10])
def test_the_first_numbers_of_many_streams_are_uniform(n: int) -> None:
    batch = streams(2024, 0, 20_000)
    assert_uniform(np.array([below(batch[i : i + 1], n) for i in range(len(batch))]), n)


def test_successive_numbers_are_independent() -> None:
    values = draw(streams(5, 0, 1), 6, 20_000)
    assert_uniform(values[:-1] * 6 + values[1:], 36)


def test_neighbouring_streams_are_independent() -> None:
    batch = streams(5, 0, 20_001)
    values = np.array([below(batch[i : i + 1], 6) for i in range(len(batch))])
    assert_uniform(values[:-1] * 6 + values[1:], 36)


def test_large_ranges_have_no_bias() -> None:
    # Without a rejection, of each four words two would go to the same one of three numbers.
    values = draw(streams(9, 0, 1), 3 * 2**30, 6_000)
    assert_uniform(values % 3, 3)
