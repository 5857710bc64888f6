"""The learned chances of `mcts` in halma: against their definition, and in the search."""

import numpy as np
import pytest
from halma_positions import endings, positions_of, small
from numba import config
from test_foresight import odds_as_defined, rows_as_defined

from amoba_agents import fingerprint, make_agent
from amoba_agents.endgame import chances as endgame_chances
from amoba_agents.endgame.race_tables import tables_for
from amoba_agents.mcts import leaf_chances
from amoba_agents.mcts.leaves import CHANCES, NOTHING, learned
from amoba_agents.mcts.tree_search import TreeSearch
from amoba_env import Position, games
from amoba_env.core.rng import streams
from amoba_experiments import Match, play_match


def values_as_defined(position: Position, net: endgame_chances.ChanceNetwork) -> list[float]:
    """What the position is worth to each seat, from the definition."""
    players, found = position.game.players, []
    for seat in range(players):
        rows = [*rows_as_defined(position, seat), leaf_chances.TURN_ROW + (position.to_move - seat) % players]
        assert len(set(rows)) == len(rows) <= leaf_chances.MOST_ROWS
        found.append(1 / (1 + np.exp(-odds_as_defined(net, rows))))
    return [(chance / sum(found) * players - 1) / (players - 1) for chance in found]


@pytest.mark.parametrize("players", [2, 3])
def test_the_values_are_those_of_the_definition(players: int) -> None:
    game = games.make("halma", players=players)
    leaf = learned(game)
    net = leaf.chances
    assert net.rows.shape == (leaf_chances.ALL_ROWS, endgame_chances.FIRST)
    room, values = leaf_chances.room_for(game.rules, leaf.tables), np.zeros(players, np.float32)
    seen = set()
    for position in positions_of(game, 20, seed=4, plies=70):
        leaf_chances.read_chances(game.rules, position.state, net, room, values)
        assert values == pytest.approx(values_as_defined(position, net), abs=1e-6)
        assert values.sum() == pytest.approx(0, abs=1e-5)
        seen.add(position.to_move)
    assert len(seen) == players


@pytest.mark.parametrize("players", [2, 3])
def test_a_win_at_once_is_played(players: int) -> None:
    agent = make_agent("mcts:200,evaluation=learned")
    for before in endings(games.make("halma", players=players), 4, seed=1, back=1):
        action = agent.act(before.game, before.state[None].copy(), streams(0, 0, 1), np.empty((1, 0), np.int16))
        after = before.play(int(action[0]))
        assert after.outcome is not None
        assert after.outcome.winner == before.to_move


@pytest.mark.parametrize(("players", "others"), [(2, 1), (3, 2)])
def test_it_beats_the_search_with_playouts(players: int, others: int) -> None:
    """With as many simulations."""
    agents = ("mcts:100,evaluation=learned", *["mcts:100"] * others)
    options = {"players": players}
    match = Match("halma", agents, 36, options=options, openings=("random:4",), seed=1)
    assert (play_match(match).winner == 0).sum() > 36 // players


def test_where_it_plays() -> None:
    agent = make_agent("mcts:50,evaluation=learned")
    assert agent.name == "mcts:50,evaluation=learned"
    assert make_agent("mcts:50,evaluation=learned,c=1").name == "mcts:50,c=1,evaluation=learned"
    for game in (games.make("tictactoe"), games.make("square_halma"), games.make("chinese_checkers", players=3)):
        with pytest.raises(ValueError, match="halma with two or three players"):
            agent.memory(game)
    for players in (2, 3):
        game = games.make("halma", players=players)
        assert agent.memory(game) == 0
        assert list(fingerprint(agent.name, game)) == [f"amoba_agents/mcts/values-{players}.npz"]
    with pytest.raises(ValueError, match="got both"):
        make_agent("mcts:50,evaluation=learned,prior=trained")
    with pytest.raises(ValueError, match="playouts, learned"):
        make_agent("mcts:50,evaluation=good")


if config.DISABLE_JIT:  # compiled code has the number of men in it, and the table of halma takes hours in plain Python

    @pytest.mark.plain
    @pytest.mark.parametrize("players", [2, 3])
    def test_the_search_on_a_small_star(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """Three men each on 13 cells: values as defined, and a win at once has most visits."""
        monkeypatch.setattr(endgame_chances, "MEN_OF_A_SEAT", 3)
        game, wins = small(players), 0
        net = endgame_chances.network("", leaf_chances.file_for(players))
        leaf = NOTHING._replace(kind=CHANCES, chances=net, tables=tables_for(game.rules))
        room, values = leaf_chances.room_for(game.rules, leaf.tables), np.zeros(players, np.float32)
        for position in positions_of(game, 6, seed=4, plies=40):
            leaf_chances.read_chances(game.rules, position.state, net, room, values)
            assert values == pytest.approx(values_as_defined(position, net), abs=1e-6)
            search = TreeSearch(game, position.state[None].copy(), streams(3, 0, 1), 80, leaf)
            search.run(80)
            after = position.play(int(search.best()[0]))
            can_win = any(position.play(action).over for action in position.legal_actions().tolist())
            assert after.over or not can_win
            wins += can_win
        assert 0 < wins < 6
