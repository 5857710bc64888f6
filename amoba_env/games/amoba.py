"""Amoba, the general game in a row: any board, any winning patterns, two to four players."""

from typing import Annotated, Literal, get_args

from amoba_env import checks
from amoba_env.core import board as boards
from amoba_env.core import state as st
from amoba_env.core.patterns import Guards, Sets, orientations_of, placements, rows_of
from amoba_env.games.board_text import Row, normal_board, normal_patterns, read_board, read_patterns
from amoba_env.games.game import Game
from amoba_env.games.rows import stones
from amoba_env.options import Options

Orientations = Literal["fixed", "rotations", "rotations+reflections"]
BoardText = Annotated[str, normal_board]
PatternsText = Annotated[str, normal_patterns]

MAX_PLAYERS = 4
MAX_WORK = 20_000_000  # cells of all winning sets times cells of the largest; that takes some seconds and 100 MB


def amoba(
    board: BoardText = "10x10",
    patterns: PatternsText = "5",
    orientations: Orientations = "rotations+reflections",
    players: int = 2,
) -> Game:
    """The first to own a pattern wins: rows of k or drawn shapes, on a rectangle, a ready board or a drawing.

    How boards and patterns are written: see board_text.py. `orientations` says how shapes may be turned.

    Raises:
        ValueError: an impossible board, pattern, orientation or number of players; a pattern that fits nowhere;
            too many winning sets.
    """
    players = checks.whole("amoba: players", players, 2, MAX_PLAYERS)
    checks.one_of("amoba: orientations", orientations, get_args(Orientations))
    board, cells = read_board(board)
    patterns, wanted = read_patterns(patterns)
    grid = boards.from_cells(cells, boards.SQUARE)
    sets: Sets = []
    guards: Guards = []
    for name, pattern in zip(patterns.split(","), wanted, strict=True):
        if isinstance(pattern, Row):
            found, around = rows_of(grid, pattern.k, pattern.exact)
        else:
            images = orientations_of(pattern, orientations != "fixed", orientations == "rotations+reflections")
            found = [cells for image in images for cells in placements(grid, image)]
            around = [(st.NOWHERE, st.NOWHERE)] * len(found)
        if not found:
            extent = f"{grid.n_cells} cells in {grid.width} columns and {grid.height} rows"
            raise ValueError(f"amoba: pattern {name!r} fits nowhere on this board of {extent}")
        sets += found
        guards += around
        largest = max(map(len, sets))
        if sum(map(len, sets)) * largest > MAX_WORK:
            ways = f"{len(sets):,} ways, of up to {largest} cells"
            raise ValueError(f"amoba: the patterns fit in {ways}: take smaller or fewer patterns, or a smaller board")
    sets, guards = _distinct(sets, guards)
    options: Options = {"board": board, "patterns": patterns, "orientations": orientations, "players": players}
    return stones("amoba", options, grid, sets, guards, players)


def _distinct(sets: Sets, guards: Guards) -> tuple[Sets, Guards]:
    """The winning sets without repetitions, and without guarded copies of sets that win without guards."""
    free = (st.NOWHERE, st.NOWHERE)
    both = list(dict.fromkeys(zip((tuple(sorted(cells)) for cells in sets), guards, strict=True)))
    always = {cells for cells, pair in both if pair == free}
    kept = [(cells, pair) for cells, pair in both if pair == free or cells not in always]
    return [cells for cells, _ in kept], [pair for _, pair in kept]
