"""A person against agents, in the terminal: the board in colours, moves in notation, and a few commands."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.style import Style
from rich.text import Text

from amoba_agents import Agent, make_agent
from amoba_env import draw, notation, records
from amoba_env.core import endings as en
from amoba_env.core import play as core
from amoba_env.core import rules as ru
from amoba_env.explain import explain, has_reasons
from amoba_env.files import write
from amoba_env.games import Game
from amoba_env.options import summary
from amoba_env.position import Position
from amoba_experiments.reading import converted, read_json
from amoba_experiments.rooms import questions
from amoba_experiments.rooms.commands import apply, opened
from amoba_experiments.rooms.room import MACHINE, Command, Refusal
from amoba_experiments.rooms.settings import ME, Settings

WITH_WORD = {"why": "CELL", "level": "N", "save": "FILE", "export": "FILE"}  # commands, and what follows them
AFTER_THE_END = "new", "undo", "quit", "help", "history", "time", "score", "save", "export", "level"
PERSON = "you"
# By kind of glyph (draw.KINDS) and by a seat's colour. Stones and men bring their own background, so they can be
# read on dark and on light screens.
STYLES = {
    "label": "none",
    "empty": "dim",
    "mark": "bold medium_orchid",
    "forbidden": "red3",
    "black": "bold grey100 on grey0",
    "white": "bold grey0 on grey100",
    "red": "bold grey100 on red3",
    "green": "bold grey100 on green4",
    "blue": "bold grey100 on blue3",
    "yellow": "bold grey0 on yellow3",
    "violet": "bold grey100 on purple4",
}


def play(
    game: Game,
    seat: int,
    against: Sequence[Agent],
    seed: int,
    first: int = 0,
    console: Console | None = None,
    read: Callable[[str], str] = input,
    adviser: str | None = None,
    start: str = "",
) -> None:
    """Let a person play on `seat` until they leave; seat `first` begins.

    Args:
        game: any game.
        seat: the person's.
        against: the agents of the other seats in their order, or one for all of them; none: people share the screen.
        seed: of the agents' choices.
        first: the seat that begins.
        console: where to print.
        read: asks for a line; EOFError and KeyboardInterrupt are ways to leave.
        adviser: who gives hints; by default the strongest player that is quick.
        start: a position in notation in which games begin.

    Raises:
        ValueError: an unknown seat, a wrong number of agents, an agent that cannot play this game, an impossible start.
    """
    seat, first = game.seat(seat), game.seat(first)
    others = [other for other in range(game.players) if other != seat]
    if len(against) not in (0, 1, len(others)):
        wanted = " or ".join(map(str, sorted({1, len(others)})))
        raise ValueError(f"agents: expected {wanted} for the other seats of {game.name}, got {len(against)}")
    agents = dict(zip(others, list(against) * (len(others) // len(against)), strict=True)) if against else {}
    for agent in agents.values():
        agent.memory(game)  # raises where it cannot play this game
    table = TerminalGame(game, seat, agents, seed, first, console or Console(), adviser, start)
    _sit(table, read)


def resume(file: Path, console: Console | None = None, read: Callable[[str], str] = input) -> None:
    """Continue a game that `save` wrote. ValueError for another file, OSError if it cannot be read."""
    try:
        kept = read_json(file)
        table = TerminalGame.restored(kept, console or Console())
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{file}: expected a saved game of amoba play: {reason}") from None
    _sit(table, read)


def _sit(table: TerminalGame, read: Callable[[str], str]) -> None:
    if read is input and table.console.is_terminal:
        with suppress(ImportError):
            import readline  # noqa: F401  gives input() its line editing
    try:
        table.greet()
        while table.open:
            table.answer(_line(read))
    except (EOFError, KeyboardInterrupt):
        table.console.print()  # leaves the prompt's line
    table.say("You left the game.")


def _line(read: Callable[[str], str]) -> str:
    if read is input and sys.stdin is None:
        raise EOFError  # nobody is there
    try:
        return read("> ")
    except UnicodeDecodeError:
        return "\ufffd"  # what is not a text is not a move


class TerminalGame:
    """People at a screen, agents, and the room that they are in. Commands' docstrings are what `help` prints."""

    def __init__(
        self,
        game: Game,
        seat: int,
        agents: Mapping[int, Agent],
        seed: int,
        first: int,
        console: Console,
        adviser: str | None = None,
        start: str = "",
    ) -> None:
        self.game, self.seat, self.agents, self.console = game, seat, dict(agents), console
        self.adviser = adviser
        self.open = True
        seats = tuple(self.agents[each].name if each in self.agents else ME for each in range(game.players))
        settings = Settings(game.name, seats, game.options, str(first), seed=seed, start=start)
        self.log: list[tuple[int, Command]] = []  # all commands, as `save` writes them
        self.begun = _now()
        self.room = opened(settings, PERSON, self.begun, game)
        commands = [self.undo, self.hint, self.moves, self.distance, self.history, self.time, self.score]
        commands += [self.resign, self.new, self.quit, self.help]
        self.commands = {command.__name__: command for command in commands}
        self.with_word = {word: getattr(self, word) for word in WITH_WORD}

    @classmethod
    def restored(cls, kept: Mapping[str, Any], console: Console) -> TerminalGame:
        """The table that `save` wrote. ValueError, KeyError or TypeError for anything else."""
        settings = converted(kept["settings"], Settings)
        game, room = settings.make(), opened(settings, PERSON, kept["begun"])
        log = [(now, converted(given, Command)) for now, given in kept["commands"]]
        for now, command in log:
            room = apply(room, command, now)
        agents = {seat: make_agent(room.names[seat]) for seat, who in enumerate(room.holders) if who == MACHINE}
        table = cls(game, room.seats_of(0)[0], agents, settings.seed, 0, console, None, settings.start)
        table.room, table.log, table.begun = room, log, kept["begun"]
        return table

    @property
    def position(self) -> Position:
        """The position; after a forfeit, with the forfeit recorded in its state."""
        room = self.room
        if room.result is None or room.result.ending not in ("resigned", "illegal"):
            return room.position
        state = room.position.state
        core.forfeit(self.game.rules, state, en.NAMES.index(room.result.ending))
        return Position(self.game, state)

    def do(self, command: Command) -> bool:
        """Carry out a command, or print why it is impossible."""
        now = _now()
        try:
            self.room = apply(self.room, command, now)
        except Refusal as refusal:
            self.say(str(refusal))
            return False
        self.log.append((now, command))
        return True

    # What is printed.

    def say(self, line: str) -> None:
        """Print a line, the seats' names in their colours."""
        text = Text(line)
        for seat in range(self.game.players):
            text.highlight_words([self.name(seat)], self.style(f"seat{seat}"))
        self.console.print(text, soft_wrap=not self.console.is_terminal)

    def name(self, seat: int) -> str:
        """A seat for people: "red (r)"."""
        return f"{self.color(seat)} ({self.game.symbol(self.position.state, seat)})"

    def color(self, seat: int) -> str:
        """The colour of a seat now."""
        return self.game.color(self.position.state, seat)

    def style(self, kind: str) -> str:
        """The style of a kind of glyph, see draw.KINDS."""
        return STYLES.get(self.color(int(kind[4:])) if kind.startswith("seat") else kind, "bold")

    def show(self) -> None:
        """Print the board and whose turn it is, or how the game ended."""
        position = self.position
        state, outcome = position.state, position.outcome
        board = draw.text(self.game, state, lambda kind, glyph: Style.parse(self.style(kind)).render(glyph))
        self.console.print("\n", Text.from_ansi(board), sep="", soft_wrap=True)
        verdict = ": your turn" if self.agents else ""
        if outcome is not None:
            first = outcome.places[self.seat] == 1  # all are, if nobody wins
            verdict = ": you lose" if not first else ": you win" if max(outcome.places) > 1 else ""
            verdict = verdict if self.agents else ""
        self.say(draw.status(self.game, state) + verdict)

    # How the game goes on.

    def answer(self, line: str) -> None:
        """Do what the person asks for in a line: a command or a move."""
        word, _, rest = line.strip().partition(" ")
        name = "help" if line.strip() == "?" else line.strip().lower()
        if self.room.phase == "over" and name not in AFTER_THE_END and word.lower() not in AFTER_THE_END:
            self.say(f"The game is over. You can still use {', '.join(AFTER_THE_END)}.")
        elif name in self.commands:
            self.commands[name]()
        elif word.lower() in self.with_word and rest.strip():
            self.with_word[word.lower()](rest.strip())
        elif name in self.with_word:
            self.say(f"{name}: expected {name} {WITH_WORD[name]}")
        else:
            before = self.room.position
            if self.do(Command("move", 0, None, line)):
                self.tell_skipped(before)
                self.go_on()

    def tell_skipped(self, before: Position) -> None:
        """Print which seats are skipped because they cannot move."""
        for seat in questions.skipped(before, self.room.position):
            self.say(f"{self.color(seat)} cannot move")

    def go_on(self) -> None:
        """Let the agents play until it is a person's turn, and show the board."""
        while self.room.mover is not None and self.room.holders[self.room.mover] == MACHINE:
            seat, before = self.room.mover, self.room.position
            color = self.color(seat)
            with self.thinking():
                command = questions.machine_move(self.room, self.agents[seat])
            if command.do == "move":
                self.say(f"{color} plays {command.move}")
            else:
                self.say(f"{color} plays no legal move {command.move}")
            self.do(command)
            self.tell_skipped(before)
        self.show()

    def thinking(self) -> Any:
        """Show that an agent is thinking."""
        return self.console.status("thinking") if self.console.file.isatty() else nullcontext()

    # The commands.

    def undo(self) -> None:
        """Take back all moves since your last turn."""
        if self.do(Command("undo", 0)):
            self.show()

    def hint(self) -> None:
        """Suggest a move: the strongest player's."""
        name = self.adviser or questions.adviser(self.game)
        with self.thinking():
            move = questions.hint(self.room.position, make_agent(name), self.room.settings.seed)
        if self.do(Command("hint", 0, None, move, name)):  # `save` keeps it
            self.say(f"{name} would play {move}")

    def why(self, cell: str) -> None:
        """Explain why a cell is forbidden, or a five does not win: why h8."""
        try:
            self.say(str(explain(self.position, cell)))
        except ValueError as error:
            self.say(str(error))

    def moves(self) -> None:
        """List the legal moves."""
        legal = self.position.legal_moves()
        if not self.game.moves_men:
            self.say(" ".join(legal))
            return
        for man, moves in groupby(legal, lambda move: move.partition("-")[0]):
            self.say(f"{man} to {' '.join(move.partition('-')[2] for move in moves)}")

    def distance(self) -> None:
        """Show the steps that everybody has left (halma)."""
        try:
            far = questions.distances(self.room.position)
        except ValueError as error:
            self.say(str(error))
            return
        self.say("steps to go: " + ", ".join(f"{self.name(seat)} {number}" for seat, number in enumerate(far)))

    def history(self) -> None:
        """List the moves of this game."""
        moves = [notation.move_text(self.game, played.action) for played in self.room.moves]
        self.say(" ".join(f"{number}. {move}" for number, move in enumerate(moves, start=1)) or "No moves yet.")

    def time(self) -> None:
        """Show how long everybody has thought in this game."""
        used = [0] * self.game.players
        for played in self.room.moves:
            used[played.seat] += played.thinking
        self.say("time used: " + ", ".join(f"{self.name(seat)} {ms / 1000:.1f} s" for seat, ms in enumerate(used)))

    def score(self) -> None:
        """Show the wins in the games so far."""
        found = questions.counts(self.room)
        wins = ", ".join(f"{self.name(row['seat'])} {row['wins']}" for row in found["seats"])
        self.say(f"{found['games']} games are over; wins: {wins}; without a winner: {found['nobody']}")

    def level(self, text: str) -> None:
        """Change the opponent: level 7, or any player of `amoba agents`."""
        name = f"level:{text}" if text.isdecimal() else text
        try:
            agent = make_agent(name)
            agent.memory(self.game)
        except (ValueError, OSError, ImportError) as error:
            self.say(str(error))
            return
        if self.do(Command("level", 0, None, agent.name)):
            self.agents = dict.fromkeys(self.agents, agent)
            self.say(f"Your opponent is now {agent.name}.")

    def save(self, text: str) -> None:
        """Save all games in a file: save FILE; amoba play --resume FILE continues."""
        kept = {"settings": self.room.settings, "begun": self.begun, "commands": self.log}
        self.write(text, lambda file: write(file, msgspec.json.encode(kept).decode() + "\n"))

    def export(self, text: str) -> None:
        """Write this game as a record: export FILE, which ends in .sgf, .psq, .jsonl or .html."""
        record = questions.record(self.room)
        if text.strip("'\"").lower().endswith(".html"):
            self.write(text, lambda file: write(file, record.html()))
        else:
            self.write(text, lambda file: records.write([record], file))

    def write(self, text: str, to: Callable[[Path], object]) -> None:
        """Write a file, and say so or why not; the name may be in quotes."""
        text = text.strip("'\"")
        try:
            to(Path(text))
        except ValueError as error:
            self.say(str(error))
        except OSError as error:
            self.say(f"cannot write {text}: {(error.strerror or str(error)).lower()}")
        else:
            self.say(f"wrote {text}")

    def resign(self) -> None:
        """Resign."""
        if self.do(Command("resign", 0)):
            self.show()

    def new(self) -> None:
        """Begin a new game with the same players."""
        if self.do(Command("new", 0)):
            self.greet()

    def greet(self) -> None:
        """Print who plays, and continue."""
        against = ", ".join(f"{self.name(seat)} is {agent.name}" for seat, agent in self.agents.items())
        if self.agents:
            self.say(f"You are {self.name(self.seat)}; {against}. Type help for the commands.")
        else:
            self.say(f"People play {', '.join(map(self.name, range(self.game.players)))}. Type help for the commands.")
        if self.game.moves_men and self.agents:
            goal = ru.table(self.game.rules, ru.GOALS)[self.seat].tolist()
            self.say(f"Bring your men to {', '.join(notation.cell_name(self.game, cell) for cell in goal)}.")
        self.go_on()

    def quit(self) -> None:
        """Leave; so do Ctrl-D and Ctrl-C."""
        self.open = False

    def help(self) -> None:
        """List the commands; so does ?."""
        example = Position.start(self.game).legal_moves()[0]
        self.say(f"{example:<12}A move: {'from-to, by steps or jumps' if self.game.moves_men else 'the cell'}.")
        other_games = {"why": not has_reasons(self.game), "distance": not self.game.moves_men}
        for word, command in (self.commands | self.with_word).items():
            if other_games.get(word):
                continue
            form = f"{word} {WITH_WORD[word]}" if word in WITH_WORD else word
            self.say(f"{form:<12}{summary(command)}")


def _now() -> int:
    return time.time_ns() // 1_000_000
