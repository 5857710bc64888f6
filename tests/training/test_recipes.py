"""Recipes: those of the package, what they are made of, and what they are found again by."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from training import AGAIN, IMITATE, NETWORK, PLAY, recipe

from amoba_agents.networks.trained import POLICIES
from amoba_env import games, options
from amoba_experiments.reading import read_yaml
from amoba_experiments.training import recipes
from amoba_experiments.training.settings import (
    STAGES,
    Distill,
    EvaluationSettings,
    Group,
    NetworkSettings,
    Play,
    Search,
)

FILES = sorted(file.stem for file in POLICIES.glob("*.yaml"))


@pytest.mark.parametrize("name", FILES)
def test_recipes_of_the_package(name: str) -> None:
    game, _, more = name.partition("-")
    game = {"placing": "amoba", "moving": "square_halma", "own": "renju"}.get(game, game)
    file = recipes.find(game, {"play": "own-play"}.get(more, more))
    assert file.stem == name
    found = recipes.load(file, game)
    assert found.game == game
    assert found.stages
    assert games.make(game).name == game


def test_each_shipped_policy_has_a_recipe() -> None:
    for file in POLICIES.glob("*.onnx"):
        game, _, name = file.stem.partition("-")
        assert name in recipes.names(game)


def test_written_and_read_again(tmp_path: Path) -> None:
    what = recipe(IMITATE, PLAY, IMITATE, random_plies=2, options={}, threads=2)
    (tmp_path / "recipe.yaml").write_text(what.to_yaml())
    assert recipes.load(tmp_path / "recipe.yaml", "tictactoe") == what
    changes = [
        "play.epochs=2",
        'imitate.players=[greedy, "mcts:9,c=2"]',
        "imitate-2.learning_rate=5e-4",
        "seed=4",
        "network.layers=2",
    ]
    changed = recipes.load(tmp_path / "recipe.yaml", "tictactoe", (), changes)
    play = changed.stages[1].settings
    assert isinstance(play, Play)
    assert play.epochs == 2
    assert changed.stages[0].settings == dataclasses.replace(IMITATE, players=("greedy", "mcts:9,c=2"))
    assert changed.stages[2].settings == dataclasses.replace(IMITATE, learning_rate=5e-4)
    assert (changed.seed, changed.network.layers) == (4, 2)


def test_a_stage_is_found_by_what_it_is_made_from(tmp_path: Path) -> None:
    what = recipe(IMITATE, PLAY, AGAIN)
    last = recipe(IMITATE, PLAY, dataclasses.replace(AGAIN, passes=2))
    assert [what.key(i) == last.key(i) for i in range(3)] == [True, True, False]
    for other in (
        dataclasses.replace(what, seed=1),
        dataclasses.replace(what, random_plies=1),
        dataclasses.replace(what, network=NetworkSettings(body="mlp", channels=5)),
    ):
        assert other.key(0) != what.key(0)
    same = dataclasses.replace(what, threads=7, device="cpu", evaluation=EvaluationSettings(against=("greedy",)))
    assert [what.key(i) for i in range(3)] == [same.key(i) for i in range(3)]


def test_what_a_search_is_found_by() -> None:
    """The search reads nothing of the policy, but a stage before it may: their chain does not break."""
    wider = {"network": dataclasses.replace(NETWORK, channels=5)}

    def same(*stages: Group, **more: Any) -> list[bool]:
        one, other = recipe(*stages), recipe(*stages, **more)
        return [one.key(number) == other.key(number) for number in range(len(stages))]

    assert same(Search(), Distill(), **wider) == [True, False]
    assert same(Search(), Distill(), random_plies=2) == [True, False]
    assert same(Search(), PLAY, Distill(), **wider) == [True, False, False]
    assert same(IMITATE, Search(), Distill(), **wider) == [False] * 3
    assert same(Search(), Distill(), seed=1) == [False, False]


def test_bodies_that_fit_a_game() -> None:
    """Only where two players want straight lines is there a table of lines."""
    gaps = {"board": "7x7", "patterns": "xx/xx", "players": 2}
    assert recipe(game="amoba", options=gaps, network=NetworkSettings(body="rows"))
    for game, given, words in (
        ("amoba", gaps, "rows, cnn, mlp"),
        ("amoba", {**gaps, "patterns": "4", "players": 3}, "rows, cnn, mlp"),
        ("square_halma", {}, "cnn, mlp"),
        ("halma", {}, "mlp, cnn"),
    ):
        with pytest.raises(ValueError, match=rf"network\.body: expected one of {words}, got 'lines'"):
            recipe(game=game, options=given, network=NetworkSettings(body="lines"))


@pytest.mark.parametrize("kind", [*STAGES.values(), NetworkSettings, EvaluationSettings])
def test_settings(kind: type) -> None:
    """No more than thirteen; each says what it means, and each number its limits."""
    found = options.parameters(kind)
    assert 1 <= len(found) <= 13
    for each in found.values():
        means, least, most = options.option_of(each)
        assert means
        assert [least is not None, most is not None] == [options.kind_of(each) in (int, float)] * 2


def test_a_key_of_a_file_is_there_once_and_may_be_merged(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("base: &base {a: 1}\nuse:\n  <<: *base\n  c: 2\n")
    assert read_yaml("a file", file)["use"] == {"a": 1, "c": 2}
    file.write_text("a: 1\nb: 2\na: 3\n")
    with pytest.raises(ValueError, match="line 1: expected one value of a, got two"):
        read_yaml("a file", file)
