"""Studies: the thesis's table, and questions that matches answer, section by section."""

from __future__ import annotations

from amoba_experiments.studies import first_move, halma_depths
from amoba_experiments.studies.section import Section

STUDIES: dict[str, dict[str, Section]] = {
    "halma": {section.name: section for section in halma_depths.SECTIONS},
    "gomoku": {first_move.FIRST_MOVE.name: first_move.FIRST_MOVE},
    "renju": {first_move.FORBIDDEN.name: first_move.FORBIDDEN},
}
