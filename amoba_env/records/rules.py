"""The game of a file: the size of the board is in the file, the rules are in the file or given by the caller.

WORDS has names of rules, without spaces and punctuation: this package's, and in MORE_WORDS those of Gomocup's leagues,
the renju federation's openings (a file of stones does not tell their choices), and the numbers of `INFO rule` in the
Gomocup protocol, which c-gomoku-cli writes (https://github.com/dhbloo/c-gomoku-cli, src/game.cpp).
"""

import os
import re
import shlex
from collections.abc import Callable, Iterable
from contextlib import suppress

from amoba_env import games
from amoba_env.games import Game
from amoba_env.games.rows import GUARD_WEIGHTS
from amoba_env.options import Options, parameters
from amoba_env.record import About, Record

ASIDE = ("size", "board")  # options that the size in the file determines
MORE_WORDS = {
    "freestyle": ("gomoku", "free", "freestylegomoku", "fastgame", "swap", "swap2", "五子棋", "0"),
    "exact": ("standard", "standardgomoku", "1"),
    "renju": ("rif", "rif26", "soosyrv8", "taraguchi10", "yamaguchi", "tarannikov", "连珠", "4"),
    "caro": ("8",),
    "exact-caro": ("standardcaro", "9"),
}
Make = Callable[[str, Options], Game]  # the maker of a game from its name and options
CONTROLS = re.compile("[\0-\x08\x0e-\x1f]")  # some programs end a file with one; none means anything
NAMED: dict[str, tuple[str, Options]] = {"renju": ("renju", {})}
NAMED |= {rule: ("gomoku", {"rule": rule}) for rule in GUARD_WEIGHTS}
WORDS = {word: NAMED[rule] for rule in NAMED for word in (rule.replace("-", ""), *MORE_WORDS.get(rule, ()))}
NAME_IT = 'name the game to read it as that game (--game gomoku, in Python game="gomoku")'
SHOWN = ("freestyle", "exact", "caro", "renju")


def make_game(name: str, options: Options) -> Game:
    """The game that a file names. Raises ValueError, also for a board in another file."""
    if os.path.isfile(str(options.get("board"))):
        raise ValueError("'board': expected a drawing, got a file name")
    return games.make_from(name, options)


def game_on(width: int, height: int, name: str | None, options: Options, make: Make = make_game) -> Game:
    """The game of this name on width x height cells. The default is gomoku, or five in a row on a rectangle.

    Raises:
        ValueError: an unknown game or option, or a game that has another board.
    """
    rectangle = width != height and options in ({}, *({"rule": rule} for rule in ("freestyle", "exact")))
    if name in (None, "gomoku") and rectangle:
        name, options = "amoba", {"patterns": "5 exact" if options.get("rule") == "exact" else "5"}
    name = name or "gomoku"
    known = games.describe(name)[1]
    size: Options = {"size": width} if "size" in known else {"board": f"{width}x{height}"} if "board" in known else {}
    game = make(name, {**size, **options})
    if grid(game) != (width, height):
        raise ValueError(f"{name}: expected {game.board.width}x{game.board.height} cells, got {width}x{height}")
    return game


def grid(game: Game) -> tuple[int, int]:
    """Width and height of the board. Raises ValueError unless two players put stones on a rectangle."""
    width, height = game.board.width, game.board.height
    if game.moves_men or game.players != 2 or game.n_cells != width * height:
        raise ValueError(
            f"expected a game of two players who put stones on a rectangle, got {game}; .jsonl stores every game"
        )
    return width, height


def rules_text(game: Game) -> str:
    """The rules without the board, such as "exact" or "renju opening=rif26"; the inverse of parse_rules()."""
    usual = parameters(games.GAMES[game.name])
    options = {key: value for key, value in game.options.items() if value != usual[key].default and key not in ASIDE}
    if game.name == "gomoku" and set(options) <= {"rule"}:
        return str(game.options["rule"])
    return shlex.join([game.name, *(f"{key}={value}" for key, value in options.items())])


def is_known(text: str) -> bool:
    """Whether a text names rules."""
    try:
        return bool(parse_rules(text))
    except ValueError:
        return False


def parse_rules(text: str) -> tuple[str, Options]:
    """Name and options of the game. Raises ValueError."""
    word = re.sub(r"[\W_]+", "", text.lower())
    if word in WORDS:
        return WORDS[word]
    try:
        name, *options = shlex.split(text)
    except ValueError:
        name, options = "", []
    if name not in games.GAMES:
        known = ", ".join(dict.fromkeys([*SHOWN, *games.GAMES]))
        raise ValueError(
            f"unknown rules {text!r}; the rules: {known}, also with options such as opening=swap2; {NAME_IT}"
        )
    chosen = games.options_from_text(name, options)
    if "board" in chosen:
        raise ValueError(f"rules {text!r}: expected no board, since SZ gives its size")
    return name, chosen


def record_of(
    game: Game,
    moves: Iterable[int | str],
    first: int | None = None,
    start: str | None = None,
    about: About | None = None,
) -> Record:
    """The record of a game in a file. Raises ValueError as Record does, and says how to read a foul at the end."""
    try:
        return Record(game, moves, first, start, about)
    except ValueError as error:
        if game.options.get("forbidden") == "mask":
            with suppress(ValueError):
                Record(games.make_from(game.name, {**game.options, "forbidden": "lose"}), moves, first, start)
                error = ValueError(f"{error}; if this foul ended the game, read it as {game.name} with forbidden=lose")
        raise error from None
