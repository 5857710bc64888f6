"""What a person can type at the terminal, good and bad."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from sessions import COMMANDS, GAMES, GOMOKU, HALMA, TICTACTOE, Scripted, Session, table_of

from amoba_env import Position, games, notation, records
from amoba_env.agent import Actions, Memory, Streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_experiments.people.terminal import AFTER_THE_END, STYLES, TerminalGame, play, resume


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_undo(game: Game) -> None:
    table, out = table_of(game)
    turns = [table.position]
    for _ in range(2):
        table.answer(table.position.legal_moves()[0])
        turns.append(table.position)
    assert [turn.ply for turn in turns] == [0, game.players, 2 * game.players]
    table.answer("undo")
    assert table.position == turns[1]
    table.answer(turns[1].legal_moves()[0])
    assert table.position == turns[2]  # the agents' random streams were taken back too
    for turn in turns[1::-1]:
        table.answer("undo")
        assert table.position == turn
    shown = len(out.getvalue())
    table.answer("undo")
    assert out.getvalue()[shown:] == "You have no move to take back.\n"
    assert table.position == turns[0]


def test_undo_at_the_start_keeps_the_agents_first_move() -> None:
    table, _ = table_of(HALMA, seat=2)
    before = table.position
    table.answer("undo")
    assert (table.position, before.ply) == (before, 2)


def test_undo_after_the_end() -> None:
    session = Session(TICTACTOE, ["a1", "b1", "c1", "undo", "c2"], [Scripted("a1 a3 b1 b3 c1 c3")])
    assert session.replies[4].endswith("black (x) to move, 4 moves played: your turn\n")
    assert session.replies[5].endswith("white (o) won after 6 moves (line): you lose\n")


def test_undo_gives_agents_their_memory_back() -> None:
    session = Session(HALMA, ["e3-d4", "g3-f4", "undo", "g3-f4"], "greedy:ties=thesis")
    assert session.replies[2] == session.replies[4]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_hint(game: Game) -> None:
    table, out = table_of(game)
    before = table.position
    shown = len(out.getvalue())
    table.answer("hint")
    found = re.fullmatch(r"lookahead:2 would play (\S+)\n", out.getvalue()[shown:])
    assert found is not None
    assert found[1] in before.legal_moves()
    assert table.position == before


def test_hint_wins_at_once() -> None:
    session = Session(TICTACTOE, ["a1", "b1", "hint"], [Scripted("a1 a3 b1 b3")])
    assert session.replies[3] == "lookahead:2 would play c1\n"


def test_distance() -> None:
    assert Session(HALMA, ["distance"]).replies[1] == "steps to go: red (r) 32, white (w) 32, green (g) 32\n"
    session = Session(games.make("halma", players=2), ["e3-f4", "distance"], [Scripted("- k7-g7")])
    assert session.replies[2] == "steps to go: red (r) 31, white (w) 30\n"
    assert Session(TICTACTOE, ["distance"]).replies[1] == "tictactoe has no distances\n"


def test_six_players() -> None:
    game = games.make("chinese_checkers", players=6)
    assert set(game.colors) <= set(STYLES)
    session = Session(game, ["distance", "j4-i5"], "greedy", seed=1)
    assert session.replies[1].startswith("steps to go: red (r) 120, white (w) 120, ")
    assert session.replies[2].startswith("white plays ")
    assert session.replies[2].count(" plays ") == 5
    assert session.last_status() == "red (r) to move, 6 moves played: your turn"


def test_distance_is_the_positions_less_8() -> None:
    table, out = table_of(HALMA)
    for _ in range(5):
        table.answer(table.position.legal_moves()[-1])
        shown = len(out.getvalue())
        table.answer("distance")
        told = [int(number) for number in re.findall(r"\d+", out.getvalue()[shown:])]
        assert told == [table.position.distance(seat) - 8 for seat in range(3)]


def test_moves() -> None:
    assert Session(TICTACTOE, ["b2", "moves"], [Scripted("b2 a3")]).replies[2] == "b3 c3 a2 c2 a1 b1 c1\n"
    lines = Session(HALMA, ["moves"]).replies[1].splitlines()
    assert lines[0] == "e3 to d4 f4 c3"
    listed = [f"{line.split()[0]}-{to}" for line in lines for to in line.split()[2:]]
    assert listed == Position.start(HALMA).legal_moves()


def test_resign() -> None:
    session = Session(TICTACTOE, ["b2", "resign"])
    assert session.replies[2].endswith("\nwhite (o) won after 2 moves (resigned): you lose\n")
    session = Session(HALMA, ["resign", "undo", "e3-d4"])
    assert session.replies[1].endswith("\nred (r) lost after 0 moves (resigned): you lose\n")
    assert session.replies[2].endswith("\nred (r) to move, 0 moves played: your turn\n")
    assert session.replies[3].endswith("\nred (r) to move, 3 moves played: your turn\n")


@pytest.mark.parametrize("lines", [["b2"], ["resign"]])
def test_new(lines: list[str]) -> None:
    table, out = table_of(TICTACTOE)
    for line in lines:
        table.answer(line)
    shown = len(out.getvalue())
    table.answer("new")
    assert table.position == Position.start(TICTACTOE)
    assert out.getvalue()[shown:].startswith("You are black (x); white (o) is random.")
    table.answer("undo")
    assert table.position == Position.start(TICTACTOE)


def test_help() -> None:
    for game, example in ((GOMOKU, "a10"), (HALMA, "e3-d4"), (games.make("renju"), "a15")):
        lines = Session(game, ["help"]).replies[1].splitlines()
        known = [word for word in COMMANDS if word != "distance" or game.moves_men]
        if game.name == "renju":
            known.insert(known.index("level"), "why")
        assert [line.split()[0] for line in lines] == [example, *known]
        assert all(len(line.split()) > 1 for line in lines)


@pytest.mark.parametrize(("word", "form"), [("save", "FILE"), ("Export", "FILE"), ("level", "N"), ("why", "CELL")])
def test_a_word_is_missing(word: str, form: str) -> None:
    table, out = table_of(TICTACTOE)
    shown = len(out.getvalue())
    table.answer(word)
    assert out.getvalue()[shown:] == f"{word.lower()}: expected {word.lower()} {form}\n"


@pytest.mark.parametrize("line", ["hint", "moves", "distance", "resign", "b2", "c2", "", "foo"])
def test_after_the_end(line: str) -> None:
    table, out = table_of(TICTACTOE)
    table.answer("resign")
    before, shown = table.position, len(out.getvalue())
    table.answer(line)
    known = "new, undo, quit, help, history, time, score, save, export, level"
    assert out.getvalue()[shown:] == f"The game is over. You can still use {known}.\n"
    assert table.position == before


@pytest.mark.parametrize("line", AFTER_THE_END)
def test_possible_after_the_end(line: str) -> None:
    assert "The game is over" not in Session(TICTACTOE, ["resign", line]).replies[2]


@pytest.mark.parametrize("line", [" HINT ", "Hint", "hint\t"])
def test_commands_in_any_case(line: str) -> None:
    assert Session(TICTACTOE, [line]).replies[1].startswith("lookahead:2 would play")


# Tables.


def test_people_share_a_screen() -> None:
    session = Session(TICTACTOE, ["a1", "a3", "b1", "b3", "c1", "score"], [])
    assert session.replies[0].startswith("People play black (x), white (o). Type help")
    assert session.replies[1].endswith("\nwhite (o) to move, 1 move played\n")
    assert session.replies[5].endswith("\nblack (x) won after 5 moves (line)\n")
    assert session.replies[6] == "1 games are over; wins: black (x) 1, white (o) 0; without a winner: 0\n"


def test_history_time_and_question_mark() -> None:
    session = Session(TICTACTOE, ["history", "b2", "history", "time", "?"], [Scripted("b2 a3")])
    assert session.replies[1] == "No moves yet.\n"
    assert session.replies[3] == "1. b2 2. a3\n"
    assert re.fullmatch(r"time used: black \(x\) \d+\.\d s, white \(o\) \d+\.\d s\n", session.replies[4])
    assert session.replies[5].startswith("a3          A move: the cell.\n")


def test_a_game_that_is_left_counts_as_lost() -> None:
    session = Session(TICTACTOE, ["new", "b2", "new", "score"])
    assert session.replies[4] == "1 games are over; wins: black (x) 0, white (o) 1; without a winner: 0\n"


def test_levels_change_in_the_middle() -> None:
    session = Session(TICTACTOE, ["b2", "level 9", "level 99", "level", "level greedy"])
    assert session.replies[2] == "Your opponent is now level:9.\n"
    assert session.replies[3] == "level: expected 1..10, got 99\n"
    assert session.replies[5] == "Your opponent is now greedy.\n"


def test_the_strongest_player_gives_hints() -> None:
    out = io.StringIO()
    lines = iter(["hint", "quit"])
    play(TICTACTOE, 0, [], 0, 0, Console(file=out), lambda prompt: next(lines))
    assert "level:10 would play" in out.getvalue()


def test_saved_and_resumed(tmp_path: Path) -> None:
    """What goes on is what would have gone on: the agents' memories and random streams are in the file."""
    file, out = tmp_path / "game.json", io.StringIO()
    table, _ = table_of(HALMA, "greedy:ties=thesis")
    for line in ("e3-d4", "undo", "e3-f4", f"save {file}"):
        table.answer(line)
    lines = iter(["history", "quit"])
    resume(file, Console(file=out), lambda prompt: next(lines))
    moves = " ".join(out.getvalue().splitlines()[-2].split()[1::2])
    again = TerminalGame.restored(json.loads(file.read_text()), Console(file=io.StringIO()))
    assert moves == " ".join(notation.move_text(HALMA, played.action) for played in table.room.moves)
    assert again.room == table.room
    line = table.room.position.legal_moves()[0]
    for each in (table, again):
        each.answer(line)
    assert again.position == table.position


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"settings": {}, "begun": 0, "commands": []}', "\0"])
def test_files_that_are_no_saved_games(tmp_path: Path, text: str) -> None:
    file = tmp_path / "game.json"
    file.write_text(text)
    with pytest.raises(ValueError, match="expected a saved game"):
        resume(file, Console(file=io.StringIO()), lambda prompt: "quit")


def test_exports(tmp_path: Path) -> None:
    session = Session(GOMOKU, ["e5", f"export {tmp_path / 'g.sgf'}", f"export {tmp_path / 'g.html'}", "export g.doc"])
    assert session.replies[2] == f"wrote {tmp_path / 'g.sgf'}\n"
    assert len(records.read(tmp_path / "g.sgf")[0]) == 2
    assert (tmp_path / "g.html").read_text().startswith("<!DOCTYPE")
    assert "a file that ends in" in session.replies[4]


def test_begin_at_a_position() -> None:
    out = io.StringIO()
    lines = iter(["c1", "undo", "undo", "quit"])
    play(TICTACTOE, 0, [], 0, 0, Console(file=out), lambda prompt: next(lines), start="oo1/3/xx1 x")
    assert "black (x) won" in out.getvalue()
    with pytest.raises(ValueError, match="the game is over"):
        play(TICTACTOE, 0, [], 0, 0, Console(file=out), lambda prompt: "quit", start="oo1/3/xxx o")


# Leaving.


@pytest.mark.parametrize("end", ["quit", EOFError(), KeyboardInterrupt()])
@pytest.mark.parametrize("lines", [[], ["b2"], ["resign"]])
def test_leaving(lines: list[str], end: str | BaseException) -> None:
    session = Session(TICTACTOE, [*lines, end, AssertionError("asked again")])
    assert session.replies[-1].strip() == "You left the game."


def test_interrupted_while_an_agent_thinks() -> None:
    class Slow(Scripted):
        def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
            raise KeyboardInterrupt

    assert Session(TICTACTOE, ["b2"], [Slow("")]).replies[1] == "\nYou left the game.\n"


def test_errors_of_agents_are_not_taken_for_bad_input() -> None:
    class Broken(Scripted):
        def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
            raise ValueError("broken agent")

    with pytest.raises(ValueError, match="broken agent"):
        Session(TICTACTOE, ["b2"], [Broken("")])


# Bad input.

JUNK = ["", " ", "foo", "a", "1", "a0", "d9999", "zzzz9", "zz99", "-", "--", "b2-", "-b2", "b2 b2 b2", "0", "-1", "1e9"]
JUNK += ["[", "[red]", "[/]", "]", "\\", "(b2)", "b2;", "b2,a1", "hints", "undo 2", "new game", "\x1b[A", "\0", "b\n2"]
JUNK += ["é2", "b²", "b٢", "b２", "🙂", "\udcff", "%s", "{}", "x" * 300]
BAD = [(game, line) for game in GAMES for line in JUNK]
BAD += [(TICTACTOE, line) for line in ("a4", "d1", "a1-b1", "b2 a1")]
BAD += [(GOMOKU, line) for line in ("a11", "k1", "a1-a2")]
BAD += [(HALMA, line) for line in ("e3", "e3-e3", "e3-k7", "g5-g6", "k7-g7", "a7-b8", "g1-g9", "a1-b2", "e3-z9")]


@pytest.mark.parametrize(
    ("game", "line"), BAD, ids=lambda value: ascii(value) if isinstance(value, str) else value.name
)
def test_bad_input(game: Game, line: str) -> None:
    table, out = table_of(game)
    before, text, shown = table.position, table.position.text, len(out.getvalue())
    table.answer(line)
    assert re.fullmatch(r"[^\n]+\n", out.getvalue()[shown:])
    assert (table.position, table.position.text, table.log, table.open) == (before, text, [], True)


def test_messages() -> None:
    session = Session(TICTACTOE, ["b2", "b2", "b9", "foo"], [Scripted("b2 a3 c3")])
    assert session.replies[2:5] == [
        "illegal move b2: the cell is taken\n",
        "the board has no cell 'b9': expected a cell such as b2\n",
        "'foo' is not a cell: expected a letter and a number, such as b2\n",
    ]
    assert Session(HALMA, ["k7-g7"]).replies[1] == "illegal move k7-g7: red has no man on k7\n"


def test_what_is_no_text_is_bad_input() -> None:
    session = Session(TICTACTOE, [UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "b2"])
    assert session.replies[1].startswith("'\ufffd' is not a cell")
    assert session.replies[2].startswith("white plays")


@pytest.mark.parametrize("line", ["E3-D4", "e3 d4", " e3  -  d4 ", "e3\td4"])
def test_ways_to_write_a_move(line: str) -> None:
    assert "your turn" in Session(HALMA, [line]).replies[1]
    assert "white plays" in Session(TICTACTOE, [" B2 "]).replies[1]


# Colours.


def printed(console: Console) -> str:
    lines = iter(["a1", "b1", "c1", "quit"])
    play(TICTACTOE, 0, [Scripted("a1 a3 b1 b3")], 0, 0, console, lambda prompt: next(lines))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_colours_only_in_terminals() -> None:
    plain = printed(Console(file=io.StringIO()))
    assert "\x1b" not in plain
    coloured = printed(Console(file=io.StringIO(), force_terminal=True, color_system="256", width=100, no_color=False))
    assert "\x1b[1;38;5;231;48;5;16mx\x1b[0m" in coloured
    assert "\x1b[2m.\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    grey = printed(Console(file=io.StringIO(), force_terminal=True, color_system="256", width=100, no_color=True))
    assert "38;5" not in grey
    assert "[x" in plain


def test_any_colour_of_a_seat_can_be_printed() -> None:
    game = replace(TICTACTOE, colors=("purple", "no colour"), symbols="[]")
    session = Session(game, ["b2"], [Scripted("b2 a3")])
    assert session.replies[1].startswith("no colour plays a3\n\n3(]). .\n2 . [ .\n")
