"""The messages for screens: the board once, and the room after every change. The browser knows no rules."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from amoba_env import draw, notation
from amoba_env.core import opening_rules as op
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.draw import palette
from amoba_env.draw.marks import forbidden_points, move_path, winning_cells
from amoba_env.draw.picture import RADIUS, Sheet
from amoba_env.explain import has_reasons
from amoba_env.games import Game
from amoba_env.position import Position
from amoba_experiments.rooms import clocks, questions
from amoba_experiments.rooms.room import FREE, MACHINE, Room, RoomResult
from amoba_experiments.rooms.states import state_of
from amoba_experiments.rooms.story import failure


def board(game: Game) -> dict[str, Any]:
    """The constant part of a board: cells with names and places, ground and grid as SVG, rotation for each seat."""
    sheet = Sheet(game, palette.PAGE)
    return {
        "game": game.name,
        "options": dict(game.options),
        "players": game.players,
        "men": game.moves_men,
        "reasons": has_reasons(game),
        "box": [sheet.left, sheet.top, sheet.width, sheet.height],
        "ground": sheet.ground() + sheet.grid(),
        "points": sheet.points,
        "rows": [int(y) for _, y in game.board.coords],
        "names": [notation.cell_name(game, cell) for cell in range(game.n_cells)],
        "radius": RADIUS,
        "files": questions.formats(game),
        "steps": questions.steps(game),
        "turns": [_turn(game, sheet, seat) for seat in range(game.players)],
    }


def _turn(game: Game, sheet: Sheet, seat: int) -> int:
    """The rotation of the board, in degrees, that puts a seat's men at the bottom."""
    if not game.moves_men:
        return 0
    points = np.array(sheet.points, float)
    home = ru.table(game.rules, ru.HOMES)[seat, : game.rules[ru.MEN]]
    x, y = points[home].mean(axis=0) - points.mean(axis=0)
    step = 60 if sheet.star else 90
    return round((90 - math.degrees(math.atan2(y, x))) / step) * step % 360


def position(shown: Position) -> dict[str, Any]:
    """A position for display: owners, colours, last move, winning cells, forbidden and offered points, texts."""
    game, state = shown.game, shown.state
    to = int(state[st.TO])
    seen = 0 <= to < game.n_cells and state[st.CELLS + to] >= 0
    colors = [game.color(state, seat) for seat in range(game.players)]
    return {
        "cells": state[st.CELLS :].tolist(),
        "colors": colors,
        "fills": [palette.stone(color, seat) for seat, color in enumerate(colors)],
        "last": to if seen else None,
        "from": int(state[st.FROM]) if seen and state[st.FROM] != st.NOWHERE else None,
        "path": list(move_path(game, state)) if seen else [],
        "won": sorted(winning_cells(game, state)) if state[st.STATUS] >= 0 else [],
        "forbidden": sorted(forbidden_points(game, state)),
        "offered": np.flatnonzero(state[st.CELLS :] == st.OFFERED).tolist(),
        "status": draw.status(game, state),
        "task": draw.task(state),
        "text": shown.text,
    }


def clock(shown: Room, now: int, stands: bool = False) -> dict[str, Any] | None:
    """The clocks, or None. They stand still in a pause and while nobody can move."""
    settings = shown.settings.clock
    if settings is None:
        return None
    runs = shown.phase == "playing" and not stands
    return {
        "left": list(clocks.stopped(shown, now).left if stands else shown.left),
        "running": shown.position.to_move if runs else None,
        "elapsed": max(0, now - shown.since) if runs else 0,
        "pause": clocks.pause_left(shown, now),
        "main": settings.main,
        "increment": settings.increment,
    }


def room(shown: Room, number: int) -> dict[str, Any]:
    """The part of a room that everybody sees, without its clock; `number` counts its changes."""
    game = shown.game
    return {
        "type": "room",
        "n": number,
        "at": list(shown.at),
        "state": state_of(shown),
        "phase": shown.phase,
        "mover": shown.mover,
        "names": list(shown.names),
        "machines": [holder == MACHINE for holder in shown.holders],
        "free": [holder == FREE for holder in shown.holders],
        "starter": shown.starter,
        "game": shown.number,
        "series": shown.settings.series,
        "moves": [notation.move_text(game, played.action) for played in shown.moves],
        "by": shown.by,
        "offer": None if shown.offer is None else {"what": shown.offer.what, "seat": shown.offer.seat},
        "result": None if shown.result is None else _result(shown.result),
        "pauses": [clocks.MOST_PAUSES - used for used in shown.pauses] if shown.left else None,
        "counts": questions.counts(shown),
        "distances": questions.distances(shown.position) if game.moves_men else None,
        "position": position(shown.position),
    }


def _result(result: RoomResult) -> dict[str, Any]:
    """A result without messages of programs, which may name files of the server."""
    return {key: value for key, value in result._asdict().items() if key != "why"} | {"failure": failure(result)}


def own(shown: Room, holder: int | None) -> dict[str, Any]:
    """The part of a room for one person: their seats, whether they play alone, and their legal moves."""
    mine = [] if holder is None else shown.seats_of(holder)
    may = shown.mover is not None and shown.mover in mine
    agreed = holder is not None and shown.offer is not None and holder in shown.offer.agreed
    found = targets(shown.position) if may else None
    return {"mine": mine, "alone": bool(mine) and shown.people == {holder}, "agreed": agreed, "targets": found}


def targets(position: Position) -> dict[str, Any]:
    """The legal moves, see questions.targets(), and `stone`: whose stone the next one is."""
    found = questions.targets(position)
    return found | {"stone": _next_stone(position, found["cells"][0])} if found.get("cells") else found


def _next_stone(position: Position, cell: int) -> int:
    """Whose stone the next one is: in an opening a player also puts the opponent's; negative: it is only offered."""
    if position.state[st.PHASE] == op.PLAYING:
        return position.to_move
    return int(position.play(cell).cells[cell])
