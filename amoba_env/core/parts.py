"""Compiled functions become machine code only where Python calls them.

Numba optimises each function together with all that it calls, and makes machine code of it; its callers then do so
again. For a function that only compiled functions call, this takes half of the compile time and is of no use. Here such
a function stays as it is before the optimisation (a part), until Python calls it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba.core import compiler, dispatcher
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature

from amoba_env.core.interrupt import aside

NumbaDispatcher: Any = CPUDispatcher  # Numba has no types
NumbaCompiler: Any = dispatcher._FunctionCompiler  # type: ignore[attr-defined, unused-ignore]
NumbaLibrary: Any = JITCodeLibrary


class Library(NumbaLibrary):  # type: ignore[misc, unused-ignore]
    """The code of a function and of all that it calls."""

    is_machine_code = False

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.enable_object_caching()

    def _optimize_final_module(self) -> None:
        if self.is_machine_code:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if self.is_machine_code:
            super()._finalize_final_module()
        else:
            self._finalize_dynamic_globals()
            self._finalized = True

    def make_machine_code(self) -> None:
        """Optimise the code and make machine code of it. Functions that are compiled later still get it as it is."""
        self._get_module_for_linking()
        self.is_machine_code = True
        self._optimize_final_module()
        self._finalize_final_module()

    def serialize_using_object_code(self) -> Any:
        """The library as values that can be pickled."""
        return super().serialize_using_object_code() if self.is_machine_code else self.serialize_using_bitcode()


class Compiler(NumbaCompiler):  # type: ignore[misc, unused-ignore]
    """Compiles functions to parts."""

    wanted: tuple[Any, ...] | None = None  # the types of arguments with which Python calls the function

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        flags = compiler.Flags()  # type: ignore[attr-defined, unused-ignore]
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = True
        flags.no_cpython_wrapper = args != self.wanted
        typing, target = self.targetdescr.typing_context, self.targetdescr.target_context
        library = Library(target.codegen(), self.py_func.__qualname__)
        made = compiler.compile_extra(typing, target, self.py_func, args, return_type, flags, self.locals, library)
        library.finalize()
        if args == self.wanted:
            library.make_machine_code()
        made = made._replace(entry_point=object())  # by which callers find it
        target.insert_user_function(made.entry_point, made.fndesc, [library])
        return made


class Dispatcher(NumbaDispatcher):  # type: ignore[misc, unused-ignore]
    """A compiled function. Compiled functions that call it get a part, Python gets machine code."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._compiler = Compiler(self.py_func, self.targetdescr, self.targetoptions, self.locals, compiler.Compiler)
        self.entries: dict[tuple[Any, ...], Any] = {}  # what Python calls, by types of arguments

    def compile(self, signature: Any) -> Any:
        """Compile for these argument types; for calls from Python in another thread, so that Ctrl-C works at once."""
        if global_compiler_lock.is_locked():
            return super().compile(signature)  # for a caller that is being compiled
        return aside(self._compile_for_python, signature)

    def _compile_for_python(self, signature: Any) -> Any:
        args = tuple(normalize_signature(signature)[0])
        with global_compiler_lock, _rare_collections():
            self._compiler.wanted = args
            super().compile(signature)
            if args not in self.entries:  # it was a part before, or on the disk
                made = self._compiler.compile(args, None)
                self.add_overload(made)
                self._cache.save_overload(signature, made)
            return self.entries[args]

    def add_overload(self, made: Any) -> None:
        """Store what was compiled or loaded."""
        args = tuple(made.signature.args)
        self.overloads[args] = made
        entry = made.entry_point
        if isinstance(made.library, Library):
            if not made.library.is_machine_code:
                return
            entry = self.targetctx.get_executable(made.library, made.fndesc, made.environment)
            for each in made._find_referenced_environments():
                made.codegen.set_env(each.env_name, each)
        self.entries[args] = entry
        self._insert([each._code for each in args], entry, False)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Collect garbage rarely: Numba keeps many objects, and frequent collections take an eighth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def rebuilt(target: Any, state: tuple[Any, ...]) -> Any:
    """A function from the values that its _reduce() gave."""
    (name, kind, code), fndesc, environment, signature, *_, others = state
    if kind == "object":
        return compiler.CompileResult._rebuild(target, *state)
    library = Library(target.codegen(), name)
    library._final_module = llvm.parse_bitcode(code)
    library.finalize()
    return compiler.compile_result(
        typing_context=target.typing_context,
        target_context=target,
        entry_point=object(),
        library=library,
        signature=signature,
        objectmode=False,
        lifted=(),
        fndesc=fndesc,
        environment=environment,
        reload_init=[],
        referenced_envs=others,
    )
