"""Piskvork's .psq: one game on a rectangle, as written by tournament managers of the Gomocup protocol.

    Piskvorky 15x15, 11:11, 0      columns x rows, level of each player (0: a person), the seat that moved first
    8,8,120                        a move: column and row, counted from 1 at the top left; milliseconds
    9,7,85
    one.exe                        after a match: the names by seat,
    two.exe
    -1                             and a code for the ending

The file does not name the rules; the caller does. Names may be missing. The levels, the code and the lines after it are
kept unchanged in `About.more`. The format has no comments, events, dates or results. Source: the manager's code,
https://github.com/wind23/piskvork_renju.
"""

import re
from collections.abc import Sequence

from amoba_env.core import rules as ru
from amoba_env.options import Options
from amoba_env.record import About, Record
from amoba_env.records.rules import game_on, grid

HEADER = re.compile(r"Piskvorky\s+(\d{1,4})x(\d{1,4})\s*,\s*(\d+:\d+)\s*,\s*([01])\s*", re.IGNORECASE)
MOVE = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*(?:,\s*(\d{1,15})\s*)?")
LIKE_MOVE = re.compile(r"-?\d+\s*,")
LEVELS, END = "levels", "end"  # in About.more
USUAL = {LEVELS: ("11:11",), END: ("-1",)}


def dump(records: Sequence[Record]) -> str:
    """One record as text. Raises ValueError for another number of records, and for what .psq cannot store."""
    if len(records) != 1:
        raise ValueError(f"expected one game for a .psq file, got {len(records)}")
    (record,) = records
    width, height = grid(record.game)
    if record.start is not None or record.game.rules[ru.OPENING_RULE]:
        raise ValueError("a .psq file cannot store a start other than the empty board, or an opening rule")
    about = record.about
    names = [" ".join(name.split()) for name in about.players]
    if names and LIKE_MOVE.match(names[0]):
        raise ValueError(f"the name {names[0]!r} would be read as a move")
    levels, end = (about.more.get(key) or USUAL[key] for key in (LEVELS, END))
    lines = [f"Piskvorky {width}x{height}, {levels[0]}, {record.first}"]
    for move, time in zip(record.moves, about.times or (0,) * len(record), strict=True):
        lines.append(f"{move % width + 1},{move // width + 1},{time}")
    return "\n".join([*lines, *names, *end]) + "\n"


def parse(text: str, name: str | None, options: Options) -> list[Record]:
    """The record of a text, in a list. `name` and `options` give the game, by default gomoku.

    Raises:
        ValueError: a line or a move is wrong; the message has its number and the reason.
    """
    lines = text.rstrip().splitlines()
    header = HEADER.fullmatch(lines[0]) if lines else None
    if header is None:
        raise ValueError(
            f"line 1: expected a header such as 'Piskvorky 20x20, 11:11, 0', got {(lines or [''])[0]!r:.60}"
        )
    width, height = int(header[1]), int(header[2])
    game = game_on(width, height, name, options)
    moves: list[int] = []
    times: list[int] = []
    for number, line in enumerate(lines[1:], start=1):
        move = MOVE.fullmatch(line)
        if move is None:
            break
        x, y = int(move[1]) - 1, int(move[2]) - 1
        if not (0 <= x < width and 0 <= y < height):
            raise ValueError(f"move {number}: expected a cell of the {width}x{height} board, got {line.strip()!r}")
        moves.append(y * width + x)
        times.append(int(move[3] or 0))
    rest = [line.strip() for line in lines[1 + len(moves) :]]
    if rest and (LIKE_MOVE.match(rest[0]) or (len(rest) == 1 and not re.fullmatch(r"-?\d+", rest[0]))):
        raise ValueError(f"line {2 + len(moves)}: expected a move x,y,ms or two names, got {rest[0]!r:.60}")
    names, end = (rest[:2], rest[2:]) if len(rest) > 1 else ([], rest)
    found = {LEVELS: (header[3],), END: tuple(end)}
    more = {key: value for key, value in found.items() if value and value != USUAL[key]}
    about = About(players=tuple(names), times=tuple(times) if any(times) else (), more=more)
    return [Record(game, moves, first=int(header[4]), about=about)]
