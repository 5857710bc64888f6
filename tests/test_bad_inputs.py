"""Bad command lines, many of them: each ends with one clear line and exit code 2, and leaves nothing behind."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
from commands import Run

from experiments.arena import Match
from experiments.runs import MANIFEST, write_run

pytestmark = pytest.mark.compiled

REFUSED, EACH, POSSIBLE = (
    [line for line in part.splitlines() if line.startswith("amoba ")]
    for part in Path(__file__).with_name("bad_inputs.txt").read_text().split("\n\n")[1:]
)
WORDS = {"NINES": "9" * 400, "LONG": "a" * 300}
SGF = "(;GM[4]SZ[5];B[aa];W[bb])"
FILES = {
    "a.sgf": SGF,
    "big.sgf": SGF.replace("[5]", "[9999]"),
    "go.sgf": "(;GM[1]FF[4]SZ[19];B[pd];W[dp])",
    "zz.sgf": "(;GM[4]SZ[15];B[zz]",
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
    "options.yaml": "options: [1]\n",
    "unk.yaml": "nosuch: 1\n",
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
    write_run(folder / "RUN", Match("gomoku", ("greedy", "random"), 20), 1)
    shutil.copytree(folder / "RUN", folder / "BADRUN")
    manifest = json.loads((folder / "RUN" / MANIFEST).read_text())
    manifest["match"]["agents"] = 3
    (folder / "BADRUN" / MANIFEST).write_text(json.dumps(manifest))
    return folder


def there(folder: Path) -> dict[Path, bytes]:
    return {each: each.read_bytes() if each.is_file() else b"" for each in folder.rglob("*")}


def answer(run: Run, line: str, junk: Path, folder: Path) -> tuple[int, str, list[str], bool]:
    """Exit code, stdout, the lines of stderr, and whether all files are as they were."""
    shutil.copytree(junk, folder, dirs_exist_ok=True)
    before = there(folder)
    for word, stands_for in WORDS.items():
        line = line.replace(word, stands_for)
    code, out, err = run(line.removeprefix("amoba "))
    return code, out, err.splitlines(), there(folder) == before


@pytest.mark.parametrize("line", REFUSED)
def test_one_line(run: Run, line: str, junk: Path, tmp_path: Path) -> None:
    code, out, err, same = answer(run, line, junk, tmp_path)
    assert (code, out, same) == (2, "", True)
    assert len(err) == 1, err
    assert err[0].startswith("amoba: ")
    assert len(err[0]) > len("amoba: ") + 10


@pytest.mark.parametrize("line", EACH)
def test_a_line_each(run: Run, line: str, junk: Path, tmp_path: Path) -> None:
    code, _, err, same = answer(run, line, junk, tmp_path)
    assert (code, same) == (2, True)
    assert [each.partition(": ")[2].partition(":")[0] for each in err] == ["line 1", "line 2"]


@pytest.mark.parametrize("line", POSSIBLE)
def test_possible(run: Run, line: str, junk: Path, tmp_path: Path) -> None:
    assert answer(run, line, junk, tmp_path)[0] == 0
