"""Replay the games of a run: as positions, or as data for supervised learning.

The data are observations, masks, actions and outcomes. They follow from the starters, openings and moves of the run, so
the same run gives the same data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_env import games
from amoba_env.core import endings as en
from amoba_env.core import play
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.batch import observe_all, rewards_all, step_rows
from amoba_env.core.rules import table
from amoba_env.core.state import State, States
from amoba_env.files import written_whole
from amoba_env.games import Game
from amoba_env.position import Position
from amoba_experiments.runs.store import load, match_of, read_manifest, read_shard, shards

CHUNK = 100  # games that are replayed in lockstep
ROW = ["index", "starter", "start", "opening_plies", "moves"]  # the columns that a replay reads

Data = dict[str, NDArray[Any]]


def replay(game: Game, row: Mapping[str, Any]) -> list[Position]:
    """The positions of a game from the first to the last: one more than it has moves.

    Args:
        game: the rules of the run.
        row: a row of the run, such as load(run).to_pylist()[0]. Only "starter", "start" and "moves" are used.

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


def _starts(game: Game, rows: Sequence[Mapping[str, Any]]) -> States:
    """The first positions of games, int16[G, S]."""
    states: States = np.stack([_first(game, row) for row in rows])
    return states


def _lockstep(
    game: Game, rows: Sequence[Mapping[str, Any]], states: States, lengths: NDArray[Any]
) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.int32]]]:
    """Replay lengths[i] moves of game i, all games in lockstep, in the positions `states`.

    Before each step, yields its number, the games that have a move left and their actions.
    """
    for step in range(lengths.max()):
        going = np.flatnonzero(lengths > step)
        actions = np.array([rows[i]["moves"][step] for i in going.tolist()], np.int32)
        yield step, going, actions
        step_rows(game.rules, states, going, actions)


def first_choices(folder: Path | str) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """The first move of each game that an agent chose: the seat that made it, int8[G], and the action, int32[G].

    Actions are numbered as on the board; -1 if a game has no such move. Raises the errors of dataset().
    """
    match = match_of(read_manifest(folder))
    game = games.make_from(match.game, match.options)
    seats, actions = [], []
    for file in shards(folder):
        rows = read_shard(file, ROW).to_pylist()
        states = _starts(game, rows)
        for _ in _lockstep(game, rows, states, np.array([row["opening_plies"] for row in rows])):
            pass
        seats.append(states[:, st.TO_MOVE].astype(np.int8))
        actions.append(np.array([(row["moves"][row["opening_plies"] :] or [-1])[0] for row in rows], np.int32))
    return np.concatenate(seats), np.concatenate(actions)


def decisions(
    folder: Path | str, agents: Collection[str] = ()
) -> tuple[States, NDArray[np.int32], NDArray[np.float32], NDArray[np.int64]]:
    """The decisions of players of a run, in the order of games and moves, without the moves of openings.

    Args:
        folder: the run.
        agents: take only the moves of these agents; none: of all.

    Returns:
        The positions int16[N, S]; the actions int32[N], numbered as on the board; the final rewards of the players who
        moved, float32[N]; the numbers of the games, int64[N].

    Raises:
        ValueError: as dataset().
    """
    load(folder, ["index"])
    match = match_of(read_manifest(folder))
    game = games.make_from(match.game, match.options)
    parts = []
    for file in shards(folder):
        rows = read_shard(file, [*ROW, "seats"]).to_pylist()
        states = _starts(game, rows)
        lengths = np.array([len(row["moves"]) for row in rows])
        before, chosen, of = [], [], []
        for step, going, actions in _lockstep(game, rows, states, lengths):
            wanted = [
                step >= rows[i]["opening_plies"] and (not agents or rows[i]["seats"][states[i, st.TO_MOVE]] in agents)
                for i in going
            ]
            before.append(states[going[wanted]])
            chosen.append(actions[wanted])
            of.append(going[wanted])
        rewards = np.zeros((len(rows), game.players))
        rewards_all(game.rules, states, True, rewards)
        order = np.concatenate(of).argsort(kind="stable")
        at, seen, moves = (np.concatenate(each)[order] for each in (of, before, chosen))
        legal = (states[at, st.ENDING] != en.ILLEGAL) | (seen[:, st.PLY] < states[at, st.PLY])
        results = rewards[at, seen[:, st.TO_MOVE]].astype(np.float32)
        numbers = np.array([row["index"] for row in rows], np.int64)[at]
        parts.append((seen[legal], moves[legal], results[legal], numbers[legal]))
    found, decided, ended, games_ = zip(*parts, strict=True)
    return np.concatenate(found), np.concatenate(decided), np.concatenate(ended), np.concatenate(games_)


def dataset(folder: Path | str, openings: bool = False) -> Data:
    """The positions of a run in which players had to move, in the order of games and moves, all in memory.

    Args:
        folder: the run.
        openings: also take the moves of openings, which no player chose. Illegal moves are never taken.

    Returns:
        observation int8[N, H, W, C] and mask int8[N, A], as in the PettingZoo environment; action int32[N], numbered as
        in the mask; outcome float32[N], the final reward of the player to move; index int64[N], the number of the game;
        ply int16[N], the number of moves played before; seat int8[N], the seat to move.

    Raises:
        ValueError: the folder is not a run or has no games yet, or a file cannot be read.
    """
    read_manifest(folder)
    load(folder, ["index"])  # raises an error that says what is wrong with the run
    parts = list(_parts(folder, openings))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def export(folder: Path | str, file: Path | str, openings: bool = False) -> None:
    """Write the data of dataset() to a file: .npz (needs memory for all of it) or .parquet (a few games at a time).

    In Parquet each array is a flat list of fixed length; the metadata of its field has the shape.

    Raises:
        ValueError: the file ends otherwise, or as dataset().
        OSError: the file cannot be written.
    """
    file = Path(file)
    if file.suffix not in (".npz", ".parquet"):
        raise ValueError(f"{str(file)!r}: expected a file that ends in .npz or .parquet")
    with written_whole(file) as temporary:
        if file.suffix == ".npz":
            with open(temporary, "wb") as out:
                np.savez_compressed(out, allow_pickle=False, **dataset(folder, openings))
        else:
            _write_parquet(folder, temporary, openings)


def _write_parquet(folder: Path | str, file: Path, openings: bool) -> None:
    load(folder, ["index"])
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for part in _parts(folder, openings):
        columns, fields = [], []
        for name, values in part.items():
            flat = pa.array(values.ravel())
            column = flat if values.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, values[0].size)
            columns.append(column)
            fields.append(pa.field(name, column.type, metadata={"shape": str(values.shape[1:])}))
        rows = pa.table(columns, schema=pa.schema(fields))
        writer = writer or pq.ParquetWriter(file, rows.schema, compression="zstd")
        writer.write_table(rows)
    if writer is not None:
        writer.close()


def _parts(folder: Path | str, openings: bool) -> Iterator[Data]:
    match = match_of(read_manifest(folder))
    game = games.make_from(match.game, match.options)
    for file in shards(folder):
        rows = read_shard(file, ROW).to_pylist()
        for at in range(0, len(rows), CHUNK):
            yield _part(game, rows[at : at + CHUNK], openings)


def _part(game: Game, rows: list[dict[str, Any]], openings: bool) -> Data:
    """The data of some games, replayed in lockstep."""
    lengths = np.array([len(row["moves"]) for row in rows])
    ends = np.concatenate([[0], np.cumsum(lengths)])
    actions = np.concatenate([np.array(row["moves"], np.int32) for row in rows])
    states = _starts(game, rows)
    height, width, _ = game.observation_shape
    planes = np.empty((ends[-1], int(game.rules[ru.PLANES]), height, width), np.int8)
    data: Data = {
        "mask": np.empty((ends[-1], game.n_actions), np.int8),
        "action": actions,
        "index": np.repeat(np.array([row["index"] for row in rows], np.int64), lengths),
        "ply": np.empty(ends[-1], np.int16),
        "seat": np.empty(ends[-1], np.int8),
    }
    for step, going, _ in _lockstep(game, rows, states, lengths):
        at, here = ends[going] + step, states[going]
        seats = here[:, st.TO_MOVE].astype(np.int64)
        seen, mask = np.empty_like(planes[: len(at)]), np.empty((len(at), game.n_actions), np.int8)
        observe_all(game.rules, here, seats, seen, mask)
        planes[at], data["mask"][at], data["ply"][at], data["seat"][at] = seen, mask, here[:, st.PLY], seats
    rewards = np.zeros((len(rows), game.players))
    rewards_all(game.rules, states, True, rewards)
    of = np.repeat(np.arange(len(rows)), lengths)
    data["outcome"] = rewards[of, data["seat"]].astype(np.float32)
    data["observation"] = planes.transpose(0, 2, 3, 1)
    if game.moves_men:
        view = table(game.rules, ru.VIEW)
        origin, to = np.divmod(actions, game.n_cells)
        data["action"] = view[data["seat"], origin] * game.n_cells + view[data["seat"], to]
    step_number = np.arange(ends[-1]) - ends[of]
    keep = openings | (step_number >= np.array([row["opening_plies"] for row in rows])[of])
    keep &= ~((states[:, st.ENDING] == en.ILLEGAL)[of] & (step_number == lengths[of] - 1))
    return {name: np.ascontiguousarray(values[keep]) for name, values in data.items()}
