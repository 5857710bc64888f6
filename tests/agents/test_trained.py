"""Trained players, from a file and in memory; errors in one line; networks that follow the board."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from errors import bad_value
from sb3_contrib import MaskablePPO
from shipped import policy_game
from training import new_model, write_model

from amoba_agents import made_for, make_agent
from amoba_agents.networks import trained
from amoba_agents.networks.architecture import SIZES, architecture_of
from amoba_agents.networks.board_policy import BoardPolicy
from amoba_agents.networks.inference import Network, Sb3Network, evaluate, load
from amoba_agents.networks.trained import POLICIES, PolicyAgent
from amoba_agents.values.exact import ILLEGAL as CANNOT
from amoba_agents.values.exact import solver
from amoba_env import games
from amoba_env.batch import observe
from amoba_env.core import endings as en
from amoba_env.core import play
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.batch import step_rows
from amoba_env.core.rng import streams
from amoba_env.core.rules import table
from amoba_env.core.state import States
from amoba_env.extras import install
from amoba_env.games import Game
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_env.symmetry import symmetries
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.training.network_files import write_onnx

GAMES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [  # name, options, size of the network
    ("tictactoe", {}, {}),
    ("gomoku", {"size": 7, "opening": "swap2"}, {"body": "cnn", "channels": 8}),
    ("renju", {"size": 9}, {"layers": 1}),
    ("amoba", {"board": "...#/..../.#../....", "patterns": "4,x.x/.x.", "players": 3}, {"channels": 8, "layers": 3}),
    ("halma", {}, {}),
    ("square_halma", {"size": 8, "players": 2}, {"channels": 8, "layers": 2}),
]


every_game = pytest.mark.parametrize(("name", "options", "size"), GAMES, ids=str)


def positions(game: Game, count: int) -> States:
    """After 0, 1, .. 4 random moves, and so on."""
    states, rng = game.batch(count), streams(0, 0, count)
    for ply in range(4):
        rows = np.flatnonzero(np.arange(count) % 5 > ply)
        moves = make_agent("random").act(game, states[rows], rng[rows], np.zeros((len(rows), 0), np.int16))
        step_rows(game.rules, states, rows, moves)
    return states


def act(agent: Any, game: Game, states: States, seed: int = 0) -> np.ndarray:
    assert agent.memory(game) == 0
    return agent.act(game, states, streams(seed, 0, len(states)), np.zeros((len(states), 0), np.int16))


@pytest.mark.plain
@every_game
def test_saved_and_loaded(name: str, options: dict[str, Any], size: dict[str, Any], tmp_path: Path) -> None:
    """A model learns, comes back by MaskablePPO.load, and plays from a file as it does in memory."""
    model = new_model(name, options, **size).learn(16)
    write_model(model, tmp_path / "policy.pt")
    model.save(tmp_path / "model.zip")
    again = MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    game = games.make(name, **options)
    states = positions(game, 30)
    planes, masks = observe(game, states, states[:, st.TO_MOVE])
    expected, _ = again.predict(planes, action_masks=masks, deterministic=True)
    if game.moves_men:
        view = table(game.rules, ru.VIEW)[states[:, st.TO_MOVE]]
        back = np.argsort(view, axis=1)
        rows = np.arange(30)
        expected = back[rows, expected // game.n_cells] * game.n_cells + back[rows, expected % game.n_cells]
    text = f"trained:{tmp_path / 'policy.pt'}"
    assert make_agent(text).name == text
    for agent in (make_agent(text), PolicyAgent(Sb3Network(model.policy), "here", 0)):
        chosen = act(agent, game, states)
        assert chosen.dtype == np.int32
        assert (chosen == expected).mean() > 0.9  # equal but for logits as good as equal
        assert all(play.is_legal(game.rules, state, move) for state, move in zip(states, chosen.tolist(), strict=True))
    sampling = make_agent(text + ",temperature=0.5")
    assert sampling.name == text + ",temperature=0.5"
    before = states.copy()
    moves = act(sampling, game, states)
    assert (states == before).all()
    step_rows(game.rules, states, np.arange(30), moves)
    assert (states[:, st.ENDING] != en.ILLEGAL).all()


@pytest.mark.parametrize("text", ["", ",temperature=1"])
def test_games_do_not_depend_on_the_batch(text: str, tmp_path: Path) -> None:
    write_model(new_model("halma", {}), tmp_path / "policy.pt")
    player = f"trained:{tmp_path / 'policy.pt'}{text}"
    match = Match("halma", (player, "random", "greedy"), games=70, rotate=True, options={"max_plies": 40})
    one = play_match(match, jobs=1)
    for jobs, batch in ((1, 7), (2, 33)):
        other = play_match(match, jobs=jobs, batch=batch)
        assert (one.digest == other.digest).all()


def test_temperature() -> None:
    """At 1/2 the odds between moves are squared."""
    game = games.make("tictactoe")
    logits = np.log(np.array([[1, 2, 4, *[1e-9] * 6]], np.float32))

    class Fixed(Network):
        observation_shape, n_actions = game.observation_shape, 9

        def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return logits.repeat(len(planes), 0), np.zeros(len(planes), np.float32)

    states = game.batch(6_000)
    seen = np.bincount(act(PolicyAgent(Fixed(), "here", 0.5), game, states), minlength=9) / len(states)
    assert np.abs(seen[:3] - np.array([1, 4, 16]) / 21).max() < 0.03
    assert seen[3:].sum() == 0
    assert (act(PolicyAgent(Fixed(), "here", 0), game, states) == 2).all()


def test_exported(tmp_path: Path) -> None:
    """Exported to ONNX, a policy says the same, for any batch."""
    model = new_model("halma", {}, layers=1)
    game = games.make("halma")
    what = architecture_of(game, **{k: v for k, v in model.policy.board_arguments.items() if k in SIZES})
    write_onnx(model.policy, what, tmp_path / "net.onnx")
    assert load(tmp_path / "net.onnx").architecture == what
    states = positions(game, 70)
    planes, _ = observe(game, states, states[:, st.TO_MOVE])
    expected = evaluate(Sb3Network(model.policy), planes)
    assert b".py" not in (tmp_path / "net.onnx").read_bytes()  # where the code lay on this machine
    network = load(tmp_path / "net.onnx")
    for one, two in zip(evaluate(network, planes), expected, strict=True):
        assert one.shape == two.shape
        assert np.abs(one - two).max() < 1e-4
    assert (evaluate(network, planes[:3])[0] == evaluate(network, planes)[0][:3]).all()
    with pytest.raises(ValueError, match=r"expected a file that ends in \.onnx"):
        write_onnx(model.policy, None, tmp_path / "net.zip")


@pytest.mark.parametrize("file", sorted(POLICIES.glob("*.onnx")), ids=lambda file: file.name)
def test_the_policies_of_the_package_name_no_files_of_a_machine(file: Path) -> None:
    assert not re.search(rb"\w{4}\.py", file.read_bytes())  # three bytes alone are in some weights


@pytest.mark.plain
@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("halma", "halma"),
        ("halma players=2", "halma-two"),
        ("chinese_checkers", "chinese_checkers"),
        ("gomoku", "gomoku"),
        ("gomoku size=9", "gomoku"),  # the nearest that can play there
        ("gomoku size=15", "gomoku-15x15"),
        ("gomoku size=19", "gomoku-15x15"),
        ("renju size=9", "renju"),
    ],
)
def test_the_policy_for_the_very_board(text: str, file: str) -> None:
    name, *options = text.split()
    game = games.make_from(name, games.options_from_text(name, options))
    assert trained.policy_file(game) == POLICIES / f"{file}.onnx"
    assert policy_game(file).name == name
    agent = make_agent("trained")
    assert agent.memory(game) == 0


@pytest.mark.parametrize("file", sorted(POLICIES.glob("*.onnx")), ids=lambda file: file.stem)
def test_every_policy_has_a_card_and_a_log(file: Path) -> None:
    card = file.with_suffix(".md").read_text()
    links = (f"({file.stem}.{kind})" for kind in ("onnx", "jsonl", "yaml"))
    for words in (*links, "seed", "minutes", "amoba train ", "95 %"):
        assert words in card
    assert json.loads(file.with_suffix(".jsonl").read_text().splitlines()[-1])["games"] > 100


@pytest.mark.parametrize("name", ["tictactoe", "gomoku", "renju", "halma", "chinese_checkers"])
def test_shipped(name: str) -> None:
    """The package's own policy wins from random players."""
    options = {"anti_spoiling": True} if name == "chinese_checkers" else {}  # else random men stay in the goal
    game = games.make(name, **options)
    match = Match(name, ("trained", *["random"] * (game.players - 1)), games=60, rotate=True, options=options)
    played = play_match(match)
    winner = played.seating[np.arange(60), np.maximum(played.winner, 0)]
    assert ((winner == 0) & (played.winner >= 0)).sum() > 50


def test_tictactoe_is_played_perfectly() -> None:
    """The package's policy keeps the value in every position that can occur."""
    game, seen = games.make("tictactoe"), 0
    states, agent, exact = game.batch(1), make_agent("trained"), solver(games.make("tictactoe"))
    while len(states):
        values, rows = exact.move_values(states), np.arange(len(states))
        moves = agent.act(game, states, streams(0, 0, len(states)), np.zeros((len(states), 0), np.int16))
        assert (values[rows, moves] == values.max(1)).all()
        seen += len(states)
        parents, actions = np.nonzero(values != CANNOT)
        states = states[parents]
        step_rows(game.rules, states, np.arange(len(states)), actions.astype(np.int32))
        states = states[states[:, st.STATUS] == st.RUNNING]
        states = states[np.unique(states[:, st.CELLS :], axis=0, return_index=True)[1]]
    assert seen == 4520


@pytest.mark.parametrize("policy", [BoardPolicy, "MlpPolicy"])
def test_samples_by_probability(policy: Any) -> None:
    """Sampled moves have the frequencies of the policy, and first moves differ between games."""
    model = new_model("tictactoe", {}, policy)
    if policy is BoardPolicy:
        torch.manual_seed(3)
        torch.nn.init.normal_(model.policy.action_net.cell.weight)
    game = games.make("tictactoe")
    count = 5_000
    states = np.tile(positions(game, 3)[2], (count, 1))
    planes, masks = observe(game, states[:1], states[:1, st.TO_MOVE])
    with torch.no_grad():
        log_prob = model.policy.evaluate_actions(
            torch.as_tensor(np.repeat(planes, 9, 0)), torch.arange(9), torch.as_tensor(np.repeat(masks, 9, 0))
        )[1]
    expected = np.exp(log_prob.numpy()) * masks[0]
    assert abs(expected.sum() - 1) < 1e-5
    agent = PolicyAgent(Sb3Network(model.policy), "here")
    seen = np.bincount(act(agent, game, states), minlength=9) / count
    assert np.abs(seen - expected).max() < 4 * np.sqrt(0.25 / count)
    assert (seen[masks[0] == 0] == 0).all()
    assert (act(agent, game, states, 1) != act(agent, game, states)).any()


@pytest.mark.plain
def test_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"^trained: the file nothing\.pt does not exist$"):
        make_agent("trained:nothing.pt")
    write_model(new_model("gomoku", {"size": 7}), tmp_path / "policy.pt")
    with pytest.raises(ValueError, match=r"trained on another board: it knows observations \(7, 7, 3\) and 49 actions"):
        Match("gomoku", (f"trained:{tmp_path / 'policy.pt'}", "random"))
    with pytest.raises(ValueError, match=r"trained: the package has policies for .*, not for amoba; trained:PATH"):
        Match("amoba", ("trained", "random"))
    for number, name in (("-1", "temperature"), ("hot", "option temperature")):
        with bad_value(f"trained: {name}"):
            make_agent(f"trained,temperature={number}")
    (tmp_path / "model.txt").write_text("")
    with pytest.raises(ValueError, match=r"trained: expected a file that ends in \.onnx, \.pt"):
        make_agent(f"trained:{tmp_path / 'model.txt'}")
    (tmp_path / "bad.onnx").write_text("no model")
    wanted = (
        r"bad\.onnx is not an ONNX model with a policy and a value, such as `amoba export` writes: it cannot be read$"
    )
    with pytest.raises(ValueError, match=wanted):
        make_agent(f"trained:{tmp_path / 'bad.onnx'}")
    write_model(new_model("tictactoe", {}, layers=1), tmp_path / "other.pt")
    monkeypatch.setitem(sys.modules, "amoba_agents.networks.board_policy", None)  # as where sb3_contrib is missing
    with pytest.raises(ValueError, match=re.escape(install("train"))):
        make_agent(f"trained:{tmp_path / 'other.pt'}")


@pytest.mark.plain
def test_the_file_is_read_once_until_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "policy.pt"
    write_model(new_model("tictactoe", {}), file)
    torch.manual_seed(5)  # the model was made with seed 1, which loading must not set
    before = torch.random.get_rng_state()
    first, second = make_agent(f"trained:{file}"), make_agent(f"trained:{file},temperature=1")
    assert first.network is second.network
    assert (torch.random.get_rng_state() == before).all()
    write_model(new_model("tictactoe", {}, layers=1), file)
    assert make_agent(f"trained:{file}").network is not first.network


@pytest.mark.parametrize(("name", "own", "size"), [("gomoku", 15, 19), ("gomoku", 10, 9), ("renju", 15, 13)])
def test_other_sizes(name: str, own: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package's policies of line games play on other sizes, and say so once."""
    told: list[str] = []
    monkeypatch.setattr(made_for.log, "warning", lambda form, what: told.append(what))
    made_for.warn.cache_clear()
    game = games.make(name, size=size)
    states = positions(game, 20)
    for _ in range(2):
        moves = act(make_agent("trained"), game, states)
    assert all(play.is_legal(game.rules, state, move) for state, move in zip(states, moves.tolist(), strict=True))
    assert told == [f"trained was trained on {own}x{own} and plays on {size}x{size}"]
    with pytest.raises(ValueError, match="was trained on another board"):  # its actions are not cells alone
        make_agent("trained").memory(games.make(name, size=size, opening="swap" if name == "gomoku" else "rif26"))


@pytest.mark.plain
@pytest.mark.parametrize(
    ("name", "option", "own", "other"),
    [
        ("chinese_checkers", "men", 10, 15),
        ("gomoku", "rule", "freestyle", "caro"),
        ("halma", "anti_spoiling", False, True),
    ],
)
def test_other_options(name: str, option: str, own: Any, other: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy says once with which options it was trained, if it plays with others."""
    told: list[str] = []
    monkeypatch.setattr(made_for.log, "warning", lambda form, what: told.append(what))
    made_for.warn.cache_clear()
    for _ in range(2):
        make_agent("trained").memory(games.make(name))
    assert not told
    for _ in range(2):
        make_agent("trained").memory(games.make(name, **{option: other}))
    assert told == [f"trained was trained with {option}={own} and plays with {option}={other}"]


@pytest.mark.plain
@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"body": "deep"}, "body: expected one of lines, rows, cnn, mlp, got 'deep'"),
        ({"points": list(range(12))}, "12 points and pairs=False do not fit 9 actions"),
        ({"pairs": True}, "9 points and pairs=True do not fit 9 actions"),
    ],
)
def test_bad_networks(kwargs: dict[str, Any], message: str) -> None:
    env = SelfPlayVecEnv("tictactoe", 2)
    with pytest.raises(ValueError, match=message):
        MaskablePPO(BoardPolicy, env, device="cpu", policy_kwargs=kwargs)


@pytest.mark.plain
def test_a_policy_without_arguments() -> None:
    """A full rectangle needs no points."""
    env = SelfPlayVecEnv("gomoku", 2, size=5)
    model = MaskablePPO(BoardPolicy, env, n_steps=4, batch_size=8, device="cpu").learn(8)
    assert model.num_timesteps == 8
    assert model.policy.predict(env.reset(), action_masks=env.action_masks())[0].shape == (2,)


@pytest.mark.plain
@pytest.mark.parametrize("options", [{"size": 6}, {"size": 5, "opening": "swap"}])
def test_rows_are_symmetric(options: dict[str, Any]) -> None:
    """The network over winning sets sees a turned or mirrored board as the turned or mirrored position."""
    model = new_model("gomoku", options, body="rows", layers=2)
    torch.manual_seed(4)
    torch.nn.init.normal_(model.policy.action_net.cell.weight)
    game = games.make("gomoku", **options)
    states = positions(game, 20)
    group = symmetries(game)
    cells = game.n_cells
    logits = evaluate(Sb3Network(model.policy), observe(game, states, states[:, st.TO_MOVE])[0])[0]
    for to, moves in zip(group.cells, group.actions, strict=True):
        image = states.copy()
        image[:, st.TO] = st.NOWHERE  # the last move, which the network does not see
        image[:, st.CELLS + to.astype(np.int64)] = states[:, st.CELLS : st.CELLS + cells]
        turned = evaluate(Sb3Network(model.policy), observe(game, image, image[:, st.TO_MOVE])[0])[0]
        assert np.abs(turned[:, moves[:cells]] - logits[:, :cells]).max() < 1e-4
    assert np.abs(logits[:, :cells] - logits[:, :1]).max() > 0.01
