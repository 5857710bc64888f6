"""How many cases a test tries: in plain Python, which is a hundred times slower, a part of those tried compiled."""

from numba import config


def cases(count: int) -> int:
    """`count`, or a tenth of it where the compiler is switched off."""
    return -(-count // 10) if config.DISABLE_JIT else count
