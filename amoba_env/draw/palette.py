"""Colours of drawings.

The colours of seats differ in lightness too, for people who cannot tell red from green. The contrasts are those of
WCAG 2.2, level AA: 4.5 for text; 3 for lines, rings and outlines against what lies behind them.

A drawing with the palette PAGE takes its colours from variables of the web page around it (see `variables`), so it is
light or dark like the page. Only browsers can show it.
"""

from typing import NamedTuple


class Palette(NamedTuple):
    """The colours of a drawing, each as "#rrggbb" or, on web pages, any CSS colour."""

    page: str
    ink: str  # coordinates
    board: str
    line: str  # of the grid, and around goals
    edge: str  # around stones and winning cells
    win: str  # behind the winning cells
    alarm: str  # forbidden points
    more: str  # the ring around the last move; on pages also controls
    above: str  # cells with heat above zero
    below: str  # cells with heat below zero


THEMES = {
    "light": Palette(
        page="#ffffff",
        ink="#5f5a52",
        board="#f0dfbf",
        line="#6f5020",
        edge="#2e2923",
        win="#ff8c1a",
        alarm="#a3124a",
        more="#1a5cb0",
        above="#6ab1ff",
        below="#ff8f5c",
    ),
    "dark": Palette(
        page="#1b1c20",
        ink="#a9a39a",
        board="#3d342b",
        line="#c9b89f",
        edge="#e9e2d8",
        win="#b35f00",
        alarm="#ff9dbd",
        more="#82bfff",
        above="#1f5fae",
        below="#a53e18",
    ),
}

PAGE = Palette(*(f"var(--{name})" for name in Palette._fields))


def variables(theme: str) -> str:
    """The colours of a theme as the CSS variables that PAGE refers to: "--page:#ffffff;--ink:..."."""
    return ";".join(f"--{name}:{color}" for name, color in zip(Palette._fields, THEMES[theme], strict=True))


# By the words of Game.colors.
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
    """The colour of a seat's stones by its word; an unknown word gets a colour by the number of the seat."""
    return STONES.get(color) or list(STONES.values())[seat % len(STONES)]


def channels(color: str) -> tuple[int, int, int]:
    """Red, green and blue, 0..255, of "#rrggbb"."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def mix(one: str, other: str, share: float) -> str:
    """A mixture of two colours, with this share (0..1) of the second."""
    if "(" in one + other:
        return f"color-mix(in srgb, {other} {100 * share:.0f}%, {one})"
    pairs = zip(channels(one), channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def on(color: str) -> str:
    """Black or white, whichever has more contrast on this colour: at least 4.5."""
    return max("#000000", "#ffffff", key=lambda ink: contrast(ink, color))


def contrast(one: str, other: str) -> float:
    """The contrast of two colours "#rrggbb" as WCAG 2.2 defines it: 1..21."""
    dark, light = sorted(map(_luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    shares = [channel / 255 for channel in channels(color)]
    r, g, b = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
