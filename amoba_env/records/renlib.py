"""RenLib's .lib: a tree of stones on 15x15, as renju players collect openings and analyses. It can only be read.

Each line of the tree, from the root to an end, is a record; comments stay with their moves. The file does not name the
rules: renju is the default. Marks and texts on the board are left out, and a line with a pass is refused.

    FF "RenLib" FF, major and minor version, FF ... FF      20 bytes; missing in the oldest files
    point, flags                                            a node: column + 16 x (row - 1), from the top left, from 1;
                                                            0 is the root. Children follow, then the next sibling
    more flags                                              2 bytes, if the flags have EXTENSION
    comment, text on the board                              each up to a 0, and filled up to an even length

Source: https://github.com/gomoku/RenLib (LibraryFile.cpp, MoveNode.cpp, RenLibDoc.cpp).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count

from amoba_env.options import Options
from amoba_env.record import About, Record
from amoba_env.records.rules import game_on, record_of

MAGIC, HEADER, SIZE = b"\xffRenLib\xff", 20, 15
FIRST = b"\x78"  # h8, where a file without the header begins
SIBLING, END, OLD_COMMENT, COMMENT, NO_MOVE, EXTENSION = 0x80, 0x40, 0x20, 0x08, 0x02, 0x01
BOARD_TEXT = 0x01  # in the second byte of an extension
NEW_LINE = "\x08"  # between the first line of a comment and the others

Step = tuple[int, bool, str]  # point, whether it is a move, comment


def dump(records: Sequence[Record]) -> str:
    """Raise ValueError: .lib files can only be read."""
    raise ValueError(".lib files can only be read; .sgf and .jsonl store games")


def parse(text: str, name: str | None, options: Options) -> Iterator[tuple[str, Callable[[], Record]]]:
    """The place and the maker of each record. `text` has a character for each byte; the default game is renju."""
    known = set[tuple[int, ...]]()
    try:
        data = text.encode("latin-1")
    except UnicodeEncodeError:
        raise ValueError("expected a character from 0 to 255 for each byte of the file") from None
    if not data.startswith((MAGIC, FIRST)):
        raise ValueError("expected a file of RenLib, got something else")
    for number, steps in enumerate(_lines(data), start=1):
        place = f"variation {number}: "
        if isinstance(steps, ValueError):
            yield place, partial(_refuse, steps)
        elif (points := tuple(point for point, is_move, _ in steps if is_move)) not in known:
            known.add(points)
            yield place, partial(_record, steps, name, options)


def _refuse(error: ValueError) -> Record:
    raise error


def _record(steps: Sequence[Step], name: str | None, options: Options) -> Record:
    moves: list[int] = []
    comments: dict[int, str] = {}
    for number, (point, is_move, comment) in enumerate(steps):
        if is_move and (number or point):
            row, column = divmod(point, 16)
            if not 1 <= column <= SIZE or row >= SIZE:
                raise ValueError(f"move {len(moves) + 1}: expected a point of the board, got {point or 'a pass'}")
            moves.append(SIZE * row + column - 1)
        if comment:
            comments[len(moves)] = "\n".join(filter(None, (comments.get(len(moves)), comment)))
    return record_of(game_on(SIZE, SIZE, name or "renju", options), moves, about=About(comments=comments))


def _lines(data: bytes) -> Iterator[list[Step] | ValueError]:
    """The steps from the root to each end of the tree; an error where the file breaks off."""
    at = HEADER if data.startswith(MAGIC) else 0
    path: list[Step] = []
    forks: list[int] = []  # the depths of nodes that have siblings to come
    try:
        while True:
            point, flags, at = data[at], data[at + 1], at + 2
            board_text = flags & EXTENSION and data[at + 1] & BOARD_TEXT
            at += 2 * (flags & EXTENSION)
            comment = b""
            if flags & (COMMENT | OLD_COMMENT):
                comment, at = _text(data, at, bool(flags & OLD_COMMENT))
            if board_text:
                _, at = _text(data, at, False)
            path.append((point, not flags & NO_MOVE, _decoded(comment)))
            if flags & SIBLING:
                forks.append(len(path) - 1)
            if flags & END:
                yield path[:]
                if not forks:
                    return
                del path[forks.pop() :]
    except IndexError:
        yield ValueError("expected more bytes, got the end of the file")


def _text(data: bytes, at: int, old: bool) -> tuple[bytes, int]:
    """A text and where the next item begins. A 0 ends a text; in old comments the last byte has its high bit set."""
    end = next(i for i in count(at) if (data[i] > 127 if old else data[i] == 0))
    after = end + 1 + (end + 1 - at) % 2
    return (data[at:end] + bytes([data[end] & 127]) if old else data[at:end]), after


def _decoded(text: bytes) -> str:
    try:
        return text.decode().replace(NEW_LINE, "\n")
    except UnicodeDecodeError:
        return text.decode("latin-1").replace(NEW_LINE, "\n")
