"""The stages `search` and `distill`: compiled and learned networks agree, stopped runs go on, games are runs."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training import NETWORK, matches_of, recipe

from amoba_agents.networks import architecture as networks
from amoba_agents.small_networks.network import read_network, scratch_for, small_network
from amoba_env import games
from amoba_env.core import endings as en
from amoba_env.core import state as st
from amoba_env.core.play import random_plies
from amoba_env.core.rng import streams
from amoba_experiments.runs.replay import decisions
from amoba_experiments.runs.store import load_games, match_of, read_manifest, runs_in
from amoba_experiments.training import distill, search_play, searched_positions
from amoba_experiments.training.distill import examples_of
from amoba_experiments.training.job import Job
from amoba_experiments.training.searched_positions import SearchedPositions, chances, joined, read
from amoba_experiments.training.settings import Distill, Search
from amoba_experiments.training.small_learner import CellFeatures, CellLogits, small_learner
from amoba_experiments.training.train import train

GAMES = [
    ("gomoku", {"size": 7}),
    ("renju", {}),
    ("halma", {}),
    ("amoba", {"board": "4x4", "patterns": "3", "players": 3}),
]
SEARCH = Search(iterations=2, games=12, simulations=4, long=8, opening=1, share=0.5, gate=1)
DISTILL, DISTILL_OWN = Distill(passes=1), Distill(passes=1, games=4, simulations=8)


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_compiled_and_learned_networks_agree(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    """Logits and values of the file are those of the module, but for rounding."""
    game = games.make_from(name, options)
    torch.manual_seed(1)
    learner = small_learner(game)
    np.savez(tmp_path / "network.npz", **learner.arrays())
    network, states, stream = small_network(game, tmp_path / "network.npz"), game.batch(8), streams(0, 0, 8)
    room = scratch_for(game.rules, network)
    for i, state in enumerate(states):
        random_plies(game.rules, state, stream[i : i + 1], i)
        legal, logits = np.empty(game.n_actions, np.int32), np.empty(game.n_actions, np.float32)
        values = np.empty(game.players, np.float32)
        count = read_network(game.rules, state, network, room, legal, logits, values)
        odds, found = learner(state[None], legal[None, :count].astype(np.int64))
        chances = torch.softmax(odds, 1).detach().numpy()[0]
        worth = np.roll((chances * game.players - 1) / (game.players - 1), state[st.TO_MOVE])
        assert np.abs(found.detach().numpy()[0] - logits[:count]).max() < 0.1
        assert np.abs(worth - values).max() < 0.01
        assert values.sum() == pytest.approx(0, abs=1e-5)


def test_compiled_gradients_are_right() -> None:
    """Those of the features of cells, of their sums and of the logits are PyTorch's."""
    torch.manual_seed(1)
    rows, ends = torch.randint(0, 20, (30, 4), dtype=torch.int32), torch.tensor([10, 10, 30])
    given = torch.randn(20, 8), torch.randn(8), torch.randn(3, 8)
    weights = torch.randn(3, 8), torch.randn(30)

    def gradients(compiled: bool) -> list[torch.Tensor]:
        table, bias, query = (each.clone().requires_grad_() for each in given)
        if compiled:
            x, sums = CellFeatures.apply(table, bias, rows, ends)
            logits = CellLogits.apply(x, query, ends)
        else:
            x = torch.relu(table[rows.long()].sum(1) + bias)
            sums = torch.stack([part.sum(0) for part in x.tensor_split(ends[:-1])])
            logits = (x * query.repeat_interleave(torch.tensor([10, 0, 20]), 0)).sum(1)
        ((sums * weights[0]).sum() + (logits * weights[1]).sum()).backward()
        return [each.grad for each in (table, bias, query) if each.grad is not None]

    for one, other in zip(gradients(True), gradients(False), strict=True):
        assert torch.allclose(one, other, atol=1e-4)


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped after the first iteration, it ends with the same networks; the games are runs."""
    monkeypatch.setattr("amoba_experiments.training.train.finish", lambda *_: [])
    monkeypatch.setattr("amoba_experiments.training.search_play.GATE_GAMES", 8)
    stages = SEARCH, DISTILL, DISTILL_OWN
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    train(recipe(*stages), whole)

    def stop(what: str, done: int, total: int) -> None:
        if "games 2 of 2" in what and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(recipe(*stages), stopped, progress=stop)
    train(recipe(*stages), stopped, resume=True)
    one, two = (dict(np.load(folder / "network.npz")) for folder in (whole, stopped))
    assert all((one[name] == two[name]).all() for name in one)
    weights = [
        torch.load(next(each.glob("stages/3-*/policy.pt")), weights_only=True)["weights"] for each in (whole, stopped)
    ]
    assert all(torch.equal(array, weights[1][name]) for name, array in weights[0].items())
    assert sum(len(load_games(run).winner) for run in runs_in(whole / "games")) == 24 + 4
    own = read(next(whole.glob("stages/3-*/own.npz")))
    assert not np.isnan(own.values).any()  # the policy's positions are all searched
    done = [json.loads(next(each.glob("stages/1-*/done.json")).read_text()) for each in (whole, stopped)]
    assert done[0]["network"] == done[1]["network"]
    best = next(whole.glob(f"stages/1-*/network-{done[0]['network']}.npz"))
    assert best.read_bytes() == (whole / "network.npz").read_bytes()
    (whole / "network.npz").write_bytes(b"of another recipe")
    train(recipe(*stages), whole, resume=True)
    assert best.read_bytes() == (whole / "network.npz").read_bytes()
    matches = [[(line["network"], line["against"], line["wins"]) for line in each["evaluations"]] for each in done]
    assert matches[0] == matches[1]
    assert [line[0] for line in matches[0]] == [1, 2]
    assert matches[0][0][1] == "network 0"


def test_what_is_learned_is_what_the_search_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the positions were searched longer; policies add up to 1 over legal moves; winners are the games'."""
    monkeypatch.setattr("amoba_experiments.training.train.finish", lambda *_: [])
    monkeypatch.setattr(search_play, "GATE_GAMES", 8)
    train(recipe(SEARCH), tmp_path / "run")
    found = joined([read(file) for file in sorted(tmp_path.glob("run/stages/*/searched-*.npz"))])
    longer = ~np.isnan(found.values)
    assert 0.45 < longer.mean() < 0.55
    assert np.allclose(found.policy[longer].astype(np.float32).sum(1), 1, atol=0.01)
    assert not found.policy[~longer].any()
    cells = found.states[longer][:, st.CELLS :]
    actions = found.actions[longer]
    rows, places = np.nonzero(actions >= 0)
    assert (cells[rows, actions[rows, places]] == st.EMPTY).all()
    assert isinstance(found, SearchedPositions)
    assert (found.left > 0).all()
    lengths = {plies for run in runs_in(tmp_path / "run" / "games") for plies in load_games(run).plies.tolist()}
    assert set((found.states[:, st.PLY] + found.left).tolist()) == lengths


def test_without_openings_networks_meet_after_random_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From one position all games of a match between two networks would be the same."""
    monkeypatch.setattr("amoba_experiments.training.train.finish", lambda *_: [])
    seen = list[tuple[str, ...]]()

    def compare(
        job: Job, agent: str, opponents: object, games: int, steps: int, begin: tuple[str, ...], **_: Any
    ) -> Any:
        seen.append(begin)
        return [{"mean_reward": 0.0}]

    monkeypatch.setattr(Job, "compare", compare)
    train(recipe(dataclasses.replace(SEARCH, opening=0)), tmp_path)
    assert seen == [("random:1", "random:2")] * 2


def test_a_result_counts_less_the_later_it_comes() -> None:
    """Chances are certain at the end, and come near to equal ones before; a draw is equal."""
    winners, left = np.array([0, 2, st.NOBODY], np.int8), np.array([1, 2, 2], np.float32)
    assert chances(3, winners[:1]).tolist() == [[1, 0, 0]]
    found = chances(3, winners, 0.9**left)
    assert found.sum(1) == pytest.approx(1)
    assert found[0].tolist() == pytest.approx([0.9 + 0.1 / 3, 0.1 / 3, 0.1 / 3])
    assert found[1, 2] == pytest.approx(0.81 + 0.19 / 3)
    assert found[2].tolist() == pytest.approx([1 / 3] * 3)
    columns = np.zeros((3, 1), np.int16), winners, np.zeros((3, 1), np.int16), np.zeros((3, 1)), np.zeros(3), left
    assert examples_of(SearchedPositions(*columns), 3, 0.5, 0.9).results == pytest.approx((3 * found[:, 0] - 1) / 4)


def test_the_games_of_a_search_end() -> None:
    """Where men move, the nearest player wins at the limit, which falls with the length of the games before."""
    settings, game = Search(max_plies=90), games.make("halma")
    assert settings.options(game, np.inf) == {**game.options, "max_plies": 90, "adjudicate": True}
    assert settings.options(game, 44)["max_plies"] == 66
    assert Search().options(game, np.inf) == {**game.options, "max_plies": 90, "adjudicate": True}  # 3 * 40 * 0.75
    assert [Search().limit(games.make(name)) for name in ("gomoku", "chinese_checkers")] == [0, 210]
    assert settings.options(games.make("gomoku"), 30) == games.make("gomoku").options
    assert Distill(max_plies=70).options(game) == {**game.options, "max_plies": 70, "adjudicate": True}
    assert Distill(max_plies=70).options(games.make("gomoku")) == games.make("gomoku").options
    assert Distill().options(game) == game.options


def test_some_games_are_against_random_movers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The player has each seat in turn. Such games have the limit of the recipe, where nobody wins."""
    monkeypatch.setattr("amoba_experiments.training.train.finish", lambda *_: [])
    stages = dataclasses.replace(SEARCH, iterations=1, gate=0, max_plies=20, random=0.5), DISTILL
    own = dataclasses.replace(DISTILL_OWN, random=0.75, max_plies=10)
    train(recipe(*stages, own, game="halma", options={"max_plies": 40}), tmp_path)
    matches = {run: match_of(read_manifest(run)) for run in runs_in(tmp_path / "games")}
    easy = [run for run, match in matches.items() if match.agents[1:] == ("random", "random")]
    assert sorted(matches[run].games for run in easy) == [3, 6]
    others = {match.games: match for match in matches.values() if len(set(match.agents)) == 1}
    limits = {games: (match.options["max_plies"], match.options["adjudicate"]) for games, match in others.items()}
    assert limits == {1: (10, True), 6: (20, True)}
    for run in easy:
        played = load_games(run)
        assert matches[run].rotate
        assert played.plies.max() == 40
        assert (played.winner[played.plies == 40] == st.NOBODY).all()
    for kind, file in (("mcts", "1-*/searched-0.npz"), ("trained", "3-*/own.npz")):
        there = sum(len(decisions(run)[0]) for run, match in matches.items() if match.agents[0].startswith(kind))
        assert len(read(next(tmp_path.glob(f"stages/{file}"))).states) == there


def test_positions_of_an_opening_are_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In games with an opening rule the search begins after its choices."""
    monkeypatch.setattr("amoba_experiments.training.train.finish", lambda *_: [])
    stages = dataclasses.replace(SEARCH, iterations=1, opening=0, gate=0), DISTILL_OWN
    train(recipe(*stages, game="gomoku", options={"size": 9, "opening": "swap2"}), tmp_path)
    states = [decisions(run)[0] for run in runs_in(tmp_path / "games")]
    found = [read(next(tmp_path.glob(f"stages/{file}"))) for file in ("*/searched-0.npz", "*/own.npz")]
    phases = [np.concatenate([each[:, st.PHASE] for each in some]) for some in (states, [one.states for one in found])]
    assert np.count_nonzero(phases[0]) > 3 * 16
    assert not phases[1].any()
    assert len(phases[1]) == np.count_nonzero(phases[0] == 0)


def test_moves_with_large_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board of 256 cells has moves up to number 65,535."""
    monkeypatch.setattr("amoba_experiments.training.train.finish", lambda *_: [])
    stage = dataclasses.replace(SEARCH, iterations=1, games=2, gate=0, max_plies=6)
    train(recipe(stage, game="square_halma", options={"size": 16}), tmp_path)
    found = read(next(tmp_path.glob("stages/*/searched-0.npz")))
    assert found.actions.max() > 2**15
    assert found.actions.min() == st.NOWHERE
    assert not found.policy[found.actions == st.NOWHERE].any()


def test_the_last_move_counts_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With three players the winner is found in the position after it."""
    monkeypatch.setattr("amoba_experiments.training.train.finish", lambda *_: [])
    plies = []

    def winners(game: Any, states: Any, draw: Any) -> Any:
        plies.extend(states[:, st.PLY].tolist())
        return np.zeros(len(states), np.int64)

    monkeypatch.setattr(searched_positions, "winners_at_limit", winners)
    train(recipe(dataclasses.replace(SEARCH, iterations=1, gate=0, max_plies=20), game="halma"), tmp_path)
    assert plies == [20] * SEARCH.games
    found = read(next(tmp_path.glob("stages/*/searched-0.npz")))
    assert (found.winners == -found.states[:, st.TO_MOVE] % 3).all()  # seat 0, counted from the player to move


def test_distill_needs_a_search_before() -> None:
    """The recipe is refused, before anything is played."""
    recipe(SEARCH, DISTILL)
    for stages in ((DISTILL,), (DISTILL, SEARCH)):
        with pytest.raises(ValueError, match="search"):
            recipe(*stages)


def test_a_recipe_has_one_search() -> None:
    """`distill` learns from the newest iterations of one search."""
    with pytest.raises(ValueError, match="expected one stage `search`, got 2"):
        recipe(SEARCH, DISTILL, SEARCH, DISTILL)


def test_networks_meet_from_many_openings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sides of a gate match always play the same moves, so its games begin with the random moves of the stage."""
    monkeypatch.setattr("amoba_experiments.training.train.finish", lambda *_: [])
    monkeypatch.setattr("amoba_experiments.training.search_play.GATE_GAMES", 8)
    played = matches_of(monkeypatch)
    train(recipe(dataclasses.replace(SEARCH, opening=3), DISTILL), tmp_path)
    *gates, after = [match.openings for match in played]
    assert gates == [("random:1", "random:2", "random:3")] * 2
    assert after == ()  # as the recipe says


@pytest.mark.parametrize(
    ("players", "unfinished", "network"),
    [(3, (0, 0.1, 0.9, 0.9), 1), (3, (1, 1, 0.9, 0.9), 3), (3, (0, 0.1, 0.2, 0.9), 2), (2, (0, 0.1, 0.9, 0.9), 3)],
)
def test_a_network_that_blocks_is_not_taken(
    players: int, unfinished: tuple[float, ...], network: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three, it has to end most of its games against itself, or more than the one before; `distill` stops there."""
    monkeypatch.setattr("amoba_experiments.training.train.finish", lambda *_: [])
    monkeypatch.setattr(search_play, "GATE_GAMES", 20)
    shown: list[Any] = []

    def compare(*_: Any, **more: Any) -> list[dict[str, float]]:
        if "network" in more:  # not the policy
            shown.append(more.get("unfinished"))
        return [{"mean_reward": 1.0}]

    monkeypatch.setattr(Job, "compare", compare)
    really = search_play.load_games

    def load_games(run: Path) -> Any:
        match, played = match_of(read_manifest(run)), really(run)
        if match.games < 20:
            return played  # of an iteration
        (number,) = {int(re.findall(r"network-(\d+)", agent)[0]) for agent in match.agents}
        ended = np.arange(20) >= 20 * unfinished[number]
        return dataclasses.replace(played, ending=np.where(ended, en.GOAL, en.MAX_PLIES))

    monkeypatch.setattr(search_play, "load_games", load_games)
    learned: list[str] = []

    def noted(file: Path) -> SearchedPositions:
        learned.append(file.stem)
        return read(file)

    monkeypatch.setattr(distill, "read", noted)
    options = {"players": players, "max_plies": 10}
    stages = dataclasses.replace(SEARCH, iterations=3, max_plies=10), DISTILL
    train(recipe(*stages, game="halma", options=options), tmp_path)
    (folder,) = tmp_path.glob("stages/1-*")
    assert json.loads((folder / "done.json").read_text())["network"] == network
    assert (folder / "network.npz").read_bytes() == (folder / f"network-{network}.npz").read_bytes()
    assert shown == (list(unfinished[1:]) if players == 3 else [None] * 3)
    assert learned == [f"searched-{number}" for number in range(min(3, network + 1))]


def test_a_search_does_not_depend_on_the_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With another policy the search is not repeated; what learns from it is."""
    monkeypatch.setattr("amoba_experiments.training.train.finish", lambda *_: [])
    monkeypatch.setattr("amoba_experiments.training.search_play.GATE_GAMES", 8)
    what = recipe(SEARCH, DISTILL)
    train(what, tmp_path)
    before = {file.parent.name for file in tmp_path.glob("stages/*/done.json")}
    other = dataclasses.replace(what, network=dataclasses.replace(NETWORK, layers=2), random_plies=2)
    train(other, tmp_path, resume=True)
    new = {file.parent.name for file in tmp_path.glob("stages/*/done.json")} - before
    assert [name.rpartition("-")[0] for name in new] == ["2-distill"]
    (made,) = (tmp_path / "stages" / name / "policy.pt" for name in new)
    assert networks.read(made)[0].layers == 2
