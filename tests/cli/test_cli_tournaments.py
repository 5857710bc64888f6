"""The commands for tournaments and rating ladders."""

import json
from pathlib import Path

from commands import Run


def test_tournament(run: Run, tmp_path: Path) -> None:
    line = "tournament tictactoe greedy lookahead:3 random --games 10 --quiet"
    code, out, err = run(f"{line} --out t --json a.json --markdown a.md")
    assert code == 0
    assert [each.removeprefix("written: ") for each in err.split("\n")[:-1]] == [
        "a.json",
        "a.md",
        "t/result.json",
        "t/result.md",
    ]
    for words in ("round-robin: tictactoe, 10 games per pairing, ", "Points against each, of 10", "Bradley-Terry"):
        assert words in out
    found = json.loads((tmp_path / "a.json").read_text())
    assert json.loads((tmp_path / "t" / "result.json").read_text()) == found
    assert (
        (tmp_path / "t" / "result.md").read_text() == (tmp_path / "a.md").read_text() == run(f"{line} --markdown -")[1]
    )
    code, out, _ = run(f"{line} --json - --jobs 1")
    assert {**json.loads(out), "seconds": None} == found
    assert run("tournament tictactoe greedy random --out t")[0] == 2
