"""The state after every move, as the article on amőba over a network has it: 13 states for two players.

For each player: to move, won, may start, pause (asked for), quit, new game (asked for); and a draw for nobody. With n
players there are 6 n + 1.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from amoba_experiments.rooms.room import FREE, Room

What = Literal["to move", "won", "may start", "pause", "quit", "new game", "draw"]
EACH: tuple[What, ...] = ("to move", "won", "may start", "pause", "quit", "new game")


class State(NamedTuple):
    """One of the states of a room."""

    seat: int | None  # None: nobody, a draw
    what: What

    def __str__(self) -> str:
        return "draw" if self.seat is None else f"{'ABCDEF'[self.seat]} {self.what}"


def states(players: int) -> list[State]:
    """All states of a room with this many seats: 6 n + 1."""
    return [*(State(seat, what) for what in EACH for seat in range(players)), State(None, "draw")]


def state_of(room: Room) -> State:
    """The one state that a room is in.

    "may start" is the seat whose first move is expected; while a seat is free, the free one. If several share the win
    after a forfeit, the state is "quit" of the seat that lost.
    """
    if room.offer is not None and room.offer.what in ("new", "rematch"):
        return State(room.offer.seat, "new game")
    if room.phase == "waiting":
        return State(room.holders.index(FREE), "may start")
    if room.phase == "ready":
        return State(room.position.to_move, "may start")
    if room.phase == "playing":
        return State(room.position.to_move, "to move")
    if room.phase == "paused":
        return State(room.by, "pause")
    if room.result is None:
        return State(room.by, "quit")
    winner, places = room.result.winner, room.result.places
    if room.by is not None and (room.result.ending == "resigned" or (winner is None and places[room.by] > 1)):
        return State(room.by, "quit")
    return State(None, "draw") if winner is None else State(winner, "won")
