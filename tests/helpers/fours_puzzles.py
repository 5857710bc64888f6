"""Positions in which a colour wins by fours, or has to stop such a win, as text in tests/fours/*.txt.

    python tests/fours_puzzles.py    plays half-random games and writes the files anew; naive_fours.py proves each

A line is a position (amoba_env.Position.text), and how many fours it takes.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import naive_renju
from naive_fours import Side, Stones, TooLong, follow, win

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


def write(name: str, count: int, least: int) -> None:
    """Find puzzles of at least this many fours, as many for either colour."""
    draw = random.Random(name)
    found: dict[tuple[str, int], list[str]] = {(kind, seat): [] for kind in KINDS for seat in range(2)}
    for position in positions(name, draw):
        if all(len(lines) == count for lines in found.values()):
            break
        try:
            kind, note = judge(name, position, least, draw)
        except TooLong:
            continue
        lines = found.get((kind, position.to_move), [])
        if kind and len(lines) < count:
            lines.append(f"{position.text} ; {note}")
            print(name, {key: len(each) for key, each in found.items()}, flush=True)
    for kind in KINDS:
        lines = found[kind, 0] + found[kind, 1]
        (FOLDER / f"{name}-{kind}.txt").write_text("\n".join(lines) + "\n")


def judge(name: str, position: Position, least: int, draw: random.Random) -> tuple[str, str]:
    """What kind of puzzle the position is, if any, and a note on it."""
    me, other = sides(name, position)
    way = win(stones(position, position.to_move), me, other)
    if way:
        return ("win", f"{len(way)}") if len(way) >= least else ("", "")
    threat = win(stones(position, 1 - position.to_move), other, me)
    if len(threat) < 2 or draw.random() < 0.7:
        return "", ""
    good = sum(stops(name, position, action) for action in position.legal_actions().tolist())
    return ("stop" if 0 < good < 12 else ""), f"{len(threat)}, {good} replies"


def crowded(draw: random.Random) -> Iterator[Position]:
    """Renju: positions of random stones in the middle."""
    game = GAMES["renju"][0]
    middle = [y * game.board.width + x for y in range(4, 11) for x in range(4, 11)]
    while True:
        position = Position.start(game)
        for cell in draw.sample(middle, draw.randint(14, 24)):
            if not position.over and position.is_legal(cell):
                position = position.play(cell)
        if not position.over:
            yield position


def write_forbidden(count: int) -> None:
    """Wins by fours that forbidden points make (White's) or change (Black's)."""
    found: tuple[list[str], list[str]] = ([], [])
    for position in crowded(random.Random(0)):
        if len(found[0]) == len(found[1]) == count:
            break
        if len(found[position.to_move]) == count:
            continue
        me, other = sides("renju", position)
        at = stones(position, position.to_move)
        try:
            way = win(at, me, other)
            if len(way) > 1 and (
                not win(at, me, other._replace(forbidden=False)) if other.forbidden else lures(at, me)
            ):
                found[position.to_move].append(f"{position.text} ; {len(way)}")
        except TooLong:
            continue
    (FOLDER / "renju-forbidden.txt").write_text("\n".join(found[0] + found[1]) + "\n")


def lures(at: Stones, me: Side) -> bool:
    """Is there a stone that would win by fours if it were not forbidden?"""
    free = me._replace(forbidden=False)
    return any(
        naive_renju.kind(at.mine, at.free, p) not in ("", "five") and follow(at, p, free, FREESTYLE) is not None
        for p in sorted(at.free)
    )


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    write_forbidden(count=6)
    for each in sys.argv[1:] or GAMES:
        write(each, count=6, least=3)
