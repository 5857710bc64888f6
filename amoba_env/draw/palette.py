"""Colours. Those of seats can be told apart by people who do not see red from green, on light and dark boards.

A drawing in the colours of PAGE has none of its own: it takes those of the web page that it stands in (`variables`),
and so turns dark and light with it. Browsers understand it, other programs do not.
"""

from typing import NamedTuple


class Palette(NamedTuple):
    """The colours of a drawing, each as "#rrggbb" or, for web pages, what CSS takes for one."""

    page: str
    ink: str  # coordinates
    board: str
    line: str
    edge: str  # around stones
    win: str  # behind the winning cells
    alarm: str  # forbidden points
    more: str  # heat above zero
    less: str  # heat below zero


THEMES = {
    "light": Palette(
        page="#ffffff",
        ink="#5f5a52",
        board="#ecd7b0",
        line="#a78555",
        edge="#35302a",
        win="#ff8c1a",
        alarm="#c2185b",
        more="#1f6fd1",
        less="#c8461e",
    ),
    "dark": Palette(
        page="#1b1c20",
        ink="#a9a39a",
        board="#5a4e41",
        line="#95846c",
        edge="#d8d0c4",
        win="#ffb02e",
        alarm="#ff80ab",
        more="#6db3ff",
        less="#ff9166",
    ),
}

PAGE = Palette(*(f"var(--{name})" for name in Palette._fields))


def variables(theme: str) -> str:
    """The colours of a theme as the variables of CSS that PAGE stands for: "--page:#ffffff;--ink:..."."""
    return ";".join(f"--{name}:{color}" for name, color in zip(Palette._fields, THEMES[theme], strict=True))


# By the words of Game.colors. Lightness tells red from green, and from their neighbours here.
STONES = {
    "black": "#1c1c1e",
    "white": "#fbfaf7",
    "red": "#c8321e",
    "green": "#2fb58a",
    "blue": "#1b5fb4",
    "yellow": "#f4d93b",
    "violet": "#d58be0",
}


def stone(color: str, seat: int) -> str:
    """The colour of a seat's stones by its word; words that are not known here get one by their seat."""
    return STONES.get(color) or list(STONES.values())[seat % len(STONES)]


def channels(color: str) -> tuple[int, int, int]:
    """Red, green and blue, 0..255, of "#rrggbb"."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def mix(one: str, other: str, share: float) -> str:
    """A colour between two, with this share (0..1) of the other."""
    if "(" in one + other:
        return f"color-mix(in srgb, {other} {100 * share:.0f}%, {one})"
    pairs = zip(channels(one), channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def on(color: str) -> str:
    """Black or white ink, whichever is easier to read on this colour."""
    r, g, b = channels(color)
    return "#16161a" if 0.299 * r + 0.587 * g + 0.114 * b > 125 else "#ffffff"
