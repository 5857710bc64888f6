"""`uncounted(array)`: the same array without Numba's reference counting.

Numba counts the references to every array, also to each row of a batch that is passed from function to function.
Without the counting a step of a batch takes half the time (154 instead of 317 ns a move, gomoku 10x10). So functions
that loop over a batch first make uncounted copies of the array headers; the data are shared. The caller must keep the
arrays alive.
"""

from typing import TYPE_CHECKING, Any, TypeVar

from numba.core import config as numba_config
from numba.extending import intrinsic

Array = TypeVar("Array")

config: Any = numba_config  # its attributes are made at run time

if TYPE_CHECKING or config.DISABLE_JIT:

    def uncounted(array: Array) -> Array:
        """The array itself."""
        return array

else:

    @intrinsic
    def uncounted(typing_context: Any, array: Any) -> Any:
        """The same array without its reference counter."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            from numba.core.cgutils import get_null_value
            from numba.np.arrayobj import make_array  # takes long to import, and only compiling needs it

            view = make_array(signature.args[0])(context, builder, arguments[0])
            view.meminfo = get_null_value(view.meminfo.type)
            return view._getvalue()

        return array(array), generate
