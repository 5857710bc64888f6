"""The games and players that messages may name: an exact list, so that no message opens a file or runs for ever."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from typing import Any

from amoba_agents import Agent, make_agent
from amoba_env import games
from amoba_env import options as texts
from amoba_env.games import GAMES, Game
from amoba_env.games.board_text import parts, ready_boards
from amoba_experiments.rooms.settings import GUEST, ME

LEVELS = tuple(f"level:{level}" for level in range(1, 11))
NAMED = ("trained", "perfect", "alphabeta", "endgame", "mcts", "robust", "lookahead:2", "greedy", "random")
ENGINE = "gomocup:"  # begins the text of an engine
MOST_CELLS = 400  # of a board
MOST_TEXT = 1000  # letters of an option
DRAWING = re.compile(r"[.#/ \n]*\.[.#/ \n]*")
RECTANGLE = re.compile(r"[0-9]{1,2}x[0-9]{1,2}")
PATTERNS = re.compile(r"[0-9x./, exact]{1,100}")


class ServerPlayers:
    """The machines of a server: levels, named players, and the operator's engines by their names."""

    def __init__(self, engines: Mapping[str, str] | None = None) -> None:
        """`engines`: commands by name, as in gomocup:COMMAND. Raises ValueError for an invalid or taken name."""
        self.texts = {text: text for text in (*LEVELS, *NAMED)}
        for name, command in (engines or {}).items():
            if name in self.texts or name in (ME, GUEST) or not re.fullmatch(r"[A-Za-z0-9 ._-]{1,40}", name):
                raise ValueError(f"--engine: expected a free name of letters, digits, spaces and . _ -, got {name!r}")
            self.texts[name] = ENGINE + command
        self.engines = frozenset(engines or {})
        self._agents: dict[str, tuple[Agent, bool]] = {}
        self._making = threading.Lock()
        self._catalogue: list[dict[str, Any]] = []

    def catalogue(self) -> list[dict[str, Any]]:
        """The games, see catalogue(), each with the number of its `players` and its `machines` by default."""
        if not self._catalogue:
            made = [(each, make_game(each["name"], {})) for each in catalogue()]
            self._catalogue = [{**each, "players": game.players, "machines": self.of(game)} for each, game in made]
        return self._catalogue

    def check(self, game: Game, name: str) -> None:
        """Raise ValueError unless the name is on the list and plays this game."""
        if name not in self.texts:
            raise ValueError(f"unknown player {name[:40]!r}; the players: {', '.join(self.texts)}")
        self.agent(name)[0].memory(game)

    def made(self, name: str) -> tuple[Agent, bool] | None:
        """Like `agent`, but None for a player that does not exist yet, without waiting."""
        return self._agents.get(name)

    def agent(self, name: str) -> tuple[Agent, bool]:
        """A player, and whether only one thread at a time may use it."""
        with self._making:
            if name not in self._agents:
                agent = make_agent(self.texts[name])
                self._agents[name] = agent, not agent.rowwise
            return self._agents[name]

    def of(self, game: Game) -> list[str]:
        """The names of the players of a game."""
        found = []
        for name in self.texts:
            try:
                self.check(game, name)
            except (ValueError, OSError, ImportError):
                continue
            found.append(name)
        return found


def make_game(name: object, given: object) -> Game:
    """The game of a message. Raises ValueError for unknown games, files, and boards that are too large."""
    if not isinstance(name, str) or name not in GAMES:
        raise ValueError(f"game: expected one of {', '.join(GAMES)}, got {name!r:.60}")
    if not isinstance(given, dict) or not all(type(value) in (int, str, bool) for value in given.values()):
        raise ValueError("options: expected numbers, texts, true or false by name")
    for key, value in given.items():
        if isinstance(value, str):
            _check_text(key, value)
        elif key == "size" and not 1 <= value <= 20:
            raise ValueError("size: expected at most 20 on this server")
    game = games.make_from(name, given)
    if game.n_cells > MOST_CELLS:
        raise ValueError(f"board: expected at most {MOST_CELLS} cells on this server, got {game.n_cells}")
    return game


def cut_off(given: object) -> list[list[tuple[int, int]]]:
    """The cells of a drawn board outside its largest connected part: by part, (column, row) from 0."""
    board = given.get("board") if isinstance(given, dict) else None
    if not isinstance(board, str) or len(board) > MOST_TEXT or not DRAWING.fullmatch(board):
        return []
    return parts(board)[1:]


def _check_text(key: str, value: str) -> None:
    """Raise ValueError for a text that could be a file name."""
    if len(value) > MOST_TEXT:
        raise ValueError(f"{key}: expected up to {MOST_TEXT} letters")
    if key == "board":
        if value in ready_boards() or (DRAWING.fullmatch(value) and value.count(".") <= MOST_CELLS):
            return
        if not RECTANGLE.fullmatch(value) or int(value.split("x")[0]) * int(value.split("x")[1]) > MOST_CELLS:
            raise ValueError(
                f"board: expected a rectangle such as 10x8 of at most {MOST_CELLS} cells, a drawing of . and #, or one "
                f"of {', '.join(ready_boards())}"
            )
    if key == "patterns" and not PATTERNS.fullmatch(value):
        raise ValueError("patterns: expected numbers and shapes of x and ., such as 5 or xx/xx, up to 100 letters")


def catalogue() -> list[dict[str, Any]]:
    """The games: name, description, and for each option its kind, default and choices."""
    found = []
    for name in GAMES.working():
        options = []
        for key, parameter in texts.parameters(GAMES[name]).items():
            shown = texts.choices(parameter)
            other = "choice" if "|" in shown else "text"
            kind = {bool: "flag", int: "number"}.get(type(parameter.default), other)
            options.append(
                {
                    "name": key,
                    "kind": kind,
                    "default": parameter.default,
                    "choices": shown.split("|"),
                    "help": texts.option_of(parameter).means,
                }
            )
        if name == "amoba":
            next(each for each in options if each["name"] == "board")["ready"] = ready_boards()
        found.append({"name": name, "what": texts.summary(GAMES[name]), "options": options})
    return found
