"""`values=FILE`: alphabeta, mcts and endgame with learned values that are not the package's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from amoba_agents import fingerprint, make_agent
from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.alphabeta.stone_values import FILE as STONES
from amoba_agents.endgame.chances import FILE as CHANCES
from amoba_agents.mcts.leaf_chances import file_for
from amoba_agents.players.endgame_player import Endgame
from amoba_env import Position, games
from amoba_env.core.rng import streams
from amoba_env.games import Game

CASES = [
    ("alphabeta:nodes=100", STONES, games.make("gomoku", size=7)),
    ("mcts:8,evaluation=learned", STONES, games.make("gomoku", size=7)),
    ("mcts:8,evaluation=learned", file_for(2), games.make("halma", players=2)),
    ("endgame:nodes=300", CHANCES, games.make("halma")),
]


def changed(own: Path, file: Path, factor: int) -> Path:
    """The package's numbers times a factor, in another file."""
    with np.load(own) as found:
        np.savez(file, **{name: found[name] * np.int16(factor) for name in found.files})  # type: ignore[arg-type]
    return file


def moves(text: str, game: Game) -> list[int]:
    agent, states = make_agent(text), game.batch(2)
    return agent.act(game, states, streams(1, 0, 2), np.zeros((2, agent.memory(game)), np.int16)).tolist()


@pytest.mark.parametrize(("text", "own", "game"), CASES)
def test_the_file_decides(text: str, own: Path, game: Game, tmp_path: Path) -> None:
    same = changed(own, tmp_path / "same.npz", 1)
    player = f"{text},values={same}"
    assert make_agent(player).name == player
    assert moves(player, game) == moves(text, game)
    assert str(same) in fingerprint(player, game)
    assert str(same) not in fingerprint(text, game)


@pytest.mark.parametrize(
    ("player", "own", "name", "moves_played"),
    [(AlphaBeta, STONES, "gomoku", ("e5", "e6", "f5")), (Endgame, CHANCES, "halma", ())],
)
def test_other_numbers_are_other_values(
    player: type[AlphaBeta | Endgame], own: Path, name: str, moves_played: tuple[str, ...], tmp_path: Path
) -> None:
    position = Position.start(games.make(name))
    for move in moves_played:
        position = position.play(move)
    nothing = player(nodes=300, values=str(changed(own, tmp_path / "zero.npz", 0)))
    known, other = (
        each.think(position.game, position.state[None], streams(1, 0, 1))[1] for each in (player(nodes=300), nothing)
    )
    assert known != other


@pytest.mark.parametrize(("text", "own", "game"), CASES)
def test_files_of_another_kind(text: str, own: Path, game: Game, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        make_agent(f"{text},values={tmp_path / 'nothing.npz'}")
    file = tmp_path / "file.npz"
    with np.load(own) as found:
        arrays = dict(found)
    first = next(iter(arrays))
    for name, wrong in (
        ("text", b"nothing"),
        ("cut off", own.read_bytes()[:1000]),
        ("no array", {name: each for name, each in arrays.items() if name != first}),
        ("shape", arrays | {first: arrays[first][1:]}),
        ("type", arrays | {first: arrays[first].astype(np.float32)}),
    ):
        if isinstance(wrong, bytes):
            file.write_bytes(wrong)
        else:
            np.savez(file, **wrong)
        with pytest.raises(ValueError, match=r"file\.npz"):
            print(name, make_agent(f"{text},values={file}").load(game))


def test_values_that_would_not_be_used(tmp_path: Path) -> None:
    for text in (f"alphabeta:evaluation=counted,values={STONES}", f"mcts:8,values={STONES}"):
        with pytest.raises(ValueError, match="evaluation=learned"):
            make_agent(text)
    with pytest.raises(ValueError, match="three players"):
        make_agent(f"endgame:values={CHANCES}").memory(games.make("halma", players=2))
