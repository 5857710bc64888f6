"""How often tests try: a little in the suite, very often in `make scale` (the server) and `make wins` (alphabeta).

These set AMOBA_SCALE to 1. With AMOBA_SCALE=0.1 they try a tenth of that.
"""

from __future__ import annotations

import os

SCALE = float(os.environ.get("AMOBA_SCALE") or 0)
LARGE = SCALE > 0


def tries(few: int, many: int) -> int:
    """`few` in the suite, `many` in `make scale` and `make wins`."""
    return max(few, round(many * SCALE)) if LARGE else few
