"""`amoba draw`: a position or a game as a file."""

from pathlib import Path

from amoba_env import draw
from amoba_env.games import Game
from amoba_env.position import Position
from amoba_env.record import Record

KINDS = (".svg", ".png", ".html")


def draw_file(
    game: Game, file: Path, position: str | None, moves: str | None, theme: str = "light", size: int = 480
) -> None:
    """Write the drawing of a position in notation, or of the game of these moves; by default of the start.

    Raises:
        ValueError: a file of another kind, both or an impossible position or moves, a theme that is not known.
        ImportError: a .png needs the extra "render".
        OSError: the file cannot be written.
    """
    kind = file.suffix.lower()
    if kind not in KINDS:
        raise ValueError(f"{str(file)!r}: a file that ends in {', '.join(KINDS)} is wanted")
    if position is not None and (moves is not None or kind == ".html"):
        raise ValueError("a position goes without moves and into a picture; a page shows the game of --moves")
    record = Record(game, moves or "")
    if kind == ".html":
        file.write_text(record.html(theme=theme), encoding="utf-8")
        return
    shown = record.positions[-1] if position is None else Position.from_text(game, position)
    picture = draw.svg(game, shown.state, moves=record.moves, theme=theme, size=size)
    if kind == ".svg":
        file.write_text(picture, encoding="utf-8")
    else:
        file.write_bytes(draw.png(picture))
