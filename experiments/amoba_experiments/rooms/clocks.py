"""Clocks: who has how much time left, in milliseconds."""

from __future__ import annotations

from amoba_experiments.rooms.settings import Clock

LAG = 500  # at most so much of a move's time is taken for the network's and not charged


def full(clock: Clock | None, players: int) -> tuple[int, ...]:
    """The clocks at the start of a game, by seat; none without a clock."""
    return () if clock is None else (clock.main,) * players


def remaining(left: tuple[int, ...], seat: int, elapsed: int) -> int:
    """What a seat has left after so much of its turn, if all of the network's share is its own fault no more."""
    return left[seat] - max(0, elapsed - LAG)


def charged(
    clock: Clock | None, left: tuple[int, ...], seat: int, elapsed: int, reaction: int, increment: bool = True
) -> tuple[int, ...]:
    """The clocks after a turn: charged is what the player's own screen measured, but LAG less than elapsed at least."""
    if clock is None:
        return left
    rest = left[seat] - max(reaction, elapsed - LAG)
    if rest > 0 and increment:
        rest += clock.increment
    return (*left[:seat], rest, *left[seat + 1 :])
