"""The state after every move, as the article on amőba over a network has it: 13 states for two players.

For each player: to move, won, may start, pause (asked for), quit, new game (asked for); and a draw for nobody. With n
players there are 6 n + 1.
"""

from __future__ import annotations

from amoba_experiments.rooms.room import FREE, Room


def state_of(room: Room) -> str:
    """The one state that a room is in, such as "A to move" or "draw".

    "may start" is the seat whose first move is expected; while a seat is free, the free one. If several share the win
    after a forfeit, the state is "quit" of the seat that lost.
    """
    if room.offer is not None and room.offer.what in ("new", "rematch"):
        return _of(room.offer.seat, "new game")
    if room.phase == "waiting":
        return _of(room.holders.index(FREE), "may start")
    if room.phase == "ready":
        return _of(room.position.to_move, "may start")
    if room.phase == "playing":
        return _of(room.position.to_move, "to move")
    if room.phase == "paused":
        return _of(room.by, "pause")
    if room.result is None:
        return _of(room.by, "quit")
    winner, places = room.result.winner, room.result.places
    if room.by is not None and (room.result.ending == "resigned" or (winner is None and places[room.by] > 1)):
        return _of(room.by, "quit")
    return "draw" if winner is None else _of(winner, "won")


def _of(seat: int | None, what: str) -> str:
    assert seat is not None
    return f"{'ABCDEF'[seat]} {what}"
