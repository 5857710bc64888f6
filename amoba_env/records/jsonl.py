"""JSON lines: one played game on each line. The format stores every game.

    {"game": "gomoku", "options": {"size": 15, "rule": "exact", "opening": "none"}, "start": null, "first": 0,
     "moves": ["h8", "i9"], "result": null, "players": ["Ann", "Ben"]}                                   # on one line

Only "game" is required. `start` is a position in notation, or null for the usual one; `result` is null or {"winner":
seat or null, "ending": text}. `event`, `date`, `comments` {moves played: text}, `times` (milliseconds for each move)
and `more` follow if they are not empty.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from amoba_env.notation import move_text
from amoba_env.options import Options
from amoba_env.record import About, Record, Result
from amoba_env.records.rules import Make, make_game, record_of

KINDS: dict[str, tuple[type, ...]] = {
    "game": (str,),
    "options": (dict,),
    "start": (str, type(None)),
    "first": (int,),
    "moves": (list,),
    "result": (dict, type(None)),
    "players": (list,),
    "event": (str,),
    "date": (str,),
    "comments": (dict,),
    "times": (list,),
    "more": (dict,),
}
NAMES = {str: "a text", dict: "an object", list: "a list", int: "a whole number", type(None): "null"}


def dump(records: Iterable[Record]) -> str:
    """The records as text."""
    return "".join(json.dumps(_row(record), ensure_ascii=False) + "\n" for record in records)


def _row(record: Record) -> dict[str, object]:
    about, result = record.about, record.result
    extra = {
        "event": about.event,
        "date": about.date,
        "comments": {str(number): text for number, text in about.comments.items()},
        "times": list(map(int, about.times)),
        "more": dict(about.more),
    }
    return {
        "game": record.game.name,
        "options": dict(record.game.options),
        "start": record.start,
        "first": record.first,
        "moves": [move_text(record.game, move) for move in record.moves],
        "result": result and {"winner": None if result.winner is None else int(result.winner), "ending": result.ending},
        "players": list(about.players),
    } | {key: value for key, value in extra.items() if value}


def parse(
    text: str, name: str | None, options: Options, make: Make = make_game
) -> Iterator[tuple[str, Callable[[], Record]]]:
    """The place and the maker of each record. If `name` or `options` are given, it must be of such a game."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"line {number}: ", partial(_of_game, line, name, options, make)


def _of_game(line: str, name: str | None, options: Options, make: Make) -> Record:
    record = _record(json.loads(line), make)
    asked = make(record.game.name, {**record.game.options, **options}) if options else record.game
    if name not in (None, record.game.name) or asked != record.game:
        raise ValueError(f"expected a record of the given game, got {record.game!r}")
    return record


def _record(row: Any, make: Make) -> Record:
    if not isinstance(row, dict):
        raise ValueError(f'expected an object such as {{"game": "gomoku", "moves": ["e5"]}}, got {row!r:.60}')
    for key, value in row.items():
        if key not in KINDS:
            raise ValueError(f"unknown key {key!r}; the keys: {', '.join(KINDS)}")
        if type(value) not in KINDS[key]:
            raise ValueError(f"{key!r}: expected {' or '.join(NAMES[kind] for kind in KINDS[key])}, got {value!r:.60}")
    if "game" not in row:
        raise ValueError("'game': expected a name, got none")
    if any(type(move) is not str for move in row.get("moves", [])):
        raise ValueError("'moves': expected texts such as 'h8'")
    game = make(row["game"], row.get("options", {}))
    return record_of(game, row.get("moves", []), row.get("first"), row.get("start"), _about(row))


def _about(row: dict[str, Any]) -> About:
    """What a row says besides the moves. Record checks the types of what is in lists and objects."""
    result = row.get("result")
    if result is not None and set(result) != {"winner", "ending"}:
        raise ValueError('\'result\': expected null or {"winner": seat or null, "ending": text}')
    return About(
        players=tuple(row.get("players", [])),
        result=None if result is None else Result(**result),
        event=row.get("event", ""),
        date=row.get("date", ""),
        comments={int(key) if key.isdecimal() else key: text for key, text in row.get("comments", {}).items()},
        times=tuple(row.get("times", [])),
        more={key: tuple(each) if type(each) is list else each for key, each in row.get("more", {}).items()},
    )
