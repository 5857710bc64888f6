"""Piskvork's .psq: one game on a rectangle, as written by tournament managers of the Gomocup protocol.

    Piskvorky 15x15, 11:11, 0      columns x rows, level of each player (0: a person), the seat that moved first
    8,8,120                        a move: column and row, counted from 1 at the top left; milliseconds
    9,7,85
    one.zip                        after a match: the names by seat,
    two.zip
    -1                             a code for the ending,
    1,Freestyle15_1                and from Gomocup's judge: the result, and the league, which names the rules

The result is 0 for a draw, 1 if the first name won, 2 if the second did. After an opening (stones with 0 ms) of odd
length Gomocup's judge numbers the players by who moves first after it, so the number does not tell who won. The judge
ends a game only by a row or for a fault of the player to move, and omits a forbidden move: so the player who moved last
won. The first move gets 1 ms instead of 0 where this would name the wrong winner.

Without a league the caller names the rules. No league stands for renju's `forbidden=lose`. Names of players may be
missing. The levels, the code and the lines after it are kept unchanged in `About.more`. The format has no comments,
events or dates, and does not say how a game ended. Sources: the code of the manager and of the judge,
https://github.com/wind23/piskvork_renju (game.cpp), https://github.com/Gomocup/GomocupJudge (server/server.py,
client/ai_match.py).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import takewhile

from amoba_env.core import rules as ru
from amoba_env.options import Options
from amoba_env.record import About, Record, Result
from amoba_env.records.rules import CONTROLS, WORDS, Make, game_on, grid, make_game, record_of, rules_text

HEADER = re.compile(r"Piskvorky\s+(\d{1,4})x(\d{1,4})\s*,\s*(\d+:\d+)\s*,\s*([01])\s*", re.IGNORECASE)
MOVE = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*(?:,\s*(\d{1,15})\s*)?")
LIKE_MOVE = re.compile(r"-?\d+\s*,")
TIMED_MOVE = re.compile(r"\d+\s*,\s*\d+\s*,\s*\d+")  # no other line looks so
CODE = re.compile(r"-?\d+")
RESULT = re.compile(r"([012])\s*,\s*([^\W\d_]*).*")
LEVELS, END = "levels", "end"  # in About.more
USUAL = {LEVELS: ("11:11",), END: ("-1",)}
LEAGUES = {"freestyle": "Freestyle", "exact": "Standard", "caro": "Caro", "renju": "Renju"}  # by the text of the rules


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
    levels, end = (about.more.get(key) or USUAL[key] for key in (LEVELS, END))
    rules, result = rules_text(record.game), record.result
    league = LEAGUES.get("renju" if record.game.name == "renju" else rules, "")
    number = 0 if result is None or result.winner is None else result.winner + 1
    if END not in about.more and result is not None:
        end = (*end, f"{number},{league}")
    times = about.times or (0,) * len(record)
    if result is not None and _result(record, number).winner != result.winner:
        times = (1, *times[1:])
    lines = [f"Piskvorky {width}x{height}, {levels[0]}, {record.first}"]
    for move, time in zip(record.moves, times, strict=True):
        lines.append(f"{move % width + 1},{move // width + 1},{time}")
    text = "\n".join([*lines, *names, *end]) + "\n"
    read = CONTROLS.sub("", text).rstrip().splitlines()
    with suppress(ValueError):
        if HEADER.fullmatch(read[0]) and _after(read, len(lines)) == (tuple(names), tuple(end)):
            return text
    raise ValueError(f"in a .psq file the lines {', '.join(map(repr, [levels[0], *names, *end]))} would be misread")


def parse(
    text: str, name: str | None, options: Options, make: Make = make_game
) -> Iterator[tuple[str, Callable[[], Record]]]:
    """The maker of the record. `name` and `options` give the game, by default that of the league, or gomoku."""
    yield "", partial(_record, text, name, options, make)


def _record(text: str, name: str | None, options: Options, make: Make) -> Record:
    lines = text.rstrip().splitlines()
    header = HEADER.fullmatch(lines[0]) if lines else None
    if header is None:
        raise ValueError(
            f"line 1: expected a header such as 'Piskvorky 20x20, 11:11, 0', got {(lines or [''])[0]!r:.60}"
        )
    width, height = int(header[1]), int(header[2])
    found = list(takewhile(bool, map(MOVE.fullmatch, lines[1:])))
    names, end = _after(lines, 1 + len(found))
    said = RESULT.fullmatch(end[1]) if len(end) > 1 else None
    if name is None and not options and said and said[2].lower() in WORDS:
        name, options = WORDS[said[2].lower()]
    game = game_on(width, height, name, options, make)
    moves: list[int] = []
    times: list[int] = []
    for number, move in enumerate(filter(None, found), start=1):
        x, y = int(move[1]) - 1, int(move[2]) - 1
        if not (0 <= x < width and 0 <= y < height):
            raise ValueError(f"move {number}: expected a cell of the {width}x{height} board, got {move[0].strip()!r}")
        moves.append(y * width + x)
        times.append(int(move[3] or 0))
    more = {key: value for key, value in {LEVELS: (header[3],), END: end}.items() if value and value != USUAL[key]}
    about = About(players=names, times=tuple(times) if any(times) else (), more=more)
    record = record_of(game, moves, first=int(header[4]), about=about)
    return record if said is None else record.with_about(replace(about, result=_result(record, int(said[1]))))


def _after(lines: Sequence[str], at: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names, and the lines from the code on."""
    rest = tuple(line.strip() for line in lines[at:])
    if any(map(TIMED_MOVE.fullmatch, rest)):
        raise ValueError(f"line {at + 1}: expected a move x,y,ms, got {rest[0]!r:.60}, and moves follow")
    if not rest or (CODE.fullmatch(rest[0]) and (len(rest) == 1 or RESULT.fullmatch(rest[1]))):
        return (), rest
    if LIKE_MOVE.match(rest[0]) or len(rest) == 1:
        raise ValueError(f"line {at + 1}: expected a move x,y,ms or two names, got {rest[0]!r:.60}")
    return rest[:2], rest[2:]


def _result(record: Record, said: int) -> Result:
    """The result that a number behind the moves stands for, see above."""
    opening = len(list(takewhile(lambda ms: ms == 0, record.about.times)))
    end = record.positions[-1]
    if said == 0:
        return Result(None, "")
    if opening % 2 == 0:
        return Result(said - 1, "")
    return Result(1 - end.to_move if end.outcome is None else end.outcome.winner, "")
