"""Positions of halma, moves by hand, and values by their definition."""

import random

import numpy as np

from amoba_agents.endgame import race_tables
from amoba_env import Position, games
from amoba_env.core import board as boards
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.games import Game
from amoba_env.games.race import race
from amoba_env.games.star import star_seats


def turn_to(position: Position, seat: int) -> Position:
    """The same men with another player to move."""
    state = position.state.copy()
    state[st.TO_MOVE] = seat
    return Position(position.game, state)


def point(game: games.Game, cell: int) -> tuple[int, int]:
    x, y = game.board.coords[cell].tolist()
    return x, y


RED_MEN = [(6, 8), (5, 7), (7, 7), (4, 6), (6, 6), (8, 6)]


FIRST_MOVES = {  # number: man, target, distance after it, best after a second move, second moves that reach it
    0: (1, (3, 5), 30, 28, [7, 8, 9, 14]),
    1: (1, (7, 5), 30, 28, [7, 8, 14, 19]),
    2: (2, (5, 5), 30, 28, [1, 2, 10, 13]),
    3: (2, (9, 5), 30, 28, [1, 2, 3, 14]),
    4: (3, (3, 5), 31, None, None),
    5: (3, (5, 5), 31, 27, [0]),
    6: (3, (2, 6), 32, None, None),
    11: (5, (7, 5), 31, 27, [0]),
}


def value(position: Position, seat: int, left: int) -> int:
    """The definition, word by word: see agents/amoba_agents/halma/plan.py."""
    distance = position.distance(seat)
    if left == 0:
        return distance
    if all_home(position, seat):
        return 0
    return min([distance, *(value(moved(position, seat, move), seat, left - 1) for move in own(position, seat))])


def all_home(position: Position, seat: int) -> bool:
    return bool((position.cells[ru.table(position.game.rules, ru.GOALS)[seat]] == seat).all())


def own(position: Position, seat: int) -> list[int]:
    return turn_to(position, seat).legal_actions().tolist()


def moved(position: Position, seat: int, move: int) -> Position:
    """The men moved by hand, so that the game does not end when they are home."""
    state = position.state.copy()
    origin, to = divmod(move, position.game.n_cells)
    state[st.CELLS + to], state[st.CELLS + origin] = seat, -1
    state[[st.FROM, st.TO]] = origin, to
    return Position(position.game, state)


def defined_best(position: Position, depth: int, greedy: bool) -> tuple[set[int], int]:
    seat = position.to_move
    values = {move: value(moved(position, seat, move), seat, depth - 1) for move in own(position, seat)}
    if not greedy:
        values = {move: min(found, position.distance(seat)) for move, found in values.items()}
    best = min(values.values())
    return {move for move, found in values.items() if found == best}, best


def some_positions(players: int, count: int, seed: int) -> list[Position]:
    return positions_of(games.make("halma", players=players), count, seed, plies=60)


def positions_of(game: games.Game, count: int, seed: int, plies: int) -> list[Position]:
    """Positions from all parts of the game, by random moves and by moves that mostly go forward."""
    draw = random.Random(seed)
    found = []
    while len(found) < count:
        position = Position.start(game, draw.randrange(game.players))
        forward = draw.random()
        for _ in range(draw.randrange(plies)):
            moves = position.legal_actions().tolist()
            seat = position.to_move
            tries = draw.sample(moves, min(6, len(moves)))
            if draw.random() < forward:
                following = min((position.play(move) for move in tries), key=lambda p: p.distance(seat))
            else:
                following = position.play(tries[0])
            if following.over:
                break
            position = following
        found.append(position)
    return found


def ordered(position: Position, seat: int) -> list[int]:
    """The seat's moves, ordered by progress, then by cells."""
    moves = own(position, seat)
    left = {move: moved(position, seat, move).distance(seat) for move in moves}
    return sorted(moves, key=lambda move: (left[move], move))


def endings(game: games.Game, count: int, seed: int, back: int) -> list[Position]:
    """Positions this many moves before the end of games in which men mostly go forward."""
    draw = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        line = [Position.start(game)]
        while not line[-1].over and len(line) < 400:
            best = ordered(line[-1], line[-1].to_move)
            line.append(line[-1].play(draw.choice(best[:1] * 9 + best[:8])))
        if line[-1].over and len(line) < 400:
            found.append(line[-1 - back])
    return found


def small(players: int = 2) -> Game:
    """Three men each on a star of 13 cells."""
    board = boards.hexagram(1)
    points = (0, 4, 2)[:players]
    return race("halma", {"max_plies": 200, "adjudicate": False}, board, star_seats(board, points, men=3))


def needed(game: Game, men: set[int], seat: int) -> int:
    """The moves that the table says for a seat's men on these cells."""
    t = race_tables.tables_for(game.rules)
    placing = sum(1 << int(t.relative[seat, cell]) for cell in men)
    return int(t.distances[race_tables.rank_of(t.rank, t.ones, np.int64(placing))])


def moves_needed(position: Position, seat: int) -> int:
    return needed(position.game, men_of(position, seat), seat)


def men_of(position: Position, seat: int) -> set[int]:
    return set(np.flatnonzero(position.cells == seat).tolist())
