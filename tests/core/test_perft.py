"""Perft: the number of lines of play of each length, against the numbers in tests/data/perft.

A file has a line `game NAME OPTION=VALUE ...`, and then lines `POSITION ; D1 count ; D2 count ...`, where a
position is `start`, or `start moves ACTION ACTION ...`; `#` begins a comment. Every file names the source of
its numbers, which is never the core itself.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import naive
import pytest

from amoba_env import games
from amoba_env.core import play
from amoba_env.core.state import State
from amoba_env.games import Game

FILES = sorted((Path(__file__).parents[1] / "data" / "perft").glob("*.perft"))
MOST_LEAVES = 3_000_000


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


LINES = [line for path in FILES for line in read(path)]


def test_every_game_has_a_file() -> None:
    missing = set(games.GAMES) - {line.game.name for line in LINES}
    assert not missing, f"`make golden` writes the files of {', '.join(missing)}: read and commit them"


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.source)
def test_perft(line: Line) -> None:
    state, _ = set_up(line)
    for depth, count in line.counts.items():
        if count <= MOST_LEAVES:
            found = play.perft(line.game.rules, state, depth)
            assert found == count, f"{line.position}, depth {depth}: `amoba perft --divide` shows the first moves"


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.source)
def test_the_referee_counts_the_same(line: Line) -> None:
    _, referee = set_up(line)
    for depth, count in line.counts.items():
        if count <= 5_000:
            assert naive.perft(referee, depth) == count
