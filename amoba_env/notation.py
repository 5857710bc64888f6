"""Cells, moves and positions as text, and back, for every game.

Cells: a letter for the column, a number for the row counted from the bottom: `h8` (`z` is followed by `aa`).
Moves: the cell of a stone, `h8`; from-to of a man, `g1-e3`; in openings `stay`, `swap`, `more`, `offer`, `declare-3`.
Positions: board, player to move, moves played, last move; only the board is needed:

    x1o/1x1/3 o 3 b2        rows from the top; a number for a run of empty cells; places without a cell are not written

In games with an opening rule four more parts may follow, and ? is a cell that is offered (core/opening_rules.py):

    ... x 4 h8 black=1 phase=offer left=2 choices=1       black: the seat with the black stones; left: actions left in
                                                          the phase; choices: actions so far that put no stone
"""

import functools
import re
from collections.abc import Mapping

import numpy as np

from amoba_env import checks
from amoba_env.border import checked, no_owner
from amoba_env.core import opening_rules as op
from amoba_env.core import play
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.halma import is_home
from amoba_env.core.phases import mover
from amoba_env.core.place import wins
from amoba_env.core.state import State
from amoba_env.games import Game

OPENING_PARTS = {"black": st.BLACK, "phase": st.PHASE, "left": st.LEFT, "choices": st.CHOICES}
OFFER_SIGN = "?"
LEFT_OUT = re.compile(r"#.*|\b[0-9]+\.+")  # of lists of moves: comments, and numbers of moves
CELL = re.compile(r"[A-Za-z]+[0-9]+")


def column_name(x: int) -> str:
    """The name of a column from 0: a, b, ..., z, aa, ab, ... ValueError for anything else than a number from 0."""
    name = ""
    x = checks.whole("column", x, 0) + 1
    while x:
        x, letter = divmod(x - 1, 26)
        name = chr(ord("a") + letter) + name
    return name


def cell_name(game: Game, cell: int) -> str:
    """The name of a cell: "h8". Raises ValueError for a number out of range."""
    return _cell_names(game)[checks.whole("cell", cell, 0, game.n_cells - 1)]


@functools.lru_cache(maxsize=64)
def _cell_names(game: Game) -> list[str]:
    height = game.board.height
    return [f"{column_name(x)}{height - y}" for x, y in game.board.coords.tolist()]


def parse_cell(game: Game, text: str) -> int:
    """The cell of this name. Raises ValueError if the board has none."""
    match = re.fullmatch(r"([a-z]{1,3})([0-9]{1,4})", checks.text("cell", text).strip().lower())
    if not match:
        raise ValueError(
            f"{checks.brief(text.strip())} is not a cell: expected a letter and a number, such as {_example(game)}"
        )
    cell = _cells(game).get(f"{match[1]}{int(match[2])}")
    if cell is None:
        raise ValueError(f"the board has no cell {text.strip()!r}: expected a cell such as {_example(game)}")
    return cell


@functools.lru_cache(maxsize=64)
def _cells(game: Game) -> dict[str, int]:
    return {name: cell for cell, name in enumerate(_cell_names(game))}


def _example(game: Game) -> str:
    return cell_name(game, game.n_cells // 2)


def move_text(game: Game, action: int) -> str:
    """The text of an action: "h8", or "g1-e3" where men move. Raises ValueError for a number out of range."""
    action = game.action(action)
    if not game.moves_men:
        return cell_name(game, action) if action < game.n_cells else game.choices[action - game.n_cells]
    origin, to = divmod(action, game.n_cells)
    return f"{cell_name(game, origin)}-{cell_name(game, to)}"


def parse_move(game: Game, text: str) -> int:
    """The action of this text, legal or not. ValueError names the part that cannot be read."""
    if checks.text("move", text).strip().lower() in game.choices:
        return game.n_cells + game.choices.index(text.strip().lower())
    if not game.moves_men:
        return parse_cell(game, text)
    parts = re.split(r"[-\s]+", text.strip())
    if len(parts) != 2:
        example = f"{cell_name(game, game.n_cells - 1)}-{cell_name(game, game.n_cells // 2)}"
        raise ValueError(f"{checks.brief(text.strip())} is not a move: expected two cells, such as {example}")
    return parse_cell(game, parts[0]) * game.n_cells + parse_cell(game, parts[1])


def moves_in(game: Game, text: str) -> list[str]:
    """The moves of a list, as people write and paste it, as texts for parse_move.

    Spaces, commas, semicolons and ends of lines separate them; cells of stones may also be joined: "h8g6f6g5". What
    follows a # is a comment, and numbers of moves ("1.") are left out. A list of numbers has pairs of offsets from the
    centre, to the right and down, as in Gomocup's files of openings: "0,0, 1,-1" are the centre and its upper right
    neighbour. Source of these forms: https://github.com/dhbloo/c-gomoku-cli (README.md; its joined openings count the
    rows from the top, which mirrors the board).

    Raises:
        ValueError: an odd number of offsets, or one that leads off the grid of the board.
    """
    words = [word for word in re.split(r"[\s,;]+", LEFT_OUT.sub(" ", checks.text("moves", text))) if word]
    if words and all(re.fullmatch(r"[-+]?[0-9]{1,3}", word) for word in words) and not game.moves_men:
        return _offsets(game, list(map(int, words)))
    moves: list[str] = []
    for word in words:
        joined = re.fullmatch(r"([a-z]{1,3}[0-9]{1,4}){2,}", word.lower()) and not game.moves_men
        moves += CELL.findall(word) if joined else [word]
    return moves


def _offsets(game: Game, numbers: list[int]) -> list[str]:
    if len(numbers) % 2:
        raise ValueError(f"expected pairs of offsets from the centre, or cells such as {_example(game)}, got {numbers}")
    width, height = game.board.width, game.board.height
    cells = [(width // 2 + dx, height // 2 + dy) for dx, dy in zip(numbers[::2], numbers[1::2], strict=True)]
    for number, (x, y) in enumerate(cells, start=1):
        if not (0 <= x < width and 0 <= y < height):
            dx, dy = numbers[2 * number - 2 : 2 * number]
            raise ValueError(f"move {number}: the offset {dx},{dy} from the centre leads off the board")
    return [f"{column_name(x)}{height - y}" for x, y in cells]


def last_action(game: Game, state: State) -> int | None:
    """The action that led to this position, or None at the start."""
    if state[st.TO] == st.NOWHERE:
        return None
    return int(state[st.FROM]) * game.n_cells + int(state[st.TO]) if game.moves_men else int(state[st.TO])


def position_text(game: Game, state: State) -> str:
    """A position as text, which `parse_position` reads back; only a forfeit is lost, as the board does not show it.

    Raises:
        ValueError: the row is not a position of the game; the message says why.
    """
    state = checked(game, state)
    last = last_action(game, state)
    to_move = game.symbol(state, int(state[st.TO_MOVE]))
    parts = [_board_text(game, state), to_move, str(int(state[st.PLY])), "-" if last is None else move_text(game, last)]
    for name, slot in OPENING_PARTS.items():
        if state[slot]:
            parts.append(f"{name}={op.PHASES[state[slot]] if slot == st.PHASE else int(state[slot])}")
    return " ".join(parts)


def _board_text(game: Game, state: State) -> str:
    signs, rows = {st.EMPTY: ".", st.OFFERED: OFFER_SIGN}, [""] * game.board.height
    for (_, y), owner in zip(game.board.coords.tolist(), state[st.CELLS :].tolist(), strict=True):
        rows[y] += signs.get(owner) or game.symbol(state, owner)
    return re.sub(r"\.+", lambda run: str(len(run[0])), "/".join(rows))


def without_comments(text: str) -> str:
    """The text without its comments. A comment begins with # and ends with the line. ValueError: not a str."""
    return re.sub("#.*", "", checks.text("position", text))


def is_board(text: str) -> bool:
    """Whether the text describes a board, with / between its rows. Otherwise it lists moves. ValueError: not a str."""
    return "/" in without_comments(text)


def parse_position(game: Game, text: str) -> State:
    """The position of this text: int16[CELLS + n]. Raises ValueError that quotes the part that is wrong."""
    text = without_comments(text)
    fields = [field for field in text.split() if "=" not in field]
    if not 1 <= len(fields) <= 4:
        raise ValueError(
            f"position: expected 1 to 4 parts (board, to move, moves played, last move), got {len(fields)}"
        )
    header = _parse_opening(game, [field for field in text.split() if "=" in field])
    black = header.get(st.BLACK, 0)
    owners = _parse_board(game, fields[0])
    cells = [(owner + black) % game.players if owner >= 0 else owner for owner in owners]
    to_move = ply = last = None
    if len(fields) > 1:
        if len(fields[1]) != 1 or fields[1] not in game.symbols:
            raise ValueError(f"player to move {fields[1]!r}: expected one of {', '.join(game.symbols)}")
        to_move = (game.symbols.index(fields[1]) + black) % game.players
    if len(fields) > 2:
        if not re.fullmatch("[0-9]{1,5}", fields[2]) or int(fields[2]) > st.MOST_PLIES:
            raise ValueError(f"moves played {checks.brief(fields[2])}: expected a number from 0 to {st.MOST_PLIES}")
        ply = int(fields[2])
    if len(fields) > 3 and fields[3] != "-":
        try:
            last = parse_move(game, fields[3])
        except ValueError as error:
            raise ValueError(f"last move {fields[3]!r}: {error}") from None
    return position_from_cells(game, cells, to_move, ply, last, header)


def _parse_opening(game: Game, fields: list[str]) -> dict[int, int]:
    header: dict[int, int] = {}
    for field in fields:
        name, _, value = field.partition("=")
        wanted = tuple(OPENING_PARTS) if game.choices else ("black",) if game.rules[ru.COLORED] else ()
        if name not in wanted:
            raise ValueError(f"{field!r}: {game.name} has no such part; it has {', '.join(wanted) or 'none'}")
        most = game.players - 1 if name == "black" else op.MOST_CHOICES
        known = op.PHASES if name == "phase" else tuple(map(str, range(most + 1)))
        if value not in known:
            one_of = f"one of {', '.join(op.PHASES)}" if name == "phase" else f"a number from 0 to {most}"
            raise ValueError(f"{field!r}: expected {one_of}")
        header[OPENING_PARTS[name]] = known.index(value)
    return header


def _parse_board(game: Game, text: str) -> list[int]:
    rows = text.split("/")
    sizes = np.bincount(game.board.coords[:, 1]).tolist()
    if len(rows) != len(sizes):
        raise ValueError(f"board {text!r} has {len(rows)} rows, {game.name} has {len(sizes)}")
    signs = {symbol: seat for seat, symbol in enumerate(game.symbols)}
    if game.choices:
        signs[OFFER_SIGN] = st.OFFERED
    cells: list[int] = []
    for number, (row, size) in enumerate(zip(rows, sizes, strict=True), start=1):
        owners: list[int] = []
        for token in re.findall(r"[0-9]+|.", row):
            if re.fullmatch("[0-9]+", token):
                owners += [st.EMPTY] * min(int(token.lstrip("0")[:4] or 0), size + 1)
            elif token in signs:
                owners.append(signs[token])
            else:
                wanted = ", ".join(signs)
                raise ValueError(f"{token!r} in row {number} of the board ({row!r}): expected {wanted} or a number")
        if len(owners) != size:
            found = "more" if len(owners) > size else len(owners)
            raise ValueError(f"row {number} of the board ({row!r}): expected {size} cells, got {found}")
        cells += owners
    return cells


def position_from_cells(
    game: Game,
    cells: object,
    to_move: int | None = None,
    ply: int | None = None,
    last: int | None = None,
    opening: Mapping[int, int] | None = None,
) -> State:
    """A position from the owners of the cells: int16[CELLS + n].

    Args:
        cells: [n] in cell order, or [H, W] on the board's grid; the owner's seat or EMPTY (-1).
        to_move: the seat to move; by default the seat whose turn it is after `ply` moves if no seat was skipped.
        ply: moves played; by default the number of stones, or 0 where men move.
        last: the last action, if known.
        opening: the values of the slots BLACK, PHASE, LEFT and CHOICES; by default 0: the opening is over.

    Raises:
        ValueError: an impossible position: a wrong shape, an unknown seat, too few men, two winners, ...
    """
    header = _header(game, opening)
    to_move = None if to_move is None else checks.whole("player to move", to_move)
    ply = None if ply is None else checks.whole("moves played", ply, 0, st.MOST_PLIES)
    owners = _owners(game, cells)
    stones, choices = int((owners >= 0).sum()), header.get(st.CHOICES, 0)
    if ply is None:
        ply = 0 if game.moves_men else stones + choices
    elif not game.moves_men and ply != stones + choices:
        raise ValueError(f"moves played: expected {stones + choices}, as many as stones and choices, got {ply}")
    if to_move is None:
        phase, black = header.get(st.PHASE, op.PLAYING), header.get(st.BLACK, 0)
        to_move = (ply - choices + black) % game.players if phase == op.PLAYING else int(mover(phase, black, stones))
    row = ru.start_row(owners).tolist()
    for slot, value in {st.TO_MOVE: to_move, st.PLY: ply, **header}.items():
        row[slot] = value
    state = checked(game, row, settled=False)
    if last is not None:
        _set_last(game, state, last)
    winners = _winners(game, state)
    if len(winners) > 1:
        raise ValueError(f"{' and '.join(game.colors[seat] for seat in sorted(winners))} have both won")
    play.settle(game.rules, state)
    return state


def _header(game: Game, opening: Mapping[int, int] | None) -> dict[int, int]:
    """The parts of an opening as ints. Raises ValueError for an unknown part or an impossible number."""
    most = dict.fromkeys((st.LEFT, st.CHOICES), op.MOST_CHOICES)
    most |= {st.BLACK: game.players - 1, st.PHASE: len(op.PHASES) - 1}
    header = {}
    for slot, value in checks.mapping("opening", opening).items():
        if slot not in most:
            raise ValueError(
                f"opening: expected slots {', '.join(map(str, most))} of a state, got {checks.brief(slot)}"
            )
        name = next(each for each, known in OPENING_PARTS.items() if known == slot)
        header[slot] = checks.whole(name, value, 0, most[slot])
    return header


def _winners(game: Game, state: State) -> set[int]:
    if game.moves_men:
        return {seat for seat in range(game.players) if is_home(game.rules, state, seat)}
    taken = np.flatnonzero(state[st.CELLS :] >= 0).tolist()
    return {int(state[st.CELLS + cell]) for cell in taken if wins(game.rules, state, cell)}


def _owners(game: Game, cells: object) -> State:
    given = checks.array("cells", cells)
    grid = (game.board.height, game.board.width)
    if given.shape == grid:
        x, y = game.board.coords.T
        owners = given[y, x]
    elif given.shape == (game.n_cells,):
        owners = given
    else:
        raise ValueError(f"cells of shape {given.shape}: expected ({game.n_cells},) or {grid}")
    for owner in (np.unique(owners) if given.dtype.kind in "iuf" else owners).tolist():
        known = type(owner) in (int, float) and owner in range(st.EMPTY, game.players)
        if not known and not (type(owner) is int and owner == st.OFFERED and game.choices):
            raise ValueError(no_owner(game, checks.brief(owner)))
    result: State = owners.astype(np.int16)
    return result


def _set_last(game: Game, state: State, last: int) -> None:
    text = move_text(game, last)
    origin, to = divmod(last, game.n_cells) if game.moves_men else (st.NOWHERE, last)
    if not game.moves_men and to >= game.n_cells:
        state[st.TO] = to
        return
    if state[st.CELLS + to] == st.EMPTY or (origin != st.NOWHERE and state[st.CELLS + origin] != st.EMPTY):
        raise ValueError(f"last move {text!r} does not fit the board")
    if not (game.moves_men or game.choices) and (state[st.CELLS + to] + 1) % game.players != state[st.TO_MOVE]:
        raise ValueError(f"last move {text!r} is not by the player before the one to move")
    state[st.FROM], state[st.TO] = origin, to
