"""What a screen needs from a room: legal moves, a machine's move, a hint, distances, the record, the counts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np

from amoba_agents import Agent, Seat, make_agent
from amoba_env import notation, records
from amoba_env.agent import ask, plays
from amoba_env.core import rules as ru
from amoba_env.core.rng import SEAT, streams
from amoba_env.games import Game
from amoba_env.position import Position
from amoba_env.record import About, Record
from amoba_env.record import Result as RecordResult
from amoba_experiments.rooms.room import SERVER, Command, Mind, Room

STRONGEST = ("level:10", "lookahead:2", "greedy", "random")  # who gives hints: the first that plays the game


def targets(position: Position) -> dict[str, Any]:
    """The legal moves: {"cells": [cell, ...], "choices": [name, ...]} or, where men move, {"men": {cell: [cell, ...]}}.

    All empty when the game is over.
    """
    game, legal = position.game, position.legal_actions().tolist()
    if game.moves_men:
        men: dict[int, list[int]] = {}
        for action in legal:
            origin, to = divmod(action, game.n_cells)
            men.setdefault(origin, []).append(to)
        return {"men": men}
    return {
        "cells": [action for action in legal if action < game.n_cells],
        "choices": [game.choices[action - game.n_cells] for action in legal if action >= game.n_cells],
    }


def distances(position: Position) -> list[int]:
    """Halma: the steps that the men of each seat have left. ValueError: the game has no distances."""
    game = position.game
    if not game.moves_men:
        raise ValueError(f"{game.name} has no distances")
    goal, steps = (ru.table(game.rules, slot) for slot in (ru.GOALS, ru.STEPS))
    return [int(position.distance(seat) - steps[seat, goal[seat]].sum()) for seat in range(game.players)]


def steps(game: Game) -> list[list[int]] | None:
    """Halma: by seat and cell, the steps that a man on the cell has left, as in `distance`. None: no distances."""
    return ru.table(game.rules, ru.STEPS).tolist() if game.moves_men else None


def skipped(before: Position, after: Position) -> list[int]:
    """The seats that are passed over after a move because they cannot move."""
    found, seat = [], (before.to_move + 1) % before.game.players
    while before.game.moves_men and not after.over and seat != after.to_move:
        found.append(seat)
        seat = (seat + 1) % before.game.players
    return found


def mind_of(room: Room, seat: int, agent: Agent) -> Mind:
    """The memory of the machine on a seat, after its last move or at the start of a game."""
    words = agent.memory(room.game)
    for played in reversed(room.moves):
        if played.seat == seat and played.mind is not None:
            fits = len(played.mind.memory) == 4 * words  # two digits a byte
            return played.mind if fits else Mind(played.mind.rng, bytes(2 * words).hex())
    number = 1 + room.number * room.game.players + seat
    return Mind(int(streams(room.settings.seed, number, 1, SEAT)[0]), bytes(2 * words).hex())


def machine_move(room: Room, agent: Agent) -> Command:
    """The move of the machine, as a command of the server; the same room gives the same move."""
    seat, game = room.position.to_move, room.game
    mind = mind_of(room, seat, agent)
    before = np.frombuffer(bytes.fromhex(mind.memory), np.int16)
    rng, memory = np.array([mind.rng], np.uint64), before.reshape(1, -1).copy()
    action = int(ask(agent, game, room.position.state[None], rng, memory)[0])
    if not (0 <= action < game.n_actions and room.position.is_legal(action)):
        reasons = [f": {text}" for _, text in agent.incidents]
        return Command("illegal", SERVER, room.at, f"({action}){''.join(reasons)}", room.names[seat])
    after = Mind(int(rng[0]), memory.tobytes().hex())
    used, earlier = (agent.used_ms(game, each) for each in (memory[0], before))
    took = None if used is None or earlier is None else used - earlier
    return Command("move", SERVER, room.at, notation.move_text(game, action), room.names[seat], took, after)


def adviser(game: Game) -> str:
    """The strongest player that is quick enough for hints in this game."""
    for text in STRONGEST:
        if plays(make_agent(text), game):
            return text
    raise ValueError(f"nobody gives hints in {game.name}")


def hint(position: Position, agent: Agent, seed: int = 0) -> str:
    """The move that a player would make here, in notation. ValueError: the game is over."""
    return notation.move_text(position.game, Seat(agent, position, seed).act(position))


def record(room: Room) -> Record:
    """The game of the room so far as a record, with names, date (UTC), clocks, times and how it ended."""
    result = None
    if room.result is not None and not room.position.over:
        result = RecordResult(room.result.winner, room.result.ending)
    clock = room.settings.clock
    more = {} if clock is None else {"TM": (f"{clock.main / 1000:g}",)}  # as SGF has them: seconds
    if clock is not None and clock.increment:
        more["OT"] = (f"{clock.increment / 1000:g} fischer",)
    about = About(
        players=tuple(name.replace(":", " ") for name in room.names) if all(room.names) else (),
        result=result,
        date=datetime.fromtimestamp(room.begun / 1000, UTC).date().isoformat() if room.begun else "",
        times=tuple(each.thinking for each in room.moves),
        more=more,
    )
    start = room.settings.start or None
    return Record(room.game, [each.action for each in room.moves], room.starter, start, about)


def formats(game: Game) -> list[str]:
    """The file formats that can hold this game."""
    found = []
    for kind in records.FORMATS:
        try:
            records.to_text([Record(game, [])], kind)
        except ValueError:
            continue
        found.append(kind)
    return [*found, "html"]


def counts(room: Room) -> dict[str, Any]:
    """The games of the room so far: wins by seat, draws, mean rounds, and mean times a move, in milliseconds."""
    totals = room.totals
    rows = [
        {
            "seat": seat,
            "name": room.names[seat],
            "wins": totals.wins[seat],
            "moves": moves,
            "thinking": round(totals.thinking[seat] / moves) if moves else None,
            "reaction": round(totals.reaction[seat] / moves) if moves else None,
        }
        for seat, moves in enumerate(totals.moves)
    ]
    return {
        "games": totals.games,
        "nobody": totals.nobody,
        "rounds": round(totals.rounds / totals.games, 2) if totals.games else None,
        "seats": rows,
    }
