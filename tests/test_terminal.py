"""Games of a scripted person: what is printed after each line, and what it leaves of the game."""

import io
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NoReturn

import numpy as np
import pytest
from rich.console import Console

from agents import Agent, make_agent
from agents.agent import Actions, Forgetful, Memory, Streams
from amoba_env import Position, games, notation
from amoba_env.core import rules as tables
from amoba_env.core.state import PLY, States
from amoba_env.games import Game
from experiments.terminal import AFTER_THE_END, Table, play

TICTACTOE, GOMOKU, HALMA = games.make("tictactoe"), games.make("gomoku"), games.make("halma")
GAMES = (TICTACTOE, GOMOKU, HALMA)
COMMANDS = ("undo", "hint", "moves", "distance", "resign", "new", "quit", "help")


class Scripted(Forgetful):
    """Plays the game's moves from a list of all of them, its own and the others'; an action may be illegal."""

    name = "scripted"

    def __init__(self, moves: str | list[int]) -> None:
        self.moves = moves.split() if isinstance(moves, str) else moves

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        move = self.moves[states[0, PLY]]
        return np.array([notation.parse_move(game, move) if isinstance(move, str) else move], np.int32)

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise AssertionError("agents may be large")


class Session:
    """A person at the prompt. `replies` has what was printed before the first line and after each one."""

    def __init__(
        self,
        game: Game,
        lines: Iterable[str | BaseException],
        against: str | list[Agent] = "random",
        seat: int = 0,
        first: int = 0,
        seed: int = 0,
        goes_on: Callable[["Session"], str] | None = None,
    ) -> None:
        self.out, self.replies, self.at = io.StringIO(), list[str](), 0
        self.lines, self.goes_on = iter(lines), goes_on
        agents = [make_agent(against)] if isinstance(against, str) else against
        play(game, seat, agents, seed, first, Console(file=self.out), self.read)
        self.note()

    def note(self) -> str:
        self.replies.append(self.out.getvalue()[self.at :])
        self.at = len(self.out.getvalue())
        return self.replies[-1]

    def read(self, prompt: str) -> str:
        assert prompt
        self.note()
        line = next(self.lines, None)
        if line is None:
            if self.goes_on is None or "your turn" not in self.last_status():
                raise EOFError
            return self.goes_on(self)
        if isinstance(line, BaseException):
            raise line
        return line

    def last_status(self) -> str:
        return str(re.findall(r"^.* moves(?: played| \().*$", self.out.getvalue(), re.MULTILINE)[-1])


def by_hints(session: Session) -> str:
    """The person takes all advice."""
    found = re.fullmatch(r"lookahead:2 would play (\S+)\n", session.replies[-1])
    return found[1] if found else "hint"


def carelessly(session: Session) -> str:
    """The person plays the first legal move."""
    game = HALMA if "Bring your men" in session.replies[0] else GOMOKU
    if "your turn" in session.replies[-1]:
        return "moves"
    first = session.replies[-1].split("\n")[0].split()
    return f"{first[0]}-{first[2]}" if game is HALMA else first[0]


def table_of(game: Game, against: str = "random", seat: int = 0, first: int = 0) -> tuple[Table, io.StringIO]:
    out = io.StringIO()
    agents = {other: make_agent(against) for other in range(game.players) if other != seat}
    table = Table(game, seat, agents, 0, first, Console(file=out))
    table.new()
    return table, out


# Whole games.


def test_tictactoe_won() -> None:
    session = Session(TICTACTOE, ["a1", "b1", "c1"], [Scripted("a1 a3 b1 b3")])
    assert session.replies[0].startswith("You are black (x); white (o) is scripted.")
    assert session.replies[1] == (
        "white plays a3\n\n3(o). .\n2 . . .\n1 x . .\n  a b c\nblack (x) to move, 2 moves played: your turn\n"
    )
    assert "white plays" not in session.replies[3]
    assert session.replies[3].endswith("\nblack (x) won after 5 moves (line): you win\n")


def test_tictactoe_lost() -> None:
    session = Session(TICTACTOE, ["a1", "b1", "a2"], [Scripted("a1 a3 b1 b3 a2 c3")])
    assert session.replies[3].startswith("white plays c3\n\n3[o")
    assert session.replies[3].endswith("\nwhite (o) won after 6 moves (line): you lose\n")


def test_tictactoe_drawn() -> None:
    session = Session(TICTACTOE, ["a3", "c3", "a2", "b1", "c1"], [Scripted("a3 b3 c3 b2 a2 a1 b1 c2")])
    assert session.replies[5].endswith("\ndraw after 9 moves (full board)\n")


def test_the_agent_begins() -> None:
    session = Session(TICTACTOE, ["a3"], [Scripted("b2 a3 c3")], seat=1)
    assert session.replies[0].startswith("You are white (o); black (x) is scripted.")
    assert "\nblack plays b2\n" in session.replies[0]
    assert session.replies[0].endswith("white (o) to move, 1 moves played: your turn\n")
    assert session.replies[1].startswith("black plays c3\n")


def test_the_second_seat_begins() -> None:
    assert Session(TICTACTOE, [], seat=1, first=1).replies[0].endswith("white (o) to move, 0 moves played: your turn\n")


def test_gomoku_won() -> None:
    session = Session(GOMOKU, ["a1", "b1", "c1", "d1", "e1"], [Scripted("a1 a10 b1 b10 c1 c10 d1 d10")])
    assert session.replies[5].endswith("\nblack (x) won after 9 moves (line): you win\n")


def test_gomoku_lost() -> None:
    session = Session(GOMOKU, [], "greedy", goes_on=carelessly)
    assert re.fullmatch(r"white \(o\) won after \d+ moves \(line\): you lose", session.last_status())


def test_gomoku_drawn() -> None:
    moves = "c3 b3 b2 d4 b4 d2 d3 c4 c2 a2 e4 e3 a4 a3 b5 b1 d1 d5 a1 e5 c5 c1 e1 a5 e2"
    session = Session(games.make("gomoku", size=5), moves.split()[::2], [Scripted(moves)])
    assert session.last_status() == "draw after 25 moves (full board)"


@pytest.mark.parametrize("players", [2, 3])
def test_halma_won(players: int) -> None:
    session = Session(games.make("halma", players=players), [], "random", goes_on=by_hints)
    assert re.fullmatch(r"red \(r\) won after \d+ moves \(goal\): you win", session.last_status())


def test_halma_lost() -> None:
    session = Session(HALMA, [], "greedy", goes_on=carelessly)
    assert re.fullmatch(r"(white \(w\)|green \(g\)) won after \d+ moves \(goal\): you lose", session.last_status())


def test_halma_without_result() -> None:
    session = Session(games.make("halma", max_plies=4), ["g3-f4", "f4-e5"])
    assert "your turn" in session.replies[1]
    assert session.replies[2].endswith("\nno result after 4 moves (max plies)\n")


def test_halma_adjudicated() -> None:
    session = Session(games.make("halma", max_plies=2, players=2, adjudicate=True), ["e3-d4"], [Scripted("- k7-i5")])
    assert session.last_status() == "white (w) won after 2 moves (distance): you lose"
    session = Session(games.make("halma", max_plies=2, players=2, adjudicate=True), ["e3-d4"], [Scripted("- j6-i5")])
    assert session.last_status() == "draw after 2 moves (distance)"


# The seats.


def test_three_seats_and_two_agents() -> None:
    session = Session(HALMA, [], [make_agent("random"), make_agent("greedy")], seat=1)
    assert session.replies[0].startswith("You are white (w); red (r) is random, green (g) is greedy.")
    assert "green plays" not in session.replies[0]
    session = Session(HALMA, [], seat=2)
    assert re.search(r"\nred plays \S+\nwhite plays \S+\n\n", session.replies[0])


def test_halma_tells_the_goal() -> None:
    assert "\nBring your men to g9, f8, h8, e7, g7, i7.\n" in Session(HALMA, []).replies[0]


@pytest.mark.parametrize(
    ("game", "seat", "count", "message"),
    [
        (TICTACTOE, 2, 1, "no seat 2: tictactoe has seats 0..1"),
        (HALMA, -1, 1, "no seat -1: halma has seats 0..2"),
        (TICTACTOE, 0, 2, "2 agents for the other seats of tictactoe: 1 wanted"),
        (TICTACTOE, 0, 0, "0 agents for the other seats of tictactoe: 1 wanted"),
        (HALMA, 0, 3, "3 agents for the other seats of halma: 1 or 2 wanted"),
    ],
)
def test_wrong_seats(game: Game, seat: int, count: int, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Session(game, [], [make_agent("random")] * count, seat=seat)


def test_a_wrong_first_seat() -> None:
    with pytest.raises(ValueError, match=r"^no seat 2: tictactoe has seats 0\.\.1$"):
        Session(TICTACTOE, [], first=2)


class Listener(Forgetful):
    """Keeps the random streams it was given."""

    name = "listener"

    def __init__(self) -> None:
        self.heard: list[int] = []

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        self.heard.append(int(rng[0]))
        return make_agent("random").act(game, states, rng, memory)


def test_every_seat_and_game_has_its_own_random_stream() -> None:
    agent = Listener()
    Session(HALMA, ["e3-d4", "new", "e3-d4", "new", "e3-d4"], [agent])
    assert len(agent.heard) == len(set(agent.heard)) == 6


def test_the_same_seed_gives_the_same_game() -> None:
    lines = ["e3-d4", "new", "e3-d4"]
    assert Session(HALMA, lines, seed=7).replies == Session(HALMA, lines, seed=7).replies
    assert Session(HALMA, lines, seed=7).replies != Session(HALMA, lines, seed=8).replies


def test_an_illegal_move_of_an_agent_loses() -> None:
    session = Session(TICTACTOE, ["b2", "undo"], [Scripted([0, 4])])
    assert session.replies[1].startswith("white plays no legal move (4)\n")
    assert session.replies[1].endswith("\nblack (x) won after 1 moves (illegal): you win\n")
    assert session.replies[2].endswith("black (x) to move, 0 moves played: your turn\n")
    assert Session(HALMA, ["e3-d4"], [Scripted([0, -1])]).last_status().startswith("white (w) lost after 1 moves")


def test_who_cannot_move_is_skipped() -> None:
    # Green has men in two corners, all shut in.
    rules = HALMA.rules.copy()
    walled = notation.parse_position(HALMA, "g/gg/gggrr2/rwrrr1/www2/6/7/ww/1 w 0 -")
    tables.table(rules, tables.START)[:] = walled
    session = Session(replace(HALMA, rules=rules), [], [Scripted("f2-g1")], first=1)
    assert "\nwhite plays f2-g1\ngreen cannot move\n\n9" in session.replies[0]
    assert session.last_status() == "red (r) to move, 1 moves played: your turn"


# Commands.


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
    for game, example in ((GOMOKU, "a10"), (HALMA, "e3-d4")):
        lines = Session(game, ["help"]).replies[1].splitlines()
        assert [line.split()[0] for line in lines] == [example, *COMMANDS]
        assert all(len(line.split()) > 2 for line in lines)


@pytest.mark.parametrize("line", ["hint", "moves", "distance", "resign", "b2", "c2", "", "foo"])
def test_after_the_end(line: str) -> None:
    table, out = table_of(TICTACTOE)
    table.answer("resign")
    before, shown = table.position, len(out.getvalue())
    table.answer(line)
    assert out.getvalue()[shown:] == "The game is over; possible are new, undo, quit, help.\n"
    assert table.position == before


@pytest.mark.parametrize("line", AFTER_THE_END)
def test_possible_after_the_end(line: str) -> None:
    assert "The game is over" not in Session(TICTACTOE, ["resign", line]).replies[2]


@pytest.mark.parametrize("line", [" HINT ", "Hint", "hint\t"])
def test_commands_in_any_case(line: str) -> None:
    assert Session(TICTACTOE, [line]).replies[1].startswith("lookahead:2 would play")


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
    assert (table.position, table.position.text, table.past, table.open) == (before, text, [], True)


def test_messages() -> None:
    session = Session(TICTACTOE, ["b2", "b2", "b9", "foo"], [Scripted("b2 a3 c3")])
    assert session.replies[2:5] == [
        "illegal move b2: the cell is taken\n",
        "the board has no cell 'b9'; a cell is, for example, b2\n",
        "'foo' is no cell: a letter and a number are wanted, such as b2\n",
    ]
    assert Session(HALMA, ["k7-g7"]).replies[1] == "illegal move k7-g7: red has no man on k7\n"


def test_what_is_no_text_is_bad_input() -> None:
    session = Session(TICTACTOE, [UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "b2"])
    assert session.replies[1].startswith("'?' is no cell")
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
