"""`amoba forbidden`: JSON lines in, JSON lines out, bad lines by number."""

import gzip
import json
from pathlib import Path

import pytest
from commands import Run

from workshop.bench.renju_points import corpus


def write(path: Path, rows: list[object]) -> None:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))


def test_the_corpus_comes_back_as_labelled(run: Run, tmp_path: Path) -> None:
    rows = list(corpus())
    bare = [{key: row[key] for key in ("id", "black", "white", "moves") if key in row} for row in rows]
    write(tmp_path / "in.jsonl", bare)
    code, out, _ = run("forbidden in.jsonl --json out.jsonl")
    assert code == 0
    assert "329 positions; forbidden points: 213 double-four, 457 double-three, 124 overline" in out
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    for row, got in zip(rows, found, strict=True):
        assert got["id"] == row["id"]
        assert labels(got) == labels(row)


def labels(row: dict[str, list[list[int]]]) -> tuple[list[object], list[object]]:
    return sorted(zip(map(tuple, row["forbidden"]), row["kinds"], strict=True)), sorted(map(tuple, row["five"]))


def test_compressed_input_and_json_to_stdout(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.gz").write_bytes(gzip.compress(b'{"black": [[7, 3], [7, 4], [7, 5], [7, 7], [7, 8]]}\n\n'))
    code, out, err = run("forbidden in.gz --json -")
    assert (code, err) == (0, "")
    assert json.loads(out)["forbidden"] == [[7, 6]]
    (tmp_path / "in.jsonl").write_text('{"black": [[7, 7]], "weight": 1e999, "note": "two\u2028lines"}\n', "utf-8")
    code, out, err = run("forbidden in.jsonl --json -")
    assert (code, err, json.loads(out)["weight"]) == (0, "", None)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "JSON"),
        ("[1]", "object"),
        ("[" * 100_000, "nested"),
        ({}, "'moves'"),
        ({"black": [[1, 15]]}, "[1, 15] in 'black'"),
        ({"black": [[1, 1]], "white": [[1, 1]]}, "[1, 1]"),
        ({"moves": 3}, "'moves'"),
        ({"moves": [[1, True]]}, "'moves'"),
        ({"moves": [], "size": 3}, "size"),
        ({"moves": [], "to_move": "white"}, "to_move 'white'"),
        ({"moves": [[7, 7]]}, "White to move"),
    ],
)
def test_bad_lines(run: Run, tmp_path: Path, line: object, message: str) -> None:
    good = [{"moves": [[7, 7], [7, 8]]}, {"moves": [[7, 7]], "to_move": "black"}]
    write(tmp_path / "in.jsonl", [good[0], line, good[1]])
    code, out, err = run("forbidden in.jsonl --json -")
    assert code == 2
    assert [json.loads(row)["moves"] for row in out.splitlines()] == [row["moves"] for row in good]
    assert err.startswith("amoba: line 2: ")
    assert message in err
    assert err.count("\n") == 1
