"""The games in tests/data/golden are still played as they were written down, and the slow referee agrees with them."""

import difflib
import re
from pathlib import Path

import pytest
from naive import referee
from playthroughs import GOLDEN, MOST_COLUMNS, PLAYTHROUGHS, Playthrough, text

from amoba_env import Position, games
from amoba_env.notation import parse_move

HOW = "For a new game, or if the change is meant: `make golden`, read what changed, and commit it."
ROW = re.compile(r" *\d+  player_(\d)  (\S+) +\d+ +(\d+)\s+(.+)")  # seat, move, number of legal moves, position

every_playthrough = pytest.mark.parametrize("playthrough", PLAYTHROUGHS, ids=lambda playthrough: playthrough.file)


def path_of(playthrough: Playthrough) -> Path:
    return GOLDEN / f"{playthrough.file}.txt"


def test_the_folder_holds_these_files_only() -> None:
    assert sorted(GOLDEN.iterdir()) == sorted(map(path_of, PLAYTHROUGHS)), HOW


@every_playthrough
def test_the_game_is_still_the_same(playthrough: Playthrough) -> None:
    path = path_of(playthrough)
    before, now = path.read_text(encoding="utf-8").splitlines(), text(playthrough).splitlines()
    changes = "\n".join(difflib.unified_diff(before, now, path.name, "now", lineterm=""))
    assert not changes, f"{changes}\n\n{HOW}"
    assert len(now) < 200  # a person can read it
    assert max(map(len, now)) <= MOST_COLUMNS


@every_playthrough
def test_the_referee_agrees(playthrough: Playthrough) -> None:
    written = path_of(playthrough).read_text(encoding="utf-8")
    game = games.make(playthrough.game, **playthrough.options)
    position = Position.from_text(game, re.findall("begins at (.+)", written)[0])
    slow = referee(game.name, game.options)
    slow.owner = {point: owner for point, owner in zip(slow.board, position.cells.tolist(), strict=True) if owner >= 0}
    slow.ply = first = position.ply
    slow.to_move = position.to_move
    rows = ROW.findall(written)
    for seat, move, legal, after in rows:
        assert (slow.to_move, len(slow.legal_actions())) == (int(seat), int(legal))
        slow.play(parse_move(game, move))
        position = position.play(move)
        assert position.text == after
        assert position.cells.tolist() == slow.cells
    assert len(rows) == position.ply - first
    assert f"ending   {slow.ending}," in written
    assert f"winner   {'nobody' if slow.winner is None else f'player_{slow.winner}'}\n" in written
    assert f"places   {'  '.join(map(str, slow.places()))}\n" in written
