"""Every file of the package that an agent opens is named by its fingerprint, and so in the manifests of runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shipped import policy_game

import amoba_agents
from amoba_agents import AGENTS, fingerprint, make_agent, sources
from amoba_agents.networks import inference
from amoba_agents.networks.trained import POLICIES
from amoba_env import games
from amoba_env.agent import new_memory
from amoba_env.core.rng import streams
from amoba_env.games import Game
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.manifest import manifest_of

FOLDER = Path(amoba_agents.__file__).parent
DATA = {".npz", ".onnx"}
GOMOKU, TWO, THREE = games.make("gomoku"), games.make("halma", players=2), games.make("halma", players=3)

# Texts of all agents, and games in which they open files, if they do in any.
CASES: list[tuple[str, Game]] = [
    *((text, GOMOKU) for text in ("random", "greedy", "lookahead:1", "alphabeta:nodes=20", "level:10")),
    *((text, THREE) for text in ("maxn:1", "paranoid:1", "brs:1", "hinder:1", "robust:1", "endgame:nodes=100")),
    *((text, TWO) for text in ("endgame:nodes=100", "level:9", "mcts:2,evaluation=learned")),
    ("alphabeta:nodes=20,evaluation=counted", GOMOKU),
    ("alphabeta:nodes=20", games.make("renju", size=9)),
    ("mcts:2", GOMOKU),
    ("mcts:2,evaluation=learned", GOMOKU),
    ("mcts:2,evaluation=learned", THREE),
    ("mcts:2,evaluation=learned", games.make("chinese_checkers")),
    ("mcts:2,prior=trained", games.make("tictactoe")),
    ("exploit:trained,sims=2", games.make("tictactoe")),
    ("perfect", games.make("tictactoe")),
    *(("trained", policy_game(file.stem)) for file in sorted(POLICIES.glob("*.onnx"))),
]
ELSEWHERE = {"gomocup", "person"}  # programs and people

_opened: set[Path] = set()


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(arguments[0], (str, Path)):
        _opened.add(Path(arguments[0]))


def opened_by(text: str, game: Game) -> set[str]:
    """The data files of the package that are opened when the agent is made and moves."""
    for cache in (sources._kept, sources._of_content, inference._load):
        cache.cache_clear()
    _opened.clear()
    agent = make_agent(text)
    agent.act(game, game.batch(1), streams(1, 0, 1), new_memory(agent, game, 1))
    found = {file for file in _opened if file.is_relative_to(FOLDER) and file.suffix in DATA}
    return {file.relative_to(FOLDER.parent).as_posix() for file in found}


def test_all_files_that_agents_open_are_named() -> None:
    sys.addaudithook(_watch)
    assert {text.partition(":")[0] for text, _ in CASES} == set(AGENTS) - ELSEWHERE
    named = set()
    for text, game in CASES:
        own = {name for name in fingerprint(text, game) if Path(name).suffix in DATA}
        looked_at = {f"amoba_agents/policies/{file.name}" for file in POLICIES.glob(f"{game.name}*.onnx")}
        assert own <= opened_by(text, game) <= own | (looked_at if "trained" in text else set()), text
        named |= own
    files = {file.relative_to(FOLDER.parent).as_posix() for file in FOLDER.rglob("*") if file.suffix in DATA}
    assert named == files  # each file of the package has a case


@pytest.mark.plain
def test_the_manifest_of_a_run_names_them() -> None:
    found = manifest_of(Match("halma", ("endgame:nodes=100", "greedy", "greedy"), 2))["fingerprints"]
    assert list(found) == ["endgame:nodes=100"]
    (name,) = found["endgame:nodes=100"]
    assert name == "amoba_agents/endgame/chances.npz"
    assert found["endgame:nodes=100"][name] == sources.digest_of_file(FOLDER / "endgame" / "chances.npz")
    assert np.load(FOLDER / "endgame" / "chances.npz").files
