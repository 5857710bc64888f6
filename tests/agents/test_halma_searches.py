"""Halma's players that consider their opponents, against plain definitions in terms of positions."""

import numpy as np
import pytest
from effort import cases
from halma_positions import all_home, endings, moved, ordered, own, positions_of, some_positions, turn_to

from amoba_agents import make_agent
from amoba_agents.halma import hinder, home, replies, seats
from amoba_agents.halma.reach import SEATS_MAX
from amoba_env import Position, games
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match

KINDS = {"maxn": replies.MAXN, "paranoid": replies.PARANOID, "brs": replies.BEST_REPLY}
MOST_WIDTH = 1 << 14

# --- maxn, paranoid, best reply -----------------------------------------------------------------------------------


def found(position: Position, kind: str, depth: int, width: int = MOST_WIDTH) -> tuple[set[int], int]:
    rules = position.game.rules
    w, out = seats.seats_workspace(rules, depth), np.zeros(rules[ru.MEN] * rules[ru.N_CELLS], np.int32)
    seats.load(rules, position.state, w)
    values = np.zeros((depth + 1, SEATS_MAX), np.int64)
    count, value = replies.best_moves(rules, position.state.copy(), w, values, KINDS[kind], depth, width, out)
    return set(out[:count].tolist()), value


def worth(position: Position) -> list[int]:
    """To each seat: the steps of all others, less (players - 1) times its own."""
    left = [position.distance(seat) for seat in range(position.game.players)]
    return [sum(left) - len(left) * own for own in left]


def won(position: Position, seat: int, ply: int) -> list[int] | None:
    if not all_home(position, seat):
        return None
    players = position.game.players
    return [(seats.WIN_VALUE - ply) * (players - 1 if other == seat else -1) for other in range(players)]


def defined(position: Position, kind: str, seat: int, left: int, ply: int, root: int) -> list[int]:
    """The value of the position for each seat; with "brs" `root` and any one opponent move in turn."""
    if left == 0:
        return worth(position)
    others = [other for other in range(position.game.players) if other != root]
    movers = others if kind == "brs" and seat != root else [seat]
    next_seat = (others[0] if seat == root else root) if kind == "brs" else (seat + 1) % position.game.players
    outcomes = []
    for mover in movers:
        for move in ordered(position, mover):
            then = moved(position, mover, move)
            outcomes.append(won(then, mover, ply) or defined(then, kind, next_seat, left - 1, ply + 1, root))
    if not outcomes:
        return defined(position, kind, next_seat, left - 1, ply + 1, root)
    if kind == "maxn":
        return max(outcomes, key=lambda values: values[seat])  # of equal ones the first
    best = max if seat == root else min
    return best(outcomes, key=lambda values: values[root])


def defined_best(position: Position, kind: str, depth: int) -> tuple[set[int], int]:
    seat, players = position.to_move, position.game.players
    next_seat = (seat + 1) % players
    values = {}
    for move in own(position, seat):
        then = moved(position, seat, move)
        values[move] = (won(then, seat, 1) or defined(then, kind, next_seat, depth - 1, 2, seat))[seat]
    best = max(values.values())
    return {move for move, value in values.items() if value == best}, best


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("players", [3, 2])
def test_searches_find_what_the_definitions_say(kind: str, players: int) -> None:
    for depth, count in ((1, 20), (2, 5)):
        for position in some_positions(players, cases(count), seed=depth + 10):
            assert found(position, kind, depth) == defined_best(position, kind, depth), position.text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("players", [3, 2])
def test_wins_are_seen_as_they_are_defined(kind: str, players: int) -> None:
    won = 0
    for back in (1, 2, 3):
        for position in endings(games.make("halma", players=players), cases(3), seed=back, back=back):
            expected = defined_best(position, kind, 2)
            assert found(position, kind, 2) == expected, position.text
            won += abs(expected[1]) > seats.WIN_VALUE // 2
    assert won


@pytest.mark.parametrize(("players", "kind"), [*((3, kind) for kind in KINDS), (2, "maxn")])
def test_three_moves_ahead(kind: str, players: int) -> None:
    game = games.make("halma", players=players)
    for position in [*some_positions(players, 1, seed=4), *endings(game, 1, seed=1, back=3)]:
        assert found(position, kind, 3) == defined_best(position, kind, 3), position.text


@pytest.mark.parametrize("kind", KINDS)
def test_another_may_fill_the_goal_with_anti_spoiling(kind: str) -> None:
    game = games.make("chinese_checkers", players=2, anti_spoiling=True)
    for position in positions_of(game, 3, seed=3, plies=60):
        assert found(position, kind, 2) == defined_best(position, kind, 2), position.text


@pytest.mark.plain
def test_for_two_players_all_three_are_minimax() -> None:
    for depth, count in ((2, 10), (3, 2)):
        for position in some_positions(2, cases(count), seed=depth):
            best = [found(position, kind, depth) for kind in KINDS]
            assert best[0] == best[1] == best[2], position.text


@pytest.mark.plain
@pytest.mark.parametrize("kind", ["paranoid", "brs"])
def test_a_narrow_search_sees_the_best_moves_alone(kind: str) -> None:
    for position in some_positions(3, cases(10), seed=8):
        best, value = found(position, kind, 1, width=3)
        assert best <= set(ordered(position, position.to_move)[:3])
        assert value == defined_best(position, kind, 1)[1]


# --- hinder, robust -----------------------------------------------------------------------------------------------


def progress(position: Position, seat: int, left: int) -> int:
    """The most progress in this many own moves, at least 0; being home with moves to spare is better."""
    if left == 0:
        return 0
    before, progress_by_move = position.distance(seat), [0]
    for move in own(position, seat):
        then = moved(position, seat, move)
        spare = (left - 1) * hinder.FINISH_BONUS if all_home(then, seat) else progress(then, seat, left - 1)
        progress_by_move.append(before - then.distance(seat) + spare)
    return max(progress_by_move)


def weighed(position: Position, depth: int, weight: float, robust: bool) -> dict[int, float]:
    seat, values = position.to_move, {}
    others = [other for other in range(position.game.players) if other != seat]
    for move in own(position, seat):
        then = moved(position, seat, move)
        value: float = position.distance(seat) - then.distance(seat)
        likely = []
        for other in others if robust else []:
            replied = [moved(then, other, reply) for reply in own(then, other)]
            least = min((each.distance(other) for each in replied), default=0)
            likely += [(each, other) for each in replied if each.distance(other) == least]
        if all_home(then, seat):
            value += depth * hinder.FINISH_BONUS
        elif likely:
            progress_by_move = [
                0 if all_home(each, other) else progress(each, seat, depth - 1) for each, other in likely
            ]
            value += sum(progress_by_move) / len(progress_by_move)
        else:
            value += progress(then, seat, depth - 1)
        values[move] = value - weight * sum(progress(then, other, 1) for other in others)
    return values


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize(("depth", "count"), [(1, 10), pytest.param(2, 3, marks=pytest.mark.plain), (3, 1)])
def test_hinder_and_robust_by_their_definitions(depth: int, count: int, robust: bool) -> None:
    game = games.make("halma")
    for position in [*some_positions(3, cases(count), seed=depth), *endings(game, 1, seed=2, back=2)]:
        rules = game.rules
        w, out = seats.seats_workspace(rules, depth + 1), np.zeros(rules[ru.MEN] * rules[ru.N_CELLS], np.int32)
        seats.load(rules, position.state, w)
        number, best = hinder.best_moves(rules, position.state.copy(), w, depth, 0.25, robust, out)
        values = weighed(position, depth, 0.25, robust)
        assert best == pytest.approx(max(values.values()))
        expected = {move for move, value in values.items() if value == pytest.approx(best)}
        assert set(out[:number].tolist()) == expected, position.text


# --- the shortest way home ----------------------------------------------------------------------------------------


def needed(position: Position, seat: int, limit: int) -> int:
    """Breadth-first search over the cells of the own men."""
    level = {position.cells.tobytes(): position}
    for moves in range(1, limit + 1):
        next_seat: dict[bytes, Position] = {}
        for each in level.values():
            for move in own(each, seat):
                then = moved(each, seat, move)
                if all_home(then, seat):
                    return moves
                next_seat[then.cells.tobytes()] = then
        level = next_seat
    return limit + 1


def alone(position: Position, seat: int) -> Position:
    """The position with the others' men as far away as possible."""
    state = position.state.copy()
    cells = state[st.CELLS :]
    others = cells[(cells != seat) & (cells >= 0)]
    cells[cells != seat] = -1
    far = np.argsort(-ru.table(position.game.rules, ru.STEPS)[seat], kind="stable")
    cells[far[cells[far] < 0][: len(others)]] = others
    state[[st.FROM, st.TO]] = st.NOWHERE
    return turn_to(Position(position.game, state), seat)


def ways(position: Position) -> tuple[int, set[int]]:
    rules, seat = position.game.rules, position.to_move
    w, out = seats.seats_workspace(rules, home.MOST_MOVES), np.zeros(rules[ru.MEN] * rules[ru.N_CELLS], np.int32)
    seats.load(rules, position.state, w)
    budget = np.array([1_000_000])
    count = home.moves_to_finish(rules, w, budget, np.int64(seat), 3)
    first = home.finishing_moves(rules, w, budget, np.int64(seat), count, out) if count <= 3 else 0
    return count, set(out[:first].tolist())


@pytest.mark.plain
@pytest.mark.parametrize("by_itself", [False, True])
def test_the_shortest_way_home(by_itself: bool) -> None:
    seen = set()
    for back in (1, 4, 7):
        for position in endings(games.make("halma"), cases(2), seed=back + by_itself, back=back):
            each = alone(position, position.to_move) if by_itself else position
            seat, limit = each.to_move, 2 if back > 4 else 3
            count, first = ways(each)
            seen.add(count)
            assert min(count, limit + 1) == needed(each, seat, limit), each.text
            for move in own(each, seat) if count <= limit else []:
                then = moved(each, seat, move)
                leads = all_home(then, seat) if count == 1 else needed(then, seat, count - 1) == count - 1
                assert (move in first) == leads, each.text
    assert len(seen) > 1


@pytest.mark.plain
def test_who_is_alone_takes_a_shortest_way_home() -> None:
    short = 0
    for text in ("maxn:1", "robust:1"):
        agent = make_agent(text)
        for position in endings(games.make("halma"), 2, seed=9, back=7):
            each = alone(position, position.to_move)
            left, first = ways(each)
            if left <= 3:
                action = agent.act(each.game, each.state[None].copy(), np.array([1], np.uint64), np.zeros((1, 0)))[0]
                assert action in first
                short += 1
    assert short


# --- as players ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["maxn:3", "paranoid:3", "brs:3", "hinder", "robust"])
def test_more_than_a_third_of_the_games(text: str) -> None:
    """Against two of the strongest players of the thesis; chance alone hardly ever reaches the limit."""
    match = Match("halma", (text, "lookahead:2", "lookahead:2"), 240, 31, rotate=True, openings=("random:3",))
    played = play_match(match, jobs=1)
    won = played.seating[np.arange(240), played.winner] == 0
    assert (won & (played.winner >= 0)).sum() > 80 + 3 * 7.3
