"""The package as its users meet it: ids, imports, and docstrings that agree with the environments."""

import importlib
import inspect
import pickle
import re
import runpy
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import pettingzoo
import pytest
from environments import VARIANTS, Variant, check, every_variant

import amoba_env
from amoba_env import (
    Position,
    amoba_v0,
    chinese_checkers_v0,
    games,
    gomoku_v0,
    halma_v0,
    square_halma_v0,
    tictactoe_v0,
)
from amoba_env.aec import BoardGameEnv

ROOT = Path(__file__).parents[2]

with_registry = pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo 1.26 has no registry")


@with_registry
@every_variant
def test_registry(variant: Variant) -> None:
    made = pettingzoo.make("aec", f"amoba/{variant.name.replace('_', '-')}", **variant.options).unwrapped
    assert (str(made), made.game, made.on_illegal) == (variant.name, variant.game, "lose")
    made.reset()
    check(made, Position.start(variant.game))


def test_every_game_has_an_environment() -> None:
    assert {variant.game.name for variant in VARIANTS} == set(games.GAMES)


def test_registered_once_however_often_imported() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        importlib.reload(amoba_env)


@pytest.mark.plain
def test_names_of_the_package() -> None:
    assert dir(amoba_env) == sorted({*amoba_env.__all__, *amoba_env.ENVIRONMENTS})
    assert {*amoba_env.ENVIRONMENTS, "Position", "Outcome", "games"} <= set(dir(amoba_env))
    assert amoba_env.Position is Position
    assert amoba_env.games is games
    assert amoba_env.gomoku_v0 is gomoku_v0
    with pytest.raises(AttributeError, match="gomoku_v9"):
        _ = amoba_env.gomoku_v9


# --- Docstrings -------------------------------------------------------------------------------------------------


def table_of(module: ModuleType) -> dict[str, str]:
    """PettingZoo's table in a module docstring; of two rows of the same name the last one."""
    rows = [line.strip("| ").split(" | ") for line in (module.__doc__ or "").splitlines() if line.startswith("| ")]
    return {row[0]: row[1] for row in rows if len(row) == 2}


@with_registry
@pytest.mark.plain
@pytest.mark.parametrize("name", amoba_env.ENVIRONMENTS)
def test_the_table(name: str) -> None:
    module = getattr(amoba_env, name)
    table = table_of(module)
    players = [int(number) for number in re.findall(r"`players=(\d+)`", table["Agents"])]
    envs = [module.env(), *(module.env(players=number) for number in players)]
    assert table["Agents"].split(" ")[0] == f"{len(envs[0].possible_agents)}{';' * bool(players)}"
    planes = [env.observation_space("player_0")["observation"] for env in envs]
    shapes = re.findall(r"\((\d+), (\d+), (\d+)\)", table["Observation Shape"])
    assert [tuple(map(int, shape)) for shape in shapes] == [box.shape for box in planes]
    assert table["Observation Values"] == str([planes[0].low.min().item(), planes[0].high.max().item()])
    assert re.findall(r"\d+", table["Action Values"]) == [str(envs[0].action_space("player_0").n)]
    assert f"agents = {envs[0].possible_agents}" in (module.__doc__ or "")
    names: dict[str, Any] = {"pettingzoo": pettingzoo}
    exec(table["Import"].strip("`"), names)
    *ours, single = re.findall("`([^`]+)`", table["Creation"])
    for code in ours:
        env = eval(code, names)
        assert (str(env), env.game, env.on_illegal) == (str(envs[0]), envs[0].game, envs[0].on_illegal)
    assert eval(single, {"gymnasium": gymnasium}).unwrapped.game == envs[0].game


@pytest.mark.parametrize("game", games.BUILT_IN)
def test_stubs(game: str) -> None:
    stub = runpy.run_path(str(ROOT / ".ci" / "stubs.py"))["stub"]
    written = ROOT / "amoba_env" / f"{game}_v0.pyi"
    assert written.exists(), "`make golden` writes it"
    assert written.read_text(encoding="utf-8") == stub(game), "`make golden` writes it anew"


def test_numbers_of_players_in_the_table() -> None:
    for module, others in ((gomoku_v0, []), (amoba_v0, ["3", "4"]), (halma_v0, ["2"]), (square_halma_v0, ["2"])):
        assert re.findall(r"`players=(\d+)`", table_of(module)["Agents"]) == others
    assert re.findall(r"`players=(\d+)`", table_of(chinese_checkers_v0)["Agents"]) == ["3", "4", "6"]


@pytest.mark.plain
@every_variant
def test_env_takes_the_options_of_the_game(variant: Variant) -> None:
    called = inspect.signature(variant.module.env)
    assert list(called.parameters) == [*variant.game.options, "on_illegal", "render_mode"]
    assert called.return_annotation is BoardGameEnv
    assert inspect.signature(variant.module.raw_env).parameters["on_illegal"].default == "raise"
    assert variant.module.env(*variant.game.options.values(), "zero_sum").game == variant.game
    assert pickle.loads(pickle.dumps(variant.module.env)) is variant.module.env
    for key in variant.game.options:
        assert f"| `{key}` |" in variant.module.__doc__


@pytest.mark.plain
@pytest.mark.parametrize("module", [tictactoe_v0, gomoku_v0, amoba_v0])
def test_the_numbers_of_cells(module: ModuleType) -> None:
    env = module.env()
    cells = re.findall(r"\b(\d+) is\s+`([a-z]\d+)`", module.__doc__ or "")
    assert [int(action) for action, _ in cells] == [0, env.game.n_actions - 1]
    assert [env.decode("player_0", int(action)) for action, _ in cells] == [cell for _, cell in cells]
