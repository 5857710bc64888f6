"""`amoba explain`: the search of one move of halma as a picture, small boards in order with their distances."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple

from amoba_agents import Seat, make_agent
from amoba_agents.players.lookahead_tree import FirstMove, all_home, as_lookahead, first_moves, second_moves
from amoba_env import checks
from amoba_env.core.state import State
from amoba_env.draw import page
from amoba_env.draw.palette import THEMES, mix
from amoba_env.draw.picture import Sheet
from amoba_env.files import ending, write
from amoba_env.notation import move_text
from amoba_env.position import Position

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
        file: ends in .svg.
        theme: "light" or "dark".

    Raises:
        ValueError: another game, player or file, or the game is over.
        OSError: the file cannot be written.
    """
    ending(file, ".svg")
    if theme not in THEMES:
        raise ValueError(f"unknown theme {theme!r}; the themes: {', '.join(THEMES)}")
    parts = search_parts(position, player, checks.seed(seed))
    write(file, _svg(Sheet(position.game, theme, coordinates=False), parts))


def search_parts(position: Position, player: str, seed: int) -> list[Part]:
    """The position, all first moves, and the second moves of promising ones, with the best marked.

    Distances are 0 when all men are home, as in the thesis.
    """
    agent = make_agent(player)
    if (depth := as_lookahead(agent).depth) > DEPTH:
        raise ValueError(f"{player}: expected at most {DEPTH} moves ahead")
    game, seat = position.game, position.to_move
    home = all_home(game, seat)
    firsts = first_moves(agent, position)
    least = min(line.value for line in firsts)
    played = Seat(agent, position, seed).act(position)
    color = game.color(position.state, seat)

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


def _lines(card: Card) -> tuple[str, ...]:
    note = "best, played" if card.played else "best" if card.marked else ""
    return (*card.text, note)


def _board(sheet: Sheet, card: Card, place: str) -> str:
    """A small board at a place of the picture."""
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
            frame, thick = (look.win, 4) if card.marked else (mix(look.page, look.line, 0.35), 1.5)
            drawn.append(
                f'<rect class="{"best" if card.marked else "card"}" x="{x}" y="{top}" width="{WIDE + 2 * PAD}" '
                f'height="{high}" rx="8" fill="none" stroke="{frame}" stroke-width="{thick}"/>'
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
