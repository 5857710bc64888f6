"""The perfect player, and the regret of other players' moves."""

import dataclasses

import numpy as np
import pytest
from simple_players import Stubborn

from amoba_agents import AGENTS, Seat, make_agent
from amoba_agents.values.exact import regret
from amoba_env import Position, games
from amoba_env.core import state as st
from amoba_env.core.rng import streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.games.rows import k_in_a_row
from amoba_experiments.analysis.openings import game_clusters
from amoba_experiments.analysis.regret import Regrets
from amoba_experiments.analysis.summary import summarize
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match


def four_by_three() -> Game:
    """Three in a row on 4x3 cells: the first player wins."""
    return k_in_a_row("four_by_three", {}, 4, 3, 3)


@pytest.mark.plain
def test_it_finds_the_only_move() -> None:
    game = games.make("tictactoe")
    for seed in range(5):
        assert (
            Seat(make_agent("perfect"), Position.from_moves(game, "a1"), seed).act(Position.from_moves(game, "a1"))
            == game.n_cells // 2
        )


def test_it_plays_every_best_move() -> None:
    """Only the corners answer the centre; all of them are played."""
    game = games.make("tictactoe")
    states = np.repeat(Position.from_moves(game, "b2").state[None], 200, axis=0)
    actions = make_agent("perfect").act(game, states, streams(1, 0, 200), np.zeros((200, 0), np.int16))
    assert actions.dtype == np.int32
    assert set(actions.tolist()) == {0, 2, 6, 8}
    assert np.bincount(actions)[[0, 2, 6, 8]].min() > 25


@pytest.mark.parametrize("other", ["random", "greedy", "lookahead:3", "perfect"])
def test_it_never_loses(other: str) -> None:
    played = play_match(Match("tictactoe", ("perfect", other), 200, rotate=True))
    winners = np.where(played.winner >= 0, played.seating[np.arange(200), np.maximum(played.winner, 0)], st.NOBODY)
    assert 1 not in winners
    if other == "perfect":
        assert (winners == st.NOBODY).all()


@pytest.mark.parametrize("other", ["random", "greedy", "perfect"])
def test_it_wins_a_won_game(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(games.GAMES, "four_by_three", four_by_three)
    played = play_match(Match("four_by_three", ("perfect", other), 200, start="first"))
    assert (played.winner == 0).all()


def regrets_of(match: Match, **how: int) -> tuple[list[dict[str, float]], list[list[tuple[int, int]]]]:
    """The report of a match, and for each agent the game of each of its moves and the move's regret by regret()."""
    regrets = Regrets(games.make(match.game), len(match.agents))
    expected: list[list[tuple[int, int]]] = [[] for _ in match.agents]
    game = games.make(match.game)

    def watch(index: np.ndarray, agents: np.ndarray, states: States, actions: np.ndarray) -> None:
        regrets.watch(index, agents, states, actions)
        for each, agent, state, action in zip(index.tolist(), agents.tolist(), states, actions.tolist(), strict=True):
            expected[agent].append((each, regret(Position(game, state), action)))

    played = play_match(match, watch=watch, **how)
    result = summarize(match, played, 1.0)
    regrets.add_to(result["players"], game_clusters(match, played))
    return [player["regret"] for player in result["players"]], expected


def test_an_agent_that_made_no_move_has_no_regret() -> None:
    match = Match("tictactoe", ("perfect", "random"), 8, start="first", openings=("random:8",))
    reported, _ = regrets_of(match)
    assert [each["moves"] for each in reported] == [8, 0]
    assert reported[1]["mean"] is reported[1]["ci95"] is None


def test_regrets_of_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(games.GAMES, "four_by_three", four_by_three)
    match = Match("four_by_three", ("greedy", "random"), 60, rotate=True)
    reported, expected = regrets_of(match, jobs=1)
    for found, pairs in zip(reported, expected, strict=True):
        moves = [lost for _, lost in pairs]
        assert (found["moves"], found["lost_1"], found["lost_2"]) == (len(moves), moves.count(1), moves.count(2))
        assert found["mean"] == pytest.approx(np.mean(moves))
        off = np.zeros(60)  # the moves of a game count together
        for game, lost in pairs:
            off[game] += lost - np.mean(moves)
        assert found["se"] == pytest.approx((60 / 59 * (off**2).sum()) ** 0.5 / len(moves))
        assert found["share"] == pytest.approx(np.mean(np.array(moves) > 0))
    assert {lost for _, lost in expected[1]} == {0, 1, 2}
    assert reported[0]["mean"] < reported[1]["mean"]
    assert regrets_of(match, jobs=2, batch=7)[0] == reported
    assert regrets_of(dataclasses.replace(match, agents=("perfect", "perfect")))[0][0]["mean"] == 0


def test_an_illegal_move_loses_all_there_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "stubborn", Stubborn)
    match = Match("tictactoe", ("stubborn", "stubborn"), 3, start="first")
    regrets = Regrets(games.make(match.game), len(match.agents))
    played = play_match(match, jobs=1, watch=regrets.watch)
    result = summarize(match, played, 1.0)
    regrets.add_to(result["players"], game_clusters(match, played))
    first, second = (player["regret"] for player in result["players"])
    assert (first["moves"], first["lost_1"], first["lost_2"]) == (3, 0, 0)
    assert (second["moves"], second["lost_1"], second["lost_2"]) == (3, 3, 0)  # the draw that white had


@pytest.mark.plain
def test_games_that_are_too_large() -> None:
    for name, agents in (("gomoku", 2), ("halma", 3)):
        with pytest.raises(ValueError, match="solve"):
            Regrets(games.make(name), agents)
    game = games.make("gomoku")
    with pytest.raises(ValueError, match="gomoku is too large to solve"):
        Seat(make_agent("perfect"), Position.start(game)).act(Position.start(game))
