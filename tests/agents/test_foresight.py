"""The player `endgame` in halma with three players: its network against its definition, and its search."""

import numpy as np
import pytest
from halma_positions import endings, moves_needed, positions_of, small
from numba import config

from amoba_agents import make_agent
from amoba_agents.endgame import chances, race_board, race_tables
from amoba_agents.halma.seats import seats_workspace
from amoba_agents.mcts import leaf_foresight
from amoba_agents.players import endgame_player
from amoba_agents.players.endgame_player import VALUE_UNIT, Endgame
from amoba_env import Position, games
from amoba_env.core import rules as ru
from amoba_env.core.rng import streams
from amoba_experiments import Match, play_match

UNIT = 1 << chances.UNIT_BITS


def rows_as_defined(position: Position, seat: int) -> list[int]:
    """The network's rows for the seat, from their definition."""
    game, players = position.game, position.game.players
    seats = [(seat + player) % players for player in range(players)]
    goals = ru.table(game.rules, ru.GOALS)[seats]
    view = race_tables.tables_for(game.rules).relative[seat]
    owner = [seats.index(each) if each >= 0 else -1 for each in position.cells]
    rows = [chances.BOARD_CELLS * player + view[cell] for cell, player in enumerate(owner) if player >= 0]
    for player in range(players):
        needed, goal = moves_needed(position, seats[player]), [owner[cell] for cell in goals[player]]
        rows.append(chances.NEED_ROW + chances.NEEDS * player + min(needed, chances.NEEDS - 1))
        held = False
        for who in range(1, players):
            men = goal.count((player + who) % players)
            held |= men > 0
            rows.append(chances.HELD_ROW + chances.HELD * (2 * player + who - 1) + min(men, chances.HELD - 1))
        rows.append(chances.BOTH_ROW + 2 * (chances.HELD_NEEDS * player + min(needed, chances.HELD_NEEDS - 1)) + held)
    return rows


def odds_as_defined(net: chances.ChanceNetwork, rows: list[int]) -> float:
    """The logarithm of the odds that these rows mean, from the definition."""
    first = np.maximum(net.bias + net.rows[rows].sum(0), 0).astype(np.int64)
    hidden = np.maximum((net.hidden_bias.astype(np.int64) << chances.UNIT_BITS) + first @ net.hidden, 0)
    return float((net.odds_bias[0] * UNIT + (hidden >> chances.UNIT_BITS) @ net.odds) / UNIT**2)


def odds(position: Position, seat: int) -> float:
    """The logarithm of the odds that the seat wins, which has just moved, from the definition."""
    rows = rows_as_defined(position, seat)
    assert len(set(rows)) == chances.ROWS_OF_A_POSITION
    return odds_as_defined(chances.network(), rows)


def loaded(position: Position) -> race_board.RaceWork:
    game = position.game
    keys = np.random.default_rng(0).integers(1, 1 << 62, (3, game.n_cells), np.int64)
    men, lists = np.empty(race_board.MEN_AT + 18, np.int64), np.empty((1, race_board.MOST_MOVES), np.int64)
    room = np.empty(game.n_cells, np.int64)
    w = race_board.RaceWork(race_tables.tables_for(game.rules), keys, np.zeros((1, 2), np.int64), men, lists, room)
    race_board.load(w, game.rules, position.state)
    return w


def test_the_odds_are_those_of_the_definition() -> None:
    game = games.make("halma")
    out = np.empty(race_board.MOST_MOVES)
    for position in [*positions_of(game, 6, seed=3, plies=60), *crowded(game)]:
        w = loaded(position)
        moves = w.lists[0]
        count = race_board.list_moves(w, position.to_move, moves)
        assert count == len(position.legal_actions())
        chances.odds_of_moves(chances.network(), w.tables, w.board, position.to_move, moves, count, out)
        for move, found in zip(moves[:count].tolist(), out, strict=False):
            origin, to = move >> race_board.CELL_BITS & race_board.CELL_MASK, move & race_board.CELL_MASK
            assert found == odds(position.play(origin * game.n_cells + to), position.to_move)


def crowded(game: games.Game) -> list[Position]:
    """Positions of a game between players that keep men in the goals of others."""
    position, agent, found = Position.start(game), make_agent("brs:2"), []
    rng = streams(2, 0, 1)
    while not position.over and position.ply < 90:
        action = agent.act(game, position.state[None].copy(), rng, np.empty((1, 0), np.int16))
        position = position.play(int(action[0]))
        if position.ply % 20 == 0 and not position.over:
            found.append(position)
    return found


def test_a_win_at_once_is_played() -> None:
    """From the last positions of games: the winner's last move is found, and its value is that of a win."""
    for before in endings(games.make("halma"), 4, seed=1, back=1):
        actions, values = Endgame(nodes=500).think(before.game, before.state[None].copy(), streams(0, 0, 1))
        outcome = before.play(int(actions[0])).outcome
        assert outcome is not None
        assert (outcome.winner, values[0]) == (before.to_move, VALUE_UNIT)


@pytest.mark.parametrize(("is_far", "name"), [(False, "brs:2"), (True, "brs:4,width=8")])
def test_the_replies_are_those_of_best_reply_search(is_far: bool, name: str) -> None:
    """The tree's samples of replies are moves that brs chooses, looking near or far."""
    game, position = games.make("halma"), crowded(games.make("halma"))[1]
    chosen = set()
    agent = make_agent(name)
    move = int(position.legal_actions()[0])
    after = position.play(move)
    for seed in range(60):
        chosen.add(int(agent.act(game, after.state[None].copy(), streams(seed, 0, 1), np.empty((1, 0), np.int16))[0]))
    men, stream = seats_workspace(game.rules, leaf_foresight.FAR_PLIES + 1), streams(1, 0, 1)
    model = leaf_foresight.model_for(game.rules, men)
    for _ in range(60):
        assert leaf_foresight.reply(game.rules, after.state, model, is_far, stream) in chosen


def test_depth_and_nodes_are_limits() -> None:
    """One simulation and many, one round and many: all are legal moves, and more simulations change the value."""
    game = games.make("halma")
    position = crowded(game)[0]
    values = set()
    for options in ("nodes=1", "nodes=5000", "nodes=5000,depth=1", "depth=4"):
        player = make_agent(f"endgame:{options}")
        assert isinstance(player, Endgame)
        actions, found = player.think(game, position.state[None].copy(), streams(0, 0, 1))
        assert position.is_legal(int(actions[0]))
        assert 0 <= found[0] <= VALUE_UNIT
        values.add(int(found[0]))
    assert len(values) > 1


def test_the_largest_number_of_nodes_is_the_largest_search(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(endgame_player, "searched", lambda *what, **more: asked.append((what[3], more["length"])) or ())
    game = games.make("halma")
    for options in ("nodes=1099511627776", "nodes=5000", "depth=4", ""):
        make_agent(f"endgame:{options}").act(game, game.batch(1), streams(0, 0, 1), np.empty((1, 0), np.int16))
    assert asked == [(100_000, 14), (50, 14), (200, 2), (200, 14)]


def test_it_beats_two_best_reply_searches() -> None:
    match = Match("halma", ("endgame:nodes=4000", "brs:4", "brs:4"), 24, openings=("random:4",), seed=1)
    assert (play_match(match).winner == 0).sum() > 12


if config.DISABLE_JIT:  # compiled code has the number of men in it, and the table of halma takes hours in plain Python

    @pytest.mark.plain
    def test_the_search_on_a_small_star(monkeypatch: pytest.MonkeyPatch) -> None:
        """Three men each on 13 cells: moves are legal, and a win at once is found."""
        monkeypatch.setattr(chances, "MEN_OF_A_SEAT", 3)
        game, wins = small(3), 0
        for position in positions_of(game, 6, seed=4, plies=40):
            actions, values = Endgame(nodes=1500).think(game, position.state[None].copy(), streams(3, 0, 1))
            after = position.play(int(actions[0]))
            can_win = any(position.play(action).over for action in position.legal_actions().tolist())
            assert after.over == can_win
            assert (values[0] == VALUE_UNIT) >= can_win
            wins += can_win
        assert 0 < wins < 6
