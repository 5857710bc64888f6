"""alphabeta: counts against their definition, proofs against exact values, wins by fours against a referee."""

import random
from collections import Counter
from itertools import product

import numpy as np
import pytest
from alphabeta_values import thought
from effort import cases
from fours_puzzles import GAMES, KINDS, read, stops, wins_on
from naive_sets import counted
from scipy.stats import chi2
from walks import random_position

from amoba_agents import Seat, make_agent
from amoba_agents.alphabeta import AlphaBeta, win_by_fours
from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.alphabeta_search import MATE, PROVEN
from amoba_agents.alphabeta.stones import put, remove
from amoba_agents.values.exact import Solver
from amoba_agents.values.winning_sets import winning_sets
from amoba_env import Position, games
from amoba_env.core import state as st
from amoba_env.core.rng import streams
from amoba_env.games.rows import k_in_a_row
from amoba_env.position import played
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match

BOARDS = [
    ("tictactoe", {}),
    ("gomoku", {"size": 7}),
    ("gomoku", {"size": 7, "rule": "exact"}),
    ("gomoku", {"size": 7, "rule": "exact-caro"}),
    ("renju", {"size": 9}),
    ("amoba", {"board": "...#./...../#..../....#", "patterns": "3 exact,x..x,xx"}),
    ("amoba", {"board": "islands", "patterns": "6,xxxxx/..x.."}),
]


@pytest.mark.plain
@pytest.mark.parametrize(("name", "options"), BOARDS, ids=lambda given: str(given))
def test_counts(name: str, options: dict[str, str]) -> None:
    """After putting and removing stones the work row fits the definition, as if the stones had been put at once."""
    game = games.make(name, **options)
    draw = random.Random(1)
    w = li.workspace(game.rules)
    t = li.hash_table(w, game.n_cells, 4)
    state = game.start()
    stones: list[tuple[int, int]] = []
    for step in range(60):
        free = [cell for cell in range(game.n_cells) if state[st.CELLS + cell] == st.EMPTY]
        won = any(w[w[li.LIST_LENGTH] + seat] > 0 for seat in range(2)) and draw.random() < 0.5
        if stones and (won or not free or draw.random() < 0.3):
            remove(game.rules, state, w, t, *stones.pop())
        else:
            seat, cell = draw.randrange(2), draw.choice(free)
            urgent = w[slice(*li.urgent_sets(game.rules, w, 1, seat))]
            wins = {li.first_empty(game.rules, state, line) for line in urgent.tolist()}
            if cell in wins:
                continue
            put(game.rules, state, w, t, seat, cell)
            stones.append((seat, cell))
        words, lists = counted(game, state)
        for seat in range(2):
            for cell in range(game.n_cells):
                open_counts = int(w[w[li.CELL_COUNTS] + cell]) >> li.SEAT_BITS * seat
                found = {need: open_counts >> li.BITS * (4 - need) & 0xFF for need in range(1, 5)}
                assert found == words[seat * game.n_cells + cell], (step, seat, cell)
            for need in (1, 2):
                urgent = w[slice(*li.urgent_sets(game.rules, w, need, seat))]
                assert set(urgent.tolist()) == lists[2 * (need - 1) + seat]
        assert w[li.FREE] == game.n_cells - len(stones)
    again = li.workspace(game.rules)
    fresh = li.hash_table(again, game.n_cells, 4)
    other = game.start()
    for seat, cell in stones:
        put(game.rules, other, again, fresh, seat, cell)
    assert (again[again[li.SET_CODE] : again[li.LIST_LENGTH]] == w[w[li.SET_CODE] : w[li.LIST_LENGTH]]).all()
    assert fresh[again[li.HASH]] == t[w[li.HASH]]


@pytest.mark.parametrize(
    ("options", "least", "most"),
    [
        ({"board": "3x3", "patterns": "3"}, 0, 7),
        pytest.param({"board": "4x4", "patterns": "3"}, 1, 10, marks=pytest.mark.plain),
        ({"board": "5x5", "patterns": "4"}, 5, 18),
        ({"board": "5x5", "patterns": "4 exact"}, 5, 18),
        ({"board": "5x5", "patterns": "xx/xx"}, 5, 14),
        ({"board": "6x5", "patterns": "x.x.x,4 exact"}, 6, 18),
        ({"board": "ring", "patterns": "4,xx/xx"}, 40, 60),
    ],
    ids=lambda given: str(given),
)
def test_exact_values(options: dict[str, str], least: int, most: int) -> None:
    """Proofs are true, no move loses value, and every decided position is proven."""
    game = games.make("amoba", **options)
    draw = random.Random(2)
    agent = AlphaBeta(nodes=200_000)
    decided = 0
    for _ in range(cases(20)):
        position = random_position(game, draw, least, most)
        if (position.cells == st.EMPTY).sum() > 40:
            continue
        solver = Solver(game, position.state)
        value = int(solver.values(position.state[None])[0])
        action, claim = thought(agent, position)
        assert abs(claim) <= PROVEN or np.sign(claim) == value, position.text
        assert abs(claim) > PROVEN or value == 0, position.text
        assert -int(solver.values(position.play(action).state[None])[0]) == value, position.text
        decided += value != 0
    assert decided >= cases(4)


def slow_value(position: Position, known: dict[bytes, int]) -> int:
    """The value for the player to move, by trying all moves until one wins."""
    key = position.cells.tobytes()
    if key not in known:
        outcome = position.outcome
        known[key] = -1 if outcome is None or outcome.winner is not None else 0
        for move in position.legal_actions().tolist() if outcome is None else ():
            known[key] = max(known[key], -slow_value(position.play(move), known))
            if known[key] == 1:
                break
    return known[key]


@pytest.mark.parametrize("rule", ["caro", "exact-caro"])
@pytest.mark.parametrize(("width", "k"), [pytest.param(7, 3, marks=pytest.mark.plain), (8, 4)])
def test_values_of_caro(width: int, k: int, rule: str) -> None:
    """Where a stone beyond a row can answer a four: proofs are true, and every decided position is proven."""
    game, draw, agent = k_in_a_row("rows", {}, width, 2, k, rule), random.Random(3), AlphaBeta(nodes=100_000)
    met = Counter[int]()
    for _ in range(cases(40)):
        position = random_position(game, draw, width - 1, width + 1)
        value, (action, claim) = slow_value(position, {}), thought(agent, position)
        assert np.sign(claim) * (abs(claim) > PROVEN) == value, position.text
        assert -slow_value(position.play(action), {}) == value, position.text
        met[value] += 1
    assert {0, 1} <= met.keys()
    with pytest.raises(ValueError, match="cannot be solved"):
        Solver(game)


@pytest.mark.parametrize(("name", "kind"), [*((name, "win") for name in GAMES), ("renju", "forbidden")])
def test_wins_by_fours(name: str, kind: str) -> None:
    """It plays a four with which the referee wins too, and then wins against every defence."""
    agent = make_agent("alphabeta")
    for position in read(name, kind):
        action = Seat(agent, position).act(position)
        assert wins_on(name, position, action), position.text
        for defence in ("random", "greedy", "lookahead:2"):
            now, defender, attacker = position, Seat(make_agent(defence), position, 1), Seat(agent, position)
            while not now.over:
                now = now.play((attacker if now.to_move == position.to_move else defender).act(now))
            assert now.state[st.STATUS] == position.to_move, (position.text, defence)


@pytest.mark.parametrize(
    ("name", "kind"),
    [*(pytest.param(name, "win", marks=pytest.mark.plain) for name in GAMES), ("renju", "forbidden")],
)
def test_a_win_by_fours_as_a_line(name: str, kind: str) -> None:
    """Legal moves up to the win, or up to a four that the opponent may not answer."""
    for position in read(name, kind):
        end = played(position, win_by_fours(position.game, position.state))[-1]
        replies = [] if end.over else [end.play(reply) for reply in end.legal_actions().tolist()]
        ends = [next(after for each in now.legal_moves() if (after := now.play(each)).over) for now in replies] or [end]
        assert {each.state[st.STATUS] for each in ends} == {position.to_move}, position.text
    assert win_by_fours(games.make("gomoku"), Position.start(games.make("gomoku")).state) == []


@pytest.mark.parametrize("name", GAMES)
def test_stops_wins_by_fours(name: str) -> None:
    """Or, if no reply helps, it reports the loss; then the attacker wins against every reply."""
    agent = AlphaBeta()
    for position in read(name, "stop"):
        action, claim = thought(agent, position)
        if stops(name, position, action):
            continue
        assert claim < -PROVEN, position.text
        for reply in filter(lambda reply: stops(name, position, reply), position.legal_actions().tolist()):
            now = position.play(reply)
            while not now.over:
                now = now.play(thought(agent, now)[0])
            assert now.state[st.STATUS] == 1 - position.to_move, (position.text, reply)


@pytest.mark.plain
@pytest.mark.parametrize("name", GAMES)
def test_small_puzzles(name: str) -> None:
    """Also in plain Python: it finds wins by fours and stops those of the opponent."""
    agent = AlphaBeta(nodes=300)
    for kind, holds in (("win", wins_on), ("stop", stops)):
        for position in read(name, kind)[: cases(10)]:
            assert holds(name, position, thought(agent, position)[0]), position.text


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        (200, "10/4xx4/5oo1x1/4xoxoo1/1o1oxoxxx1/3xoxxo2/2oooxo3/3xoo2x1/3xxxo3/10 o 35 e9"),
        (2000, "8x1/10/o2ooo4/2ooxx1x2/2xxooxx2/2xoxxox2/2x1ooxo1o/5o2o1/9x/10 x 31 d8"),
    ],
)
def test_a_win_found_late_is_played(nodes: int, text: str) -> None:
    """A search by fours is cut off, and the search by threes, which begins with fours, finds their win after all."""
    position = Position.from_text(GAMES["freestyle"][0], text)
    action, value = thought(AlphaBeta(nodes=nodes), position)
    assert value > PROVEN
    assert wins_on("freestyle", position, action)


def test_there_are_puzzles_of_every_kind() -> None:
    for name, kind in [*product(GAMES, KINDS), ("renju", "forbidden")]:
        seats = [position.to_move for position in read(name, kind)]
        assert seats.count(0) == seats.count(1) >= 6


@pytest.mark.parametrize("agent", ["alphabeta:nodes=200", "mcts:20,evaluation=learned"])
def test_no_forbidden_point_is_played_in_a_lost_position(agent: str) -> None:
    """The first empty cell is forbidden, and white wins there."""
    cells = np.full((15, 15), st.EMPTY)
    cells[0, [0, 1, 2, 4, 5, 6]] = cells[5, 3] = 0
    cells[1:5, 3] = cells[10, 10] = cells[13, 12] = cells[2, 14] = 1
    position = Position.from_cells(games.make("renju"), cells, 0)
    assert not position.is_legal(3)
    assert position.is_legal(Seat(make_agent(agent), position).act(position))


def test_a_seat_with_forbidden_points_alone_loses_if_they_lose() -> None:
    """The last stone is an overline."""
    text = "xooooxoox/oxxxooxoo/xxooxxoox/ooxxoxxxo/xxxoxxoox/ooxoooxxo/xxooxooox/ooxx1xxxo/xxooxxoox x 80 -"
    position = Position.from_text(games.make("renju", size=9, forbidden="lose"), text)
    assert position.play("e2").outcome.winner == 1 - position.to_move  # type: ignore[union-attr]
    assert thought(AlphaBeta(), position)[1] == 1 - MATE


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param("gomoku", {"opening": "swap2", "size": 7}, marks=pytest.mark.plain),
        pytest.param("renju", {"opening": "rif26", "size": 9}, marks=pytest.mark.plain),
        ("renju", {"opening": "soosyrv8", "size": 9}),
        ("renju", {"opening": "taraguchi10", "size": 9}),
        ("renju", {"opening": "yamaguchi", "size": 9}),
    ],
    ids=lambda given: str(given),
)
def test_small_openings(name: str, options: dict[str, int | str]) -> None:
    """Also in plain Python: it plays all phases, and the same seed gives the same actions."""
    game, agent = games.make(name, **options), AlphaBeta(nodes=3)
    played = []
    for _ in range(2):
        position, moves = Position.start(game), []
        while position.state[st.PHASE]:
            (action,) = agent.act(game, position.state[None], streams(4, position.ply, 1), np.zeros((1, 0), np.int16))
            assert position.is_legal(int(action))
            position = position.play(int(action))
            moves.append(int(action))
        played.append(moves)
    assert played[0] == played[1]


@pytest.mark.plain
@pytest.mark.parametrize("size", [10, 15, 20])
def test_the_first_stone_is_drawn_among_the_cells_with_most_rows(size: int) -> None:
    game = games.make("gomoku", size=size)
    rows = np.bincount(np.concatenate(winning_sets(game)), minlength=game.n_cells)
    best = np.flatnonzero(rows == rows.max())
    rng = streams(0, 0, 40 * len(best))
    chosen = AlphaBeta(nodes=1).think(game, game.batch(len(rng)), rng)[0]
    assert (rng != streams(0, 0, len(rng))).all()
    counts = np.array([(chosen == cell).sum() for cell in best])
    assert counts.sum() == len(chosen)
    assert ((counts - 40) ** 2 / 40).sum() < chi2.ppf(0.9999, len(best) - 1)


@pytest.mark.parametrize("pattern", ["x./xx", ".x/xx", "xx/x."])
def test_a_win_is_found_from_an_empty_board(pattern: str) -> None:
    game = games.make("amoba", board="4x4", patterns=pattern, orientations="fixed")
    action, value = thought(AlphaBeta(), Position.start(game))
    assert value > PROVEN
    assert Solver(game).values(Position.start(game).play(action).state[None]) == [-1]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("gomoku", {"opening": "swap"}),
        ("gomoku", {"opening": "swap2"}),
        ("renju", {"opening": "rif26", "size": 11}),
        ("renju", {"opening": "soosyrv8", "size": 11}),
        ("renju", {"opening": "taraguchi10", "size": 11}),
        ("renju", {"opening": "yamaguchi", "size": 11}),
        ("omok", {"size": 9}),
        ("gomoku", {"rule": "caro"}),
        ("renju", {"forbidden": "lose", "size": 9}),
        ("amoba", {"board": "islands", "patterns": "5"}),
    ],
    ids=lambda given: str(given),
)
@pytest.mark.parametrize("player", ["alphabeta:nodes=200", "mcts:50,evaluation=learned"])
def test_whole_games(name: str, options: dict[str, int | str], player: str) -> None:
    """Only legal actions are played, in openings too, and random play is beaten."""
    played = play_match(Match(name, (player, "random"), 4, rotate=True, options=options), jobs=1)
    winners = played.seating[np.arange(4), np.maximum(played.winner, 0)]
    assert (played.winner >= 0).all()
    assert (winners == 0).all()


@pytest.mark.plain
def test_an_opening_is_decided_by_the_better_colour() -> None:
    """swap: it takes the colour whose stones are better."""
    game = games.make("gomoku", opening="swap", size=9)
    for stones, choice in (("e5 a1 f5", "swap"), ("a1 e5 i9", "stay")):
        position = Position.from_moves(game, stones)
        assert position.state[st.PHASE] != 0
        assert position.play(Seat(make_agent("alphabeta"), position).act(position)).last_move == choice
