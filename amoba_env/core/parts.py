"""What compiled functions call: parts, which are linked into them and become machine code there, once.

Numba would make machine code of each function that another one calls, and optimise it again in every caller above it:
half of the time of compiling. Only functions that Python calls need machine code of their own.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core import compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.dispatcher import _FunctionCompiler
from numba.core.registry import CPUDispatcher


class Library(JITCodeLibrary):
    """The code of a part and of what it calls, before optimisation."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class Compiler(_FunctionCompiler):
    """Compiles parts."""

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = True
        target = self.targetdescr
        library = Library(target.target_context.codegen(), self.py_func.__qualname__)
        made = compiler.compile_extra(
            target.typing_context, target.target_context, self.py_func, args, return_type, flags, {}, library
        )
        library._ensure_finalized()
        return _named(made)


def _named(made: Any) -> Any:
    """The same, with a name by which callers find it. Numba's are functions that can be called from Python."""
    made = made._replace(entry_point=object())
    made.target_context.insert_user_function(made.entry_point, made.fndesc, [made.library])
    return made


def pack(made: Any) -> tuple[Any, ...]:
    made.fndesc.typemap = made.fndesc.calltypes = None
    library = made.library
    environments = made._find_referenced_environments()
    return library.name, library._get_module_for_linking().as_bitcode(), made.fndesc, made.signature, environments


def unpack(context: Any, name: str, code: bytes, fndesc: Any, signature: Any, environments: Any) -> Any:
    library = Library(context.codegen(), name)
    library._final_module = library._shared_module = llvm.parse_bitcode(code)
    library._finalize_final_module()
    made = compiler.compile_result(
        target_context=context, library=library, fndesc=fndesc, signature=signature, objectmode=False,
        referenced_envs=environments
    )
    return _named(made)


class Part(CPUDispatcher):
    """A function as other compiled functions call it."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._compiler = Compiler(self.py_func, self.targetdescr, self.targetoptions, self.locals, compiler.Compiler)

    def add_overload(self, made: Any) -> None:
        """Numba would also keep it for calls from Python."""
        self.overloads[tuple(made.signature.args)] = made
