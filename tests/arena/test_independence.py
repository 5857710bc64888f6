"""What is drawn for a match is independent: who begins, the opening, the moves."""

from math import factorial

import numpy as np
import pytest
from errors import bad_value
from scipy.stats import chi2_contingency

from amoba_env import games
from amoba_env.core import rules as ru
from amoba_env.core.play import renumber
from amoba_env.core.rng import PLAY, RANDOM_OPENING, SEAT, STARTER, TRAINING, streams
from amoba_env.games import Game
from amoba_experiments.analysis.summary import summarize
from amoba_experiments.arena.games import HELD
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.shard import play_shard
from amoba_experiments.runs.play_match import play_match

CHANCE = 1e-4  # the probability that a test fails if all is as it should be; seeds are fixed
OPENINGS = 4_000
BINS = 12  # of first moves: neighbouring action numbers together, so that each bin has some hundred games
# Only the first moves count: games of men end after four, and those of renju and omok are on small boards.
SHORT: dict[str, dict[str, int]] = {name: {"max_plies": 4} for name in ("halma", "chinese_checkers", "square_halma")}
SHORT["renju"] = SHORT["omok"] = {"size": 9}


def first_moves(match: Match, game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Who began each game, and the first move as that seat sees the board: a turn of the board changes nothing."""
    played = play_shard(match, 0, match.games)
    ends, actions = played.moves
    seen = [
        renumber(game.rules, int(s), int(a), ru.VIEW) for s, a in zip(played.starter, actions[ends[:-1]], strict=True)
    ]
    return played.starter, np.array(seen)


def chance_of(starter: np.ndarray, moves: np.ndarray) -> float:
    """The p-value of the two being independent (Pearson's chi-squared)."""
    edges = np.unique(np.quantile(moves, np.linspace(0, 1, BINS + 1)[1:-1]))
    counts = np.zeros((starter.max() + 1, len(edges) + 1), np.int64)
    np.add.at(counts, (starter, np.searchsorted(edges, moves)), 1)
    return float(chi2_contingency(counts[:, counts.sum(axis=0) > 0]).pvalue)


@pytest.mark.parametrize("name", list(games.GAMES))
def test_who_begins_says_nothing_of_the_opening(name: str) -> None:
    options = SHORT.get(name, {})
    game = games.make(name, **options)
    match = Match(name, ("random",) * game.players, OPENINGS, 1, options=options, openings=("random:1",))
    paired = Match(**{**vars(match), "games": OPENINGS // 2 * factorial(game.players), "paired": True})
    for what in (match, paired):
        starter, moves = first_moves(what, game)
        one = slice(None, None, what.orders)  # games of a pair are alike
        assert chance_of(starter[one], moves[one]) > CHANCE
        assert len(np.unique(starter)) == game.players


@pytest.mark.parametrize("name", list(games.GAMES))
def test_who_begins_says_nothing_of_the_first_move(name: str) -> None:
    options = SHORT.get(name, {})
    game = games.make(name, **options)
    assert chance_of(*first_moves(Match(name, ("random",) * game.players, OPENINGS, 5, options=options), game)) > CHANCE


@pytest.mark.parametrize(("openings", "paired"), [((), False), (("random:3",), False), (("random:3", "a1 b2"), True)])
def test_games_of_several_seeds_are_those_of_each(openings: tuple[str, ...], paired: bool) -> None:
    agents = ("greedy", "random")
    count = 28 if paired else 30
    match = Match("gomoku", agents, count, 4, openings=openings, paired=paired, seeds=3, rotate=not paired)
    played = play_match(match, jobs=2, batch=5)
    part, number = match.origin(np.arange(count))
    assert np.bincount(part).tolist() == ([10, 10, 8] if paired else [10, 10, 10])
    for each in range(3):
        one = play_match(Match("gomoku", agents, count, 4 + each, openings=openings, paired=paired, rotate=not paired))
        for name in set(HELD) - {"index"}:
            own = getattr(one, name)[number[part == each]]
            np.testing.assert_array_equal(getattr(played, name)[part == each], own)
    found = summarize(match, played, None)["players"][0]
    won = (played.winner >= 0) & (played.seating[np.arange(count), played.winner] == 0)
    assert found["by_seed"] == [float(won[part == i].mean()) for i in range(3)]
    halves = [0.5 * (played.winner[part == i] < 0).mean() for i in range(3)]
    assert found["points"]["by_seed"] == pytest.approx(np.add(found["by_seed"], halves))


def test_more_seeds_than_openings_are_refused() -> None:
    with pytest.raises(ValueError, match=r"seeds: expected 1 to 3 .the number of openings"):
        Match("gomoku", ("greedy", "random"), 6, paired=True, seeds=4)
    with bad_value("seeds", "1 or more"):
        Match("gomoku", ("greedy", "random"), 6, seeds=0)


def test_each_purpose_has_streams_of_its_own() -> None:
    purposes = (PLAY, RANDOM_OPENING, STARTER, SEAT, TRAINING)
    seeds = (0, 1, 2**64, 2**128 - 1)
    found = np.concatenate([streams(seed, 0, 1000, purpose) for purpose in purposes for seed in seeds])
    assert len(np.unique(found)) == len(found)
