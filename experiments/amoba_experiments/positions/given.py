"""The game that a command is about: moves or a position as text, or a file."""

import os
from pathlib import Path

from amoba_env import Record, notation, records
from amoba_env.files import decoded
from amoba_env.games import Game
from amoba_env.options import Options


def record_of(game: Game, text: str, number: int | None = None, options: Options | None = None) -> Record:
    """The game of a text: moves, a position, a file with one of these, or a file of games.

    Args:
        game: the rules, unless a file of games has them.
        text: moves such as "h8 i9", a position in notation, or a file.
        number: of the game in a file of games, from 1 on; by default the first.
        options: of the game, for a file of games.

    Raises:
        ValueError: an illegal move, a bad game, a number that the file does not have, or a number without such a file.
        OSError: the file cannot be read.
    """
    if Path(text).suffix.lower().removeprefix(".") in records.FORMATS:
        found = records.read_each(text, None, game.name, **(options or {}))
        if (number or 1) > len(found):
            raise ValueError(f"--number: expected 1..{len(found)}, the games of {text}, got {number}")
        each = found[(number or 1) - 1]
        if isinstance(each, ValueError):
            raise each
        return each
    if number is not None:
        raise ValueError(f"--number: expected a file of games, got {text!r:.60}")
    if os.path.isfile(text):
        try:
            text = decoded(Path(text).read_bytes())
        except UnicodeDecodeError:
            raise ValueError(f"{text}: expected a text file in UTF-8") from None
    return record_in(game, text)


def record_in(game: Game, text: str) -> Record:
    """The game of a text: moves, or a position without moves. Raises ValueError."""
    return Record(game, start=text) if notation.is_board(text) else Record(game, text)
