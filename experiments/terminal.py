"""A person against agents, in the terminal: the board in colours, moves in notation, a few commands."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import groupby

from rich.console import Console
from rich.style import Style
from rich.text import Text

from agents import Agent, Seat, make_agent
from amoba_env import draw, notation
from amoba_env.core import play as core
from amoba_env.core import rules as tables
from amoba_env.core.state import ILLEGAL, RESIGNED
from amoba_env.games import Game
from amoba_env.position import Position

ADVISER = "lookahead:2"
HELP = {  # command -> what it does; a move needs no command
    "undo": "take back everything since your previous turn, after the end too",
    "hint": f"a move that {ADVISER} would play",
    "moves": "the legal moves",
    "distance": "halma: how far everybody is from home",
    "resign": "give the game up",
    "new": "a new game, same seats",
    "quit": "leave (Ctrl-D and Ctrl-C too)",
    "help": "this list",
}
AFTER_THE_END = ("new", "undo", "quit", "help")
# Men and stones bring their own background, so they can be read on a dark and on a light screen.
STYLES = {
    name: Style.parse(definition)
    for name, definition in {
        "label": "none",
        "empty": "dim",
        "mark": "bold magenta",
        "black": "bold grey100 on grey0",
        "white": "bold grey0 on grey100",
        "red": "bold grey100 on red3",
        "green": "bold grey100 on green4",
    }.items()
}
OTHER = Style(bold=True)  # a colour that is not in STYLES


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

    Args:
        game: the rules.
        seat: where the person sits.
        against: the agents of the other seats in their order, or one for all of them.
        seed: of the agents' random streams; the same seed and moves give the same games.
        first: the seat that begins.
        console: where to print.
        read: asks for a line, given the prompt; EOFError or KeyboardInterrupt end the game.

    Raises:
        ValueError: a seat that the game has not, or a wrong number of agents.
    """
    others = [other for other in range(game.players) if other != seat]
    if len(others) == game.players:
        raise ValueError(f"no seat {seat}: {game.name} has seats 0..{game.players - 1}")
    if len(against) not in (1, len(others)):
        wanted = "1 agent is wanted" if len(others) == 1 else f"1 agent for all or {len(others)} agents are wanted"
        raise ValueError(f"{len(against)} agents: against one of {game.players} seats {wanted}")
    agents = dict(zip(others, against if len(against) == len(others) else [against[0]] * len(others), strict=True))
    table = Table(game, seat, agents, seed, first, console or Console())
    try:
        table.new()
        while table.answer(read("> ")):
            pass
    except (EOFError, KeyboardInterrupt):
        table.say("")  # leaves the prompt's line
    table.say(f"You left after {table.position.ply} moves.")


class Table:
    """One person, the agents, the game between them, and what is printed of it."""

    def __init__(
        self, game: Game, seat: int, agents: dict[int, Agent], seed: int, first: int, console: Console
    ) -> None:
        self.game, self.seat, self.agents = game, seat, agents
        self.seed, self.first, self.console = seed, first, console
        self.position = Position.start(game, first)
        self.seats: dict[int, Seat] = {}
        self.past: list[tuple[Position, dict[int, Seat]]] = []  # at each turn of the person

    def say(self, line: str) -> None:
        """Print a line, the seats' names in their colours."""
        text = Text(line)
        for seat in range(self.game.players):
            text.highlight_words([self.name(seat)], self.style(f"seat{seat}"))
        self.console.print(text)

    def name(self, seat: int) -> str:
        """A seat for people: "red (r)"."""
        return f"{self.game.colors[seat]} ({self.game.symbols[seat]})"

    def style(self, kind: str) -> Style:
        """The style of a kind of glyph, see draw.KINDS."""
        name = self.game.colors[int(kind[4:])] if kind.startswith("seat") else kind
        return STYLES.get(name, OTHER)

    def show(self) -> None:
        """Print the board and whose turn it is, or how the game ended."""
        board = draw.text(self.game, self.position.state, lambda kind, glyph: self.style(kind).render(glyph))
        self.console.print("\n", Text.from_ansi(board), sep="", soft_wrap=True)
        status, outcome = draw.status(self.game, self.position.state), self.position.outcome
        if outcome is None:
            verdict = ": your turn"
        else:
            reward = outcome.rewards[self.seat]
            verdict = ": you win" if reward > 0 else ": you lose" if reward < 0 else ""
        self.say(status + verdict)

    def new(self) -> None:
        """Begin a game; the agents' random streams go on to the next seeds."""
        self.position = Position.start(self.game, self.first)
        self.seats = {seat: Seat(agent, self.position, self.seed + seat) for seat, agent in self.agents.items()}
        self.seed += self.game.players
        self.past.clear()
        against = ", ".join(f"{self.name(seat)} is {agent.name}" for seat, agent in self.agents.items())
        self.say(f"You are {self.name(self.seat)}, {against}. help lists the commands.")
        if self.game.moves_men:
            goal = tables.table(self.game.rules, tables.GOAL)[self.seat].tolist()
            self.say(f"Bring your men to {', '.join(notation.cell_name(self.game, cell) for cell in goal)}.")
        self.go_on()

    def go_on(self) -> None:
        """Let the agents play until it is the person's turn, and show the board."""
        while not self.position.over and self.position.to_move != self.seat:
            color = self.game.colors[self.position.to_move]
            action = self.seats[self.position.to_move].act(self.position)
            if self.position.is_legal(action):
                self.say(f"{color} plays {notation.move_text(self.game, action)}")
                self.move(action)
            else:
                self.say(f"{color} plays an illegal move, {action}")
                self.forfeit(ILLEGAL)
        self.show()

    def move(self, action: int) -> None:
        """Play a legal move; tell whose turn is skipped because they cannot move."""
        mover, self.position = self.position.to_move, self.position.play(action)
        for step in range(1, self.game.players if not self.position.over else 0):
            seat = (mover + step) % self.game.players
            if seat == self.position.to_move:
                break
            self.say(f"{self.game.colors[seat]} cannot move")

    def forfeit(self, ending: int) -> None:
        """End the game as lost by the player to move."""
        self.position = Position(self.game, self.position.state)
        core.forfeit(self.game.rules, self.position.state, ending)

    def answer(self, line: str) -> bool:
        """Do what the person asks for in a line; tell whether to go on."""
        word = line.strip().lower()
        if self.position.over and word not in AFTER_THE_END:
            self.say(f"The game is over; now you can say {', '.join(AFTER_THE_END)}.")
            return True
        try:
            match word:
                case "quit":
                    return False
                case "new":
                    self.new()
                case "help":
                    self.help()
                case "undo":
                    self.undo()
                case "hint":
                    action = Seat(make_agent(ADVISER), self.position, self.seed).act(self.position)
                    self.say(f"hint: {notation.move_text(self.game, action)}")
                case "moves":
                    self.moves()
                case "distance":
                    self.distance()
                case "resign":
                    self.remember()
                    self.forfeit(RESIGNED)
                    self.show()
                case _:
                    self.turn(line)
        except ValueError as error:
            self.say(f"{error}")
        return True
