"""`uncounted(array)`: the same array, not counted by Numba.

Numba counts who holds an array, also each row of a batch that is passed from function to function; without the counting
a step of a batch takes half the time (317 and 154 ns a move, gomoku 10x10). So functions that walk through batches
begin by borrowing them. Their caller keeps the arrays alive.
"""

from typing import TYPE_CHECKING, Any, TypeVar

from numba.core import config as numba_config
from numba.core.cgutils import get_null_value
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

Array = TypeVar("Array")

config: Any = numba_config  # its attributes are made at run time

if TYPE_CHECKING or config.DISABLE_JIT:

    def uncounted(array: Array) -> Array:
        """The array itself."""
        return array

else:

    @intrinsic
    def uncounted(typing_context: Any, array: Any) -> Any:
        """The same array without what its holders are counted by."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            borrowed = make_array(signature.args[0])(context, builder, arguments[0])
            borrowed.meminfo = get_null_value(borrowed.meminfo.type)
            return borrowed._getvalue()

        return array(array), generate
