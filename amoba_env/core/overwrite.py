"""Copy one row over another."""

from typing import Any

from numpy.typing import NDArray

from amoba_env.core.jit import jit


@jit
def overwrite(row: NDArray[Any], source: NDArray[Any]) -> None:
    """Write `source` over the beginning of `row`. Both have one dimension; `row` may be longer, but not shorter.

    `row[:] = source` would do the same, but Numba compiles 2 s longer for it: its error message for rows of different
    lengths is compiled too, in each process, since the disk cache does not keep Numba's own functions.
    """
    for i in range(len(source)):
        row[i] = source[i]
