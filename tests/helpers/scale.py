"""How often tests of the server try: a little in the suite, very often in `make scale`, which sets AMOBA_SCALE."""

from __future__ import annotations

import os

LARGE = bool(os.environ.get("AMOBA_SCALE"))


def tries(few: int, many: int) -> int:
    """`few` in the suite, `many` in `make scale`."""
    return many if LARGE else few
