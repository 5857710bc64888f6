"""Bad command lines, many of them: each ends with one clear line and exit code 2, and leaves nothing behind."""

from __future__ import annotations

import json
import random
import shutil
import sys
from pathlib import Path
from typing import Annotated, get_args, get_origin, get_type_hints

import pytest
from commands import Run
from pyarrow import parquet

from amoba_experiments.arena.match import Match
from amoba_experiments.cli.run import app
from amoba_experiments.runs.checksums import SUMS
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.store import MANIFEST

REFUSED, EACH, POSSIBLE = (
    [line for line in part.splitlines() if line.startswith("amoba ")]
    for part in (Path(__file__).parents[1] / "data" / "bad_inputs.txt").read_text().split("\n\n")[1:]
)
WORDS = {"NINES": "9" * 400, "LONG": "a" * 300}
SGF = "(;GM[4]SZ[5];B[aa];W[bb])"
FILES = {
    "a.sgf": SGF,
    "big.sgf": SGF.replace("[5]", "[9999]"),
    "go.sgf": "(;GM[1]FF[4]SZ[19];B[pd];W[dp])",
    "zz.sgf": "(;GM[4]SZ[15];B[zz]",
    "twice.sgf": "(;GM[4]SZ[5])(;GM[4]SZ[5];B[aa];W[aa])",
    "twice.yaml": "seed: 1\nseed: 2\n",
    "halma.jsonl": '{"game": "halma", "moves": []}',
    "empty.md": "",
    "empty.psq": "",
    "uni.txt": "héllo ♟ 棋\n",
    "arr.jsonl": "[1, 2]\n[[]]\n",
    "dup.jsonl": '{"black": [[0, 0], [0, 0]]}\n{"moves": [[7, 7], [7, 7]]}\n',
    "null.jsonl": "null\nnull\n",
    "obj.jsonl": '{"a": 1}\n{"size": {}, "moves": 3}\n',
    "list.json": "[1, 2]",
    "deep.json": "[" * 100_000,
    "deep.yaml": "[" * 2000,
    "list.yaml": "- 1\n- 2\n",
    "options.yaml": "options: [1]\nstages: [play]\n",
    "unk.yaml": "nosuch: 1\nstages: [play]\n",
    "BADCUP/tournament.json": "[1]",
}


@pytest.fixture(scope="module")
def junk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files that the lines name."""
    folder = tmp_path_factory.mktemp("junk")
    for name in ("dir", "empty", "BADCUP"):
        (folder / name).mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    for kind in ("jsonl", "onnx", "psq", "sgf", "yaml", "zip"):
        (folder / f"bin.{kind}").write_bytes(b"\xc5" + random.Random(0).randbytes(2000))
    play_match(Match("gomoku", ("greedy", "random"), 20), folder / "RUN", jobs=1)
    shutil.copytree(folder / "RUN", folder / "BADRUN")
    manifest = json.loads((folder / "RUN" / MANIFEST).read_text())
    manifest["match"]["agents"] = 3
    del manifest["sha256"]
    (folder / "BADRUN" / MANIFEST).write_text(json.dumps(manifest))
    return folder


def there(folder: Path) -> dict[Path, bytes]:
    return {each: each.read_bytes() if each.is_file() else b"" for each in folder.rglob("*")}


@pytest.fixture
def among(junk: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A command line run in the folder of junk itself, which stays as it is."""
    monkeypatch.chdir(junk)
    return run


def answer(run: Run, line: str) -> tuple[int, str, list[str], bool]:
    """Exit code, stdout, the lines of stderr, and whether all files are as they were."""
    folder = Path.cwd()
    before = there(folder)
    for word, stands_for in WORDS.items():
        line = line.replace(word, stands_for)
    code, out, err = run(line.removeprefix("amoba "))
    return code, out, err.splitlines(), there(folder) == before


@pytest.mark.parametrize("line", REFUSED)
def test_one_line(among: Run, line: str) -> None:
    line, _, words = line.partition(" => ")
    code, out, err, same = answer(among, line)
    assert (code, out, same) == (2, "", True)
    assert len(err) == 1, err
    assert err[0].startswith("amoba: ")
    assert words in err[0]
    assert len(err[0]) > len("amoba: ") + 10
    assert not any(inner in err[0] for inner in ("codec", "recursion", "[Errno", "Value error")), err[0]


USUAL = {  # for each command a line that is possible
    "perft": "tictactoe 2",
    "solve": "tictactoe",
    "analyse": "tictactoe b2",
    "play": "tictactoe",
    "draw": "tictactoe -o x.svg",
    "explain": "halma -o x.svg",
    "match": "tictactoe random random --games 2",
    "evaluate": "gomoku random",
    "exploit": "tictactoe random --games 2",
    "stats": "RUN",
    "train": "tictactoe --out t",
    "bench": "aec",
    "reproduce": "gomoku --out t",
    "tournament": "tictactoe random greedy perfect --games 2",
    "ladder": "tictactoe",
    "serve": "--no-open",
    "join": "http://localhost:9/#room=a&invite=b",
}


def numbers() -> list[tuple[str, str]]:
    """The command and the option of every number that the command line takes."""
    found = []
    for name, (function, _) in app.functions.items():
        for key, kind in get_type_hints(function, include_extras=True).items():
            inner = get_args(kind)[0] if get_origin(kind) is Annotated else kind
            if {int, float} & {inner, *get_args(inner)}:
                found.append((name, "" if (name, key) == ("perft", "depth") else f"--{key.replace('_', '-')}"))
    return found


@pytest.mark.parametrize(("command", "option"), numbers())
@pytest.mark.parametrize("number", ["9" * 400, "-9", "nan", "inf"])
def test_every_number_has_limits(among: Run, command: str, option: str, number: str) -> None:
    line = f"{command} tictactoe {number}" if not option else f"{command} {USUAL[command]} {option} {number}"
    code, out, err, same = answer(among, line)
    assert (code, out, same, len(err)) == (2, "", True, 1)


@pytest.mark.parametrize("line", ["forbidden -", "gomocup"])
def test_a_closed_standard_input(run: Run, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert err.startswith("amoba: the standard input is closed")


def test_nobody_plays_where_the_standard_input_is_closed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    code, out, err = run("play tictactoe --seed 1")
    assert (code, err) == (0, "")
    assert out.endswith("You left the game.\n")


MANIFEST_VALUES = ("match", "shard", "format", "code", "versions", "commit")


@pytest.mark.parametrize(
    ("command", "kinds"),
    [("stats RUN", 4), ("report RUN -o x.html", 1), ("match gomoku greedy random --games 20 --out RUN", 1)],
)
def test_manifests_of_other_types(run: Run, command: str, kinds: int, junk: Path, tmp_path: Path) -> None:
    """Every value of run.json, and of the match in it, with every type that it should not have: refused by name."""
    shutil.copytree(junk, tmp_path, dirs_exist_ok=True)
    file = tmp_path / "RUN" / MANIFEST
    good = json.loads(file.read_text())
    del good["sha256"]  # or that alone would be wrong
    texts = ["[" * 100_000, "[]", "{}", "nonsense"]
    for key in MANIFEST_VALUES:
        texts += [json.dumps({**good, key: wrong}) for wrong in ([3], {"a": [1]}, 1.5, True)[:kinds]]
    for key in good["match"]:
        texts += [
            json.dumps({**good, "match": {**good["match"], key: wrong}}) for wrong in ([3], {"a": [1]}, 1.5)[:kinds]
        ]
    texts.append(json.dumps({**good, "match": {**good["match"], "more": 1}}))
    for text in texts:
        file.write_text(text)
        code, out, err = run(command)
        assert (code, out, len(err.splitlines())) == (2, "", 1), (text[:300], err)
        assert "run.json" in err or "holds another run" in err or "option" in err


def test_files_of_games_with_other_columns(run: Run, junk: Path, tmp_path: Path) -> None:
    shutil.copytree(junk, tmp_path, dirs_exist_ok=True)
    (tmp_path / "RUN" / SUMS).unlink()  # or the files would be damaged
    for file in (tmp_path / "RUN" / "games").iterdir():
        table = parquet.read_table(file)
        parquet.write_table(table.drop_columns(["seating"]), file)
    for command in ("stats RUN", "report RUN -o x.html"):
        code, out, err = run(command)
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert "no column 'seating' of list<" in err


@pytest.mark.parametrize("line", EACH)
def test_a_line_each(among: Run, line: str) -> None:
    code, _, err, same = answer(among, line)
    assert (code, same) == (2, True)
    assert [each.partition(": ")[2].partition(":")[0] for each in err] == ["line 1", "line 2"]


@pytest.mark.parametrize("line", POSSIBLE)
def test_possible(run: Run, line: str, junk: Path, tmp_path: Path) -> None:
    shutil.copytree(junk, tmp_path, dirs_exist_ok=True)
    assert answer(run, line)[0] == 0
