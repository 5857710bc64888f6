"""A person against agents, in the terminal: the board in colours, moves in notation, and a few commands."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import groupby

from rich.console import Console
from rich.style import Style
from rich.text import Text

from amoba_agents import Agent, Seat, make_agent
from amoba_env import draw, notation
from amoba_env.core import play as core
from amoba_env.core import rules as tables
from amoba_env.core.state import ILLEGAL, RESIGNED
from amoba_env.explain import explain
from amoba_env.games import Game
from amoba_env.options import summary
from amoba_env.position import Position

ADVISER = "lookahead:2"
AFTER_THE_END = ("new", "undo", "quit", "help")
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
) -> None:
    """Let a person play on `seat` until they leave; seat `first` begins.

    `against` are the agents of the other seats in their order, or one for all of them. `read` asks for a line;
    EOFError and KeyboardInterrupt are ways to leave. Raises ValueError for a seat that the game has not, or a wrong
    number of agents.
    """
    seat = game.seat(seat)
    others = [other for other in range(game.players) if other != seat]
    if len(against) not in (1, len(others)):
        wanted = " or ".join(map(str, sorted({1, len(others)})))
        raise ValueError(f"{len(against)} agents for the other seats of {game.name}: {wanted} wanted")
    agents = dict(zip(others, list(against) * (len(others) // len(against)), strict=True))
    table = Table(game, seat, agents, seed, first, console or Console())
    if read is input and table.console.is_terminal:
        with suppress(ImportError):
            import readline  # noqa: F401  gives input() its line editing
    try:
        table.new()
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
        return "?"  # what is no text is no move


class Table:
    """A person, the agents and the game between them. The docstrings of the commands are what `help` prints."""

    def __init__(self, game: Game, seat: int, agents: dict[int, Agent], seed: int, first: int, console: Console):
        self.game, self.seat, self.agents = game, seat, agents
        self.seed, self.first, self.console = seed, first, console
        self.seated = 1  # streams in use, the hints' own for one: none comes twice
        self.position = Position.start(game, first)
        self.seats: dict[int, Seat] = {}
        self.past: list[tuple[Position, dict[int, Seat]]] = []  # the person's turns
        self.open = True
        commands = (self.undo, self.hint, self.moves, self.distance, self.resign, self.new, self.quit, self.help)
        self.commands = {command.__name__: command for command in commands}

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
        state, outcome = self.position.state, self.position.outcome
        board = draw.text(self.game, state, lambda kind, glyph: Style.parse(self.style(kind)).render(glyph))
        self.console.print("\n", Text.from_ansi(board), sep="", soft_wrap=True)
        verdict = ": your turn"
        if outcome is not None:
            first = outcome.places[self.seat] == 1  # all are, if nobody wins
            verdict = ": you lose" if not first else ": you win" if max(outcome.places) > 1 else ""
        self.say(draw.status(self.game, state) + verdict)

    # How the game goes on.

    def answer(self, line: str) -> None:
        """Do what the person asks for in a line: a command or a move."""
        word = line.strip().lower()
        if self.position.over and word not in AFTER_THE_END:
            self.say(f"The game is over; possible are {', '.join(AFTER_THE_END)}.")
        elif word in self.commands:
            self.commands[word]()
        elif word.startswith("why "):
            self.why(line.strip()[4:])
        else:
            try:
                after = self.position.play(line)
            except ValueError as error:
                self.say(str(error))
                return
            self.remember()
            self.move(after)
            self.go_on()

    def remember(self) -> None:
        """Keep the person's turn, and the agents' random streams and memories (but no copies of the agents)."""
        shared = {id(agent): agent for agent in self.agents.values()}
        self.past.append((self.position, copy.deepcopy(self.seats, shared)))

    def move(self, after: Position) -> None:
        """Go to the position after a move; tell who is skipped because they cannot move."""
        seat, self.position = (self.position.to_move + 1) % self.game.players, after
        while self.game.moves_men and not after.over and seat != after.to_move:
            self.say(f"{self.color(seat)} cannot move")
            seat = (seat + 1) % self.game.players

    def go_on(self) -> None:
        """Let the agents play until it is the person's turn, and show the board."""
        while not self.position.over and self.position.to_move != self.seat:
            color = self.color(self.position.to_move)
            action = self.seats[self.position.to_move].act(self.position)
            if self.position.is_legal(action):
                self.say(f"{color} plays {notation.move_text(self.game, action)}")
                self.move(self.position.play(action))
            else:
                reasons = [f": {text}" for _, text in getattr(self.agents[self.position.to_move], "incidents", ())]
                self.say(f"{color} plays no legal move ({action}){''.join(reasons)}")
                self.forfeit(ILLEGAL)
        self.show()

    def forfeit(self, ending: int) -> None:
        """End the game as lost by the player to move."""
        state = self.position.state
        core.forfeit(self.game.rules, state, ending)
        self.position = Position(self.game, state)

    # The commands.

    def undo(self) -> None:
        """Take back all since your previous turn."""
        if self.past:
            self.position, self.seats = self.past.pop()
            self.show()
        else:
            self.say("You have no move to take back.")

    def hint(self) -> None:
        """Suggest a move."""
        action = Seat(make_agent(ADVISER), self.position, self.seed).act(self.position)
        self.say(f"{ADVISER} would play {notation.move_text(self.game, action)}")

    def why(self, cell: str) -> None:
        """Tell why a cell is forbidden for black, or not: why h8 (renju)."""
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
        """Tell how many steps all have to go (halma)."""
        if not self.game.moves_men:
            self.say(f"{self.game.name} has no distances")
            return
        goal, steps = (tables.table(self.game.rules, slot) for slot in (tables.GOAL, tables.STEPS))
        far = [self.position.distance(seat) - steps[seat, goal[seat]].sum() for seat in range(self.game.players)]
        self.say("steps to go: " + ", ".join(f"{self.name(seat)} {number}" for seat, number in enumerate(far)))

    def resign(self) -> None:
        """Give the game up."""
        self.remember()
        self.forfeit(RESIGNED)
        self.show()

    def new(self) -> None:
        """Begin a new game with the same players."""
        self.position = Position.start(self.game, self.first)
        self.seats = {
            seat: Seat(agent, self.position, self.seed, self.seated + seat) for seat, agent in self.agents.items()
        }
        self.seated += self.game.players
        self.past.clear()
        against = ", ".join(f"{self.name(seat)} is {agent.name}" for seat, agent in self.agents.items())
        self.say(f"You are {self.name(self.seat)}; {against}. Type help for the commands.")
        if self.game.moves_men:
            goal = tables.table(self.game.rules, tables.GOAL)[self.seat].tolist()
            self.say(f"Bring your men to {', '.join(notation.cell_name(self.game, cell) for cell in goal)}.")
        self.go_on()

    def quit(self) -> None:
        """Leave; Ctrl-D and Ctrl-C do it too."""
        self.open = False

    def help(self) -> None:
        """List the commands."""
        example = Position.start(self.game).legal_moves()[0]
        self.say(f"{example:<10}A move: {'from-to, by steps or jumps' if self.game.moves_men else 'the cell'}.")
        why = {"why CELL": self.why} if self.game.rules[tables.FAMILY] == tables.RENJU else {}
        for word, command in (why | self.commands).items():
            self.say(f"{word:<10}{summary(command)}")
