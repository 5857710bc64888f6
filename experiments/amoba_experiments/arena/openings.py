"""Openings: the first moves or the first position of games, given or drawn at random.

An opening is a text: moves ("h8 i9", or in another form of notation.moves_in), a position (with "/" between its rows),
or "random:4", four random moves.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.players.random import Random
from amoba_env import checks
from amoba_env.core import state as st
from amoba_env.core.batch import step_rows, update_digests
from amoba_env.core.rng import RANDOM_OPENING, streams
from amoba_env.core.state import State, States
from amoba_env.files import decoded
from amoba_env.games import Game
from amoba_env.notation import is_board, last_action
from amoba_env.position import Position, played

TRIES = 100  # draws of random moves, if they end the game


class Opening(NamedTuple):
    """An opening, read from its text."""

    states: dict[int, State]  # the position after it, by the seat that moved first, if its moves are legal then
    moves: tuple[int, ...] = ()  # its moves
    given: int = 0  # a hash of the position, if the text is one
    plies: int = 0  # how many random moves to play


class Begun(NamedTuple):
    """The first positions of games."""

    states: States  # int16[B, S]
    starter: NDArray[np.int8]  # [B] the seat that moved first; if a position is given, the seat to move there
    moves: NDArray[np.int32]  # [B, longest] the moves of the openings, -1 after the last
    opening: NDArray[np.uint64]  # [B] a hash of the opening, whoever begins: equal for equal openings
    digest: NDArray[np.uint64]  # [B] a hash of the seat that begins and of the opening


def read_opening(game: Game, text: str) -> Opening:
    """Read an opening. Raises ValueError that says what is wrong with the text."""
    if checks.text("opening", text).startswith("random"):
        if not re.fullmatch(r"random:[0-9]{1,4}", text):
            raise ValueError(f"opening {text!r}: expected random:NUMBER, such as random:4 for four random moves")
        return Opening({seat: game.start(seat) for seat in range(game.players)}, plies=int(text[7:]))
    moves: list[int | None] = []
    given = 0
    try:
        if is_board(text):
            position = Position.from_text(game, text)
            reached, given = {position.to_move: position}, zlib.crc32(position.state.tobytes()) >> 1
        else:
            reached = _reached(game, text)
            moves = [last_action(game, each.state) for each in played(Position.start(game, min(reached)), text)[1:]]
        if any(position.over for position in reached.values()):
            raise ValueError("the game is over")
    except ValueError as error:
        raise ValueError(f"opening {text!r}: {error}") from None
    states = {seat: position.state for seat, position in reached.items()}
    return Opening(states, tuple(move for move in moves if move is not None), given)


def _reached(game: Game, text: str) -> dict[int, Position]:
    """The position after the moves, for each seat that can have moved first (in halma one, as men belong to a seat)."""
    reached, errors = {}, []
    for seat in range(game.players):
        try:
            reached[seat] = Position.from_moves(game, text, seat)
        except ValueError as error:
            errors.append(error)
    if not reached:
        raise errors[0]
    return reached


def openings_from(text: str, game: Game) -> tuple[str, ...]:
    """The openings that the command line names: "random:4", a file with one in each line, or a file of games.

    Raises:
        ValueError: the file cannot be read, is empty or not a text file, or has a bad game, or one on another board.
    """
    if checks.text("openings", text).startswith("random:"):
        return (text,)
    from amoba_env import records  # late: a match without files of openings starts sooner

    if Path(text).suffix.lower().removeprefix(".") in records.FORMATS:
        found = records.read(text)
        for each in found:
            if not np.array_equal(each.game.board.coords, game.board.coords):
                wanted, got = (f"{one.name} {one.board.width}x{one.board.height}" for one in (game, each.game))
                raise ValueError(f"{text}: expected games on the board of {wanted}, got one of {got}")
        return tuple(each.text if each.start is None else each.positions[-1].text for each in found)
    try:
        written = decoded(Path(text).read_bytes()).splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{text}: expected a text file in UTF-8") from None
    except (OSError, ValueError) as error:  # ValueError: no name of a file
        why = error.strerror if isinstance(error, OSError) else "not the name of a file"
        raise ValueError(f"openings: expected random:NUMBER or a file, got {text!r} ({why})") from None
    lines = [" ".join(line.partition("#")[0].split()) for line in written]
    if not any(lines):
        raise ValueError(f"{text} has no openings")
    return tuple(line for line in lines if line)


def begin(
    game: Game,
    texts: Sequence[str],
    seeds: Sequence[int],
    numbers: NDArray[np.int64],
    starter: NDArray[np.int8],
) -> Begun:
    """The first positions of games. Game i has opening number numbers[i]: the text texts[numbers[i] % len(texts)].

    Args:
        game: the rules.
        texts: the openings; without any, games begin at the start of the game.
        seeds: [B], of each game. Random moves depend only on the seed and the opening's number.
        numbers: int64[B].
        starter: int8[B], the seat that moves first, if the opening leaves a choice.

    Raises:
        ValueError: a text is not an opening, or random moves always end the game.
    """
    if not texts:
        moves = np.empty((len(starter), 0), np.int32)
        digest = starter.astype(np.uint64)
        return Begun(game.batch(len(starter), starter), starter, moves, np.zeros_like(digest), digest)
    openings = [read_opening(game, text) for text in texts]
    own = [openings[number] for number in (numbers % len(openings)).tolist()]
    starter = np.array(
        [seat if seat in each.states else min(each.states) for each, seat in zip(own, starter.tolist(), strict=True)],
        np.int8,
    )
    states = np.stack([each.states[seat] for each, seat in zip(own, starter.tolist(), strict=True)])
    moves = np.full((len(own), max(len(each.moves) + each.plies for each in openings)), -1, np.int32)
    for row, each in zip(moves, own, strict=True):
        row[: len(each.moves)] = each.moves
    _play_random(
        game, states, moves, np.array([each.plies for each in own]), streams_of(seeds, numbers, RANDOM_OPENING)
    )
    given = np.array([each.given for each in own], np.int32)
    hashes = []
    for digest in (np.zeros(len(own), np.uint64), starter.astype(np.uint64)):
        update_digests(digest, np.arange(len(own)), given)
        for column in moves.T:
            update_digests(digest, np.flatnonzero(column >= 0), column[column >= 0])
        hashes.append(digest)
    return Begun(states, starter, moves, *hashes)


def streams_of(seeds: Sequence[int], numbers: NDArray[np.int64], purpose: int) -> NDArray[np.uint64]:
    """The random streams of these numbers, uint64[B]; `seeds`: [B]."""
    own_seeds = np.array(seeds, dtype=object)
    found = np.empty(len(numbers), np.uint64)
    for each in set(seeds):
        rows = np.flatnonzero(own_seeds == each)
        own = numbers[rows]
        first = int(own.min())
        found[rows] = streams(each, first, int(own.max()) - first + 1, purpose)[own - first]
    return found


def _play_random(
    game: Game, states: States, moves: NDArray[np.int32], plies: NDArray[np.int64], rng: NDArray[np.uint64]
) -> None:
    """Play plies[i] random moves in states[i] and write them to moves[i]. Draw them again if they end the game."""
    start, player = states.copy(), Random()
    left = np.flatnonzero(plies > 0)
    for _ in range(TRIES):
        if not left.size:
            return
        states[left] = start[left]
        for ply in range(int(plies.max())):
            going = left[(plies[left] > ply) & (states[left, st.STATUS] == st.RUNNING)]
            own = rng[going]
            moves[going, ply] = player.act(game, states[going], own, np.zeros((len(going), 0), np.int16))
            rng[going] = own
            step_rows(game.rules, states, going, moves[going, ply])
        left = left[states[left, st.STATUS] != st.RUNNING]
    if left.size:
        most = int(plies[left].max())
        raise ValueError(f"openings: expected fewer than {most} random moves: in {TRIES} tries every game ended before")
