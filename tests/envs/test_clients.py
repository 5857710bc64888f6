"""Other people's libraries play our environments: the examples run as they stand."""

import runpy
import sys
from importlib import import_module
from typing import Any

import pytest


@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested:UserWarning")
@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("alphazero", {"minutes": 0.001}, "% of the points against greedy"),
        ("ppo", {"marks": 1, "minutes": 0}, "points against greedy: "),
        (
            "ppo",
            {"marks": 1, "minutes": 0, "env_id": "amoba/Halma-v0", "options": "max_plies=40 adjudicate=true"},
            "greedy:",
        ),
        ("ppo", {"marks": 1, "minutes": 0, "opponent": "random"}, "points against greedy: "),
        ("with_shimmy", {}, "as in OpenSpiel"),
        ("with_supersuit", {}, "observations (10, 10, 12) float32"),
        ("with_torchrl", {}, "rewards"),
    ],
)
def test_example(name: str, settings: dict[str, Any], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    # imported here: not every process that runs tests has to load every library
    import_module(f"clients.{name}").main(**settings)
    assert words in capsys.readouterr().out


def test_ppo_is_seeded(capsys: pytest.CaptureFixture[str]) -> None:
    from clients import ppo

    said = []
    for seed in (0, 0, 1):
        ppo.main(marks=1, minutes=0, seed=seed, num_steps=8)
        said.append(capsys.readouterr().out.partition("entropy")[2])
    assert said[0] == said[1] != said[2]


@pytest.mark.parametrize("line", ["halma players=2", "gomoku opening=swap2", "halma players=3", "renju size=9"])
def test_alphazero_refuses_what_it_cannot_learn(line: str) -> None:
    """Games in which men move, the seats do not take turns or have rules of their own, in one sentence."""
    name, option = line.split()
    with pytest.raises(SystemExit, match="expected a game of two players who place stones in turn, with equal rules"):
        import_module("clients.alphazero").main(name, [option], minutes=0)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("alphazero gomoku --option size=x", "option size: expected a whole number, got 'x'"),
        ("alphazero halma", "expected a game of two players"),
        ("alphazero --against brs:4", "expected a game where men move"),
        ("ppo --num-steps 3", "num_steps: expected 4 or more, got 3"),
        ("ppo --options autoreset_mode=SameStep", "tictactoe has no option 'autoreset_mode'"),
        ("alphazero --seed -1", "seed: expected"),
        ("alphazero --minutes -1", "minutes: expected 0 or more, got -1"),
        ("alphazero --against nobody", "unknown agent 'nobody'"),
        ("ppo --options patterns=4,xx/xx", "tictactoe has no option 'patterns'"),
        ("ppo --options size", "tictactoe: expected an option as name=value, got 'size'"),
        ("ppo --env-id CartPole-v1", "unknown game 'CartPole-v1'"),
        ("ppo --env-id nothing", "`nothing` doesn't exist"),
        ("ppo --against nobody", "unknown agent 'nobody'"),
    ],
)
def test_wrong_values_get_a_line(line: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, *arguments = line.split()
    monkeypatch.setattr("sys.argv", [program, *arguments])
    monkeypatch.delitem(sys.modules, f"clients.{program}", raising=False)
    with pytest.raises(SystemExit, match=words):
        runpy.run_module(f"clients.{program}", run_name="__main__")
