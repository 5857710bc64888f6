"""Training: a small run from end to end, killed and resumed, and refusals in one line."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from commands import Run, refused
from sb3_contrib import MaskablePPO
from training import SMALL, small

from amoba_agents.networks.policy import BoardPolicy, board_kwargs
from amoba_env import games
from amoba_env.core import rules as tables
from amoba_env.core.state import CELLS
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.store import write_run
from amoba_experiments.training import settings as files
from amoba_experiments.training.behaviour_cloning import imitate
from amoba_experiments.training.opponents import Pool
from amoba_experiments.training.reward_shaping import Shaped
from amoba_experiments.training.train import train

pytestmark = pytest.mark.compiled


def left_over(folder: Path) -> list[Path]:
    return [*folder.rglob("*.part"), *folder.rglob("*.part.zip")]


def test_a_run(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    lines: list[dict[str, Any]] = []
    train(small("tictactoe", "steps=500"), tmp_path, progress=lambda *args: seen.append(args), report=lines.append)
    assert seen[0] == ("tictactoe", 0, 500)
    assert seen[-1] == ("tictactoe", 500, 500)
    names = {each.name for each in tmp_path.iterdir()}
    assert names >= {"settings.json", "checkpoint-512", "evaluations.jsonl", "model.zip", "best.zip", "tensorboard"}
    assert not left_over(tmp_path)
    assert [line["steps"] for line in lines] == [0, 0, 192, 192, 384, 384, 512, 512]
    assert [json.loads(line) for line in (tmp_path / "evaluations.jsonl").read_text().splitlines()] == lines
    assert all(line["wins"] + line["losses"] + line["draws"] == 20 for line in lines)
    pool = torch.load(tmp_path / "checkpoint-512" / "pool.pt", weights_only=True)
    assert [step for step, _ in pool] == [0, 512]
    assert MaskablePPO.load(tmp_path / "model.zip", device="cpu").num_timesteps == 512
    assert list((tmp_path / "tensorboard").glob("events.*"))


LEARNS = [
    "body=rows",
    "channels=16",
    "num_envs=64",
    "n_steps=16",
    "batch_size=256",
    "learning_rate=3e-3",
    "steps=12288",
    "opponents=random",
    "freeze_every=8192",
    "evaluate_against=random",
    "evaluate_every=12288",
    "evaluate_games=600",
]


def test_it_learns(tmp_path: Path) -> None:
    """Tic-tac-toe against random: most games are won and few lost, which is not so before the first step."""
    lines: list[dict[str, Any]] = []
    train(files.fresh("tictactoe", (), LEARNS), tmp_path, report=lines.append)
    good = [line["wins"] > 500 and line["losses"] < 45 for line in lines]
    assert good == [False, True], lines


def test_resumed_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Network, optimizer, pool and log go on; what came after the checkpoint is forgotten."""
    train(small("tictactoe", "steps=256"), tmp_path)
    log = tmp_path / "evaluations.jsonl"
    log.write_text(log.read_text() + '{"steps": 999}\n')
    before = MaskablePPO.load(tmp_path / "checkpoint-256" / "model.zip", device="cpu")
    (tmp_path / "checkpoint-new.part").mkdir()  # as a kill in the middle of writing leaves it
    hired: list[list[str]] = []
    replaced_by = SelfPlayVecEnv.set_opponents

    def set_opponents(env: SelfPlayVecEnv, opponents: Any) -> None:
        hired.append([agent.name for agent in opponents])
        replaced_by(env, opponents)

    monkeypatch.setattr(SelfPlayVecEnv, "set_opponents", set_opponents)
    train(small("tictactoe", "steps=512"), tmp_path, resume=True)
    assert hired[0] == ["random", "greedy", "copy of step 0", "copy of step 256"]
    assert hired[1] == ["random", "greedy", "copy of step 0", "copy of step 384"]
    after = MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    assert (before.num_timesteps, after.num_timesteps) == (256, 512)
    step = [next(iter(model.policy.optimizer.state.values()))["step"].item() for model in (before, after)]
    assert step == [8, 16]
    steps = [json.loads(line)["steps"] for line in log.read_text().splitlines()]
    assert 999 not in steps
    assert steps == sorted(steps)
    assert [each.name for each in tmp_path.glob("checkpoint-*")] == ["checkpoint-512"]
    text = log.read_text()
    (tmp_path / "model.zip").unlink()
    train(small("tictactoe", "steps=512"), tmp_path, resume=True)  # there is nothing left to do but this file
    assert (tmp_path / "model.zip").exists()
    assert log.read_text() == text


def test_killed_and_resumed(tmp_path: Path) -> None:
    """kill -9 in the middle of a run, by the command line."""
    command = [sys.executable, "-c", "from amoba_experiments.cli import main; main()", "train", "tictactoe"]
    command += ["--out", str(tmp_path / "run"), *(part for change in SMALL for part in ("--set", change))]
    folder = Path(__file__).parents[2]
    process = subprocess.Popen([*command, "--steps", "100000"], cwd=folder, stdout=subprocess.DEVNULL)
    until = time.time() + 60
    while not list((tmp_path / "run").glob("checkpoint-[1-9]*")):
        assert process.poll() is None
        assert time.time() < until
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    step = max(int(each.name[11:]) for each in (tmp_path / "run").glob("checkpoint-[0-9]*"))
    train(files.resumed(tmp_path / "run", "tictactoe", (), [f"steps={step + 64}"]), tmp_path / "run", resume=True)
    assert MaskablePPO.load(tmp_path / "run" / "model.zip", device="cpu").num_timesteps == step + 64


def test_the_command(run: Run) -> None:
    sets = " ".join(f"--set {change.replace(' ', '_')}" for change in SMALL[:-1])
    code, out, err = run(f"train halma --out r --steps 64 --seed 3 --option max_plies=30 {sets}")
    assert code == 0, err
    assert "64 steps" in out
    assert out.splitlines()[-1] == "The player is trained:r/model.zip"
    assert json.loads(Path("r/settings.json").read_text())["options"]["max_plies"] == 30
    assert run("match halma trained:r/model.zip random greedy --games 6 --option max_plies=30")[0] == 0
    assert "trained" in run("agents")[1]
    for line, message in {
        f"train halma --out r {sets}": "r has a run already; go on with it by --resume, or choose another folder",
        "train halma --out r --resume --seed 4 --set gamma=0.9": "r was made with other settings: "
        "seed was 3, now 4; gamma was 0.99, now 0.9",
        "train gomoku --out r --resume": "r has a run of halma, not of gomoku",
        "train chess --out s": "unknown game 'chess'",
        "train gomoku --out s --option size=x": "option size takes a whole number",
        "train gomoku --out s --set speed=9": "no setting 'speed=9': write NAME=VALUE with one of steps, seed, ",
        "train gomoku --out s --set gamma=high": "setting gamma takes a number, not 'high'",
        "train gomoku --out s --set gamma=2": "gamma must be 0..1, not 2.0",
        "train gomoku --out s --num-envs 1 --set n_steps=1": "2 or more",
        "train gomoku --out s --learning-rate -1": "learning_rate must be 0..1, not -1.0",
        "train gomoku --out s --set epochs=0": "epochs must be 1..",
        "train gomoku --out s --imitate chess": "unknown agent 'chess'",
        "train gomoku --out s --set opponents=chess": "unknown agent 'chess'",
        "train gomoku --out s --set evaluate_against=chess": "unknown agent 'chess'",
        "train gomoku --out s --set opponents=": "name one or more agents",
        "train gomoku --out s --set shaping=1": "shaping is for games where men move",
        "train gomoku --out a,b": "must have no ',' or '=' in it",
        "train gomoku --out s --set body=deep": "body must be one of lines, rows, cnn, mlp, not 'deep'",
    }.items():
        refused(run, line, message)
    assert not Path("s").exists()


def test_a_broken_settings_file(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("{")
    with pytest.raises(ValueError, match=r"settings\.json cannot be read"):
        train(small(), tmp_path, resume=True)


def test_the_pool_keeps_the_last_and_some_before() -> None:
    env = SelfPlayVecEnv("tictactoe", 2)
    model = MaskablePPO(BoardPolicy, env, n_steps=2, batch_size=4, device="cpu")
    pool = Pool(("random", "greedy"), recent=2, older=2)
    for step in range(0, 90, 10):
        torch.nn.init.constant_(model.policy.action_net.cell.bias, step)
        pool.freeze(step, model.policy)
    steps = [step for step, *_ in pool.copies]
    assert steps[0] == 0
    assert steps[-2:] == [70, 80]
    assert len(steps) == 4
    assert [policy.action_net.cell.bias.item() for *_, policy in pool.copies] == steps
    assert [getattr(agent, "name", "") for agent in pool.opponents()][:3] == ["random", "greedy", "copy of step 0"]
    again = Pool((), 2, 2)
    for step, weights in pool.weights():
        again.freeze(step, model.policy, weights)
    assert [policy.action_net.cell.bias.item() for *_, policy in again.copies] == steps


@pytest.mark.parametrize(("name", "options"), [("halma", {}), ("halma", {"max_plies": 20}), ("square_halma", {})])
def test_shaping_pays_for_the_way(name: str, options: dict[str, Any]) -> None:
    """With no discount the rewards of a game add up: its result, and what of the way is done where it was cut off."""
    plain = SelfPlayVecEnv(name, 6, "greedy", **options)
    env = Shaped(SelfPlayVecEnv(name, 6, "greedy", **options), plain.game, 2.0, 1.0)
    for each in (plain, env):
        each.seed(4)
        each.reset()
    steps = tables.table(plain.game.rules, tables.STEPS)
    home, goal = (tables.table(plain.game.rules, slot) for slot in (tables.HOME, tables.GOAL))
    start, least = steps[0][home[0]].sum(), steps[0][goal[0]].sum()
    total, result, done = np.zeros(6), np.zeros(6), 0
    for _ in range(60):
        masks = plain.env_method("action_masks")
        assert (env.env_method("action_masks") == masks).all()
        seats, states = plain.seats, plain.states
        for i, (state, seat) in enumerate(zip(states, seats, strict=True)):
            own = steps[seat][state[CELLS:] == seat].sum()
            assert env._potential[i] == pytest.approx((least - own) / (start - least))
        actions = np.array([np.flatnonzero(row)[len(states) % row.sum()] for row in masks])
        rewards, over, infos = plain.step(actions)[1:]
        shaped = env.step(actions)[1]
        total += shaped
        result += rewards
        for row in np.flatnonzero(over):
            extra = 2.0 * (env.potential(infos[row]["terminal_observation"][None])[0] + 1)
            if not infos[row]["TimeLimit.truncated"]:
                extra = 2.0
            first = total[row] - result[row] - extra
            assert first == pytest.approx(0, abs=0.5)  # an opponent may not have moved yet: the way begins in full
            total[row] = result[row] = 0
            done += 1
    assert done or not options


def test_imitation_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped while it is advised and while it learns, it comes to the same network as without a stop."""
    match = Match("gomoku", ("greedy", "random"), 6, 3, options={"size": 6}, openings=("random:2",))
    write_run(tmp_path / "games", match, batch=6)
    monkeypatch.setattr("amoba_experiments.training.dagger.SIZE", 8)
    monkeypatch.setattr("amoba_experiments.training.dagger.KEEP", 2)
    settings = small(
        "gomoku", f"imitate={tmp_path / 'games'}", "advice=alphabeta:depth=1", "imitate_passes=3", "steps=1"
    )
    settings = dataclasses.replace(settings, options={**settings.options, "size": 6})
    train(settings, tmp_path / "whole")
    next((tmp_path / "games").glob("advice-*.npz")).unlink()
    seen: list[tuple[str, int]] = []

    def stop(stage: str, share: float) -> None:
        def progress(now: str, done: int, total: int) -> None:
            seen.append((now, done))
            if now == stage and done > share * total:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train(settings, tmp_path / "stopped", resume=True, progress=progress)

    stop("advice of alphabeta:depth=1", 0.6)
    stop("as alphabeta:depth=1", 0.5)
    stop("gomoku", -1)  # the first checkpoint is there
    asked, learned = ([done for now, done in seen if now == stage] for stage in dict(seen) if stage != "gomoku")
    assert len(asked) - len(set(asked)) <= 2  # what was kept is not asked again
    assert len(learned) - len(set(learned)) <= len(set(learned)) / 3  # nor a whole pass learned
    train(settings, tmp_path / "stopped", resume=True)
    one, two = (MaskablePPO.load(tmp_path / name / "model.zip").policy.state_dict() for name in ("whole", "stopped"))
    assert all(torch.equal(weights, two[name]) for name, weights in one.items())
    assert not (tmp_path / "stopped" / "imitated.pt").exists()


def test_what_was_learned_of_other_positions_is_not_gone_on_with(tmp_path: Path) -> None:
    """The runs grew while the training was stopped: its passes are not gone on with."""
    match = Match("gomoku", ("greedy", "random"), 6, 3, options={"size": 6}, openings=("random:2",))
    write_run(tmp_path / "games" / "a", match, batch=6)
    settings = small("gomoku", f"imitate={tmp_path / 'games'}", "advice=alphabeta:depth=1", "steps=1")
    settings = dataclasses.replace(settings, options={**settings.options, "size": 6})

    def stop(now: str, done: int, total: int) -> None:
        if now.startswith("as ") and 2 * done > total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(settings, tmp_path / "stopped", progress=stop)
    assert (tmp_path / "stopped" / "imitated.pt").exists()
    write_run(tmp_path / "games" / "b", dataclasses.replace(match, seed=4), batch=6)
    train(settings, tmp_path / "stopped", resume=True)
    train(settings, tmp_path / "whole")
    one, two = (MaskablePPO.load(tmp_path / name / "model.zip").policy.state_dict() for name in ("whole", "stopped"))
    assert all(torch.equal(weights, two[name]) for name, weights in one.items())


def test_advice_that_is_refused() -> None:
    with pytest.raises(ValueError, match="advise must be one of all, unwon, blunders, not 'some'"):
        small("gomoku", "imitate=.", "advice=greedy", "advise=some")
    with pytest.raises(ValueError, match="needs advice=alphabeta"):
        small("gomoku", "imitate=.", "advice=greedy", "advise=blunders")
    with pytest.raises(ValueError, match="imitate must be a folder"):
        small("gomoku", "imitate=greedy", "advice=greedy")


def test_begin_as_another(tmp_path: Path) -> None:
    """A run goes on from the weights in a file; one of another network is refused."""
    train(small("tictactoe", "steps=64"), tmp_path / "a")
    again = small("tictactoe", "steps=1", f"start={tmp_path / 'a' / 'model.zip'}", "learning_rate=0")
    train(again, tmp_path / "b")
    one, two = (MaskablePPO.load(tmp_path / name / "model.zip").policy.state_dict() for name in "ab")
    assert all(torch.equal(weights, two[name]) for name, weights in one.items())
    for file, message in (
        (tmp_path / "a" / "model.zip", "has hidden=16, but"),
        (tmp_path / "no.zip", "no such file"),
    ):
        with pytest.raises(ValueError, match=message):
            train(small("tictactoe", "hidden=8", f"start={file}"), tmp_path / file.stem)


def test_sharper_and_the_value_first(tmp_path: Path) -> None:
    """Logits are divided by the temperature; while only the value learns, the policy stays as it was."""
    train(small("tictactoe", "steps=64"), tmp_path / "a")
    start = f"start={tmp_path / 'a' / 'model.zip'}"
    train(small("tictactoe", "steps=128", start, "start_temperature=0.5", "value_first=2"), tmp_path / "b")
    train(small("tictactoe", "steps=192", start, "value_first=2"), tmp_path / "c")
    one, two, three = (MaskablePPO.load(tmp_path / name / "model.zip").policy for name in "abc")
    seen = torch.as_tensor(games.make("tictactoe").batch(3)[:, :9].reshape(3, 3, 3, 1).repeat(3, axis=3) == 0)
    with torch.no_grad():
        logits = [policy.action_net(policy.extract_features(seen)) for policy in (one, two, three)]
    assert torch.equal(logits[1], 2 * logits[0])
    assert not torch.equal(logits[2], logits[0])
    assert not torch.equal(two.value_net[0].weight, one.value_net[0].weight)
    with pytest.raises(ValueError, match="start_temperature must be more than 0"):
        small("tictactoe", "start_temperature=0")


def test_imitation() -> None:
    """Tic-tac-toe's greedy player, in a second or two: far more often than any of the legal moves by chance."""
    game = games.make("tictactoe")
    env = SelfPlayVecEnv("tictactoe", 2)
    model = MaskablePPO(BoardPolicy, env, n_steps=2, seed=0, device="cpu", policy_kwargs=board_kwargs(game))
    at: list[tuple[str, int, int]] = []
    agreed = imitate(model.policy, game, "greedy", 4000, 3e-3, 0.98, 0, lambda *what: at.append(what))
    assert agreed > 0.6
    assert at[-1][0] == "as greedy"
    assert at[-1][1] == at[-1][2] >= 3 * 4000


@pytest.mark.parametrize(("learns", "changed"), [("both", {0, 1}), ("moves", {0}), ("value", {1})])
def test_moves_and_value_can_be_learned_apart(learns: str, changed: set[int]) -> None:
    game = games.make("tictactoe")
    env = SelfPlayVecEnv("tictactoe", 2)
    policy = MaskablePPO(BoardPolicy, env, n_steps=2, seed=0, device="cpu", policy_kwargs=board_kwargs(game)).policy
    seen = torch.as_tensor(game.batch(1)[:, :9].reshape(1, 3, 3, 1).repeat(3, axis=3) == 0)

    def said() -> list[torch.Tensor]:
        with torch.no_grad():
            features = policy.extract_features(seen)
            return [policy.action_net(features), next(policy.value_net.parameters()).clone()]

    before = said()
    imitate(policy, game, "greedy", 600, 3e-3, 0.98, 0, lambda *what: None, learns=learns)
    assert {part for part, (one, two) in enumerate(zip(before, said(), strict=True)) if not one.equal(two)} == changed
    assert all(parameter.requires_grad for parameter in policy.parameters())
    with pytest.raises(ValueError, match="imitate_learns must be one of both, moves, value, not 'nothing'"):
        small("tictactoe", "imitate_learns=nothing")


def test_settings_from_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("# small\nsteps: 64\ngamma: 0.9\noptions: {size: 6}\nopponents: random\n")
    small_ones = " ".join(f"--set {change}" for change in SMALL if "opponents" not in change)
    line = f"train gomoku --config mine.yaml --set imitate= --set threads=2 {small_ones}"
    assert run(f"{line} --out one")[0] == 0
    one = files.load(tmp_path / "one")
    assert (one.steps, one.gamma, one.opponents, one.options["size"], one.threads) == (64, 0.9, "random", 6, 2)
    assert run("train gomoku --config one/settings.json --out two --seed 5")[0] == 0
    assert files.load(tmp_path / "two") == dataclasses.replace(one, seed=5)
    for text, message in (
        ("steps", "bad.yaml has no settings: it should read NAME: VALUE"),
        ("{", "bad.yaml has no settings: "),
        ("game: halma", "bad.yaml is for another game than gomoku"),
        ("speed: 3", "no setting 'speed=3': write NAME=VALUE with one of steps, "),
        ("steps: many", "setting steps takes a whole number, not 'many'"),
        ("device: tpu", "device must be auto, cpu, cuda or cuda:NUMBER, not 'tpu'"),
    ):
        (tmp_path / "bad.yaml").write_text(text)
        refused(run, "train gomoku --config bad.yaml --out three", message)
    assert "without --config" in run("train gomoku --config mine.yaml --out one --resume")[2]
