"""Perft: the number of lines of play of each length, against the numbers in tests/data/perft.

A file has a line `game NAME OPTION=VALUE ...`, and then lines `POSITION ; D1 count ; D2 count ...`, where a
position is `start`, or `start moves ACTION ACTION ...`; `#` begins a comment. Every file names the source of
its numbers, which is never the core itself.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import naive
import numpy as np
import pytest
from numba import config

from amoba_env import games
from amoba_env.core import play
from amoba_env.core.state import State
from amoba_env.games import Game

FILES = sorted((Path(__file__).parents[1] / "data" / "perft").glob("*.perft"))
MOST_LEAVES = 30_000 if config.DISABLE_JIT else 3_000_000  # without the compiler a leaf takes some 100 µs


class Line(NamedTuple):
    """One line of a file: a position and the number of leaves at each depth."""

    source: str
    game: Game
    position: str
    counts: dict[int, int]


def read(path: Path) -> Iterator[Line]:
    game = None
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if text.startswith("game "):
            _, name, *options = text.split()
            game = games.make(name, **games.options_from_text(name, options))
        elif text and not text.startswith("#"):
            assert game is not None, f"{path.name}:{number}: a position before the game"
            position, *counts = (field.strip() for field in text.split(";"))
            depths = dict(count.removeprefix("D").split() for count in counts)
            yield Line(f"{path.stem}:{number}", game, position, {int(d): int(n) for d, n in depths.items()})


def moves_of(position: str) -> list[int]:
    word, *moves = position.split()
    if word != "start" or moves[:1] not in ([], ["moves"]):
        raise ValueError(f"a position is `start` or `start moves ...`, not {position!r}")
    return [int(move) for move in moves[1:]]


def set_up(line: Line) -> tuple[State, naive.Naive]:
    state, referee = line.game.start(), naive.referee(line.game.name, line.game.options)
    for action in moves_of(line.position):
        assert play.step(line.game.rules, state, action), f"{line.source}: {action} is not a move"
        referee.play(action)
    return state, referee


def core_division(game: Game, state: State, depth: int) -> dict[int, int]:
    """The number of leaves below each first move."""
    legal = np.empty(game.n_actions, np.int32)
    division = {}
    for action in legal[: play.moves(game.rules, state, legal)].tolist():
        child = state.copy()
        play.step(game.rules, child, action)
        division[action] = play.perft(game.rules, child, depth - 1) if depth > 1 else 1
    return division


def naive_division(referee: naive.Naive, depth: int) -> dict[int, int]:
    division = {}
    for action in referee.legal_actions():
        child = referee.twin()
        child.play(action)
        division[action] = naive.perft(child, depth - 1) if depth > 1 else 1
    return division


def check(line: Line) -> None:
    """Count each depth; at the first mismatch show which first moves the core and the referee differ about."""
    state, referee = set_up(line)
    for depth, count in line.counts.items():
        if count > MOST_LEAVES:
            break
        found = play.perft(line.game.rules, state, depth)
        if found != count:
            core, slow = core_division(line.game, state, depth), naive_division(referee, depth)
            table = [f"{action:6} {core.get(action, '-'):>9} {slow.get(action, '-'):>9}" for action in core | slow]
            heading = f"{line.source}: {line.position}, depth {depth}: {found}, not {count}\n  move      core   referee"
            pytest.fail("\n".join([heading, *table]), pytrace=False)


LINES = [line for path in FILES for line in read(path)]


def test_every_game_has_a_file() -> None:
    missing = set(games.GAMES) - {line.game.name for line in LINES}
    assert not missing, f"`make golden` writes the files of {', '.join(missing)}: read and commit them"


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.source)
def test_perft(line: Line) -> None:
    check(line)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.source)
def test_the_referee_counts_the_same(line: Line) -> None:
    _, referee = set_up(line)
    for depth, count in line.counts.items():
        if count <= 5_000:
            assert naive.perft(referee, depth) == count


@pytest.mark.plain
def test_a_mismatch_shows_the_division() -> None:
    line = Line("here", games.make("tictactoe"), "start moves 0", {1: 8, 2: 57})
    with pytest.raises(pytest.fail.Exception, match=r"depth 2: 56, not 57(?s:.*)\n +8 +7 +7$"):
        check(line)
