"""The code in the documents runs as it stands, in empty folders: Python in one go for each file, commands by blocks."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import Run

from amoba_agents import AGENTS
from amoba_env import Position, Record, draw, games
from amoba_experiments import dataset, load
from amoba_experiments.bench import markdown
from amoba_experiments.studies import STUDIES
from amoba_experiments.studies.section import put

ROOT = Path(__file__).parents[2]
README = "README.md"
LONGEST = 7_000  # bytes of the README: the rest has pages of its own
FILES = {  # that commands read
    "games.sgf": "(;GM[4]SZ[15];B[hh];W[hg])(;GM[4]SZ[15]RU[renju];B[hh])",
    "match.psq": "Piskvorky 15x15, 11:11, 0\n8,8,120\n9,7,85\none.exe\ntwo.exe\n-1\n",
}
TEXTS = {str(path.relative_to(ROOT)): path.read_text() for path in [ROOT / README, *sorted(ROOT.glob("docs/**/*.md"))]}


def blocks(document: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXTS[document], re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    """The commands of each block, which may build on each other, and below each what it prints, if that is shown."""
    every = [
        re.split(r"^\$ amoba ", block, flags=re.MULTILINE)[1:] for name in TEXTS for block in blocks(name, "console")
    ]
    return [parts for parts in every if parts]


@pytest.mark.parametrize("document", [document for document in TEXTS if blocks(document, "python")])
def test_python(
    document: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for registry in (AGENTS, games.GAMES):
        monkeypatch.setattr(registry, "own", registry.own.copy())
    names: dict[str, object] = {"__name__": document}
    for block in blocks(document, "python"):
        exec(block, names)
        printed = iter(capsys.readouterr().out.splitlines())
        for line in block.splitlines():  # print(...)  # what it prints, exactly where there are no dots
            expected = re.fullmatch(r" *print\(.*\)  # (.*)", line)
            if expected and "..." not in expected[1]:
                assert expected[1] in printed, line  # a line of its own, after those before


def test_tables_of_games_in_other_libraries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The lines of the page give the values of load() and dataset()."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks("docs/statistics/runs.md", "python"):
        exec(block, names)
        if "torch_positions" in names:
            break
    games, positions = load("runs/example").to_pylist(), dataset("runs/example")
    assert names["polars_games"].to_dicts() == games
    for column in ("index", "seed", "opening", "plies", "digest"):
        assert names["pandas_games"][column].tolist() == [game[column] for game in games]
    assert [moves.tolist() for moves in names["pandas_games"]["moves"]] == [game["moves"] for game in games]
    for name, values in positions.items():
        assert np.array_equal(np.stack(names["pandas_positions"][name]), values)
        assert np.array_equal(names["polars_positions"][name].to_numpy(), values)
        assert np.array_equal(names["torch_positions"][name].numpy(), values)


def printed(text: str) -> list[str]:
    """The lines that are the same at every time, without the spaces at their ends."""
    return [line.rstrip() for line in text.splitlines() if not line.startswith("time ")]


@pytest.mark.parametrize("parts", commands(), ids=lambda parts: parts[0].splitlines()[0])
def test_commands(run: Run, parts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    for file, text in FILES.items():
        Path(file).write_text(text)
    for line, _, shown in (part.partition("\n") for part in parts):
        code, out, err = run(line)
        assert code == 0, err
        if shown.strip():
            assert printed(out) == printed(shown)


def test_the_documents_have_code() -> None:
    assert blocks(README, "python")
    assert blocks(README, "console")
    with_code = {Path(document).parent.name for document in TEXTS if blocks(document, "python")}
    assert with_code >= {"start", "environments", "training", "statistics", "players", "boards", "people", "internals"}


def test_the_readme_is_short() -> None:
    assert len(TEXTS[README].encode()) <= LONGEST


def test_the_picture() -> None:
    position = Position.from_moves(games.make("halma"), "e3-f4 k7-g7")
    picture = blocks("docs/start/first-game.md", "text")[0]
    for drawn, line in zip(picture.splitlines(), str(position).splitlines(), strict=True):
        assert drawn.startswith(line)


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        (
            "halma",
            "e3-f4 i7-h6 b6-h4 g1-i7 k5-i5 e7-f6 g3-g7 m7-e3 a7-k5 f2-b6 i5-e5 h4-j4 f4-h4 k7-c3 j4-l4 g7-f8 "
            "e5-d4 c7-k3",
        ),
        ("gomoku", "f6 e5 e7 g5 f5 f4 f7 g3 d6 h2 i1 g4 g6 g2 g1 h6 e3 i7 j8 h4 f8 f9 c5 g9 b4"),
    ],
)
def test_pictures_are_what_is_drawn_now(name: str, moves: str) -> None:
    """After a change: amoba draw NAME --moves MOVES --size 300 -o docs/pictures/NAME.svg."""
    record = Record(games.make(name), moves)
    picture = draw.svg(record.game, record.positions[-1].state, moves=record.moves, size=300)
    assert (ROOT / "docs" / "pictures" / f"{name}.svg").read_text() == picture
    assert f'src="docs/pictures/{name}.svg"' in TEXTS[README]


def test_the_table_has_the_published_figures() -> None:
    from amoba_experiments.studies.thesis import COLORS, THESIS

    page = TEXTS["docs/results/thesis.md"]
    assert all(f"{color} wins" in page for color in COLORS)
    for row in THESIS:
        assert "-".join(map(str, row.levels)) in page
        assert row.rounds is None or f"| {row.rounds}" in page


def test_the_figures_of_speed_are_those_of_the_file() -> None:
    """After a change: python -m workshop.bench --all --json docs/bench.json; amoba bench --table docs/bench.json."""
    table = markdown(json.loads((ROOT / "docs" / "bench.json").read_text()))
    assert table in TEXTS["docs/results/speed.md"]


def test_the_table_of_studies() -> None:
    """It has the studies of `amoba reproduce`."""
    table = TEXTS["docs/statistics/scripts.md"].partition("| study | asks |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(STUDIES)


def test_marks_of_tables() -> None:
    """`amoba reproduce STUDY --into FILE` finds where tables go."""
    marks = [(text, name) for text in TEXTS.values() for name in re.findall("<!-- end of ([a-z].*) -->", text)]
    assert len(marks) > 12
    for text, name in marks:
        assert f"<!-- {name} -->" in put(text, name, "")
