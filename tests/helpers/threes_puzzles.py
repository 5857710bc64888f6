"""Positions in which the player to move wins by threes, as text in tests/data/threes/*.txt.

    python tests/helpers/threes_puzzles.py freestyle    plays half-random games and writes a rule's file anew (minutes)

A line is a position (amoba_env.Position.text), and in how many plies it is won. A search with many nodes proposes the
positions; slow_threes.py proves them.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from fours_puzzles import GAMES, positions
from slow_threes import Threats, TooLong

from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.alphabeta.alphabeta_search import MATE, PROVEN
from amoba_env import Position
from amoba_env.core.rng import streams

FOLDER = Path(__file__).parents[1] / "data" / "threes"
LENGTHS = (5, 7, 9)  # plies
MOST_POSITIONS = 200  # that the slow solver looks at


def read(name: str) -> list[tuple[Position, int]]:
    """The puzzles of a rule, with their plies."""
    lines = [line.split(";") for line in (FOLDER / f"{name}.txt").read_text().splitlines()]
    return [(Position.from_text(GAMES[name][0], text.strip()), int(plies)) for text, plies in lines]


def plies_to_win(position: Position) -> int:
    """The fewest plies of LENGTHS in which the player to move wins by threes; 0 if it wins otherwise or not at all."""
    slow, seat = Threats(position, MOST_POSITIONS), position.to_move
    if slow.wins_at_once(0) or slow.wins_at_once(1) or slow.by_fours(seat) or slow.by_fours(1 - seat):
        return 0
    try:
        return next((plies for plies in LENGTHS if slow.win(seat, plies) is not None), 0)
    except TooLong:
        return 0


def write(name: str, each: int) -> None:
    """Find this many positions of each length."""
    found: dict[int, list[str]] = {plies: [] for plies in LENGTHS}
    agent = AlphaBeta(nodes=100_000)
    for position in positions(name, random.Random(f"threes to solve, {name}")):
        if all(len(lines) == each for lines in found.values()):
            break
        _, values = agent.think(position.game, position.state[None].copy(), streams(0, 0, 1))
        if not PROVEN < values[0] <= MATE - LENGTHS[0]:
            continue
        plies = plies_to_win(position)
        if plies and len(found[plies]) < each:
            found[plies].append(f"{position.text} ; {plies}")
            print(name, {length: len(lines) for length, lines in found.items()}, flush=True)
            FOLDER.mkdir(exist_ok=True)
            (FOLDER / f"{name}.txt").write_text("".join(line + "\n" for lines in found.values() for line in lines))


if __name__ == "__main__":
    for rule in sys.argv[1:]:
        write(rule, each=2)
