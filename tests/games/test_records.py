"""Files of games: what is written comes back, what others wrote is understood, and what is wrong is named."""

import contextlib
import json
import random
import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from effort import cases
from errors import bad_value, error
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import GAMES

from amoba_env import Position, Record, games, records
from amoba_env.games import Game
from amoba_env.records import About, Result, from_text, read, to_text, write

TICTACTOE, GOMOKU = games.make("tictactoe"), games.make("gomoku")
RENJU = games.make("renju", size=9)
STONES = [  # two players' stones on rectangles: what SGF is for
    TICTACTOE,
    GOMOKU,
    games.make("gomoku", size=28),
    games.make("gomoku", size=15, rule="exact"),
    games.make("gomoku", size=7, opening="swap"),
    games.make("gomoku", size=7, opening="swap2", rule="exact"),
    RENJU,
    games.make("renju", size=10, forbidden="lose"),
    games.make("renju", size=9, opening="rif26"),
    games.make("renju", size=9, opening="soosyrv8"),
    games.make("renju", size=9, opening="taraguchi10"),
    games.make("gomoku", size=7, rule="caro"),
    games.make("gomoku", size=7, rule="exact-caro"),
    games.make("omok", size=9, rule="freestyle"),
    games.make("amoba", board="7x5", patterns="xx/.xx"),
    games.make("amoba", board="6x9", patterns="4 exact,xx/xx", orientations="fixed"),
]
PLAIN = [game for game in STONES if not game.choices]
SPOKEN = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=12)


@st.composite
def played(draw: st.DrawFn, among: list[Game], start: bool = False) -> Record:
    """A game of random moves, with things said about it; `start`: perhaps from somewhere in the middle."""
    game = draw(st.sampled_from(among))
    source = random.Random(draw(st.integers(0, 999)))
    begin = position = Position.start(game, source.randrange(game.players))
    moves: list[int] = []
    for ply in range(draw(st.integers(0, 40))):
        if start and ply == 12:
            begin, moves = position, []
        if position.over:
            break
        moves.append(source.choice(position.legal_actions().tolist()))
        position = position.play(moves[-1])
    about = About(
        players=tuple(draw(SPOKEN.filter(str.strip)).strip() for _ in range(game.players)),
        result=None if position.over else draw(st.sampled_from([None, Result(1, "resigned"), Result(None, "agreed")])),
        event=draw(SPOKEN),
        date=draw(SPOKEN),
        comments={number: draw(SPOKEN.filter(bool)) for number in {0, len(moves)}},
        times=tuple(source.randrange(1, 99999) for _ in moves),
    )
    return Record(game, moves, start=begin, about=about)


def same(one: Record, other: Record) -> None:
    assert (one, one.about, one.positions) == (other, other.about, other.positions)


def unmarked(record: Record) -> Record:
    """The same, the last move before a set-up start forgotten."""
    start = record.positions[0].state.copy()
    if record.start is not None:
        start[4:6] = -1
    return Record(record.game, record.moves, start=Position(record.game, start), about=record.about)


# --- There and back ---------------------------------------------------------------------------------------------


@given(st.lists(played(GAMES + STONES, start=True), min_size=1, max_size=3))
@settings(max_examples=cases(60), deadline=None)
def test_json_lines(given_records: list[Record]) -> None:
    text = to_text(given_records, "jsonl")
    assert len(text.splitlines()) >= len(given_records)
    for one, other in zip(given_records, from_text(text, "jsonl"), strict=True):
        same(one, other)


@pytest.mark.plain
@given(st.lists(played(STONES), min_size=1, max_size=3))
@settings(max_examples=cases(60), deadline=None)
def test_sgf(given_records: list[Record]) -> None:
    for one, other in zip(given_records, from_text(to_text(given_records, "sgf"), "sgf"), strict=True):
        same(one, other)


@pytest.mark.plain
@given(played(PLAIN, start=True))
@settings(max_examples=cases(60), deadline=None)
def test_sgf_from_a_set_up(record: Record) -> None:
    (back,) = from_text(to_text([unmarked(record)], "sgf"), "sgf")
    same(back, unmarked(record))


@given(played(PLAIN))
@settings(max_examples=cases(60), deadline=None)
def test_psq(record: Record) -> None:
    (back,) = from_text(to_text([record], "psq"), "psq", record.game.name, **record.game.options)
    assert back == record
    assert back.about.players == tuple(" ".join(name.split()) for name in record.about.players)
    assert back.about.times[1:] == record.about.times[1:]


@pytest.mark.plain
@pytest.mark.parametrize(("moves", "times", "winner"), [("h8 g6 f6 f7", (0, 5, 3, 9), 0), ("h8 g6 f6", (0, 5, 3), 1)])
def test_psq_keeps_the_winner_after_a_first_move_without_time(moves: str, times: tuple[int, ...], winner: int) -> None:
    game = games.make("gomoku", size=15)
    record = Record(game, moves, about=About(players=("A", "B"), times=times, result=Result(winner, "time")))
    (back,) = from_text(to_text([record], "psq"), "psq")
    assert back.result == Result(winner, "")
    assert back.about.times == (1, *times[1:])


@pytest.mark.plain
@pytest.mark.parametrize(
    ("name", "options"), [("renju", {"forbidden": "lose"}), ("gomoku", {"rule": "exact-caro"}), ("omok", {})]
)
def test_psq_keeps_results_of_rules_without_a_league(name: str, options: dict[str, str]) -> None:
    game = games.make(name, **options)
    record = Record(game, "c3 d4 e5 f6", about=About(result=Result(1, "resigned")))
    (back,) = from_text(to_text([record], "psq"), "psq", name, **options)
    assert (back.game, back.result) == (game, Result(1, ""))


@pytest.mark.plain
def test_files(tmp_path: Path) -> None:
    ours = [Record(TICTACTOE, "b2 a3", about=About(players=("Łukasz", "é]"))), Record(TICTACTOE)]
    for name in ("a.sgf", "b.jsonl", "c.SGF"):
        write(ours, tmp_path / name)
        assert read(str(tmp_path / name)) == ours
        assert read(tmp_path / name)[0].about == ours[0].about
    write(ours[:1], tmp_path / "d.txt", "psq")
    assert read(tmp_path / "d.txt", "psq", "tictactoe") == ours[:1]


# --- JSON lines -------------------------------------------------------------------------------------------------


@pytest.mark.plain
def test_how_a_line_reads() -> None:
    record = Record(TICTACTOE, "a3 b3 a2 b2 a1", about=About(players=("Ann", "Ben")))
    assert to_text([record], "jsonl") == (
        '{"game": "tictactoe", "options": {}, "start": null, "first": 0, "moves": ["a3", "b3", "a2", "b2", "a1"], '
        '"result": {"winner": 0, "ending": "line"}, "players": ["Ann", "Ben"]}\n'
    )
    assert from_text('\n{"game": "gomoku", "moves": ["e5"]}\n\n', "jsonl") == [Record(GOMOKU, "e5")]


def line(**change: object) -> str:
    return json.dumps({"game": "tictactoe", "moves": ["b2"], **change})


@pytest.mark.plain
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: Expecting property name"),
        ("[]", "line 1: expected an object such as"),
        ("[" * 100_000, "line 1: "),
        ('{"moves": []}', "line 1: 'game': expected a name, got none"),
        (f"{line()}\n{line(game='chess')}", "line 2: unknown game 'chess'; the games: tictactoe, gomoku"),
        (line(game=1), "line 1: 'game': expected a text, got 1"),
        (line(color="red"), "line 1: unknown key 'color'; the keys: game, options, start"),
        (line(options={"size": 9}), "line 1: tictactoe has no option 'size'"),
        (line(game="gomoku", options={"size": []}), "line 1: gomoku: size: expected a whole number"),
        (
            line(game="amoba", options={"board": "/etc/hostname"}),
            "'board': expected a drawing, got a file name",
        ),
        (line(start="x/3"), "line 1: board 'x/3' has 2 rows"),
        (line(start="x2/3/3", first=0), "line 1: first: seat 0 is not to move in x2/3/3 o 1 -"),
        (line(first=True), "line 1: 'first': expected a whole number, got True"),
        (line(first=2), "line 1: expected a seat of tictactoe, 0..1, got 2"),
        (line(moves="b2"), "line 1: 'moves': expected a list, got 'b2'"),
        (line(moves=[4]), "line 1: 'moves': expected texts such as 'h8'"),
        (line(moves=["b2", "b2"]), "line 1: move 2: illegal move b2: the cell is taken"),
        (line(moves=["b9"]), "line 1: move 1: the board has no cell 'b9'"),
        (line(game="halma", moves=["a1-b2"]), "line 1: move 1: the board has no cell 'a1'"),
        (line(result={"winner": 0}), "line 1: 'result': expected null or"),
        (line(result={"winner": 2, "ending": ""}), "line 1: result: expected a seat of tictactoe, 0..1, got 2"),
        (
            line(result={"winner": 0, "ending": "line"}),
            "the result says 'line', but after 1 moves the game is not over",
        ),
        (
            line(moves=["a3", "b3", "a2", "b2", "a1"], result={"winner": 1, "ending": "line"}),
            "line 1: the result says white wins (line), but on the board it is black wins (line)",
        ),
        (
            line(moves=["a3", "b3", "a2", "b2", "a1"], result={"winner": None, "ending": ""}),
            "line 1: the result says nobody wins, but on the board it is black wins (line)",
        ),
        (line(players=["Ann"]), "line 1: players: expected 2 names, one for each seat, got 1"),
        (line(players=[1, 2]), "line 1: players: expected a text, got 1"),
        (line(times=[1, 2]), "line 1: times: expected 1, one for each move, got 2"),
        (line(times=["1"]), "line 1: times: expected a whole number, 0..999999999999999, got '1'"),
        (line(times=[True]), "line 1: times: expected a whole number, 0..999999999999999, got True"),
        (line(result={"winner": True, "ending": ""}), "line 1: winner: expected a whole number, got True"),
        (line(result={"winner": 0, "ending": None}), "line 1: ending: expected a text, got None"),
        (line(comments={"two": "x"}), "line 1: comments: expected a whole number, 0 or more, got 'two'"),
        (line(comments={"2": "x"}), "line 1: comments: expected 0..1 moves played, got 2"),
        (line(comments={"1": ["x"]}), "line 1: comments: expected a text, got ['x']"),
        (line(more={"KM": "6"}), "line 1: more: expected a list of texts for 'KM', got '6'"),
        (line(more={"KM": [6]}), "line 1: more: expected a list of texts for 'KM', got (6,)"),
    ],
)
def test_bad_lines(text: str, message: str) -> None:
    assert message in error(from_text, text, "jsonl")


@pytest.mark.plain
@pytest.mark.parametrize("text", ["a\\\nb", "\\", "]\\]", "\\\r\n", "a\nb"])
def test_backslashes_in_sgf(text: str) -> None:
    record = Record(games.make("gomoku"), about=About(comments={0: f"see {text}."}))
    (read,) = from_text(to_text([record], "sgf"), "sgf")
    assert read.about.comments == {0: f"see {text}.".replace("\r\n", "\n")}


@pytest.mark.plain
def test_lines_of_another_game() -> None:
    text = '{"game": "gomoku", "options": {"size": 9}, "moves": []}'
    assert from_text(text, "jsonl", "gomoku", size=9) == [Record(games.make("gomoku", size=9))]
    for name, options in (("renju", {}), ("gomoku", {"size": 10})):
        with pytest.raises(ValueError, match="line 1: expected a record of the given game, got games"):
            from_text(text, "jsonl", name, **options)
    with pytest.raises(ValueError, match="gomoku has no option 'rle'"):
        from_text(text, "jsonl", "gomoku", rle="exact")
    text = '{"game": "amoba", "options": {"board": "6x5"}, "moves": []}'
    assert from_text(text, "jsonl", board=" 6 x 5") == [Record(games.make("amoba", board="6x5"))]


# --- Files ------------------------------------------------------------------------------------------------------


@pytest.mark.plain
@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.sgf", b"", "expected at least one game, got none"),
        ("a.psq", b"", "line 1: expected a header such as 'Piskvorky 20x20, 11:11, 0', got ''"),
        ("a.jsonl", b"\n", "expected at least one game, got none"),
        ("a.jsonl", b'{"game": "\xff"}', "expected text in utf-8"),
        ("a.sgf", "(;GM[4]SZ[5])".encode("utf-16-le"), "expected text, got binary data"),
        ("a.sgf", b"(;CA[UTF-8]GM[4]SZ[5]PB[\xff])", "expected text in UTF-8"),
        ("a.sgf", b"(;CA[rot26]GM[4]SZ[5])", "CA[rot26]: unknown encoding"),
    ],
)
def test_bad_files(name: str, data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    said = error(read, tmp_path / name)
    assert said.startswith(f"{tmp_path / name}: ")
    assert message in said


@pytest.mark.plain
@pytest.mark.parametrize(
    ("said", "encoding"),
    [("", "utf-8"), ("", "utf-8-sig"), ("", "utf-16"), ("", "latin-1"), ("CA[windows-1250]", "cp1250")],
)
def test_encodings(said: str, encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_bytes(f"(;{said}GM[4]SZ[5]PB[Jos\u00e9]PW[b])".encode(encoding))
    assert read(tmp_path / "a.sgf")[0].about.players == ("José", "b")


@pytest.mark.plain
def test_unknown_formats(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape("'a.pgn': expected a file that ends in .sgf, .psq, .jsonl")):
        read("a.pgn")
    with pytest.raises(ValueError, match="unknown format 'pgn'; the formats: sgf, psq, jsonl"):
        from_text("", "pgn")
    with pytest.raises(OSError, match="No such file"):
        read(tmp_path / "none.sgf")
    with pytest.raises(ValueError, match="at least one record"):
        write([], tmp_path / "a.sgf")
    with pytest.raises(ValueError, match=r"b\.psq: expected one game for a \.psq file, got 2"):
        write([Record(GOMOKU)] * 2, tmp_path / "b.psq")
    assert list(tmp_path.iterdir()) == []


@given(st.text(st.sampled_from('(;)[]\\:BWCa5 GMSZAB4\n{}",1x')), st.sampled_from([*records.FORMATS]))
@settings(max_examples=cases(300), deadline=None)
def test_any_text_is_read_or_refused(text: str, format: str) -> None:
    for head in ("", "(;GM[4]SZ[5]", "Piskvorky 5x5, 11:11, 0\n"):
        with contextlib.suppress(ValueError):
            for record in from_text(head + text, format):
                same(from_text(to_text([record], format), format)[0], record)


def test_what_is_said_does_not_make_another_game() -> None:
    record = Record(GOMOKU, "e5", about=About(event="Cup"))
    assert record == Record(GOMOKU, "e5")
    assert record.with_about(replace(record.about, times=(5,))).about == About(event="Cup", times=(5,))
    with pytest.raises(ValueError, match="times: expected 1, one for each move, got 2"):
        record.with_about(About(times=(1, 2)))


@pytest.mark.parametrize("kind", ["sgf", "psq", "jsonl"])
def test_the_longest_times(kind: str) -> None:
    """Every time that a record may have is read again from every kind of file."""
    longest = 10**15 - 1
    record = Record(games.make("gomoku", size=15), "h8 i9", about=About(times=(longest, 1)))
    assert from_text(to_text([record], kind), kind, "gomoku")[0].about.times == (longest, 1)
    with bad_value("times"):
        record.with_about(About(times=(longest + 1, 1)))


@pytest.mark.plain
def test_more_may_be_any_mapping() -> None:
    record = Record(games.make("gomoku"), "h8", about=About(more=MappingProxyType({"KM": ("6",)})))
    assert from_text(to_text([record], "jsonl"), "jsonl")[0].about.more == {"KM": ("6",)}


@pytest.mark.plain
@pytest.mark.parametrize("more", [{"KO": ()}, {"PL": ("W",)}, {"B": ("aa",)}, {"W@1": ("aa",)}, {"AE@2": ("aa",)}])
def test_more_of_a_game_does_not_change_it(more: dict[str, tuple[str, ...]]) -> None:
    """JSON lines may hold properties that mean something in SGF."""
    record = Record(games.make("gomoku"), "h8 g7", about=About(more={**more, "KM": ("6",)}))
    (read,) = from_text(to_text([record], "sgf"), "sgf")
    assert (read.text, read.start, read.about.more) == (record.text, None, {"KM": ("6",)})
