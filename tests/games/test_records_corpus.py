"""Small files of games in the forms that programs write, mail and damage: tests/data/records."""

from contextlib import suppress
from pathlib import Path

import pytest
from effort import cases
from errors import error
from hypothesis import given, settings
from hypothesis import strategies as st

from amoba_env import games, records
from amoba_env.games import Game
from amoba_env.records import Record, Result, read, read_each, sgf, to_text
from amoba_env.records.rules import make_game

pytestmark = pytest.mark.plain

FOLDER = Path(__file__).parents[1] / "data" / "records"
FREE, EXACT, RENJU = games.make("gomoku", size=15), games.make("gomoku", size=15, rule="exact"), games.make("renju")
LARGE, LARGE_EXACT = games.make("gomoku", size=20), games.make("gomoku", size=20, rule="exact")
ROW = "h8 a15 i8 c15 j8 e15 k8 g15 l8"
LARGE_ROW = "h13 a20 i13 c20 j13 e20 k13 g20 l13"

CARO = games.make("gomoku", size=15, rule="caro")

GOOD: dict[str, list[tuple[Game, str, Result | None]]] = {
    "app-chinese.sgf": [(FREE, "h8 i7", Result(1, ""))],
    "app-number-of-go.sgf": [(RENJU, "h8 h9 i9", Result(0, ""))],
    "c-gomoku-cli.sgf": [(EXACT, "h8 i9 i7 j6", Result(0, "1")), (RENJU, "h8 h9", Result(None, "agreed"))],
    "caro.psq": [(CARO, "h8 a15 i8 c15", Result(0, ""))],
    "judge-draw.psq": [(LARGE, LARGE_ROW[:23], Result(None, ""))],
    "judge-freestyle.psq": [(FREE, ROW, Result(0, "line"))],
    "judge-odd-opening.psq": [(LARGE_EXACT, LARGE_ROW, Result(0, "line"))],
    "judge-timeout-odd-opening.psq": [(FREE, ROW[:23], Result(0, ""))],
    "judge-timeout.psq": [(RENJU, ROW[:27], Result(1, ""))],
    "long-names.sgf": [(RENJU, "h8 h9", None)],
    "mail.sgf": [(RENJU, "h8 h9", Result(1, "resigned"))],
    "manager-no-names.psq": [(FREE, "h8 a15 i8", None)],
    "number.sgf": [(FREE, "h8", None)],
    "oldest.lib": [(RENJU, "h8 h9 i9", None)],
    "one-bracket-too-few.sgf": [(FREE, "h8 h9 i7", None), (FREE, "a15 b14", None)],
    "tree.lib": [(RENJU, "h8 h9 i9", None), (RENJU, "h8 h9 i8 g7", None), (RENJU, "h8 i9", None)],
}
WRITTEN = [kind for kind in records.FORMATS if kind != "lib"]
BAD = {  # the good games, and where the bad ones are
    "contradiction.psq": (0, ["the result says white wins, but on the board it is black wins"]),
    "cut.lib": (1, ["variation 2: "]),
    "damaged.jsonl": (2, ["line 2: move 2: ", "line 3: "]),
    "damaged.sgf": (2, ["line 2, game 2: move 2: ", "line 3, game 3: move 2: ", "line 6, game 5: "]),
    "lower-case.sgf": (0, ["line 2, game 1: "]),
    "renju-overline.psq": (0, ["move 11: illegal move h8: forbidden for black (overline); "]),
}


def test_each_file_is_in_a_table() -> None:
    assert {file.name for file in FOLDER.iterdir()} == GOOD.keys() | BAD.keys()


@pytest.mark.parametrize("name", GOOD)
def test_good_files(name: str) -> None:
    found = read(FOLDER / name)
    assert [(each.game, each.text, each.result) for each in found] == GOOD[name]


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("kind", WRITTEN)
def test_they_are_written_and_read_again(name: str, kind: str) -> None:
    for record in read(FOLDER / name):
        (again,) = records.from_text(to_text([record], kind), kind)
        assert (again.moves, again.about.players) == (record.moves, record.about.players)
        if kind != "psq" or record.result is not None:  # without a result a .psq file has no league
            assert again.game == record.game
            assert (again.result and again.result.winner) == (record.result and record.result.winner)


@pytest.mark.parametrize("name", BAD)
def test_bad_files(name: str) -> None:
    found, (good, places) = read_each(FOLDER / name), BAD[name]
    errors = [str(each) for each in found if isinstance(each, ValueError)]
    assert (len(found) - len(errors), len(errors)) == (good, len(places))
    for each, place in zip(errors, places, strict=True):
        assert each.startswith(f"{FOLDER / name}: {place}")
    assert error(read, FOLDER / name) == errors[0]


def test_a_foul_at_the_end_is_read_as_a_loss() -> None:
    (record,) = read(FOLDER / "renju-overline.psq", game="renju", forbidden="lose")
    assert record.result == Result(1, "forbidden")
    with pytest.raises(ValueError, match="forbidden=lose"):
        read(FOLDER / "renju-overline.psq")


@pytest.mark.parametrize("rules", ["Renju", "RIF", "4", "Soosyrv-8", "Taraguchi-10", "连珠"])
def test_names_of_renju(rules: str) -> None:
    assert records.from_text(f"(;GM[4]SZ[15]RU[{rules}];B[hh])", "sgf") == [Record(RENJU, "h8")]


@pytest.mark.parametrize(
    ("rules", "rule"),
    [("0", "freestyle"), ("Free-style", "freestyle"), ("Swap2", "freestyle"), ("1", "exact"), ("Standard", "exact")],
)
def test_names_of_gomoku(rules: str, rule: str) -> None:
    expected = Record(games.make("gomoku", size=15, rule=rule), "h8")
    assert records.from_text(f"(;SZ[15]RU[{rules}];B[hh])", "sgf") == [expected]


def test_a_tree() -> None:
    """A tree of RenLib becomes a game with variations; comments stay where they were."""
    lines = read(FOLDER / "tree.lib")
    assert [each.about.comments for each in lines] == [
        {1: "The centre\nof the board"},
        {1: "The centre\nof the board", 3: "even"},
        {1: "The centre\nof the board"},
    ]
    text = sgf.tree(lines)
    assert text.count("B[hh]") == text.count("W[hg]") == 1
    assert text.count("(") == text.count(")") == 5
    assert records.from_text(text, "sgf") == lines[:1]  # SGF is read along its main line
    again = list(sgf.variations(text.replace(";", ";RE[B+R]", 1), None, {}, make_game, most=3))
    assert again == lines
    assert [each.about.comments for each in again] == [each.about.comments for each in lines]
    assert [each.result is None for each in again] == [False, True, True]  # the result is that of the main line
    for bad, most in ((text, 2), (text.replace("hg", "hh"), 3), (text[:-12] + "]", 3), ("", 3)):
        with pytest.raises(ValueError, match=r"at most 2 variations|move 2: illegal|line \d+: expected|got none"):
            list(sgf.variations(bad, None, {}, make_game, most))
    assert [each.text for each in read(FOLDER / "tree.lib", game="gomoku", rule="exact")] == [
        each.text for each in lines
    ]
    assert read(FOLDER / "oldest.lib")[0].about.comments == {2: "old"}
    with pytest.raises(ValueError, match="only be read"):
        to_text(lines, "lib")
    with pytest.raises(ValueError, match="begin differently"):
        sgf.tree([*lines, Record(FREE, "h8")])


def test_other_files_are_not_renlibs() -> None:
    assert error(records.from_text, "h8 h9", "lib") == "expected a file of RenLib, got something else"
    assert "a character from 0 to 255" in error(records.from_text, "\u4e00", "lib")


@given(st.binary(max_size=60))
@settings(max_examples=cases(300), deadline=None)
def test_any_bytes_are_a_tree_or_refused(data: bytes) -> None:
    for head in (b"\x78", b"\xffRenLib\xff" + bytes(12)):
        with suppress(ValueError):
            records.from_text((head + data).decode("latin-1"), "lib")
