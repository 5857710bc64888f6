"""Analysis of any game, position or file that somebody pastes: a tree of variations, and what a search sees.

Nothing is stored. A request has all of it: the game, the first position, and the moves.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from amoba_agents.alphabeta import win_by_fours
from amoba_env import records
from amoba_env.notation import move_text
from amoba_env.position import Position
from amoba_env.record import About, Record
from amoba_env.records import jsonl, psq, sgf, trees
from amoba_env.records.rules import CONTROLS, WORDS
from amoba_experiments.positions.analyse import shown
from amoba_experiments.positions.given import record_in
from amoba_experiments.positions.judge import Effort, judge, searches_two
from amoba_experiments.web import messages, view
from amoba_experiments.web.screens import BEAT_SECONDS
from amoba_experiments.web.server_players import make_game
from amoba_experiments.web.turns import Turns

EFFORTS = (60, 300, 1200)  # milliseconds of search, one after the other
BEST = 5  # moves that are shown
MOST_LINES, MOST_MOVES = 500, 20_000  # variations of a tree, and moves in all of them
LONGEST = 2000  # moves of a line
PSQ, JSON = "piskvorky", "{"  # how such files begin

Moves = Annotated[list[messages.Word], Meta(max_length=LONGEST)]


class Pasted(Struct, forbid_unknown_fields=True):
    """A text with a game, and the game whose rules it has if it does not name them."""

    text: str
    game: Any = None
    options: Any = {}


class Beginning(Struct, forbid_unknown_fields=True, kw_only=True):
    """A game and its first position: `start` in notation, or null for the usual one; the seat that begins."""

    game: Any = None
    options: Any = {}
    start: str | None = None
    first: int | None = None

    def record(self, moves: Sequence[str], about: About | None = None) -> Record:
        """The game with these moves. Raises ValueError."""
        return Record(make_game(self.game, self.options), moves, self.first, self.start, about)


class At(Beginning, kw_only=True):
    """A position: the moves that lead to it."""

    moves: Moves


class Line(Struct, forbid_unknown_fields=True):
    """A variation, from the first position to its end, and comments by the number of moves played."""

    moves: Moves
    comments: dict[Annotated[str, Meta(pattern="^[0-9]{1,5}$")], str] = {}


class Tree(Beginning, kw_only=True):
    """A game with variations; the first one is the main line."""

    lines: Annotated[list[Line], Meta(min_length=1, max_length=MOST_LINES)]
    players: list[str] = []
    event: str = ""
    date: str = ""


def opened(given: Pasted) -> dict[str, Any]:
    """The game and the variations of a text: moves, a position, SGF, .psq or JSON lines. Raises ValueError."""
    found, moves = list[Record](), 0
    text = CONTROLS.sub("", given.text.removeprefix("\ufeff"))
    is_sgf = not text.lstrip().lower().startswith((PSQ, JSON)) and trees.GAME.search(text) is not None
    for record in _records(given, text, is_sgf):
        moves += len(record)
        if moves > MOST_MOVES:
            raise ValueError(f"expected at most {MOST_MOVES:,} moves in all variations, got more")
        found.append(record)
    first = found[0]
    alike = [each for each in found if (each.game, each.start, each.first) == (first.game, first.start, first.first)]
    return {
        "game": first.game.name,
        "options": dict(first.game.options),
        "start": first.start,
        "first": first.first,
        "lines": [{"moves": each.text.split(), "comments": each.about.comments} for each in alike],
        "players": list(first.about.players),
        "event": first.about.event,
        "date": first.about.date,
        "others": len(found) - len(alike) + (sum(1 for _ in trees.main_lines(text)) - 1 if is_sgf else 0),
    }


def _records(given: Pasted, text: str, is_sgf: bool) -> Iterator[Record]:
    """The games of a text; of SGF the variations of the first game."""
    if is_sgf:
        return sgf.variations(text, *_usual(given, "RU[" in text), make_game, MOST_LINES)
    if text.lstrip().lower().startswith(PSQ):
        said = filter(None, map(psq.RESULT.fullmatch, text.splitlines()))
        league = any(each[2].lower() in WORDS for each in said)
        return _made(psq.parse(text, *_usual(given, league), make_game))
    if text.lstrip().startswith(JSON):
        return _made(jsonl.parse(text, None, {}, make_game))
    return iter([record_in(make_game(given.game, given.options), text)])


def _usual(given: Pasted, named: bool) -> tuple[str | None, dict[str, Any]]:
    """The rules for a file of stones that does not name them: the given ones, if they have boards of any size."""
    if named or given.game is None:
        return None, {}
    game = make_game(given.game, given.options)
    if game.moves_men or "size" not in game.options:
        return None, {}
    return game.name, {key: value for key, value in game.options.items() if key != "size"}


def _made(parsed: Iterator[tuple[str, Callable[[], Record]]]) -> Iterator[Record]:
    for place, make in islice(parsed, MOST_LINES):
        try:
            yield make()
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{place}{error}") from None


def position(at: At) -> dict[str, Any]:
    """The position after these moves, and what is legal there. Raises ValueError for an illegal move."""
    now = at.record(at.moves).positions[-1]
    return {
        "position": view.position(now),
        "targets": view.targets(now),
        "mover": None if now.over else now.to_move,
        "moves": len(at.moves),
    }


def file(tree: Tree) -> tuple[str, str]:
    """The variations as a file, and its format: SGF where it can store them, else JSON lines. Raises ValueError."""
    game = make_game(tree.game, tree.options)
    about = About(players=tuple(tree.players), event=tree.event, date=tree.date)
    lines = [tree.record(line.moves, _said(about, line)) for line in tree.lines]
    try:
        sgf.dump([Record(game)])
    except ValueError:
        return records.to_text(lines, "jsonl"), "jsonl"
    return sgf.tree(lines), "sgf"


def _said(about: About, line: Line) -> About:
    return replace(about, comments={int(number): text for number, text in line.comments.items()})


def seen(searched: Position, ms: int) -> dict[str, Any]:
    """The value for each seat, the best moves, and the moves of a win by fours, or none; `values` null: no search."""
    game, judgement = searched.game, judge(searched, Effort(ms=ms), BEST)
    if judgement is None:
        return {"type": "found", "ms": ms, "values": None, "best": [], "fours": []}
    best = [shown(each) for each in judgement.best]
    fours = win_by_fours(game, searched.state) if best and best[0]["plies"] and searches_two(game) else []
    return {
        "type": "found",
        "ms": ms,
        "values": [round(each, 3) for each in judgement.values],
        "best": best,
        "fours": [move_text(game, cell) for cell in fours],
    }


class PositionSearch:
    """Longer and longer searches of a position, in the turns of an asker; see seen()."""

    def __init__(self, turns: Turns, asker: str, position: Position) -> None:
        """Begin. Raises Refusal if too many searches are waiting."""
        self.position, self.stopped = position, False
        self._loop, self._found = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any] | None]()
        self._found.put_nowait({"type": "waiting", "before": turns.add(asker, self._steps())})

    def _steps(self) -> Iterator[None]:
        try:
            for ms in EFFORTS:
                if self.stopped:
                    return
                found = seen(self.position, ms)
                self._tell(found)
                yield
                if not found["best"] or found["best"][0]["plies"] is not None:
                    return  # proven, or nothing to search
        except Exception as error:  # after any error the search ends, so nobody waits for ever
            self._tell({"type": "refused", "why": str(error) or type(error).__name__})
        finally:
            self._tell(None)

    def _tell(self, found: dict[str, Any] | None) -> None:
        self._loop.call_soon_threadsafe(self._found.put_nowait, found)

    async def lines(self) -> AsyncIterator[str]:
        """Lines of JSON: the number of searches `before` it, then what each search sees, with heartbeats in between."""
        while True:
            try:
                line = await asyncio.wait_for(self._found.get(), BEAT_SECONDS)
            except TimeoutError:
                line = {"type": "beat"}
            if line is None:
                return
            yield msgspec.json.encode(line).decode() + "\n"

    def stop(self) -> None:
        """Drop the search: nobody waits for it any more."""
        self.stopped = True
