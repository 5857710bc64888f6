"""`amoba solve`: the exact value of a position and of its moves."""

import time
from typing import Any

import numpy as np
from rich.console import Console

from amoba_agents.values.exact import ILLEGAL, MOST_POSITIONS, Solver
from amoba_env import checks, draw
from amoba_env.core import opening_rules as op
from amoba_env.core import state as st
from amoba_env.core.place import wins
from amoba_env.games import make
from amoba_env.notation import move_text
from amoba_env.position import Position

MOST_LIMIT = 10**12  # weeks
RESULTS = {1: "win", 0: "draw", -1: "loss"}


def check_reachable(position: Position) -> None:
    """Raise ValueError for an unreachable position of a placing game, by its numbers of stones and its winner.

    Seats move in turn, so the number of stones and the seat to move say how many stones each seat has. The last stone
    ended the game if anything did: it belongs to the winner, and without it nobody has won.
    """
    game, cells = position.game, position.state[st.CELLS :]
    found = [int((cells == seat).sum()) for seat in range(game.players)]
    stones = sum(found)
    before = [(position.to_move - 1 - back) % game.players for back in range(stones)]  # who put the stones, last first
    if found != [before.count(seat) for seat in range(game.players)]:
        there = ", ".join(f"{color} {count}" for color, count in zip(game.colors, found, strict=True))
        raise ValueError(f"no game leads to this position: stones are {there}, and {_to_move(position)} is to move")
    if not position.over or stones == 0:
        return
    won = {cell for cell in np.flatnonzero(cells >= 0).tolist() if wins(game.rules, position.state, cell)}
    if won and cells[next(iter(won))] != before[0]:
        raise ValueError(f"no game leads to this position: {_to_move(position)} has won, and is to move again")
    if won and not any(_nobody_has_won_without(position, cell) for cell in won):
        raise ValueError("no game leads to this position: it was won before the last stone")


def _nobody_has_won_without(position: Position, last: int) -> bool:
    state = position.state
    state[st.CELLS + last] = st.EMPTY
    return not any(wins(position.game.rules, state, cell) for cell in np.flatnonzero(state[st.CELLS :] >= 0).tolist())


def _to_move(position: Position) -> str:
    return position.game.colors[position.to_move]


def solution(position: Position, limit: int | None = None) -> dict[str, Any]:
    """The values of a position and of its moves, ready for JSON. It searches at most `limit` positions.

    Raises:
        ValueError: the game cannot be solved, or not within the limit; or the position is unreachable.
    """
    game = position.game
    if not game.moves_men and position.state[st.PHASE] == op.PLAYING:
        check_reachable(position)
    max_positions = MOST_POSITIONS if limit is None else checks.whole("limit", limit, 1, MOST_LIMIT)
    solver = Solver(game, position.state, max_positions)
    small = make("tictactoe")
    Solver(small, small.start(), MOST_POSITIONS).move_values(small.batch(1))  # compile before time counts
    begun = time.perf_counter()
    values = (solver.values if position.over else solver.move_values)(position.state[None])[0]
    value, moves = int(np.max(values)), {}
    if not position.over:
        moves = {move_text(game, cell): v for cell, v in enumerate(values.tolist()) if v != ILLEGAL}
    first = (position.to_move - position.ply) % game.players
    return {
        "game": game.name,
        "options": dict(game.options),
        "position": position.text,
        "to_move": position.to_move,
        "value": value,
        "first": first,
        "first_value": value if first == position.to_move else -value,
        "best": [move for move, v in moves.items() if v == value],
        "moves": moves,
        "free_cells": int((position.state[st.CELLS :] == st.EMPTY).sum()),
        "looked_at": solver.positions_searched(),
        "seconds": round(time.perf_counter() - begun, 3),
    }


def print_solution(position: Position, result: dict[str, Any], console: Console) -> None:
    """Print what `solution` found."""
    game = position.game
    console.print(draw.text(game, position.state), markup=False)
    console.print(draw.status(game, position.state))
    for who, seat, value in (
        ("to move", position.to_move, result["value"]),
        ("first mover", result["first"], result["first_value"]),
    ):
        console.print(f"{who}: {game.colors[seat]} ({game.symbols[seat]}), {RESULTS[value]}")
    for value, name in RESULTS.items():
        moves = [move for move, v in result["moves"].items() if v == value]
        if moves:
            console.print(f"moves that {'lose' if name == 'loss' else name}: {' '.join(moves)}", soft_wrap=True)
    console.print(f"{result['looked_at']:,} positions searched, {result['seconds']:.2f} s")
