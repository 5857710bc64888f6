"""Games and positions from the boards that a manager describes."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Mapping, Sequence

import numpy as np

from amoba_agents import Agent, Seat
from amoba_agents.gomocup import protocol as pr
from amoba_env import games, notation
from amoba_env.core import board as boards
from amoba_env.core import opening_rules as op
from amoba_env.core import state as st
from amoba_env.draw.marks import forbidden_points
from amoba_env.games import Game
from amoba_env.games.rows import row_game
from amoba_env.options import Options
from amoba_env.position import Position
from amoba_env.records.rules import game_on

Point = tuple[int, int]  # column and row from the top left, from 0


@functools.lru_cache(maxsize=8)
def game_of(width: int, height: int, rule: int, blocked: frozenset[Point]) -> Game:
    """The game with the rules that INFO rule names. Raises ValueError for a board or rules that are not supported."""
    if rule & ~pr.EXACT != pr.RENJU and rule not in pr.RULES:
        names = ", ".join(f"{number} ({name})" for number, name in pr.RULES.items())
        raise ValueError(f"rule: expected {names} or {pr.RENJU} (renju), got {rule}")
    if rule & pr.RENJU:
        if width != height or blocked:
            raise ValueError("expected a square without blocked cells for renju")
        return games.make("renju", size=width)
    words = pr.RULES[rule]
    if not blocked and (width == height or not rule & pr.CARO):
        return game_on(width, height, None, {"rule": words})
    # No game of the catalogue has caro on a rectangle. A drawing would be cut to its cells, all of them connected.
    grid = [(x, y) for y in range(height) for x in range(width)]
    drawing = "".join("#" if point in blocked else "." for point in grid)
    board = boards.from_cells([point for point in grid if point not in blocked], boards.SQUARE)
    options: Options = {"width": width, "cells": drawing, "rule": words}
    return row_game("blocked", options, board, 5, words)


def position_of(game: Game, fields: Mapping[Point, int]) -> Position:
    """The position in which our side is to move; seat 0 put the first stone. `fields` are in the order of play.

    Raises:
        ValueError: an impossible position, such as one with two winners.
    """
    played = [(point, field) for point, field in fields.items() if field != pr.BLOCKED]
    own = sum(field == pr.OWN for _, field in played)
    me = 0 if 2 * own >= len(played) else 1
    cells = np.full(game.n_cells, -1)
    cell_of = {tuple(at): cell for cell, at in enumerate(game.board.coords.tolist())}
    for point, field in played:
        cells[cell_of[point]] = me if field == pr.OWN else 1 - me
    last = cell_of[played[-1][0]] if played and played[-1][1] == pr.THEIRS else None
    return Position(game, notation.position_from_cells(game, cells, me, len(played), last))


def forbidden(game: Game, fields: Mapping[Point, int]) -> list[Point]:
    """The points that renju forbids Black, who put the first stone; none if White is to move, and in other games."""
    played = [(point, field) for point, field in fields.items() if field != pr.BLOCKED]
    if game.name != "renju" or len(played) % 2:
        return []
    position = position_of(game, {point: pr.OWN if field == played[0][1] else pr.THEIRS for point, field in played})
    cells = list(forbidden_points(game, position.state))
    return [(x, y) for x, y in game.board.coords[cells].tolist()]


def swap2(game: Game, agent: Agent, points: Sequence[Point]) -> str:
    """The answer to SWAP2BOARD with none, three or five points, whose colours alternate.

    The answer is the points of our stones, or SWAP if our side now has Black: then the other side moves next, as White.
    """
    cells = np.full(game.n_cells, -1)
    for number, (x, y) in enumerate(points):
        cells[y * game.board.width + x] = number % 2  # seat 0 has black
    phase = {0: op.PUT_THREE, 3: op.CHOOSE, 5: op.CHOOSE_AGAIN}[len(points)]
    choices = int(phase == op.CHOOSE_AGAIN)
    header = {st.PHASE: phase, st.LEFT: 3 if phase == op.PUT_THREE else 1, st.CHOICES: choices}
    position = Position(game, notation.position_from_cells(game, cells, ply=len(points) + choices, opening=header))
    me, put = position.to_move, list[str]()
    seat = Seat(agent, position, secrets.randbits(32))
    while position.to_move == me:
        action = seat.act(position)
        position = position.play(action)
        if action < game.n_cells:
            put.append(f"{action % game.board.width},{action // game.board.width}")
    return " ".join(put) or "SWAP"
