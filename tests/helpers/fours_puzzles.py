"""Positions in which a colour wins by fours, or has to stop such a win, as text in tests/data/fours/*.txt.

A line is a position (amoba_env.Position.text), and how many fours it takes. The positions come from half-random games;
naive_fours.py proves each.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from naive_fours import Side, Stones, follow, win

from amoba_agents import Seat, make_agent
from amoba_env import Position, games
from amoba_env.core import state as st
from amoba_env.games import Game

FOLDER = Path(__file__).parents[1] / "data" / "fours"
FREESTYLE, EXACT = Side(False, False), Side(True, False)
GAMES: dict[str, tuple[Game, tuple[Side, Side]]] = {  # with the sides of the first and the second stone
    "freestyle": (games.make("gomoku"), (FREESTYLE, FREESTYLE)),
    "exact": (games.make("gomoku", rule="exact"), (EXACT, EXACT)),
    "renju": (games.make("renju"), (Side(True, True), FREESTYLE)),
}
KINDS = ("win", "stop")


def sides(name: str, position: Position) -> tuple[Side, Side]:
    """How the player to move wins, and how the other does."""
    black, white = GAMES[name][1]
    return (black, white) if position.to_move == position.state[st.BLACK] else (white, black)


def stones(position: Position, seat: int) -> Stones:
    """The position as the referee sees it, `seat` to move."""
    width = position.game.board.width
    of: dict[int, set[tuple[int, int]]] = {seat: set(), 1 - seat: set(), st.EMPTY: set()}
    for cell, owner in enumerate(position.cells.tolist()):
        of[owner].add((cell % width, cell // width))
    return Stones(*(frozenset(of[owner]) for owner in (seat, 1 - seat, st.EMPTY)))


def point(position: Position, action: int) -> tuple[int, int]:
    """Where an action puts its stone."""
    width = position.game.board.width
    return action % width, action // width


def wins_on(name: str, position: Position, action: int) -> bool:
    """Is this stone part of a win by fours?"""
    me, other = sides(name, position)
    return follow(stones(position, position.to_move), point(position, action), me, other) is not None


def stops(name: str, position: Position, action: int) -> bool:
    """Has the opponent no win by fours after this stone?"""
    after = position.play(action)
    if after.over:
        return True
    return not win(stones(after, after.to_move), *sides(name, after))


def read(name: str, kind: str) -> list[Position]:
    """The puzzles of a rule."""
    lines = (FOLDER / f"{name}-{kind}.txt").read_text().splitlines()
    return [Position.from_text(GAMES[name][0], line.partition(";")[0].strip()) for line in lines]


def half_random_game(game: Game, draw: random.Random) -> list[Position]:
    """The positions of a game in which most moves are greedy, the last one too."""
    position = Position.start(game)
    seat = Seat(make_agent("greedy"), position, draw.randrange(1 << 30))
    noise, found = draw.choice((0.3, 0.45, 0.6)), []
    while not position.over:
        if draw.random() < noise:
            legal = position.legal_actions().tolist()
            near = [a for a in legal if abs(a % game.board.width - game.board.width // 2) < 5]
            position = position.play(draw.choice(near or legal))
        else:
            position = position.play(seat.act(position))
        found.append(position)
    return found


def positions(name: str, draw: random.Random) -> Iterator[Position]:
    """Positions of half-random games."""
    while True:
        game = half_random_game(GAMES[name][0], draw)
        yield from (position for position in game[:-1] if 8 < position.state[st.PLY] < 40)


def positions_before_wins(name: str, draw: random.Random, most_plies: int) -> Iterator[Position]:
    """Positions of half-random games that were won, at most this many plies before the end, the winner to move."""
    while True:
        *before, last = half_random_game(GAMES[name][0], draw)
        outcome = last.outcome
        assert outcome is not None
        for position in before[-most_plies:]:
            if position.to_move == outcome.winner and position.state[st.PLY] > 8:
                yield position
