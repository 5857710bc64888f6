"""Options: declared once, as the parameters of the function or class that takes them.

    size: Annotated[int, Option("cells on a side", 5, 100)] = 10

A parameter has a name, a type, a default value, what it means, and limits if it is a number. Checks, texts such as
"size=15", tables and forms are made from that, for games, players, stages of training, and what files hold.

An option `board: Annotated[str, Option("the board"), normal]` is passed through `normal(board)` first. So texts with
the same meaning become the same value, and a text that names a file is replaced by what the file holds.
"""

import functools
import inspect
import math
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import InitVar
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

from amoba_env import checks

Value = int | float | str | bool
Options = Mapping[str, Value]

F = TypeVar("F", bound=Callable[..., None])

_KINDS: dict[object, str] = {int: "a whole number", float: "a finite number", bool: "true or false", str: "a text"}


class Option(NamedTuple):
    """What an option means, and for a number the least and the greatest value."""

    means: str = ""
    least: float | None = None
    most: float | None = None


def option_of(parameter: inspect.Parameter) -> Option:
    """What is declared of an option; nothing if it has only a type."""
    more = getattr(parameter.annotation, "__metadata__", ())
    return next((each for each in more if isinstance(each, Option)), Option())


def kind_of(parameter: inspect.Parameter) -> Any:
    """The type of an option, without what else is declared; of a type or None the type."""
    kind = _bare(parameter)
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(each for each in get_args(kind) if each is not types.NoneType)
    return kind


def _bare(parameter: inspect.Parameter) -> Any:
    kind = parameter.annotation
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The options of a function or class, by name."""
    return _parameters(function)


@functools.lru_cache(maxsize=256)
def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    known = inspect.signature(function, eval_str=True).parameters
    many = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return {
        key: each for key, each in known.items() if each.kind not in many and not isinstance(each.annotation, InitVar)
    }


def check(name: str, function: Callable[..., Any], options: object) -> dict[str, Any]:
    """The given options as values of their types: NumPy's numbers and bools become Python's, lists tuples.

    Raises:
        ValueError: an unknown option, one that is missing and has no default value, a value of another type, or a
            number outside its limits.
    """
    known, given = parameters(function), checks.mapping(f"options of {name}", options)
    for key in given:
        if key not in known:
            raise ValueError(f"{name} has no option {checks.brief(key)}; its options: {', '.join(known) or 'none'}")
    for key, parameter in known.items():
        if key not in given and parameter.default is parameter.empty:
            raise ValueError(f"{name} has no value of {key!r}")
    return {key: convert(f"{name}: {key}", known[key], value) for key, value in given.items()}


def complete(name: str, function: Callable[..., Any], options: object) -> dict[str, Any]:
    """As check(), with the default values of those that are not given."""
    usual = {key: each.default for key, each in parameters(function).items() if each.default is not each.empty}
    return check(name, function, {**usual, **checks.mapping(f"options of {name}", options)})


def convert(name: str, parameter: inspect.Parameter, value: Any) -> Any:
    """A value as one of the option's type.

    Types are int, float, bool, str, a Literal, tuple[str, ...], a mapping, and each of these or None. Values of other
    types are returned as they are.

    Raises:
        ValueError: it is not one, or a number outside the limits; `name` begins the message.
    """
    kind, option = kind_of(parameter), option_of(parameter)
    if value is None and type(None) in get_args(_bare(parameter)):
        return None
    if kind is int:
        return checks.whole(name, value, *(None if each is None else int(each) for each in option[1:]))
    if kind is float:
        least, most = option[1:]
        return checks.real(name, value, -math.inf if least is None else least, math.inf if most is None else most)
    if kind is bool:
        return checks.flag(name, value)
    if get_origin(kind) is Literal:
        if all(type(each) is int for each in get_args(kind)):
            value = checks.whole(name, value)
        if type(value) not in map(type, get_args(kind)) or value not in get_args(kind):
            raise checks.BadValue(name, f"must be {_possible(kind)}, not {checks.brief(value)}")
        return value
    if kind == tuple[str, ...]:
        if not isinstance(value, (tuple, list)):
            raise checks.BadValue(name, f"must be a list of texts, not {checks.brief(value)}")
        return tuple(checks.text(f"each of {name}", each) for each in value)
    if get_origin(kind) is not None and issubclass(get_origin(kind), Mapping):
        return dict(checks.mapping(name, value))
    if kind is str:
        normal = [each for each in getattr(parameter.annotation, "__metadata__", ()) if callable(each)]
        return functools.reduce(lambda text, change: change(text), normal, checks.text(name, value))
    return value


def convert_fields(what: Any, prefix: str = "") -> None:
    """Convert the fields of a dataclass, as check() does: for its __post_init__. The prefix is that of errors."""
    for key, parameter in parameters(what.__class__).items():
        object.__setattr__(what, key, convert(prefix + key, parameter, getattr(what, key)))


def named(name: str) -> Callable[[F], F]:
    """Decorates the __init__ of a player: its options are checked first, and in the end self.name is its text.

    An option that can be given by position comes first in the text, without its name: "lookahead:2,ties=thesis".
    """

    def decorate(init: F) -> F:
        @functools.wraps(init)
        def checked(self: Any, *args: Any, **more: Any) -> None:
            given = inspect.Signature([*parameters(init).values()]).bind(self, *args, **more)
            given.apply_defaults()
            known = dict([*parameters(init).items()][1:])
            options = {key: convert(f"{name}: {key}", each, given.arguments[key]) for key, each in known.items()}
            init(self, **options)
            self.name = written(name, known, options)

        return checked  # type: ignore[return-value]

    return decorate


def written(name: str, known: Mapping[str, inspect.Parameter], options: Options) -> str:
    """A name with the options that differ from their default values, as text.

    The first option comes without its name, and always, if it can be given by position and is not an empty text.
    """
    parts: list[str] = []
    for key, parameter in known.items():
        if key == next(iter(known)) and parameter.kind is not parameter.KEYWORD_ONLY:
            parts += [text_of(options[key])] if options[key] != "" else []
        elif options[key] != parameter.default:
            parts.append(f"{key}={text_of(options[key])}")
    return ":".join([name, *([",".join(parts)] if parts else [])])


def text_of(value: Value | tuple[str, ...]) -> str:
    """A value as it is written in a text: 2, 0.5, true, exact, [random, greedy]."""
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def parse(name: str, function: Callable[..., Any], texts: Iterable[str]) -> dict[str, Value]:
    """Options from texts like "size=15". Raises ValueError that says what is possible."""
    options: dict[str, Value] = {}
    for text in [texts] if isinstance(texts, str) else checks.listed(f"options of {name}", texts):
        key, equals, value = checks.text(f"{name}: an option", text).partition("=")
        if not equals:
            raise ValueError(f"{name}: option {checks.brief(text)} should read name=value")
        if key not in parameters(function):
            check(name, function, {key: value})
        options[key] = parse_value(name, parameters(function)[key], value)
    return options


def parse_value(name: str, parameter: inspect.Parameter, text: str) -> Value:
    """The value of one option. Raises ValueError that says what is possible."""
    kind = kind_of(parameter)
    try:
        if kind is int:
            return int(text)
        if kind is float:
            return checks.real("", float(text))
        if kind is bool:
            return {"true": True, "false": False}[text.lower()]
        if get_origin(kind) is Literal:
            chosen: Value = {text_of(each): each for each in get_args(kind)}[text]
            return chosen
    except (ValueError, KeyError):
        problem = f"must be {_possible(kind)}, not {checks.brief(text)}"
        raise checks.BadValue(f"{name}: option {parameter.name}", problem) from None
    return text


def _possible(kind: Any) -> str:
    return _KINDS[kind] if kind in _KINDS else f"one of {', '.join(map(text_of, get_args(kind)))}"


def summary(function: Callable[..., Any]) -> str:
    """The first line of the docstring."""
    return (inspect.getdoc(function) or "").partition("\n")[0]


def choices(parameter: inspect.Parameter) -> str:
    """The default value as text, and the other values where they are few."""
    default, kind = text_of(parameter.default), kind_of(parameter)
    if get_origin(kind) is Literal:
        return "|".join(dict.fromkeys([default, *map(text_of, get_args(kind))]))
    return "true|false" if kind is bool and parameter.default else default


def described(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The summary, and the choices of each option by name."""
    return summary(function), {key: choices(each) for key, each in parameters(function).items()}


def possible(parameter: inspect.Parameter) -> str:
    """What an option can be, for tables: "1 to 20", "`uniform`, `thesis`", "a text"."""
    kind, (_, least, most) = kind_of(parameter), option_of(parameter)
    if get_origin(kind) is Literal:
        return ", ".join(f"`{text_of(each)}`" for each in get_args(kind))
    if least is not None:
        form = "{:,.12g}" if kind is float else "{:,}"
        return f"{form.format(least)} {'or more' if most is None else f'to {form.format(most)}'}"
    return {bool: "`true`, `false`", str: "a text", int: "a whole number", float: "a number"}.get(kind, "texts")


def table(known: Mapping[str, inspect.Parameter]) -> str:
    """Options as a Markdown table: default values, what is possible, and what they mean."""
    lines = ["| name | default | possible | meaning |", "|---|---|---|---|"]
    for key, each in known.items():
        default = "" if each.default in (None, "", (), each.empty) else f"`{text_of(each.default)}`"
        lines.append(f"| `{key}` | {default} | {possible(each)} | {option_of(each).means} |")
    return "\n".join(lines) + "\n"


def lines(known: Mapping[str, inspect.Parameter]) -> list[str]:
    """Options as lines of text: "depth=2 (1 to 20): moves ahead"."""
    found = []
    for key, each in known.items():
        means, least, _ = option_of(each)
        limits = "" if least is None else f" ({possible(each)})"
        found.append(": ".join(filter(None, [f"{key}={choices(each)}{limits}", means])))
    return found
