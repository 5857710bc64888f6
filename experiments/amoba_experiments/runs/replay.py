"""Replay the games of a run, as positions, records, or data for supervised learning.

The data are observations, masks, actions and outcomes. The same run always gives the same data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.batch import observe
from amoba_env.core import endings as en
from amoba_env.core import play
from amoba_env.core import state as st
from amoba_env.core.batch import rewards_all, step_rows
from amoba_env.core.state import State, States
from amoba_env.files import ending, written_whole
from amoba_env.games import Game
from amoba_env.position import Position
from amoba_env.record import About, Record, Result
from amoba_experiments.runs.files import write_arrays
from amoba_experiments.runs.store import game_files, match_of, need_pyarrow, read_manifest, read_shard

if TYPE_CHECKING:
    import pyarrow as pa

CHUNK = 100  # games replayed in lockstep
ROW = ["index", "seats", "starter", "start", "opening_plies", "winner", "moves"]  # the columns that a replay reads

Data = dict[str, NDArray[Any]]


def replay(folder: Path | str) -> Iterator[list[Position]]:
    """The positions of each game of a run, in the order of the games: one more than the game has moves.

    If an illegal move lost a game, its last two positions differ in the outcome only.

    Raises:
        ValueError: as load().
    """
    return (positions_of(game, row) for game, row in _rows(folder, ROW))


def records_of(folder: Path | str) -> Iterator[Record]:
    """The games of a run as records, for amoba_env.records.write. An illegal move that lost is in the result only.

    Raises:
        ValueError: as load().
    """
    for game, row in _rows(folder, [*ROW, "ending"]):
        last = positions_of(game, row)[-1].outcome
        moves = row["moves"][:-1] if last is not None and last.ending == en.NAMES[en.ILLEGAL] else row["moves"]
        event = f"{Path(folder).name}, game {row['index']}"
        about = About(tuple(row["seats"]), Result(row["winner"], row["ending"]), event)
        yield Record(game, moves, row["starter"], row["start"], about)


def _rows(folder: Path | str, columns: list[str]) -> Iterator[tuple[Game, dict[str, Any]]]:
    """The rules of a run and the row of each game."""
    game = game_of(folder)
    for file in game_files(folder):
        for row in read_shard(file, columns).to_pylist():
            yield game, row


def game_of(folder: Path | str) -> Game:
    """The rules of a run. ValueError if the folder is not a run."""
    match = match_of(read_manifest(folder))
    return match.rules


def positions_of(game: Game, row: Mapping[str, Any]) -> list[Position]:
    """The positions of a game of a run, see replay().

    Args:
        game: the rules of the run.
        row: a row of the run, such as load(run).to_pylist()[0]. Only "starter", "start" and "moves" are read.

    Raises:
        ValueError: a move other than the last is illegal.
    """
    positions = [Position(game, _first(game, row))]
    for number, action in enumerate(row["moves"], start=1):
        if number == len(row["moves"]) and not positions[-1].is_legal(action):
            lost = positions[-1].state
            play.forfeit(game.rules, lost, en.ILLEGAL)
            positions.append(Position(game, lost))
        else:
            positions.append(positions[-1].play(int(action)))
    return positions


def _first(game: Game, row: Mapping[str, Any]) -> State:
    start = row["start"]
    return game.start(row["starter"]) if start is None else Position.from_text(game, start).state


class _Moves(NamedTuple):
    """The N moves of G games, in the order of games and moves."""

    game: Game
    rows: pa.Table  # the games
    of: NDArray[np.intp]  # [N] the game of each move, 0 .. G - 1
    actions: NDArray[np.int32]  # [N] numbered as on the board
    before: States  # int16[N, S] the positions before the moves
    chosen: NDArray[np.bool_]  # [N] false: part of the opening
    legal: NDArray[np.bool_]  # [N]
    last: States  # int16[G, S] the positions at the end

    @property
    def seats(self) -> NDArray[np.int8]:
        """The seat that made each move. [N]"""
        return self.before[:, st.TO_MOVE].astype(np.int8)

    @property
    def results(self) -> NDArray[np.float32]:
        """The final reward of the player who made each move. [N]"""
        rewards = np.zeros((len(self.last), self.game.players))
        rewards_all(self.game.rules, self.last, True, rewards)
        return rewards[self.of, self.seats].astype(np.float32)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The number of the game of each move. [N]"""
        found: NDArray[np.int64] = self.rows["index"].to_numpy()[self.of]
        return found


def _replayed(folder: Path | str) -> Iterator[_Moves]:
    """The moves of a run, a few games at a time, replayed in lockstep. Raises ValueError as load()."""
    game = game_of(folder)
    for file in game_files(folder):
        rows = read_shard(file, ROW)
        for at in range(0, len(rows), CHUNK):
            yield _moves(game, rows.slice(at, CHUNK))


def _moves(game: Game, rows: pa.Table) -> _Moves:
    listed = rows["moves"].combine_chunks()
    lengths, actions = listed.value_lengths().to_numpy(), listed.flatten().to_numpy()
    states: States = np.stack([_first(game, row) for row in rows.select(["starter", "start"]).to_pylist()])
    of, begins = np.repeat(np.arange(len(rows)), lengths), np.cumsum(lengths) - lengths
    number = np.arange(len(of)) - begins[of]
    before = np.empty((len(of), states.shape[1]), states.dtype)
    for step in range(lengths.max()):
        going = np.flatnonzero(lengths > step)
        before[begins[going] + step] = states[going]
        step_rows(game.rules, states, going, actions[begins[going] + step])
    going = states[:, st.STATUS] == st.RUNNING  # games that a referee or people ended
    states[going, st.STATUS] = rows["winner"].fill_null(st.NOBODY).to_numpy()[going]
    illegal = (states[of, st.ENDING] == en.ILLEGAL) & (number == lengths[of] - 1)
    return _Moves(game, rows, of, actions, before, number >= rows["opening_plies"].to_numpy()[of], ~illegal, states)


def first_choices(folder: Path | str) -> tuple[NDArray[np.str_], NDArray[np.int8], NDArray[np.int32]]:
    """The first move of each game that an agent chose: the agent [G], its seat int8[G], and the action int32[G].

    Actions are numbered as on the board; -1 if a game has no such move. Raises the errors of dataset().
    """
    agents, seats, actions = [], [], []
    for moves in _replayed(folder):
        at = np.flatnonzero(moves.chosen)[::-1]  # reversed, so that the first move of each game is written last
        seats.append(moves.last[:, st.TO_MOVE].astype(np.int8))
        actions.append(np.full(len(moves.last), -1, np.int32))
        seats[-1][moves.of[at]], actions[-1][moves.of[at]] = moves.seats[at], moves.actions[at]
        agents.append(np.array(moves.rows["seats"].to_pylist())[np.arange(len(moves.last)), seats[-1]])
    return np.concatenate(agents), np.concatenate(seats), np.concatenate(actions)


def decisions(
    folder: Path | str, agents: Collection[str] = ()
) -> tuple[States, NDArray[np.int32], NDArray[np.float32], NDArray[np.int64]]:
    """The decisions of players of a run, in the order of games and moves, without the moves of openings.

    Args:
        folder: the run.
        agents: only the moves of these agents; empty: all.

    Returns:
        The positions int16[N, S]; the actions int32[N], numbered as on the board; the final rewards of the players who
        moved, float32[N]; the numbers of the games, int64[N].

    Raises:
        ValueError: as dataset().
    """
    parts = []
    for moves in _replayed(folder):
        keep = moves.chosen & moves.legal
        if agents:
            names = np.array(moves.rows["seats"].to_pylist())
            keep &= np.isin(names[moves.of, moves.seats], list(agents))
        parts.append([each[keep] for each in (moves.before, moves.actions, moves.results, moves.numbers)])
    states, actions, results, numbers = map(np.concatenate, zip(*parts, strict=True))
    return states, actions, results, numbers


def dataset(folder: Path | str, openings: bool = False) -> Data:
    """The positions of a run in which players had to move, in the order of games and moves, all in memory.

    Args:
        folder: the run.
        openings: include the moves of openings, which no player chose. Illegal moves are never included.

    Returns:
        observation int8[N, H, W, C] and mask int8[N, A], as in the PettingZoo environment; action int32[N], numbered as
        in the mask; outcome float32[N], the final reward of the player to move; index int64[N], the number of the game;
        ply int16[N], the number of moves played before; seat int8[N], the seat to move.

    Raises:
        ValueError: the folder is not a run or has no games yet, or a file cannot be read.
    """
    parts = [_part(moves, openings) for moves in _replayed(folder)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def export(folder: Path | str, file: Path | str, openings: bool = False) -> None:
    """Write the data of dataset() to a file: .npz (needs memory for all of it) or .parquet (a few games at a time).

    In Parquet each array is a flat list of fixed length; the metadata of its field has the shape.

    Raises:
        ValueError: the file has another suffix, or as dataset().
        OSError: the file cannot be written.
    """
    file = Path(file)
    if ending(file, ".npz", ".parquet") == ".npz":
        write_arrays(file, dataset(folder, openings))
        return
    with written_whole(file) as temporary:
        _write_parquet(folder, temporary, openings)


def _write_parquet(folder: Path | str, file: Path, openings: bool) -> None:
    need_pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for moves in _replayed(folder):
        columns, fields = [], []
        for name, values in _part(moves, openings).items():
            flat = pa.array(values.ravel())
            size = prod(values.shape[1:])
            column = flat if values.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, size)
            columns.append(column)
            fields.append(pa.field(name, column.type, metadata={"shape": str(values.shape[1:])}))
        rows = pa.table(columns, schema=pa.schema(fields))
        writer = writer or pq.ParquetWriter(file, rows.schema, compression="zstd")
        writer.write_table(rows)
    if writer is not None:
        writer.close()


def _part(moves: _Moves, openings: bool) -> Data:
    """The data of some games."""
    game, keep = moves.game, moves.legal & (openings | moves.chosen)
    states, actions, seats = moves.before[keep], moves.actions[keep], moves.seats[keep]
    planes, mask = observe(game, states, seats)
    return {
        "mask": mask,
        "action": game.seen_numbers[seats, actions].astype(np.int32),
        "index": moves.numbers[keep],
        "ply": states[:, st.PLY],
        "seat": seats,
        "outcome": moves.results[keep],
        "observation": np.ascontiguousarray(planes),
    }
