"""Runs on disk: the same rows after any interruption, nothing lost, clear refusals, a documented schema."""

import dataclasses
import functools
import itertools
import json
import resource
import shutil
from pathlib import Path

import numpy as np
import pytest
from killed import FORKS, kill, killed

from amoba_experiments import load
from amoba_experiments.arena.games import COLUMNS, HELD, TIMES
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.shard import play_shard
from amoba_experiments.arena.workers import Threads
from amoba_experiments.runs import files, store
from amoba_experiments.runs.play_match import Interrupted, play_match
from amoba_experiments.runs.store import load_games, match_of, read_manifest

HALMA = Match("halma", ("lookahead:1,ties=thesis", "greedy", "random"), 40, seed=5, options={"max_plies": 60})
RENJU = Match("renju", ("random", "greedy"), 12, seed=3, options={"size": 9, "opening": "soosyrv8"})


@functools.cache
def gomoku() -> Match:
    """Made when a test asks: the opening is played to check it, which needs compiled rules."""
    return Match("gomoku", ("greedy", "random"), 60, 1, "random", True, {"size": 7}, ("random:2", "d4 e4"))


def bits(folder: Path) -> dict[str, bytes]:
    """All that does not depend on a clock."""
    return {file.name: file.read_bytes() for file in sorted(folder.glob("games/*"))}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An undisturbed run of gomoku."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    play_match(gomoku(), folder, jobs=2, batch=2)
    return folder


@pytest.mark.parametrize("game", ["halma", "gomoku", "renju"])
def test_rows_are_those_of_the_match_for_any_jobs_and_batch(game: str, tmp_path: Path) -> None:
    match = {"halma": HALMA, "gomoku": gomoku(), "renju": RENJU}[game]
    played = play_match(match, jobs=1)
    rows = None
    for jobs, batch in ((1, 60), (2, 7)):
        folder = tmp_path / str(batch)
        kept = play_match(match, folder, jobs=jobs, batch=batch)
        table = load(folder)
        assert rows is None or table.equals(rows)
        rows = table
        for found in (kept, load_games(folder), play_match(match, folder)):
            for name in HELD:
                one, other = getattr(found, name), getattr(played, name)
                np.testing.assert_array_equal(one, other, err_msg=name)
                assert one.dtype.kind == other.dtype.kind == "U" or one.dtype == other.dtype


@pytest.mark.filterwarnings(FORKS)
@pytest.mark.parametrize("moment", [2, 7])
def test_killed_at_any_moment_it_goes_on(
    moment: int, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kill -9 when a file is about to be written; the other thread may be anywhere."""
    folder, write, numbers = tmp_path / "killed", store.write_table, itertools.count(1)
    with monkeypatch.context() as patch:
        patch.setattr(store, "write_table", lambda *what: kill() if next(numbers) == moment else write(*what))
        killed(lambda: play_match(gomoku(), folder, jobs=2, batch=2))
    (folder / "games" / ".000000000058.parquet.tmp").write_bytes(b"half a file")
    assert len(bits(folder)) < 31
    play_match(gomoku(), folder, jobs=1, batch=50)  # the shards stay as they were begun
    assert bits(folder) == bits(whole)


def test_only_what_is_missing_is_played(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    lost = folder / "games" / "000000000004.parquet"
    lost.unlink()
    told: list[int] = []
    first: list[int] = []
    shard = lambda *given: first.append(given[1]) or play_shard(*given)  # noqa: E731
    monkeypatch.setattr(f"{play_match.__module__}.play_shard", shard)
    play_match(gomoku(), folder, progress=told.append)
    assert (first, told[0], sum(told)) == ([4], 58, 60)
    assert bits(folder) == bits(whole)
    play_match(gomoku(), folder)
    assert first == [4]


def test_a_run_gets_more_games(tmp_path: Path) -> None:
    """They are those of a run that was as long from the beginning, whatever the sizes of the files."""
    grown, once = tmp_path / "grown", tmp_path / "once"
    for games in (10, 26, 60):  # 26: the last file has fewer games than the others
        play_match(dataclasses.replace(gomoku(), games=games), grown, batch=4)
    play_match(gomoku(), once, batch=4)
    assert bits(grown) == bits(once)
    assert store.read_manifest(grown) == store.read_manifest(once)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 2}, "seed is 1 there, 2 here"),
        ({"games": 58}, "games is 60 there, 58 here"),
        ({"games": 62, "seed": 2}, "seed is 1 there, 2 here$"),
        ({"agents": ("random", "random")}, "agents is greedy random there, random random here"),
        ({"options": {"size": 8}}, "holds another run: size is 7 there, 8 here"),
        ({"game": "renju", "options": {}}, "holds another run: game is gomoku there, renju here"),
        ({"openings": ()}, "openings is random:2 d4 e4 there, none here"),
    ],
)
def test_another_match_is_refused(whole: Path, changes: dict[str, object], message: str) -> None:
    before = bits(whole)
    with pytest.raises(ValueError, match=message):
        play_match(dataclasses.replace(gomoku(), **changes), whole)  # type: ignore[arg-type]
    assert bits(whole) == before


def test_other_rules_are_refused(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    manifest = json.loads((folder / "run.json").read_text())
    manifest["code"]["amoba_env.games.gomoku"] = "0123"
    del manifest["sha256"]
    (folder / "run.json").write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match=r"another run: the code of amoba_env\.games\.gomoku has changed$"):
        play_match(gomoku(), folder)
    (folder / "run.json").write_text("{}")
    with pytest.raises(ValueError, match="expected the manifest of a run"):
        play_match(gomoku(), folder)
    (folder / "run.json").unlink()
    with pytest.raises(ValueError, match=r"has files but no run\.json"):
        play_match(gomoku(), folder)


@pytest.mark.parametrize("damage", ["cut", "bit", "empty", "other"])
def test_a_damaged_file_is_named(whole: Path, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    file = folder / "games" / "000000000004.parquet"
    data = bytearray(file.read_bytes())
    data[40] ^= 4
    other = (folder / "games" / "000000000006.parquet").read_bytes()
    file.write_bytes({"cut": data[:-30], "bit": data, "empty": b"", "other": other}[damage])
    before = bits(folder)
    with pytest.raises(ValueError, match=r"000000000004\.parquet .*; remove the file and repeat"):
        play_match(gomoku(), folder)
    assert bits(folder) == before
    file.unlink()
    play_match(gomoku(), folder)
    assert bits(folder) == bits(whole)


class LastFirst(Threads):
    """Plays the last batches; then Ctrl-C is pressed."""

    def run(self, work, shards, keep, progress):  # type: ignore[no-untyped-def]
        super().run(work, shards[:0:-1], keep, progress)
        raise KeyboardInterrupt


def test_all_whole_batches_count_after_an_interruption(tmp_path: Path) -> None:
    with pytest.raises(Interrupted) as stop:
        play_match(gomoku(), tmp_path / "run", jobs=LastFirst(1), batch=2)
    assert (stop.value.games, stop.value.kept) == (None, len(load(tmp_path / "run")))


def test_two_processes_do_not_write_one_run(whole: Path) -> None:
    with files.locked(whole), pytest.raises(ValueError, match="is in use by another process"):
        play_match(gomoku(), whole)


def test_a_full_disk(whole: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands in for it: the write fails half way."""
    folder = tmp_path / "run"
    play_match(gomoku(), folder, batch=2)
    for number in (4, 10):
        (folder / "games" / f"{number:012}.parquet").unlink()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = bits(folder)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, hard))
    try:
        with pytest.raises(OSError, match=r"cannot write .*: File too large; earlier games are safe"):
            play_match(gomoku(), folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert bits(folder) == before
    play_match(gomoku(), folder)
    assert bits(folder) == bits(whole)


def test_the_schema(whole: Path, tmp_path: Path) -> None:
    table = load(whole)
    assert table.schema.equals(store.schema(COLUMNS))
    assert all(field.metadata[b""] for field in table.schema)
    rows = table.to_pylist()
    assert [row["index"] for row in rows] == list(range(60))
    assert {row["ending"] for row in rows} <= {"line", "full_board"}
    for row in rows:
        assert row["seats"] == [gomoku().agents[number] for number in row["seating"]]
        assert (row["plies"], row["rounds"]) == (len(row["moves"]), len(row["moves"]) // 2)
        assert row["black"] is row["black_won"] is row["distances"] is row["start"] is None
        assert row["opening_plies"] == 2
        assert row["index"] % 2 == 0 or row["moves"][:2] == [24, 25]  # every other opening is d4 e4
        assert row["winner"] is None or row["places"][row["winner"]] == 1
    assert load(whole, ["index", "moves"]).column_names == ["index", "moves"]
    times = store.read_shard(store.shards(whole, "times")[0])
    assert times.schema.equals(store.schema(TIMES))
    play_match(HALMA, tmp_path)
    row = load(tmp_path).to_pylist()[0]
    assert len(row["distances"]) == 3
    assert row["ending"] == "max_plies" or row["winner"] is not None


def test_a_column_that_is_missing(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    file = store.shards(folder)[0]
    store.write_table(file, store.read_shard(file).drop_columns(["digest"]))
    for read in (load, load_games):
        with pytest.raises(ValueError, match="no column 'digest' of uint64"):
            read(folder)


def test_a_column_that_does_not_exist(whole: Path) -> None:
    """The error for a misspelt column says which columns there are, and does not advise to remove files."""
    with pytest.raises(ValueError, match=r"no column 'move': expected some of index, .*moves") as error:
        load(whole, ["index", "move"])
    assert "remove" not in str(error.value)


def test_colours_that_change_hands(tmp_path: Path) -> None:
    play_match(RENJU, tmp_path)
    rows = load(tmp_path).to_pylist()
    assert {row["black"] for row in rows} == {0, 1}
    for row in rows:
        assert row["black_won"] == (None if row["winner"] is None else row["winner"] == row["black"])


def test_the_manifest(whole: Path) -> None:
    manifest = read_manifest(whole)
    assert manifest["match"]["options"] == {"size": 7, "rule": "freestyle", "opening": "none"}
    assert manifest["versions"]["numpy"] == np.__version__
    match = match_of(manifest)
    assert dataclasses.replace(match, options=gomoku().options) == gomoku()
