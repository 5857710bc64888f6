"""A plugin of mypy: `np.int64(x)` is an `int`.

In compiled code it tells Numba a number type, and a function whose annotation says `int` takes it.
"""

from collections.abc import Callable

from mypy.plugin import FunctionContext, Plugin
from mypy.types import Type


class Numbers(Plugin):
    """See above."""

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """What mypy asks for each function and class that is called."""
        return _an_int if fullname == "numpy.signedinteger" else None


def _an_int(context: FunctionContext) -> Type:
    return context.api.named_generic_type("builtins.int", [])


def plugin(version: str) -> type[Plugin]:
    """What mypy looks for."""
    return Numbers
