"""`amoba draw`: a position or a game as a file."""

from pathlib import Path

from amoba_env import checks, draw
from amoba_env.draw.ground import MOST_PIXELS
from amoba_env.files import write
from amoba_env.games import Game
from amoba_env.record import Record

KINDS = (".svg", ".png", ".html")


def draw_file(
    game: Game,
    file: Path,
    position: str | None,
    moves: str | None,
    theme: str | None = None,
    size: int = 480,
    marks: draw.Marks | None = None,
) -> None:
    """Draw a game: moves from a position in notation, by default from the start.

    Without a theme a page follows the reader's system, and pictures are light.

    Raises:
        ValueError: a file of another kind, an impossible position, move or size, an unknown theme or kind of marks.
        ImportError: a .png needs the extra "render".
        OSError: the file cannot be written.
    """
    kind = file.suffix.lower()
    if kind not in KINDS:
        raise ValueError(f"{str(file)!r}: expected a file that ends in {', '.join(KINDS)}")
    checks.whole("size", size, 1, MOST_PIXELS)
    record = Record(game, moves or "", start=position)
    if kind == ".html":
        write(file, record.html(theme=theme or "auto", marks=marks))
        return
    picture = draw.svg(
        game, record.positions[-1].state, moves=record.moves, theme=theme or "light", size=size, marks=marks
    )
    write(file, picture if kind == ".svg" else draw.png(picture))
