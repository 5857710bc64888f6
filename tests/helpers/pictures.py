"""What the tests of drawings share: games of every kind, positions of them, and a reader of SVG."""

import random
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element

from amoba_env import Position, Record, games
from amoba_env.games import Game

SVG = "{http://www.w3.org/2000/svg}"
GAMES = [
    games.make("tictactoe"),
    games.make("gomoku"),
    games.make("gomoku", size=28),
    games.make("gomoku", opening="swap2"),
    games.make("renju", size=9),
    games.make("renju", opening="soosyrv8"),
    games.make("amoba", board="ring", patterns="3", players=4),
    games.make("amoba", board="7x5", patterns="xx/.xx"),
    games.make("amoba", board="25x1", players=3),
    games.make("amoba", board=".#/#.", patterns="2"),
    games.make("halma"),
    games.make("halma", players=2),
    games.make("chinese_checkers", players=6),
    games.make("chinese_checkers", players=3, men=15),
    games.make("square_halma", size=8, players=2),
    games.make("square_halma", size=16, directions=4),
]
GAMES += [games.make(name) for name in games.GAMES if name not in {game.name for game in GAMES}]
ONCE_EACH = list({game.name: game for game in GAMES}.values())


class Text(NamedTuple):
    """Text in a drawing."""

    text: str
    x: int
    y: int
    down: float  # from y to the line on which the letters stand
    size: float
    anchor: str


def played(game: Game, plies: int, seed: int = 1) -> Record:
    """A game of random moves."""
    source, position, moves = random.Random(seed), Position.start(game), list[int]()
    while len(moves) < plies and not position.over:
        moves.append(source.choice(position.legal_actions().tolist()))
        position = position.play(moves[-1])
    return Record(game, moves)


def read(svg: str) -> Element:
    """The drawing as a tree. Raises ParseError if it is not well formed."""
    return ElementTree.fromstring(svg)


def of_class(root: Element, name: str) -> list[Element]:
    """The elements of this class, in order."""
    return [element for element in root.iter() if element.get("class") == name]


def circles(element: Element) -> list[tuple[int, int]]:
    """The centres of the circles in an element."""
    return [(int(c.get("cx", "")), int(c.get("cy", ""))) for c in element.iter(f"{SVG}circle")]


def texts(element: Element) -> Iterator[Text]:
    """Each text; height and anchor it may have from those around it."""

    def walk(node: Element, size: float, anchor: str) -> Iterator[Text]:
        size, anchor = float(node.get("font-size", size)), node.get("text-anchor", anchor)
        if node.tag == f"{SVG}text":
            down = {None: 0.0, ".35em": 0.35 * size}[node.get("dy")]
            yield Text(node.text or "", int(node.get("x", "")), int(node.get("y", "")), down, size, anchor)
        for child in node:
            yield from walk(child, size, anchor)

    return walk(element, 0.0, "start")


def written(element: Element) -> dict[tuple[int, int], str]:
    """The texts in an element by their places."""
    return {(text.x, text.y): text.text for text in texts(element)}


def place(game: Game, cell: int) -> tuple[int, int]:
    """Where a cell is in a drawing: squares of 100, or on a star columns of 50 and rows of 87."""
    x, y = game.board.coords[cell].tolist()
    return (50 * x, 87 * y) if game.board.neighbor.shape[1] == 6 else (100 * x, 100 * y)
