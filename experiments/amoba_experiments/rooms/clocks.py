"""Clocks: the time left for each player, in milliseconds."""

from __future__ import annotations

from dataclasses import replace

from amoba_experiments.rooms.room import Room
from amoba_experiments.rooms.seats import changed
from amoba_experiments.rooms.settings import Clock

LAG = 500  # up to this much of a turn counts as network delay, not as the player's time
MOST_PAUSES = 2  # of a player in a game with a clock
MOST_PAUSED = 5 * 60_000  # total length of a player's pauses in a game with a clock; then anybody may resume


def full(clock: Clock | None, players: int) -> tuple[int, ...]:
    """The clocks at the start of a game, by seat; none without a clock."""
    return () if clock is None else (clock.main,) * players


def until_over(room: Room, now: int) -> int:
    """The time until the player to move loses on time, with the allowance for network delay. The room is playing."""
    left = room.left[room.position.to_move]
    return left + LAG - max(0, now - room.since) if left > 0 else 0


def charged(
    clock: Clock | None, left: tuple[int, ...], seat: int, elapsed: int, reaction: int, increment: bool = True
) -> tuple[int, ...]:
    """The clocks after a turn of `elapsed` ms; up to LAG ms that did not pass on the player's screen are free."""
    if clock is None:
        return left
    rest = left[seat] - max(reaction, elapsed - LAG)
    if rest > 0 and increment:
        rest += clock.increment
    return changed(left, seat, rest)


def stopped(room: Room, now: int) -> Room:
    """The room with the time of the turn so far taken from the clock."""
    if room.phase != "playing" or not room.left:
        return room
    elapsed, seat = max(0, now - room.since), room.position.to_move
    left = charged(room.settings.clock, room.left, seat, elapsed, elapsed, increment=False)
    if left[seat] <= 0 < until_over(room, now):
        left = changed(left, seat, 1)  # the time is over only after LAG
    return replace(room, left=left)


def at_move(room: Room, number: int) -> tuple[int, ...]:
    """The clocks of the position after this many moves of the game, when its turn began."""
    return room.moves[number - 1].left if number else full(room.settings.clock, room.game.players)


def no_pause(room: Room, seat: int, now: int) -> str:
    """Why a seat cannot ask for a pause now; "" if it can."""
    if not room.left:
        return ""
    if room.pauses[seat] >= MOST_PAUSES:
        return f"with a clock a player may pause {MOST_PAUSES} times in a game"
    if room.paused[seat] >= MOST_PAUSED:
        return f"with a clock a player may pause {MOST_PAUSED // 60_000} minutes in a game"
    if until_over(room, now) <= 0:
        return f"{room.names[room.position.to_move]}'s time is up"
    return ""


def pause_left(room: Room, now: int) -> int | None:
    """The time for which only the player who asked for the pause may end it; None without a pause or a clock."""
    if room.phase != "paused" or room.by is None or not room.left:
        return None
    return max(0, MOST_PAUSED - room.paused[room.by] - max(0, now - room.since))
