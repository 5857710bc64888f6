"""Games on disk as positions again, and as data that are what PettingZoo's agents saw."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from simple_players import Careless, Silent

from amoba_agents import AGENTS
from amoba_env import games, records
from amoba_env.aec import BoardGameEnv
from amoba_experiments import dataset, export, load, records_of, replay
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match

MATCHES: dict[str, Callable[[], Match]] = {  # made when a test asks: openings are played to check them
    "halma": lambda: Match("halma", ("greedy", "random", "lookahead:1"), 6, 1, options={"max_plies": 90}),
    "gomoku": lambda: Match(
        "gomoku", ("greedy", "random"), 8, 2, options={"size": 7}, openings=("random:2", "3x3/7/7/7/7/7/7 o")
    ),
    "renju": lambda: Match("renju", ("random", "random"), 6, 3, options={"size": 9, "opening": "rif26"}),
}


@pytest.fixture(params=MATCHES)
def run(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Match, Path]:
    match = MATCHES[request.param]()
    play_match(match, tmp_path / "run", batch=5)
    return match, tmp_path / "run"


def test_replay_gives_every_row_again(run: tuple[Match, Path]) -> None:
    match, folder = run
    game = games.make_from(match.game, match.options)
    for row, positions in zip(load(folder).to_pylist(), replay(folder), strict=True):
        assert len(positions) == len(row["moves"]) + 1
        last = positions[-1]
        assert last.outcome is not None
        assert (last.outcome.winner, list(last.outcome.places)) == (row["winner"], row["places"])
        assert (last.outcome.ending, last.ply, positions[0].to_move) == (row["ending"], row["plies"], row["starter"])
        if game.moves_men:
            assert row["distances"] == [last.distance(seat) for seat in range(game.players)]


def test_records_are_the_games(run: tuple[Match, Path], tmp_path: Path) -> None:
    _, folder = run
    found = list(records_of(folder))
    for record, row, positions in zip(found, load(folder).to_pylist(), replay(folder), strict=True):
        assert list(record.positions) == positions
        assert record.about.players == tuple(row["seats"])
        assert record.result == (row["winner"], row["ending"])
        assert record.about.event == f"run, game {row['index']}"
    records.write(found, tmp_path / "all.jsonl")
    again = records.read(tmp_path / "all.jsonl")
    assert again == found
    assert [each.about for each in again] == [each.about for each in found]


def test_data_are_what_the_agents_saw(run: tuple[Match, Path]) -> None:
    match, folder = run
    game = games.make_from(match.game, match.options)
    data = dataset(folder, openings=True)
    env = BoardGameEnv("any_v0", game)
    at = 0
    for row, positions in zip(load(folder).to_pylist(), replay(folder), strict=True):
        env.reset(options={"position": positions[0]})
        begun = at
        for action in row["moves"]:
            seat = env.possible_agents.index(env.agent_selection)
            seen = env.observe(env.agent_selection)
            np.testing.assert_array_equal(data["observation"][at], seen["observation"])
            np.testing.assert_array_equal(data["mask"][at], seen["action_mask"])
            assert (data["index"][at], data["seat"][at], data["ply"][at]) == (row["index"], seat, env.position.ply)
            assert data["action"][at] == env.encode(env.agent_selection, action)
            env.step(data["action"][at])
            at += 1
        for i in range(begun, at):
            assert data["outcome"][i] == env.outcome.rewards[data["seat"][i]]
    assert at == len(data["action"])


def test_export(run: tuple[Match, Path], tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    _, folder = run
    data = dataset(folder)
    export(folder, tmp_path / "data.npz")
    export(folder, tmp_path / "data.parquet")
    with np.load(tmp_path / "data.npz") as kept:
        table = pq.read_table(tmp_path / "data.parquet")
        for name, values in data.items():
            np.testing.assert_array_equal(kept[name], values)
            column = table[name].combine_chunks()
            flat = column if values.ndim == 1 else column.flatten()
            np.testing.assert_array_equal(flat.to_numpy(zero_copy_only=False).reshape(values.shape), values)
            assert table.field(name).metadata[b"shape"].decode() == str(values.shape[1:])
    with pytest.raises(ValueError, match=r"expected a file that ends in \.npz, \.parquet"):
        export(folder, tmp_path / "data.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.npz", "data.parquet", "run"]


def test_games_without_a_move_are_exported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setitem(AGENTS, "silent", Silent)
    play_match(Match("gomoku", ("silent",) * 2, 10), tmp_path / "run")
    export(tmp_path / "run", tmp_path / "data.parquet")
    assert pq.read_table(tmp_path / "data.parquet").num_rows == 0


def test_openings_and_illegal_moves_are_nobodys_choice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(AGENTS, "careless", Careless)
    play_match(Match("gomoku", ("careless",) * 2, 10, start="first", openings=("random:1",)), tmp_path)
    for row, positions in zip(load(tmp_path).to_pylist(), replay(tmp_path), strict=True):
        assert (row["ending"], row["plies"], len(row["moves"]), row["winner"]) == ("illegal", 3, 4, 0)
        assert (positions[-1].outcome.ending, positions[-1].outcome.winner) == ("illegal", 0)
    assert {(len(record), record.result) for record in records_of(tmp_path)} == {(3, (0, "illegal"))}
    assert dataset(tmp_path)["ply"].tolist() == [1, 2] * 10
    assert dataset(tmp_path, openings=True)["ply"].tolist() == [0, 1, 2] * 10
