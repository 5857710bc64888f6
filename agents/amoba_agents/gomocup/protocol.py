"""Shared by both sides of the Gomocup protocol: lines, numbers, and the supported games."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from amoba_env.games import Game

EXACT, RENJU, CARO = 1, 4, 8  # bits of INFO rule, 0: freestyle; 2 (continuous) is not supported
RULES = {0: "freestyle", EXACT: "exact", CARO: "caro", EXACT | CARO: "exact-caro"}  # of gomoku
YIXIN_RENJU = 2  # in place of 4, in the Yixin protocol, where no game goes on after a win
EMPTY, OWN, THEIRS, BLOCKED = range(4)  # the contents of a cell in BOARD
UNLIMITED = 2**31 - 1  # of INFO time_left, ms
POINT = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*")

LONGEST = 4096  # characters of a line
CHUNK = 1 << 16


def lines(read: Callable[[int], bytes]) -> Iterator[str]:
    """The lines of a stream until it ends, stripped, without empty ones. CRLF, LF or CR end a line.

    `read(n)` waits for some bytes and returns at most n, none at the end of the stream. A lone CR ends a line at once.
    Bytes that are not UTF-8 are replaced, and longer lines are cut to about LONGEST characters.
    """
    rest = b""
    while data := read(CHUNK):
        *whole, rest = re.split(rb"[\r\n]", rest + data)
        for line in whole:
            if text := _text(line):
                yield text
        rest = rest[:LONGEST]
    if text := _text(rest):
        yield text


def _text(line: bytes) -> str:
    return line[:LONGEST].decode("utf-8", "replace").strip()


def rule_of(game: Game) -> int:
    """The number of a game's rules in INFO rule. Raises ValueError for a game that the protocol cannot express."""
    options = game.options
    openings = ("none", "swap2") if game.name == "gomoku" else ("none",)
    if game.players == 2 and options.get("opening", "none") in openings:
        if game.name == "renju":
            return RENJU
        rules = {("gomoku", name): rule for rule, name in RULES.items()}
        rules |= {("amoba", "5"): 0, ("amoba", "5 exact"): EXACT}
        rule = rules.get((game.name, str(options.get("rule", options.get("patterns")))))
        if rule is not None:
            return rule
    raise ValueError(
        "gomocup: expected gomoku (also with opening=swap2), renju without an opening rule, or amoba of two players "
        f"with patterns=5 or '5 exact', got {game}"
    )
