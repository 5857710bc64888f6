"""SGF, the Smart Game Format FF[4], GM[4] (gomoku and renju): https://red-bean.com/sgf/.

    (;FF[4]GM[4]CA[UTF-8]SZ[15]RU[renju]PB[Ann]PW[Ben]RE[B+R]
    ;B[hh];W[hg]C[a comment];B[ig])

A point is two letters, a to z and A to Z: the column from the left and the row from the top. Files of other programs
may have `h8`. B and W are colours, not seats: PB is the player who has the black stones at the end. RU names the rules:
"freestyle" (the default), "exact", "renju", or a game with its options such as "renju opening=rif26"; names of other
programs are in rules.py. A file with another GM, or none, is read if RU names such rules. AB, AW and PL set up the
start. DT is the date, TM the seconds of a player's clock, OT what a move adds.

Of a tree the main line is read: the first branch at each node. variations() reads all lines. Unknown properties are
kept unchanged in `About.more` under their names; those of move 7 as "KO@7". Private properties store what SGF has no
property for:

    XC   an action that puts no stone, as text: a choice in an opening ("swap") or an offered cell ("h8")
    XS   1 if seat 1 begins with the black stones
    XT   milliseconds spent on a move

Not stored are the last move of a `start`, how a draw ended, and what `About.more` has under other names than those of
SGF properties.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from string import ascii_letters

import numpy as np

from amoba_env import notation
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.games import Game
from amoba_env.options import Options
from amoba_env.position import Position
from amoba_env.record import ON_BOARD, About, Record, Result
from amoba_env.records.rules import (
    NAME_IT,
    Make,
    game_on,
    grid,
    is_known,
    make_game,
    parse_rules,
    record_of,
    rules_text,
)
from amoba_env.records.trees import Node, all_lines, branched, main_lines, plain, quoted, raw, written

COLORS = "BW"
CHOICE, SEAT, TIME = "XC", "XS", "XT"
SETUP = ("AB", "AW", "PL")
QUEST_OPENING = ("QPR", "QSLW")  # proposed and chosen stones
INFO = ("FF", "GM", "CA", "SZ", "RU", "PB", "PW", "RE", "DT", "EV", SEAT)  # known properties of the root
ENDINGS = {"R": "resigned", "T": "time", "F": "forfeit"}
MEANT = (*COLORS, CHOICE, TIME, *SETUP, "AE", SEAT)  # properties that say how the game goes: not those of About.more
GOMOKU_RENJU = "4"
OTHERS = {"1": "Go", "2": "Othello", "3": "chess", "11": "Hex"}  # many programs for gomoku write these
LETTERS = ascii_letters  # a to z, A to Z: 52


def dump(records: Iterable[Record]) -> str:
    """The records as a collection. Raises ValueError, with the game's number, for what SGF cannot store."""
    texts = []
    for number, record in enumerate(records, start=1):
        try:
            texts.append(written(_nodes(record)))
        except ValueError as error:
            raise ValueError(f"game {number}: {error}") from None
    return "\n".join(texts)


def tree(records: Iterable[Record]) -> str:
    """These games as one game with variations. Raises ValueError for what SGF cannot store, or different rules."""
    lines = [_nodes(record) for record in records]
    for nodes in lines:
        nodes[0].pop("RE", None)
        nodes[0] |= {key: lines[0][0][key] for key in ("PB", "PW") if key in lines[0][0]}  # the main line names them
    if any(nodes[0] != lines[0][0] for nodes in lines):
        raise ValueError("expected variations of one game, got games that begin differently")
    return branched(lines)


def parse(
    text: str, name: str | None, options: Options, make: Make = make_game
) -> Iterator[tuple[str, Callable[[], Record]]]:
    """The place and the maker of each record. `name` and `options`, if given, override the game that the file names."""
    for number, (line, nodes) in enumerate(main_lines(text), start=1):
        yield f"line {line}, game {number}: ", partial(_record, nodes, name, options, make)


def variations(text: str, name: str | None, options: Options, make: Make, most: int) -> Iterator[Record]:
    """The lines of the first game, the main line first; the others have no result. Arguments as for parse().

    Args:
        text: the file.
        name: the name of the game, by default the one that the file names.
        options: of the game.
        make: the maker of the game.
        most: the number of lines that may be there.

    Raises:
        ValueError: no game, more lines, a syntax error, an illegal move.
    """
    lines = all_lines(text, most + 1)
    if not lines:
        raise ValueError("expected a game such as (;GM[4]SZ[15];B[hh]), got none")
    if len(lines) > most:
        raise ValueError(f"expected at most {most} variations, got more")
    for number, (root, *nodes) in enumerate(lines, start=1):
        known = root if number == 1 else {key: values for key, values in root.items() if key != "RE"}
        try:
            yield _record([known, *nodes], name, options, make)
        except ValueError as error:
            raise ValueError(f"variation {number}: {error}" if number > 1 else str(error)) from None


# --- Writing --------------------------------------------------------------------------------------------------------


def _nodes(record: Record) -> list[Node]:
    game, about, start, end = record.game, record.about, record.positions[0], record.positions[-1]
    width, height = grid(game)
    if max(width, height) > len(LETTERS):
        raise ValueError(f"expected at most {len(LETTERS)} columns and rows for SGF, got {width}x{height}")
    size = str(width) if width == height else f"{width}:{height}"
    root = {"FF": ["4"], "GM": [GOMOKU_RENJU], "CA": ["UTF-8"], "SZ": [size], "RU": [quoted(rules_text(game))]}
    black = int(end.state[st.BLACK])
    if about.players:
        root |= {"PB": [quoted(about.players[black])], "PW": [quoted(about.players[1 - black])]}
    root |= {key: [quoted(value)] for key, value in (("EV", about.event), ("DT", about.date)) if value}
    if record.result is not None:
        root["RE"] = [_result_text(record.result, black)]
    if game.rules[ru.COLORED] and start.state[st.BLACK]:
        root[SEAT] = ["1"]
    root |= _setup(record)
    nodes = [root]
    for number, move in enumerate(record.moves, start=1):
        sign = _sign(record.positions[number], move)
        node = {sign: [quoted(notation.move_text(game, move)) if sign == CHOICE else _point(move, width)]}
        if about.times:
            node[TIME] = [str(about.times[number - 1])]
        nodes.append(node)
    for number, text in about.comments.items():
        nodes[number]["C"] = [quoted(text)]
    for key, values in about.more.items():
        match = re.fullmatch(r"([A-Z]+)(?:@(\d+))?", key)
        if match and values and match[1] not in MEANT and int(match[2] or 0) < len(nodes):
            nodes[int(match[2] or 0)].setdefault(match[1], [raw(value) for value in values])
    return nodes


def _setup(record: Record) -> Node:
    state = record.positions[0].state
    turn = COLORS[int(state[st.TO_MOVE] != state[st.BLACK])]
    if record.start is None:
        return {"PL": [turn]} if turn == "W" else {}
    if state[st.PHASE] or state[st.CHOICES]:
        raise ValueError("SGF cannot set up a position during an opening, or after choices in one")
    found = {
        name: [_point(cell, record.game.board.width) for cell in np.flatnonzero(state[st.CELLS :] == seat).tolist()]
        for name, seat in (("AB", state[st.BLACK]), ("AW", 1 - state[st.BLACK]))
    }
    return {name: points for name, points in found.items() if points} | {"PL": [turn]}


def _sign(after: Position, move: int) -> str:
    """The property of the move that led to a position: the colour of its stone, or CHOICE."""
    owner = after.state[st.CELLS + move] if move < after.game.n_cells else st.EMPTY
    return COLORS[int(owner != after.state[st.BLACK])] if owner >= 0 else CHOICE


def _point(cell: int, width: int) -> str:
    return LETTERS[cell % width] + LETTERS[cell // width]


def _result_text(result: Result, black: int) -> str:
    if result.winner is None:
        return "0"
    letters = {ending: letter for letter, ending in ENDINGS.items()} | dict.fromkeys(ON_BOARD, "")
    return f"{COLORS[int(result.winner != black)]}+{quoted(letters.get(result.ending, result.ending))}"


# --- Reading --------------------------------------------------------------------------------------------------------


@dataclass
class _Line:
    """The nodes of a main line, read."""

    signs: list[str] = field(default_factory=list)  # B, W or CHOICE for each move
    moves: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    setup: Node = field(default_factory=dict)
    comments: dict[int, str] = field(default_factory=dict)
    more: dict[str, tuple[str, ...]] = field(default_factory=dict)


def _record(nodes: Sequence[Node] | ValueError, name: str | None, options: Options, make: Make) -> Record:
    if isinstance(nodes, ValueError):
        raise nodes
    root = {key: plain(values[0]) for key, values in nodes[0].items()}
    game = _game(root, name, options, make)
    line = _line(game, nodes)
    record = record_of(game, line.moves, start=_start(game, root, line).text)
    for number, (sign, move) in enumerate(zip(line.signs, record.moves, strict=True), start=1):
        wanted = _sign(record.positions[number], move)
        if sign != wanted:
            text = notation.move_text(game, move)
            raise ValueError(f"move {number} ({text}): expected {wanted}, got {sign}")
    return record.with_about(_about(root, line, int(record.positions[-1].state[st.BLACK])))


def _line(game: Game, nodes: Sequence[Node]) -> _Line:
    line = _Line()
    for node in nodes:
        played = [(sign, value) for sign in (*COLORS, CHOICE) for value in node.get(sign, ())]
        number = len(line.moves) + len(played)
        if len(played) > 1:
            signs = " and ".join(sign for sign, _ in played)
            raise ValueError(f"move {number - 1}: expected one move in a node, got {signs}")
        for sign, value in played:
            try:
                line.moves.append(notation.parse_move(game, plain(value)) if sign == CHOICE else _cell(game, value))
            except ValueError as error:
                raise ValueError(f"move {number}: {error}") from None
            line.signs.append(sign)
            time = node.get(TIME, ["0"])[0]
            line.times.append(int(time) if re.fullmatch("[0-9]{1,15}", time) else 0)
        at_root = node is nodes[0]
        for key, values in node.items():
            place = key if at_root or number == 0 else f"{key}@{number}"
            if key == "AE" or (key in SETUP and place != key):
                raise ValueError(f"expected only AB, AW and PL, before the first move, got {key} after move {number}")
            if key in QUEST_OPENING:
                raise ValueError(f"{key}: the opening of Gomoku Quest cannot be read, and its stones would be missing")
            if key in SETUP:
                line.setup[key] = [*line.setup.get(key, ()), *values]
            elif key == "C":
                after = 0 if at_root else number
                said = [line.comments[after]] if after in line.comments else []
                line.comments[after] = "\n".join([*said, *map(plain, values)])
            elif key not in (*COLORS, CHOICE, TIME) and not (at_root and key in INFO):
                line.more[place] = (*line.more.get(place, ()), *values)
    return line


def _about(root: dict[str, str], line: _Line, black: int) -> About:
    names = (root.get("PB", ""), root.get("PW", ""))
    result = _result(root.get("RE", ""), black)
    kept = {"RE": (quoted(root["RE"]),)} if "RE" in root and result is None else {}  # "?", "Void", "Black won"
    return About(
        players=(names[black], names[1 - black]) if any(names) else (),
        result=result,
        event=root.get("EV", ""),
        date=root.get("DT", ""),
        comments=line.comments,
        times=tuple(line.times) if any(line.times) else (),
        more=line.more | kept,
    )


def _game(root: dict[str, str], name: str | None, options: Options, make: Make) -> Game:
    """The game that the caller or else the root node names."""
    kind, rules = root.get("GM", "").strip(), root.get("RU", "").strip()
    if name is None and (kind == GOMOKU_RENJU or is_known(rules)):
        name, options = parse_rules(rules) if rules else (None, {})
    elif name is None:
        other = f" ({OTHERS[kind]})" if kind in OTHERS else ""
        raise ValueError(f"expected gomoku or renju, GM[4], got GM[{kind}]{other}; {NAME_IT}")
    size = re.fullmatch(r"\s*(\d{1,4})\s*(?::\s*(\d{1,4})\s*)?", root.get("SZ", str(options.get("size", ""))))
    if size is None:
        raise ValueError(f"expected the size of the board, such as SZ[15] or SZ[7:5], got SZ[{root.get('SZ', '')}]")
    return game_on(int(size[1]), int(size[2] or size[1]), name, options, make)


def _start(game: Game, root: dict[str, str], line: _Line) -> Position:
    """The position before the first move. PL or the colour of the first move says who begins."""
    colored = bool(game.rules[ru.COLORED])
    if root.get(SEAT, "0") not in ("0", "1"):
        raise ValueError(f"{SEAT}: expected a seat, 0 or 1, got {root[SEAT]!r}")
    black = int(root.get(SEAT, "0")) if colored else 0
    setup = line.setup
    turn = (setup.get("PL") or line.signs or "B")[0].strip().upper()[:1]
    if "PL" in setup and turn not in tuple(COLORS):
        raise ValueError(f"PL: expected B or W, got {setup['PL'][0]!r}")
    if not setup:
        return Position.start(game, black if colored else int(turn == "W"))
    cells = np.full(game.n_cells, st.EMPTY)
    for key, seat in (("AB", black), ("AW", 1 - black)):
        for value in setup.get(key, ()):
            for cell in _cells(game, value):
                if cells[cell] != st.EMPTY:
                    raise ValueError(f"{key}[{value}]: {notation.cell_name(game, cell)} already has a stone")
                cells[cell] = seat
    to_move = (black if turn == "B" else 1 - black) if setup.get("PL") or line.signs else None
    return Position(
        game, notation.position_from_cells(game, cells, to_move, opening={st.BLACK: black} if colored else None)
    )


def _cells(game: Game, value: str) -> list[int]:
    """A point, or the points of a rectangle, given by its upper left and lower right: "aa:cc"."""
    corners = [_cell(game, part) for part in value.split(":")]
    (left, top), (right, bottom) = (game.board.coords[cell].tolist() for cell in (corners[0], corners[-1]))
    if len(corners) > 2 or left > right or top > bottom:
        raise ValueError(f"expected a rectangle, upper left:lower right, got {value!r}")
    return [y * game.board.width + x for y in range(top, bottom + 1) for x in range(left, right + 1)]


def _cell(game: Game, value: str) -> int:
    text, (width, height) = value.strip(), grid(game)
    if text == "" or (text == "tt" and max(width, height) <= 19):
        raise ValueError(f"a pass: {game.name} has no passes")
    if len(text) == 2 and text.isascii() and text.isalpha():
        x, y = map(LETTERS.index, text)
        if x < width and y < height:
            return y * width + x
        raise ValueError(f"expected a point of the {width}x{height} board, got {text!r}")
    if text[-1].isdecimal():
        return notation.parse_cell(game, text)
    raise ValueError(f"expected a point of two letters such as {_point(game.n_cells // 2, width)!r}, got {text!r}")


def _result(text: str, black: int) -> Result | None:
    """The result in RE; None if it has none, such as "?"."""
    if text.strip().lower() in ("0", "draw"):
        return Result(None, "agreed")
    match = re.fullmatch(r"\s*([BW])(?:\+(.*?))?\s*", text, re.IGNORECASE)
    if match is None:
        return None
    ending = match[2] or ""
    known = re.fullmatch("(R)(?:esign)?|(T)(?:ime)?|(F)(?:orfeit)?", ending, re.IGNORECASE)
    letter = next(filter(None, known.groups())).upper() if known else ""
    return Result(black if match[1].upper() == "B" else 1 - black, ENDINGS.get(letter, ending))
