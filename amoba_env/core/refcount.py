"""`uncounted(array)`: the same array, or tuple of arrays, without Numba's reference counting.

Numba counts the references to every array, even to each row of a batch that one function passes to another. Without
counting a step of a batch takes half the time (154 instead of 317 ns a move, gomoku 10x10). So functions that loop over
a batch first make uncounted copies of the array headers. They share the data: the caller must keep the arrays alive.
"""

from typing import TYPE_CHECKING, Any, TypeVar

from numba.core import config as numba_config

from amoba_env.core.plain import in_place_of

Array = TypeVar("Array")

config: Any = numba_config  # its attributes are made at run time


def uncounted(array: Array) -> Array:
    """The array itself."""
    return array


if not (TYPE_CHECKING or config.DISABLE_JIT):

    @in_place_of(uncounted)
    def uncounted(typing_context: Any, array: Any) -> Any:
        """The same array without its reference counter; of a tuple, all arrays in it."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return without_counter(context, builder, signature.args[0], arguments[0])

        return array(array), generate

    def without_counter(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        """See uncounted()."""
        from numba.core import cgutils, types
        from numba.np.arrayobj import make_array  # takes long to import, and only compiling needs it

        if isinstance(kind, types.Array):
            view = make_array(kind)(context, builder, value)
            view.meminfo = cgutils.get_null_value(view.meminfo.type)
            return view._getvalue()
        if isinstance(kind, types.BaseTuple):
            parts = zip(kind.types, cgutils.unpack_tuple(builder, value), strict=True)
            return context.make_tuple(builder, kind, [without_counter(context, builder, *part) for part in parts])
        return value
