"""Studies that are played again: the thesis's table, and questions that matches answer, section by section."""

from __future__ import annotations

from experiments.reproduce import halma, lines
from experiments.reproduce.section import Section

STUDIES: dict[str, dict[str, Section]] = {
    "halma": {section.name: section for section in halma.SECTIONS},
    "gomoku": {lines.FIRST_MOVE.name: lines.FIRST_MOVE},
    "renju": {lines.FORBIDDEN.name: lines.FORBIDDEN},
}
