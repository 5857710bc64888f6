"""A game as one self-contained HTML page: the board once, and the pieces of each position."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path

from amoba_env import checks
from amoba_env.core.state import State
from amoba_env.draw.ground import Marks
from amoba_env.draw.letters import status
from amoba_env.draw.palette import PAGE, THEMES, Palette, mix, variables
from amoba_env.draw.picture import Sheet
from amoba_env.games import Game
from amoba_env.notation import move_text

STYLE = """\
.game svg {{ display: block; width: 100%; height: auto; }}
.game .bar {{ display: flex; gap: .4rem; align-items: center; }}
.game input {{ flex: 1; min-width: 4rem; min-height: 1.5rem; accent-color: {accent}; }}
.game button {{ font: inherit; min-width: 2.4rem; padding: .2rem .5rem; border: 1px solid {line};
  border-radius: .4rem; background: {button}; color: {text}; cursor: pointer; }}
.game .caption {{ min-height: 1.4em; margin: .6rem 0; }}
.game .moves {{ max-height: 7.5em; overflow: auto; position: relative; list-style: none; margin: 1rem 0; padding: 0;
  display: flex; flex-wrap: wrap; }}
.game .moves a {{ display: block; padding: .1rem .3rem; min-width: 1.5rem; line-height: 1.6; border-radius: .3rem;
  color: inherit; text-decoration: none; white-space: nowrap; }}
.game .moves a:hover {{ text-decoration: underline; }}
.game .moves a[aria-current] {{ background: {accent}; color: {page}; }}
.game :focus-visible {{ outline: 3px solid {accent}; outline-offset: 1px; }}
@media print {{ .game .bar {{ display: none; }} .game .moves {{ max-height: none; }} }}
"""

GAME = """\
<div class="game" role="group" aria-label="{name}" tabindex="-1">
{head}{board}<g class="pieces">{last}</g></svg>
<p class="caption" aria-live="polite">{caption}</p>
<div class="bar">
<button type="button" class="first" aria-label="first position" title="first position (Home)">&#8676;</button>
<button type="button" class="back" aria-label="one move back" title="one move back (&larr;)">&larr;</button>
<input type="range" min="0" max="{end}" value="{end}" aria-label="moves played">
<button type="button" class="next" aria-label="one move on" title="one move on (&rarr;)">&rarr;</button>
<button type="button" class="last" aria-label="last position" title="last position (End)">&#8677;</button>
<button type="button" class="play" aria-label="play the moves" title="play the moves or stop (space)">&#9654;</button>
</div>
<ol class="moves" aria-label="moves"></ol>
<script type="application/json">{lists}</script>
</div>
"""

AUTO = f"""\
:root {{ color-scheme: light dark; {variables("light")} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {variables("dark")} }} }}"""

DOCUMENT = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{colors}
body {{ margin: 0 auto; padding: 1rem; max-width: clamp(18rem, (100vh - 19rem) * {ratio}, 42rem);
  background: {page}; color: {text}; font: 1rem/1.4 system-ui, sans-serif; }}
h1 {{ font-size: 1.15rem; margin: 0 0 .5rem; }}
{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{game}</main>
<script>
{script}</script>
</body>
</html>
"""


def html(
    game: Game,
    states: Sequence[State],
    moves: Sequence[int],
    *,
    title: str | None = None,
    theme: str = "auto",
    marks: Marks | None = None,
) -> str:
    """A game as one HTML page with a slider, buttons, the list of moves, and keys: arrows, Home, End, space.

    The address of a position is the page's with "#move-12".

    Args:
        game: any game.
        states: the positions from the first to the last, each int16[CELLS + n_cells].
        moves: the actions between them, one less.
        title: of the page; by default the name of the game.
        theme: "light", "dark", or "auto": follow the reader's system. On paper "auto" is light.
        marks: "letters" or "shapes" on stones and men in place of the numbers of moves, see draw.svg.

    Raises:
        ValueError: an unknown theme or kind of marks, not one state more than moves, or a row that is not a position of
            the game.
    """
    if not isinstance(theme, str) or theme not in ("auto", *THEMES):
        raise ValueError(f"unknown theme {checks.brief(theme)}; the themes: auto, {', '.join(THEMES)}")
    sheet = Sheet(game, PAGE if theme == "auto" else theme, marks=marks)
    return DOCUMENT.format(
        title=escape(game.name if title is None else checks.text("title", title) or game.name),
        colors=AUTO if theme == "auto" else f":root {{ color-scheme: {theme}; }}",
        ratio=round(sheet.width / sheet.height, 3),
        page=sheet.colors.page,
        text=ink(sheet.colors),
        style=style(sheet.colors),
        game=fragment(sheet, states, moves),
        script=script(),
    )


def fragment(sheet: Sheet, states: Sequence[State], moves: Sequence[int]) -> str:
    """A game as a part of a page, which needs style() and, at its end, script(). A page can have several games.

    Keys act on the game that has the focus. On a page with a single game directly in <main> they always work.

    Raises:
        ValueError: not one state more than moves, or a row that is not a position of the game.
    """
    if len(states) != len(moves) + 1:
        raise ValueError(f"expected {len(moves) + 1} positions for {len(moves)} moves, got {len(states)}")
    game = sheet.game
    frames = [sheet.pieces(state, moves) for state in states]
    captions = [_capital(status(game, state)) for state in states]
    texts = [move_text(game, move) if 0 <= move < game.n_actions else "none" for move in moves]
    return GAME.format(
        name=escape(f"game of {game.name}"),
        head=sheet.head(label=f"board: {captions[-1]}"),
        board=sheet.ground() + sheet.grid(),
        last=frames[-1],
        caption=escape(captions[-1]),
        end=len(moves),
        lists=_literal({"frames": frames, "captions": captions, "moves": texts}),
    )


def style(palette: Palette) -> str:
    """The style sheet of games on a page, in these colours."""
    button = mix(palette.page, palette.board, 0.5)
    return STYLE.format(page=palette.page, text=ink(palette), line=palette.line, button=button, accent=palette.more)


@functools.cache
def script() -> str:
    """The script of games on a page, without the element around it."""
    return Path(__file__).with_name("page.js").read_text(encoding="utf-8")


def ink(palette: Palette) -> str:
    """The colour of a page's text."""
    return mix(palette.ink, palette.edge, 0.7)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _literal(lists: dict[str, list[str]]) -> str:
    """Texts as JSON, escaped so that it cannot end the surrounding <script>."""
    return json.dumps(lists, ensure_ascii=True, separators=(",", ":")).replace("</", "<\\/").replace("<!--", "<\\!--")
