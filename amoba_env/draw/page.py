"""A whole game as one HTML page that needs nothing else: the board once, the pieces of every position as a frame."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from amoba_env import checks
from amoba_env.core.state import State
from amoba_env.draw.letters import status
from amoba_env.draw.palette import Palette, mix
from amoba_env.draw.picture import Sheet
from amoba_env.games import Game
from amoba_env.notation import move_text

STYLE = """\
.game svg {{ display: block; width: 100%; height: auto; }}
.game .bar {{ display: flex; gap: .4rem; align-items: center; }}
.game input {{ flex: 1; min-width: 4rem; accent-color: {accent}; }}
.game button {{ font: inherit; min-width: 2.4rem; padding: .2rem .5rem; border: 1px solid {line};
  border-radius: .4rem; background: {button}; color: {text}; cursor: pointer; }}
.game .caption {{ min-height: 1.4em; margin: .6rem 0; }}
.game .moves {{ max-height: 7.5em; overflow: auto; line-height: 1.9; position: relative; }}
.game .moves a {{ padding: .1rem .3rem; border-radius: .3rem; cursor: pointer; white-space: nowrap; }}
.game .moves a.now {{ background: {accent}; color: {page}; }}
@media print {{ .game .bar {{ display: none; }} .game .moves {{ max-height: none; }} }}
"""

GAME = """\
<div class="game" tabindex="-1">
{head}{board}<g class="pieces">{last}</g></svg>
<p class="caption">{caption}</p>
<div class="bar">
<button class="first" title="first position (Home)">&#8676;</button>
<button class="back" title="back (&larr;)">&larr;</button>
<input type="range" min="0" max="{end}" value="{end}" aria-label="move">
<button class="next" title="on (&rarr;)">&rarr;</button>
<button class="play" title="play or stop (space)">&#9654;</button>
</div>
<p class="moves"></p>
<script type="application/json">{lists}</script>
</div>
"""

SCRIPT = """\
"use strict";
const only = document.querySelectorAll("main > .game").length === 1;
document.querySelectorAll(".game").forEach(game => {
  const get = name => game.querySelector(name), slider = get("input"), box = get(".moves");
  const {frames, captions, moves} = JSON.parse(get("script").textContent);
  let at = -1, timer = null;
  function show(i) {
    i = Math.max(0, Math.min(frames.length - 1, i));
    if (i === at) return;
    at = i;
    get(".pieces").innerHTML = frames[i];
    get(".caption").textContent = captions[i];
    slider.value = i;
    list.forEach((a, n) => a.classList.toggle("now", n === i - 1));
    const now = list[i - 1];
    if (now) box.scrollTop = now.offsetTop - box.clientHeight / 2;
  }
  function stop() { clearInterval(timer); timer = null; get(".play").innerHTML = "&#9654;"; }
  function play() {
    if (timer) return stop();
    if (at === frames.length - 1) show(0);
    get(".play").innerHTML = "&#10073;&#10073;";
    timer = setInterval(() => { show(at + 1); if (at === frames.length - 1) stop(); }, 600);
  }
  const list = moves.map((text, n) => {
    const a = document.createElement("a");
    a.textContent = (n + 1) + ". " + text;
    a.onclick = () => { stop(); show(n + 1); };
    box.append(a, " ");
    return a;
  });
  const jump = i => () => { stop(); show(i()); }, last = jump(() => frames.length - 1);
  const first = jump(() => 0), back = jump(() => at - 1), next = jump(() => at + 1);
  get(".first").onclick = first; get(".back").onclick = back; get(".next").onclick = next; get(".play").onclick = play;
  slider.oninput = jump(() => +slider.value);
  const keys = {ArrowLeft: back, ArrowRight: next, Home: first, End: last, " ": play};
  (only ? document : game).addEventListener("keydown", event => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  show(frames.length - 1);
});
"""

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: {theme}; }}
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
    theme: str = "light",
    coordinates: bool = True,
    numbers: bool = True,
) -> str:
    """A game as one HTML page with a slider, buttons, the list of moves, and keys: arrows, Home, End, space.

    Args:
        game: any game.
        states: the positions from the first to the last, each int16[CELLS + n_cells].
        moves: the actions between them, one less.
        title: of the page; by default the name of the game.
        theme: a name in THEMES.
        coordinates: name columns and rows.
        numbers: stones show their numbers (men have none).

    Raises:
        ValueError: an unknown theme, numbers of states and moves that do not fit, or what is wrong with a row.
    """
    sheet = Sheet(game, theme, coordinates)
    return PAGE.format(
        title=escape(game.name if title is None else checks.text("title", title) or game.name),
        theme=theme,
        ratio=round(sheet.width / sheet.height, 3),
        page=sheet.colors.page,
        text=ink(sheet.colors),
        style=style(sheet.colors),
        game=fragment(sheet, states, moves, numbers),
        script=SCRIPT,
    )


def fragment(sheet: Sheet, states: Sequence[State], moves: Sequence[int], numbers: bool = True) -> str:
    """A game as a part of a page that has style() and, at its end, SCRIPT; a page can have several.

    Keys belong to the game that was touched last, or to the only one of a page if it stands right in its <main>.

    Raises:
        ValueError: numbers of states and moves that do not fit, or what is wrong with a row.
    """
    if len(states) != len(moves) + 1:
        raise ValueError(f"{len(moves)} moves go with {len(moves) + 1} positions, not {len(states)}")
    game = sheet.game
    frames = [sheet.pieces(state, moves if numbers else ()) for state in states]
    captions = [_capital(status(game, state)) for state in states]
    return GAME.format(
        head=sheet.head(label=f"board of {game.name}"),
        board=sheet.ground() + sheet.grid(),
        last=frames[-1],
        caption=escape(captions[-1]),
        end=len(moves),
        lists=_literal({"frames": frames, "captions": captions, "moves": [move_text(game, move) for move in moves]}),
    )


def style(look: Palette) -> str:
    """The style sheet of games on a page, in these colours."""
    button = mix(look.page, look.board, 0.5)
    return STYLE.format(page=look.page, text=ink(look), line=look.line, button=button, accent=look.more)


def ink(look: Palette) -> str:
    """The colour of a page's text."""
    return mix(look.ink, look.edge, 0.7)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _literal(lists: dict[str, list[str]]) -> str:
    """Texts as JSON that cannot end the script that it stands in."""
    return json.dumps(lists, ensure_ascii=True, separators=(",", ":")).replace("</", "<\\/").replace("<!--", "<\\!--")
