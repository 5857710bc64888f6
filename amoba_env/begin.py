"""How an episode begins: the options of the environments' `reset(options=...)`."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from amoba_env import checks
from amoba_env.core import play
from amoba_env.core import state as st
from amoba_env.core.rng import Stream
from amoba_env.core.state import State
from amoba_env.games import Game
from amoba_env.position import Position


def first_position(game: Game, options: Mapping[str, Any], stream: Stream) -> State:
    """The first position of an episode: int16[CELLS + n], a new row.

    Args:
        game: the rules.
        options: "position": a Position, or its text, to start from; "first": the seat that begins (default 0);
            "random_plies": the number of random moves that are played first. Other keys are ignored.
        stream: uint64[1], the random stream of the random moves. It changes in place.

    Raises:
        ValueError: `position` is over or of another game, `first` is not a seat or both are given, or the random moves
            always end the game.
    """
    options = checks.mapping("options", options)
    given, first = options.get("position"), options.get("first")
    if given is None:
        state = game.start(checks.whole("options['first']", 0 if first is None else first))
    else:
        position = Position.from_text(game, given) if isinstance(given, str) else given
        if not isinstance(position, Position) or position.game != game:
            raise ValueError(f"options['position']: expected a text or a Position of {game}, got {checks.brief(given)}")
        if first is not None:
            raise ValueError(
                "give options['first'] or options['position'], not both: the position says whose turn it is"
            )
        state = position.state
    plies = checks.whole("options['random_plies']", options.get("random_plies", 0), 0, st.MOST_PLIES)
    if state[st.STATUS] != st.RUNNING:
        raise ValueError("options['position']: expected a position with a move, got the end of a game")
    if not play.random_opening(game.rules, state, stream, plies):
        raise ValueError(f"options['random_plies']: in 100 tries every game ended within {plies} random moves")
    return state


def opening_number(game: Game, first: State) -> int:
    """A hash of the first position of an episode: 0 for the start of the game, equal for equal positions."""
    return 0 if np.array_equal(first, game.start()) else zlib.crc32(first.tobytes())
