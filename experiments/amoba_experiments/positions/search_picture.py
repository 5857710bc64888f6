"""`amoba explain`: the search of one move of halma as a picture, small boards in order with their distances."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple

from amoba_agents import Seat, make_agent
from amoba_agents.players.lookahead_tree import FirstMove, all_home, first_moves, known_depth, second_moves
from amoba_env import checks
from amoba_env.core.state import State
from amoba_env.draw import page
from amoba_env.draw.palette import PAGE, THEMES, Palette, mix, variables
from amoba_env.draw.picture import Sheet
from amoba_env.files import write
from amoba_env.notation import move_text
from amoba_env.position import Position

KINDS = (".svg", ".html")
DEPTH = 4  # the deepest search that is drawn
NEAR = 1  # second moves are shown of first moves that end at most this much farther than the best
MOST = 12  # second moves that are shown of a first one

WIDE, GAP, PAD, LINE = 184, 14, 8, 21  # of a small board in pixels; the space between; inside; a line of text
ACROSS = 6  # small boards in a row


class Card(NamedTuple):
    """A small board with lines of text below."""

    state: State
    text: tuple[str, ...]
    marked: bool = False  # the best
    played: bool = False


class Part(NamedTuple):
    """Small boards under a title."""

    title: str
    cards: list[Card]


def explain_file(position: Position, player: str, seed: int, file: Path, theme: str = "light") -> None:
    """Write the picture of a search.

    Args:
        position: of halma or another game in which men move; whose turn it is chooses.
        player: "greedy" or "lookahead:D", D up to DEPTH.
        seed: which of equal moves is played.
        file: ends in .svg or .html.
        theme: of an SVG; a page follows its reader.

    Raises:
        ValueError: another game, player or file, or the game is over.
        OSError: the file cannot be written.
    """
    kind = file.suffix.lower()
    if kind not in KINDS:
        raise ValueError(f"{str(file)!r}: expected a file that ends in {' or '.join(KINDS)}")
    if theme not in THEMES:
        raise ValueError(f"unknown theme {theme!r}; the themes: {', '.join(THEMES)}")
    parts = search_parts(position, player, checks.seed(seed))
    sheet = Sheet(position.game, PAGE if kind == ".html" else theme, coordinates=False)
    write(file, _page(sheet, parts) if kind == ".html" else _svg(sheet, parts))


def search_parts(position: Position, player: str, seed: int) -> list[Part]:
    """The position, all first moves, and the second moves of promising ones, with the best marked.

    Distances are 0 when all men are home, as in the thesis.
    """
    agent = make_agent(player)
    if known_depth(agent) > DEPTH:
        raise ValueError(f"{player}: expected at most {DEPTH} moves ahead")
    game, seat = position.game, position.to_move
    home = all_home(game, seat)
    firsts = first_moves(agent, position)
    least = min(line.value for line in firsts)
    played = Seat(agent, position, seed).act(position)
    color = game.color(position.state, seat)
    depth = known_depth(agent)

    def card(line: FirstMove, first: FirstMove | None = None) -> Card:
        name = f"{line.number}: {move_text(game, line.action)}"
        ends = f", best {_value(line.value, home)}" if depth > (1 if first is None else 2) else ""
        text = (name if first is None else f"{first.number}, then {name}", f"{line.distance - home}{ends}")
        return Card(line.after.state, text, (first or line).best, first is None and line.action == played)

    ahead = "1 move" if depth == 1 else f"{depth} own moves"
    at_best = f", and the least after {ahead}" if depth > 1 else ""
    now = Card(position.state, (f"{color} to move", f"distance {position.distance(seat) - home}"))
    parts = [
        Part(f"{agent.name}: {color} looks {ahead} ahead", [now]),
        Part(f"First moves. Numbers: the step distance after the move (0: all home){at_best}", [*map(card, firsts)]),
    ]
    seconds = []
    for line in firsts:
        if line.value <= least + NEAR:
            best = [each for each in second_moves(agent, line) if each.best]
            seconds += [card(each, line) for each in best[:MOST]]
    title = "The best second moves after promising ones. Numbers: the step distance after both" + at_best * (depth > 2)
    return [*parts, Part(title, seconds)] if seconds else parts


def _value(value: int, home: int) -> str:
    return "home early" if value == 0 else str(value - home)


def _frame(card: Card, look: Palette) -> str:
    """The colour of the frame of a card."""
    return look.win if card.marked else mix(look.page, look.line, 0.35)


def _lines(card: Card) -> tuple[str, ...]:
    note = "best, played" if card.played else "best" if card.marked else ""
    return (*card.text, note)


def _board(sheet: Sheet, card: Card, place: str) -> str:
    """A small board as an SVG of its own, or within another at a place."""
    box = f"{sheet.left} {sheet.top} {sheet.width} {sheet.height}"
    drawn = sheet.ground() + sheet.grid() + sheet.pieces(card.state)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {place} viewBox="{box}">{drawn}</svg>'


def _svg(sheet: Sheet, parts: list[Part]) -> str:
    """All parts one below the other."""
    look, tall = sheet.colors, round(WIDE * sheet.height / sheet.width)
    high = tall + 2 * PAD + 3 * LINE
    width = GAP + ACROSS * (WIDE + 2 * PAD + GAP)
    drawn, y = [], GAP
    for part in parts:
        drawn.append(f'<text x="{GAP}" y="{y + LINE}" font-size="18" font-weight="700">{escape(part.title)}</text>')
        y += 2 * LINE
        for i, card in enumerate(part.cards):
            x, top = GAP + i % ACROSS * (WIDE + 2 * PAD + GAP), y + i // ACROSS * (high + GAP)
            thick = 4 if card.marked else 1.5
            drawn.append(
                f'<rect class="{"best" if card.marked else "card"}" x="{x}" y="{top}" width="{WIDE + 2 * PAD}" '
                f'height="{high}" rx="8" fill="none" stroke="{_frame(card, look)}" stroke-width="{thick}"/>'
                + _board(sheet, card, f'x="{x + PAD}" y="{top + PAD}" width="{WIDE}" height="{tall}"')
            )
            for row, text in enumerate(_lines(card)):
                bold = ' font-weight="700"' if row == 2 else ""
                at = f'x="{x + PAD + WIDE // 2}" y="{top + PAD + tall + (row + 0.8) * LINE:.0f}"'
                drawn.append(f'<text {at} font-size="15" text-anchor="middle"{bold}>{escape(text)}</text>')
        y += -(-len(part.cards) // ACROSS) * (high + GAP) + GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" height="{y}" role="img" '
        f'font-family="sans-serif" fill="{page.ink(look)}"><title>{escape(parts[0].title)}</title>'
        f'<rect width="{width}" height="{y}" fill="{look.page}"/>{"".join(drawn)}</svg>\n'
    )


HTML = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; {light} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}
body {{ margin: 0 auto; padding: 1rem; max-width: 78rem; background: var(--page); color: {text};
  font: 1rem/1.35 system-ui, sans-serif; }}
h1 {{ font-size: 1.4rem; }} h2 {{ font-size: 1.05rem; margin: 1.6rem 0 .6rem; }}
.cards {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: .8rem; }}
figure {{ margin: 0; padding: .5rem; border: 2px solid {card}; border-radius: .5rem; break-inside: avoid; }}
figure.best {{ border-color: var(--win); border-width: 4px; padding: calc(.5rem - 2px); }}
figure svg {{ display: block; width: 100%; height: auto; }}
figcaption {{ text-align: center; overflow-wrap: anywhere; }} figcaption span {{ display: block; }}
@media print {{ * {{ print-color-adjust: exact; -webkit-print-color-adjust: exact; }} }}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def _page(sheet: Sheet, parts: list[Part]) -> str:
    """The same as a page, as broad as its reader's window."""
    body = []
    for number, part in enumerate(parts):
        figures = "".join(
            f"<figure{' class=best' if card.marked else ''}>{_board(sheet, card, '')}<figcaption>"
            + "".join(f"<span>{escape(text)}</span>" for text in _lines(card) if text)
            + "</figcaption></figure>"
            for card in part.cards
        )
        tag = "h2" if number else "h1"
        body.append(f'<{tag}>{escape(part.title)}</{tag}>\n<div class="cards">{figures}</div>')
    return HTML.format(
        title=escape(parts[0].title),
        light=variables("light"),
        dark=variables("dark"),
        text=page.ink(PAGE),
        card=mix(PAGE.page, PAGE.line, 0.35),
        body="\n".join(body),
    )
