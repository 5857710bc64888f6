"""`amoba draw`: a position or a game as a file."""

from pathlib import Path

from amoba_env import checks, draw
from amoba_env.draw.ground import MOST_PIXELS
from amoba_env.files import ending, write
from amoba_env.record import Record

KINDS = (".svg", ".png", ".html")


def draw_file(
    record: Record,
    file: Path,
    theme: str | None = None,
    size: int = 480,
    marks: draw.Marks | None = None,
) -> None:
    """Draw a game: its last position, or a page to step through.

    Without a theme a page follows the reader's system, and pictures are light.

    Raises:
        ValueError: a file of another kind, an impossible size, an unknown theme or kind of marks.
        ImportError: a .png needs the extra "render".
        OSError: the file cannot be written.
    """
    kind = ending(file, *KINDS)
    checks.whole("size", size, 1, MOST_PIXELS)
    if kind == ".html":
        write(file, record.html(theme=theme or "auto", marks=marks))
        return
    picture = draw.svg(
        record.game, record.positions[-1].state, moves=record.moves, theme=theme or "light", size=size, marks=marks
    )
    write(file, picture if kind == ".svg" else draw.png(picture))
