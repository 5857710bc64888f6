"""Commands made from functions: annotated parameters are the options, and Click parses them.

    def perft(game: Annotated[str, Argument(metavar="GAME")], divide: Annotated[bool, Flag("--divide")] = False)

Click's own decorators would name each parameter twice. A command is built only when it is used.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import click

from amoba_env.options import Option

INTERRUPTED = 130  # exit code
Function = TypeVar("Function", bound=Callable[..., None])


class Parameter:
    """The annotation of a parameter, after its type in `Annotated`; help and bounds may be those of an
    `amoba_env.options.Option`.

    Types are int, float, str, bool, Path, a Literal of texts, and a list of them (any number of words); with None the
    parameter is optional.
    """

    def __init__(
        self,
        *names: str,
        help: str = "",
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
        show_default: str | None = None,
        complete: Callable[[str], list[str]] | None = None,
    ) -> None:
        """The names of an option (by default the parameter's); its text in --help; bounds; the default's name
        in --help; the completion of a word in a shell."""
        self.names, self.help, self.metavar, self.show_default = names, help, metavar, show_default
        self.bounds, self.complete = (min, max), complete

    def type_of(self, kind: Any) -> Any:
        """Click's type for a type."""
        if get_origin(kind) is Literal:
            return click.Choice(get_args(kind))
        if self.bounds != (None, None):
            bounds: Any = self.bounds
            return (click.IntRange if kind is int else click.FloatRange)(*bounds)
        return NamedPath(path_type=Path, readable=False) if kind is Path else kind


class NamedPath(click.Path):
    """A file or a folder. An empty name is refused: it would mean the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See Click."""
        return super().convert(value or self.fail("expected a path, got ''", param, ctx), param, ctx)


class Argument(Parameter):
    """An argument by position."""


class Flag(Parameter):
    """An option of the command line: a name and a value, or for a bool a name alone."""


class Commands(click.Group):
    """Functions as commands. --help lists each with the first sentence of its docstring."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.functions: dict[str, tuple[Callable[..., None], str]] = {}

    def command(self, name: str = "", *, epilog: str = "") -> Callable[[Function], Function]:  # type: ignore[override]
        """Add a function, by its own name if no other is given."""

        def added(function: Function) -> Function:
            self.functions[name or function.__name__] = (function, epilog)
            return function

        return added

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which the functions were added."""
        return list(self.functions)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of this name, or None."""
        if name in self.functions and name not in self.commands:
            self.commands[name] = _built(name, *self.functions[name])
        return self.commands.get(name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """See Click. Raises ValueError, which names the commands."""
        if args[0] not in self.functions and not ctx.resilient_parsing:
            raise ValueError(f"unknown command {args[0]!r}; the commands: {', '.join(self.functions)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Ctrl-C gives an exit code; Click would also print an empty line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        texts = {name: " ".join((function.__doc__ or "").split()) for name, (function, _) in self.functions.items()}
        with formatter.section("Commands"):
            formatter.write_dl([(name, f"{text.partition('. ')[0].rstrip('.')}.") for name, text in texts.items()])


def _built(name: str, function: Callable[..., None], epilog: str) -> click.Command:
    """The command that calls a function with lists in place of Click's tuples."""
    parameters = inspect.signature(function).parameters
    hints = get_type_hints(function, include_extras=True)

    def call(**typed: Any) -> None:
        for key, value in typed.items():
            if isinstance(value, tuple):
                typed[key] = list(value) or parameters[key].default
        function(**typed)

    return click.Command(
        name,
        callback=call,
        params=[_read(key, hints[key], parameter.default) for key, parameter in parameters.items()],
        help=inspect.getdoc(function),
        epilog=epilog,
    )


def _read(name: str, hint: Any, default: Any) -> click.Parameter:
    """The parameter of Click for a parameter of a function."""
    kind, *more = get_args(hint)
    if NoneType in get_args(kind):  # X | None
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    if get_origin(kind) is Annotated:
        kind, *inner = get_args(kind)
        more += inner
    told = next((each for each in more if isinstance(each, Parameter)), None) or Flag()
    for means, *bounds in (each for each in more if isinstance(each, Option)):
        told.help, told.bounds = f"{means[0].upper()}{means[1:]}.", (bounds[0], bounds[1])
    many = get_origin(kind) is list
    if many:
        (kind,) = get_args(kind)
    shared: dict[str, Any] = {"type": told.type_of(kind), "help": told.help, "metavar": told.metavar}
    required = shared["required"] = default is inspect.Parameter.empty
    if not (required or many):
        shared["default"] = default
    if told.complete is not None:
        shared["shell_complete"] = _completed(told.complete)
    if isinstance(told, Argument):
        if told.metavar is not None and not required:
            shared["metavar"] = f"[{told.metavar}]"
        return click.Argument([name], nargs=-1 if many else 1, **shared)
    names = told.names or (f"--{name.replace('_', '-')}",)
    shown = told.show_default or not (required or default in (None, "") or default is False)
    if told.metavar is None and kind in (int, float):
        shared["metavar"] = "NUMBER"
    return click.Option([name, *names], is_flag=kind is bool, multiple=many, show_default=shown, **shared)


def _completed(complete: Callable[[str], list[str]]) -> Callable[[Any, Any, str], Sequence[Any]]:
    return lambda context, parameter, typed: complete(typed)
