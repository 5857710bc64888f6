"""Games that a referee ends: by score, by length, in memory and on disk."""

from pathlib import Path

import numpy as np
import pytest

from amoba_env import games
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_experiments import Match, dataset, load, play_match
from amoba_experiments.analysis.tournament import Tournament, play_tournament
from amoba_experiments.arena.adjudicate import Adjudication, Referee, read_adjudication
from amoba_experiments.arena.games import ADJUDICATED
from amoba_experiments.runs.store import load_games, match_of, read_manifest

SLOW = ("greedy", "random")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Adjudication()),
        ("score 0.95 4", Adjudication(0.95, 4)),
        ("length 200", Adjudication(length=200)),
        (" length 9 ,  score 1 2", Adjudication(1.0, 2, 9)),
    ],
)
def test_texts(text: str, expected: Adjudication) -> None:
    assert read_adjudication(text) == expected


@pytest.mark.parametrize("text", ["score", "score 2 4", "score 0.9", "length 0", "draw 3", "score 0.9 0"])
def test_bad_texts(text: str) -> None:
    with pytest.raises(ValueError, match="adjudicate"):
        Match("gomoku", SLOW, 2, adjudicate=text)


def test_scores_need_a_search() -> None:
    with pytest.raises(ValueError, match="alphabeta"):
        Match("halma", ("random",) * 3, 3, adjudicate="score 0.9 2")
    Match("halma", ("random",) * 3, 3, adjudicate="length 20")


@pytest.mark.parametrize("game", ["gomoku", "halma"])
def test_length(game: str) -> None:
    agents = ("random",) * games.make(game).players
    played = play_match(Match(game, agents, 12, adjudicate="length 8"))
    assert set(played.plies) == {8}
    assert set(played.winner) == {-2}
    assert set(played.ending) == {ADJUDICATED}
    assert (played.places == played.places[:, :1]).all()


def test_score(tmp_path: Path) -> None:
    """The better player wins sooner; a run keeps that, for any batch and in replays."""
    plain = play_match(Match("gomoku", SLOW, 20))
    match = Match("gomoku", SLOW, 20, adjudicate="score 0.95 3, length 60")
    played = play_match(match, tmp_path / "run", batch=3, jobs=2)
    ended = played.ending == ADJUDICATED
    assert ended.sum() > 10
    assert (played.plies[ended] < plain.plies[ended]).all()
    assert (played.winner[ended] == plain.winner[ended]).all()
    again = play_match(match)
    for name in ("winner", "ending", "plies", "digest", "places"):
        assert np.array_equal(getattr(played, name), getattr(again, name))
    assert match_of(read_manifest(tmp_path / "run")).adjudicate == match.adjudicate
    assert np.array_equal(load_games(tmp_path / "run").ending, played.ending)
    assert {"adjudicated"} <= set(load(tmp_path / "run")["ending"].to_pylist())
    assert set(np.unique(dataset(tmp_path / "run")["outcome"])) == {-1.0, 1.0}


def _led(text: str) -> tuple[Referee, States]:
    """A referee, and the game that it has judged once: Black has three in a row."""
    game = games.make("gomoku")
    referee, states = Referee(game, text, 1), game.batch(1)
    for move in (44, 0, 45, 1, 46):
        states[0] = _after(states[0], move)
    referee.end_decided(states, np.arange(1))
    return referee, states


def test_a_lead_must_last() -> None:
    referee, states = _led("score 0.95 2")
    assert states[0, 1] == -1
    states[0] = _after(states[0], 2)
    referee.end_decided(states, np.arange(1))
    assert states[0, 1] == 0


def test_a_draw_by_length_is_not_won_by_score() -> None:
    """The lead would have lasted long enough at the same ply: the game is over already."""
    _, states = _led("score 0.95 1, length 5")
    assert states[0, 1] == st.NOBODY


def test_a_tournament_is_adjudicated(tmp_path: Path) -> None:
    """Every game that is not over by then is a draw after 9 plies; the folder keeps the rule."""
    what = Tournament("gomoku", ("greedy", "random"), games=4, adjudicate="length 9")
    (_, match, played), *_ = play_tournament(what, tmp_path / "t")
    assert match.adjudicate == "length 9"
    assert (played.plies == 9).any()
    assert (played.winner[played.ending == ADJUDICATED] < 0).all()
    with pytest.raises(ValueError, match="adjudicate"):
        play_tournament(Tournament("gomoku", ("greedy", "random"), games=4), tmp_path / "t")


def _after(state: np.ndarray, move: int) -> np.ndarray:
    from amoba_env import Position

    return Position(games.make("gomoku"), state).play(move).state
