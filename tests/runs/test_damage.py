"""Damage to a run is named, never served: one changed bit anywhere in its files, whoever reads them."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Run, refused

from amoba_experiments import load
from amoba_experiments.analysis.page import report
from amoba_experiments.analysis.queries import query, stats
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.checksums import SUMS, commit, read_checked
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.replay import dataset, decisions, export
from amoba_experiments.runs.store import MANIFEST, read_manifest, write_manifest

MATCH = Match("tictactoe", ("greedy", "random"), 30)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damage") / "whole"
    play_match(MATCH, folder, jobs=1, batch=10)
    return folder


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "run")
    return tmp_path / "run"


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.parquet"))


def flip(file: Path, at: int, bit: int) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 1 << bit
    file.write_bytes(data)


def remove_checksums(folder: Path) -> None:
    """Then nothing is compared."""
    (folder / SUMS).unlink()
    manifest = json.loads((folder / MANIFEST).read_text())
    del manifest["sha256"]
    (folder / MANIFEST).write_text(json.dumps(manifest))


READERS: dict[str, Callable[[Path], object]] = {
    "sql": lambda run: query(run, "SELECT count(*) FROM games, times"),
    "stats": stats,
    "report": lambda run: report([run], run.parent / "report.md"),
    "dataset": dataset,
    "decisions": decisions,
    "export": lambda run: export(run, run.parent / "data.parquet"),
    "go on": lambda run: play_match(MATCH, run, jobs=1),
}


@pytest.mark.parametrize("reader", READERS)
def test_one_bit_anywhere(copy: Path, reader: str) -> None:
    chance = random.Random(reader)
    reads_times = reader in ("sql", "stats", "report", "go on")
    for file in files(copy):
        if file.parent.name == "times" and not reads_times:
            continue
        good = file.read_bytes()
        for at in [chance.randrange(len(good)) for _ in range(2)] + [0, len(good) - 1, len(good) - 6]:
            flip(file, at, chance.randrange(8))
            with pytest.raises(ValueError, match=rf"{file.parent.name}/{file.name} is damaged"):
                READERS[reader](copy)
            file.write_bytes(good)
    READERS[reader](copy)


def test_the_command_says_it_in_one_line(copy: Path, run: Run) -> None:
    flip(copy / "games" / "000000000010.parquet", 700, 3)
    for line in ("stats run --sql 'SELECT sum(plies) FROM games'", "stats run", "report run -o a.md"):
        refused(run, line, "000000000010.parquet is damaged")


def test_one_bit_of_the_manifest(copy: Path) -> None:
    file = copy / MANIFEST
    good = file.read_bytes()
    chance = random.Random(3)
    for at in chance.sample(range(len(good)), 100):
        flip(file, at, chance.randrange(8))
        try:
            found = read_manifest(copy)  # where the change was to a space, or to the name of the checksum
            assert all(found[key] == value for key, value in json.loads(good).items() if key != "sha256")
        except ValueError as error:
            assert MANIFEST in str(error)  # noqa: PT017
        file.write_bytes(good)


def test_a_damaged_file_of_times_is_made_again(copy: Path, whole: Path) -> None:
    lost = copy / "times" / "000000000020.parquet"
    flip(lost, 100, 0)
    with pytest.raises(ValueError, match=r"times/000000000020\.parquet is damaged.*remove the file"):
        play_match(MATCH, copy, jobs=1)
    lost.unlink()
    play_match(MATCH, copy, jobs=1)
    assert lost.exists()
    assert [file.read_bytes() for file in files(copy)[:3]] == [file.read_bytes() for file in files(whole)[:3]]
    check_sums(copy)  # the times of the games that were played again are others


def test_runs_without_checksums(copy: Path) -> None:
    remove_checksums(copy)
    rows = load(copy)
    assert query(copy, "SELECT count(*) AS n FROM games") == [{"n": 30}]
    (copy / "games" / "000000000010.parquet").unlink()
    play_match(MATCH, copy, jobs=1)
    assert load(copy).equals(rows)
    assert len((copy / SUMS).read_text().splitlines()) == 2  # those of the file that was played again


def test_damage_without_checksums(copy: Path) -> None:
    """Arrow may not see all of it, but whatever it raises is named."""
    remove_checksums(copy)
    chance = random.Random(5)
    file, named = copy / "games" / "000000000010.parquet", 0
    good = file.read_bytes()
    for at in [len(good) - 1 - chance.randrange(3000) for _ in range(60)]:
        flip(file, at, chance.randrange(8))
        try:
            load(copy)
        except ValueError as error:
            assert file.name in str(error)  # noqa: PT017
            named += 1
    assert named


def check_sums(run: Path) -> None:
    """As sha256sum -c."""
    lines = [line.split("  ") for line in (run / SUMS).read_text().splitlines()]
    assert sorted(name for _, name in lines) == [f"{file.parent.name}/{file.name}" for file in files(run)]
    for digest, name in lines:
        assert hashlib.sha256((run / name).read_bytes()).hexdigest() == digest


def test_sums_are_those_of_sha256sum(whole: Path) -> None:
    check_sums(whole)


def test_a_torn_line_and_a_file_that_is_written_again(copy: Path) -> None:
    file, sums = copy / "games" / "000000000000.parquet", copy / SUMS
    sums.write_bytes(sums.read_bytes() + b"0123")  # as after a full disk
    commit(file, b"other")
    assert read_checked(file) == b"other"
    assert sums.read_text().splitlines()[-2] == "0123"
    sums.write_bytes(sums.read_bytes() + b"4567  games/000000000000.parquet\n")  # of data that were never written
    assert read_checked(file) == b"other"


def test_a_manifest_edited_by_hand(copy: Path) -> None:
    manifest = json.loads((copy / MANIFEST).read_text())
    manifest["match"]["agents"][0] = "moved"
    (copy / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match="was edited"):
        stats(copy)
    del manifest["sha256"]
    (copy / MANIFEST).write_text(json.dumps(manifest))
    assert stats(copy)["match"]["players"][0]["agent"] == "moved"
    write_manifest(copy, manifest)
    assert read_manifest(copy)["match"]["agents"][0] == "moved"
