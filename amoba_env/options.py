"""Options: declared once, as the parameters of the function or class that takes them.

    size: Annotated[int, Option("cells on a side", 5, 100)] = 10

A parameter declares its name, type, default value and meaning, and the limits of a number. From this come the checks,
the reading of texts such as "size=15", the tables and the forms: for games, players, stages of training, and files.

The value of `board: Annotated[str, Option("the board"), normal]` is normal(board). So texts with the same meaning
become the same value, and the name of a file is replaced by the content of the file.
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

_KINDS: dict[object, str] = {
    int: "a whole number",
    float: "a finite number",
    bool: "true or false",
    str: "a text",
    tuple[str, ...]: "a list of texts",
}


class Option(NamedTuple):
    """The meaning of an option; for a number also the least and the greatest value."""

    means: str = ""
    least: float | None = None
    most: float | None = None


def option_of(parameter: inspect.Parameter) -> Option:
    """The Option that a parameter declares; an empty one if it has only a type."""
    more = getattr(parameter.annotation, "__metadata__", ())
    return next((each for each in more if isinstance(each, Option)), Option())


def kind_of(parameter: inspect.Parameter) -> Any:
    """The type of an option, without its annotations; for `T | None` it is T."""
    return next(each for each in _kinds(parameter) if each is not types.NoneType)


def _kinds(parameter: inspect.Parameter) -> tuple[Any, ...]:
    kind = parameter.annotation
    kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The options of a function or class, by name."""
    many = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    known = inspect.signature(function, eval_str=True).parameters.values()
    return {each.name: each for each in known if each.kind not in many and not isinstance(each.annotation, InitVar)}


def check(name: str, function: Callable[..., Any], options: object) -> dict[str, Any]:
    """The given options, converted to their types: NumPy's numbers and bools become Python's, lists become tuples.

    Raises:
        ValueError: an unknown option; a missing one that has no default value; a value of another type; a number
            outside the limits.
    """
    known, given = parameters(function), checks.mapping(f"options of {name}", options)
    for key in given:
        if key not in known:
            raise ValueError(f"{name} has no option {checks.brief(key)}; its options: {', '.join(known) or 'none'}")
    for key, parameter in known.items():
        if key not in given and parameter.default is parameter.empty:
            raise ValueError(f"{name}: expected a value of {key!r}, got none")
    return {key: convert(_place(name, key), known[key], value) for key, value in given.items()}


def _place(name: str, key: str) -> str:
    """How errors name an option: "lookahead: depth"; only "level" for the option `level` of `level`."""
    return name if name == key else f"{name}: {key}"


def complete(name: str, function: Callable[..., Any], options: object) -> dict[str, Any]:
    """Like check(), and with the default values of options that are not given."""
    usual = {key: each.default for key, each in parameters(function).items() if each.default is not each.empty}
    return check(name, function, {**usual, **checks.mapping(f"options of {name}", options)})


def convert(name: str, parameter: inspect.Parameter, value: Any) -> Any:
    """A value converted to the type of the option.

    Types are int, float, bool, str, a Literal, tuple[str, ...], a mapping, and each of these or None. For other types
    the value is returned unchanged.

    Raises:
        ValueError: a value of another type, or a number outside the limits; the message begins with `name`.
    """
    kind, option = kind_of(parameter), option_of(parameter)
    if value is None and types.NoneType in _kinds(parameter):
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
            raise checks.BadValue(name, f"expected {possible(kind)}, got {checks.brief(value)}")
        return value
    if kind == tuple[str, ...]:
        if not isinstance(value, (tuple, list)):
            raise checks.BadValue(name, f"expected a list of texts, got {checks.brief(value)}")
        return tuple(checks.text(f"each of {name}", each) for each in value)
    if get_origin(kind) is not None and issubclass(get_origin(kind), Mapping):
        return dict(checks.mapping(name, value))
    if kind is str:
        normal = [each for each in getattr(parameter.annotation, "__metadata__", ()) if callable(each)]
        return functools.reduce(lambda text, change: change(text), normal, checks.text(name, value))
    return value


def convert_fields(what: Any, prefix: str = "") -> None:
    """Convert the fields of a dataclass as check() does, for its __post_init__. `prefix` begins the error messages."""
    for key, parameter in parameters(what.__class__).items():
        object.__setattr__(what, key, convert(prefix + key, parameter, getattr(what, key)))


def named(name: str) -> Callable[[F], F]:
    """Decorate the __init__ of a player: its options are checked, and self.name becomes the text of the player.

    In that text a positional option comes first, without its name: "lookahead:2,ties=thesis".
    """

    def decorate(init: F) -> F:
        @functools.wraps(init)
        def checked(self: Any, *args: Any, **more: Any) -> None:
            signature = inspect.signature(init, eval_str=True)
            given = signature.bind(self, *args, **more)
            given.apply_defaults()
            known = dict([*signature.parameters.items()][1:])
            options = {key: convert(_place(name, key), each, given.arguments[key]) for key, each in known.items()}
            init(self, **options)
            self.name = written(name, known, options)

        return checked  # type: ignore[return-value]

    return decorate


def written(name: str, known: Mapping[str, inspect.Parameter], options: Options) -> str:
    """A name with the options that differ from their default values, as text.

    If the first option is positional, it is always written, without its name, unless it is an empty text.
    """
    parts: list[str] = []
    for key, parameter in known.items():
        if key == next(iter(known)) and parameter.kind is not parameter.KEYWORD_ONLY:
            parts += [text_of(options[key])] if options[key] != "" else []
        elif options[key] != parameter.default:
            parts.append(f"{key}={text_of(options[key])}")
    return ":".join([name, *([",".join(parts)] if parts else [])])


def text_of(value: Value | tuple[str, ...]) -> str:
    """A value as text: 2, 0.5, true, exact, [random, greedy]."""
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def parse(name: str, function: Callable[..., Any], texts: Iterable[str]) -> dict[str, Value]:
    """Options from texts such as "size=15". ValueError says what is possible."""
    options: dict[str, Value] = {}
    for text in [texts] if isinstance(texts, str) else checks.listed(f"options of {name}", texts):
        key, equals, value = checks.text(f"{name}: an option", text).partition("=")
        if not equals:
            raise ValueError(f"{name}: expected an option as name=value, got {checks.brief(text)}")
        if key not in parameters(function):
            check(name, function, {key: value})
        if key in options:
            raise ValueError(f"{name}: expected one value of {key!r}, got two")
        options[key] = parse_value(name, parameters(function)[key], value)
    return options


def parse_value(name: str, parameter: inspect.Parameter, text: str) -> Value:
    """The value of one option from its text. ValueError says what is possible."""
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
        problem = f"expected {possible(kind)}, got {checks.brief(text)}"
        raise checks.BadValue(f"{name}: option {parameter.name}", problem) from None
    return text


def summary(function: Callable[..., Any]) -> str:
    """The first line of its own docstring."""
    return inspect.cleandoc(function.__doc__ or "").partition("\n")[0]


def default_text(parameter: inspect.Parameter) -> str:
    """The default value as text, empty if there is none."""
    return "" if parameter.default in (None, "", (), parameter.empty) else text_of(parameter.default)


def choices(parameter: inspect.Parameter) -> str:
    """The default value as text, empty if there is none, and the other values where they are few."""
    default, kind = default_text(parameter), kind_of(parameter)
    if get_origin(kind) is Literal:
        return "|".join(dict.fromkeys([*filter(None, [default]), *map(text_of, get_args(kind))]))
    return "true|false" if kind is bool and parameter.default else default


def described(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The summary, and the choices of each option by name."""
    return summary(function), {key: choices(each) for key, each in parameters(function).items()}


def possible(kind: Any, least: float | None = None, most: float | None = None) -> str:
    """The possible values of a type, in words: "1 to 20", "one of uniform, thesis", "a text"."""
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(text_of, get_args(kind)))}"
    if least is most is None:
        return _KINDS.get(kind, "a list" if get_origin(kind) is tuple else "values by name")
    if least is None:
        return f"{most:,.15g} or less"
    return f"{least:,.15g} or more" if most is None else f"{least:,.15g} to {most:,.15g}"


def table(known: Mapping[str, inspect.Parameter]) -> str:
    """Options as a Markdown table: default value, possible values, meaning."""
    lines = ["| name | default | possible | meaning |", "|---|---|---|---|"]
    for key, each in known.items():
        default, option = default_text(each), option_of(each)
        shown = default and f"`{default}`"
        lines.append(f"| `{key}` | {shown} | {possible(kind_of(each), *option[1:])} | {option.means} |")
    return "\n".join(lines) + "\n"


def line(parameter: inspect.Parameter) -> str:
    """An option as one line: "depth=2 (1 to 20): moves ahead"."""
    option = option_of(parameter)
    limits = "" if option.least is option.most is None else f" ({possible(kind_of(parameter), *option[1:])})"
    missing = "TEXT" if kind_of(parameter) is str else "NUMBER"
    return f"{parameter.name}={choices(parameter) or missing}{limits}" + (option.means and f": {option.means}")
