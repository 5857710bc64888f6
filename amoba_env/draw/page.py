"""A game as one self-contained HTML page: the board once, and the pieces of each position."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

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

# The fragment of the page's address names a position: "#move-12", on a page of several games "#game-2-move-12".
SCRIPT = """\
"use strict";
const games = document.querySelectorAll(".game");
const only = document.querySelectorAll("main > .game").length === 1;
games.forEach((game, number) => {
  const get = name => game.querySelector(name), slider = get("input"), box = get(".moves");
  const {frames, captions, moves} = JSON.parse(get("script").textContent);
  const prefix = (games.length > 1 ? "#game-" + (number + 1) + "-" : "#") + "move-";
  let at = -1, timer = null;
  function show(i) {
    i = Math.max(0, Math.min(frames.length - 1, i));
    if (i === at) return;
    at = i;
    const move = i ? "move " + i + ", " + moves[i - 1] + ": " : "";
    get(".pieces").innerHTML = frames[i];
    get(".caption").textContent = captions[i];
    get("svg").setAttribute("aria-label", "board: " + move + captions[i]);
    slider.value = i;
    slider.setAttribute("aria-valuetext", i + " of " + moves.length + (i ? ", " + moves[i - 1] : ""));
    list.forEach((a, n) => n === i - 1 ? a.setAttribute("aria-current", "true") : a.removeAttribute("aria-current"));
    const now = list[i - 1];
    if (now) box.scrollTop = now.offsetTop - box.clientHeight / 2;
  }
  function go(i) {
    show(i);
    try { history.replaceState(null, "", prefix + at); } catch { /* not where pages have no address */ }
  }
  function label(text, sign) {
    get(".play").setAttribute("aria-label", text);
    get(".play").innerHTML = sign;
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    get(".caption").setAttribute("aria-live", "polite");
    label("play the moves", "&#9654;");
  }
  function play() {
    if (timer) return stop();
    get(".caption").setAttribute("aria-live", "off");  // a position every 0.6 s is too fast to be read out
    if (at === frames.length - 1) go(0);
    label("stop", "&#10073;&#10073;");
    timer = setInterval(() => { go(at + 1); if (at === frames.length - 1) stop(); }, 600);
  }
  const list = moves.map((text, n) => {
    const a = document.createElement("a"), item = document.createElement("li");
    a.textContent = (n + 1) + ". " + text;
    a.href = prefix + (n + 1);
    a.onclick = event => { event.preventDefault(); stop(); go(n + 1); };
    item.append(a);
    box.append(item);
    return a;
  });
  const jump = i => () => { stop(); go(i()); };
  const first = jump(() => 0), back = jump(() => at - 1);
  const next = jump(() => at + 1), last = jump(() => frames.length - 1);
  Object.entries({first, back, next, last, play}).forEach(([name, act]) => { get("button." + name).onclick = act; });
  slider.oninput = jump(() => +slider.value);
  const keys = {ArrowLeft: back, ArrowRight: next, Home: first, End: last, " ": play};
  (only ? document : game).addEventListener("keydown", event => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target === slider && event.key !== " ") return;  // it understands these keys itself
    if (event.key === " " && event.target.closest("button")) return;  // the button is pressed
    event.preventDefault();
    keys[event.key]();
  });
  function follow() {
    const named = location.hash.startsWith(prefix) ? /^[0-9]+$/.exec(location.hash.slice(prefix.length)) : null;
    if (named) { stop(); show(+named[0]); }
    return named;
  }
  addEventListener("hashchange", follow);
  if (!follow()) show(frames.length - 1);
});
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
    coordinates: bool = True,
    numbers: bool = True,
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
        coordinates: name columns and rows.
        numbers: stones show their move numbers (men have none).
        marks: "letters" or "shapes" on stones and men in place of numbers, see draw.svg.

    Raises:
        ValueError: an unknown theme or kind of marks, not one state more than moves, or a row that is not a position of
            the game.
    """
    if not isinstance(theme, str) or theme not in ("auto", *THEMES):
        raise ValueError(f"unknown theme {checks.brief(theme)}; the themes: auto, {', '.join(THEMES)}")
    sheet = Sheet(game, PAGE if theme == "auto" else theme, coordinates, marks=marks)
    return DOCUMENT.format(
        title=escape(game.name if title is None else checks.text("title", title) or game.name),
        colors=AUTO if theme == "auto" else f":root {{ color-scheme: {theme}; }}",
        ratio=round(sheet.width / sheet.height, 3),
        page=sheet.colors.page,
        text=ink(sheet.colors),
        style=style(sheet.colors),
        game=fragment(sheet, states, moves, numbers),
        script=SCRIPT,
    )


def fragment(sheet: Sheet, states: Sequence[State], moves: Sequence[int], numbers: bool = True) -> str:
    """A game as a part of a page, which needs style() and, at its end, SCRIPT. A page can have several games.

    Keys act on the game that has the focus. On a page with a single game directly in <main> they always work.

    Raises:
        ValueError: not one state more than moves, or a row that is not a position of the game.
    """
    if len(states) != len(moves) + 1:
        raise ValueError(f"expected {len(moves) + 1} positions for {len(moves)} moves, got {len(states)}")
    game = sheet.game
    frames = [sheet.pieces(state, moves if numbers else ()) for state in states]
    captions = [_capital(status(game, state)) for state in states]
    return GAME.format(
        name=escape(f"game of {game.name}"),
        head=sheet.head(label=f"board: {captions[-1]}"),
        board=sheet.ground() + sheet.grid(),
        last=frames[-1],
        caption=escape(captions[-1]),
        end=len(moves),
        lists=_literal({"frames": frames, "captions": captions, "moves": [move_text(game, move) for move in moves]}),
    )


def style(palette: Palette) -> str:
    """The style sheet of games on a page, in these colours."""
    button = mix(palette.page, palette.board, 0.5)
    return STYLE.format(page=palette.page, text=ink(palette), line=palette.line, button=button, accent=palette.more)


def ink(palette: Palette) -> str:
    """The colour of a page's text."""
    return mix(palette.ink, palette.edge, 0.7)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _literal(lists: dict[str, list[str]]) -> str:
    """Texts as JSON, escaped so that it cannot end the surrounding <script>."""
    return json.dumps(lists, ensure_ascii=True, separators=(",", ":")).replace("</", "<\\/").replace("<!--", "<\\!--")
