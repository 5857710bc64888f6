"""The environments: a module `NAME_v0` for each game of the catalogue.

`from amoba_env import gomoku_v0` makes such a module from the game. It has env() and raw_env(), whose parameters are
the options of the game, and its docstring is the page of the environment. The ids in Gymnasium and PettingZoo follow
from the catalogue too.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from amoba_env.ids import VERSION, gymnasium_id, pettingzoo_id

if TYPE_CHECKING:
    import inspect

    from amoba_env.aec import BoardGameEnv, OnIllegal
    from amoba_env.games import Game

PACKAGE = __package__

FUNCTIONS: dict[str, tuple[OnIllegal, str]] = {
    "env": ("lose", "The environment for learners: an illegal action loses the game."),
    "raw_env": ("raise", "The environment for programs: an illegal action raises ValueError."),
}


class Environment(ModuleType):
    """The module of an environment. Its docstring is generated when it is read."""

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.__name__.rpartition(".")[2].removesuffix(VERSION)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        from amoba_env.environment_page import page

        return page(self.game)


class Finder:
    """Finds and makes the modules of environments, for Python's import system."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """See importlib."""
        package, _, name = fullname.rpartition(".")
        if package != PACKAGE or not name.endswith(VERSION):
            return None
        from amoba_env.games import GAMES

        return ModuleSpec(fullname, self) if name.removesuffix(VERSION) in GAMES else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """See importlib."""
        return Environment(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Put env() and raw_env() into a module. ValueError if the game cannot be imported."""
        assert isinstance(module, Environment)
        for function in FUNCTIONS:
            setattr(module, function, _maker(module, function))


FINDER = Finder()


def _maker(module: Environment, function: str) -> Callable[..., BoardGameEnv]:
    from amoba_env.aec import BoardGameEnv
    from amoba_env.games import make_from

    called = signature(module.game, function)

    usual = {each.name: each.default for each in called.parameters.values()}

    def make(*args: Any, **more: Any) -> BoardGameEnv:
        if args or not more.keys() <= usual.keys():
            try:
                more = called.bind(*args, **more).arguments
            except TypeError as error:
                raise TypeError(
                    f"{module.game}{VERSION}.{function}: {error}; its options: {', '.join(usual)}"
                ) from None
        options = usual | more
        on_illegal, render_mode = options.pop("on_illegal"), options.pop("render_mode")
        return BoardGameEnv(module.game + VERSION, make_from(module.game, options), on_illegal, render_mode)

    make.__module__, make.__name__, make.__qualname__ = module.__name__, function, function
    make.__doc__ = FUNCTIONS[function][1]
    make.__signature__ = called  # type: ignore[attr-defined]
    return make


def signature(game: str, function: str) -> inspect.Signature:
    """The parameters of env() or raw_env(): the game's options, what an illegal action does, and the render mode."""
    import inspect

    from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode
    from amoba_env.games import GAMES
    from amoba_env.options import kind_of, parameters

    options = [each.replace(annotation=kind_of(each)) for each in parameters(GAMES.function(game)).values()]
    kind = max((each.kind for each in options), default=inspect.Parameter.POSITIONAL_OR_KEYWORD)
    more = [
        inspect.Parameter("on_illegal", kind, default=FUNCTIONS[function][0], annotation=OnIllegal),
        inspect.Parameter("render_mode", kind, default=None, annotation=RenderMode | None),
    ]
    return inspect.Signature([*options, *more], return_annotation=BoardGameEnv)


def drawing(game: Game) -> str:
    """The first position of a game as SVG."""
    from amoba_env.draw import svg

    return svg(game, game.start())


def register(game: str) -> None:
    """Register a game, once, with Gymnasium and with PettingZoo (from version 1.27 on)."""
    import gymnasium

    if gymnasium_id(game) not in gymnasium.registry:
        gymnasium.register(
            gymnasium_id(game),
            entry_point="amoba_env.single:SingleEnv",
            vector_entry_point="amoba_env.vector:BatchEnv",
            kwargs={"game": game},
        )
    try:
        import pettingzoo
        from pettingzoo import aec_registry
    except ImportError:
        return
    if pettingzoo_id(game) not in aec_registry:
        pettingzoo.register("aec", pettingzoo_id(game), f"{PACKAGE}.{game}{VERSION}:env")
