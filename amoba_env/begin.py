"""How an episode begins: what the environments' `reset(options=...)` understands."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from amoba_env.core import play
from amoba_env.core.rng import Stream
from amoba_env.core.state import RUNNING, STATUS, State
from amoba_env.games import Game
from amoba_env.position import Position


def opening(game: Game, options: Mapping[str, Any], stream: Stream) -> State:
    """The first position of an episode: int16[CELLS + n], a fresh row.

    Args:
        game: the rules.
        options: "position": a Position, or its text, to start from; "first": the seat that begins (0);
            "random_plies": so many random moves are played first. Others are ignored.
        stream: uint64[1], for the random moves, advanced in place.

    Raises:
        ValueError: a position that is over or of another game, or no such seat or opening.
    """
    given = options.get("position")
    if given is None:
        state = game.start(_whole_number(options, "first"))
    else:
        position = Position.from_text(game, given) if isinstance(given, str) else given
        if not isinstance(position, Position) or position.game != game:
            raise ValueError(f"options['position'] must be a text or a Position of {game!r}")
        if "first" in options:
            raise ValueError("options['first'] goes without options['position'], which says whose turn it is")
        state = position.state
    plies = _whole_number(options, "random_plies")
    if plies < 0:
        raise ValueError(f"options['random_plies'] must be 0 or more, not {plies}")
    if state[STATUS] != RUNNING:
        raise ValueError("options['position'] must not be over")
    if not play.random_opening(game.rules, state, stream, plies):
        raise ValueError(f"options['random_plies']: found no game that goes on after {plies} random moves")
    return state


def _whole_number(options: Mapping[str, Any], key: str) -> int:
    try:
        return operator.index(options.get(key, 0))
    except TypeError:
        raise ValueError(f"options[{key!r}] must be a whole number, not {options[key]!r}") from None
