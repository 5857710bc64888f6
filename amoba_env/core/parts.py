"""Parts: functions that only compiled functions call. They become machine code inside their callers.

By default Numba optimises each function with everything that it calls, and its callers do so again: this takes half of
the compile time. A part is stored before optimisation, also on the disk, and optimised once in each function that
Python calls.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core import codegen, compiler, dispatcher
from numba.core.lowering import Environment
from numba.core.registry import CPUDispatcher

Dispatcher: Any = CPUDispatcher  # Numba has no types
numba_dispatcher: Any = dispatcher
FunctionCompiler: Any = numba_dispatcher._FunctionCompiler
JITLibrary: Any = codegen.JITCodeLibrary


class Part(Dispatcher):  # type: ignore[misc, unused-ignore]
    """A function that compiled functions call."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._compiler = _Compiler(self.py_func, self.targetdescr, self.targetoptions, self.locals, compiler.Compiler)

    def add_overload(self, made: Any) -> None:
        """Store the code for these types of arguments. Numba's own method would also prepare calls from Python."""
        self.overloads[tuple(made.signature.args)] = made


class EntryCompiler(FunctionCompiler):  # type: ignore[misc, unused-ignore]
    """Turns a part into machine code that Python can call."""

    part: Part

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        self.part.compile(args)
        made = self.part.overloads[args]
        target, fndesc = made.target_context, made.fndesc
        library = target.codegen().create_library(fndesc.qualname)
        library.enable_object_caching()
        library.add_linking_library(made.library)
        target.create_cpython_wrapper(library, fndesc, made.environment, None, release_gil=True)
        function = target.get_executable(library, fndesc, made.environment)
        made = made._replace(library=library, entry_point=function, metadata={})
        for environment in made._find_referenced_environments():
            target.codegen().set_env(environment.env_name, environment)
        return made


class _Library(JITLibrary):  # type: ignore[misc, unused-ignore]
    """The code of a part and of what it calls."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Compiler(FunctionCompiler):  # type: ignore[misc, unused-ignore]
    def _compile_core(self, args: Any, return_type: Any) -> Any:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = True
        typing, target = self.targetdescr.typing_context, self.targetdescr.target_context
        library = _Library(target.codegen(), self.py_func.__qualname__)
        made = compiler.compile_extra(typing, target, self.py_func, args, return_type, flags, self.locals, library)
        library.finalize()
        return _named(made)


def _named(made: Any) -> Any:
    """The same with an entry point, by which Numba finds the function when others call it."""
    made = made._replace(entry_point=object())
    made.target_context.insert_user_function(made.entry_point, made.fndesc, [made.library])
    return made


def environments(packed: tuple[Any, ...]) -> list[Any]:
    """Numba's environments of a packed function and of all in it: the Python objects that its code reads."""
    found = [each for each in packed if isinstance(each, Environment)]
    return [*found, *packed[-1]]


def complete(packed: tuple[Any, ...], constants: list[list[Any]]) -> None:
    """Restore the constants of environments that are missing.

    A part and what Python calls share an environment, and only the latter has the constants of its result, such as the
    type of an array. Numba keeps the environment that it reads first in a process, and drops the other.
    """
    for each, known in zip(environments(packed), constants, strict=True):
        each.consts.extend(known[len(each.consts) :])


def packed(made: Any) -> tuple[Any, ...]:
    """A compiled part as values that can be pickled."""
    made.fndesc.typemap = made.fndesc.calltypes = None
    code = made.library._get_module_for_linking().as_bitcode()
    environments = made._find_referenced_environments()
    return made.library.name, code, made.fndesc, made.environment, made.signature, environments


def unpacked(target: Any, name: str, code: bytes, fndesc: Any, own: Any, signature: Any, others: Any) -> Any:
    """The inverse of packed()."""
    library = _Library(target.codegen(), name)
    library._final_module = library._shared_module = llvm.parse_bitcode(code)
    library._finalize_final_module()
    return _named(
        compiler.compile_result(
            target_context=target,
            library=library,
            fndesc=fndesc,
            environment=own,
            signature=signature,
            objectmode=False,
            lifted=(),
            reload_init=[],
            referenced_envs=others,
        )
    )
