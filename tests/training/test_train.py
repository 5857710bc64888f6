"""Training from end to end: all stages, killed and resumed anywhere, and refusals in one line."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from commands import Run, refused
from killed import FORKS, kill, killed
from training import AGAIN, EVALUATION, IMITATE, NETWORK, PLAY, matches_of, recipe

from amoba_agents.networks.inference import load
from amoba_experiments.arena.workers import Threads
from amoba_experiments.training import job, network_files, recipes, self_play
from amoba_experiments.training.card import card
from amoba_experiments.training.outline import outline
from amoba_experiments.training.settings import STAGES, Distill, EvaluationSettings, Play, Search
from amoba_experiments.training.train import chosen_network, first_network, train

ALL = IMITATE, PLAY, AGAIN
FINISH = "amoba_experiments.training.train.finish"


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """The network of the last stage."""
    (last,) = folder.glob("stages/3-imitate-2-*/policy.pt")
    found: dict[str, torch.Tensor] = torch.load(last, weights_only=True)["weights"]
    return found


def same(one: dict[str, torch.Tensor], two: dict[str, torch.Tensor]) -> bool:
    return one.keys() == two.keys() and all(torch.equal(array, two[name]) for name, array in one.items())


@pytest.fixture
def stages_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No ONNX file and no last matches after the stages: to write the file takes longer than all the rest."""
    monkeypatch.setattr(FINISH, lambda *_: [])


@pytest.fixture(scope="module")
def told() -> list[str]:
    """What the run of `exact` said of how far it was, in turn."""
    return []


@pytest.fixture(scope="module")
def exact(told: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stages of ALL, of a run that nobody stopped."""
    folder = tmp_path_factory.mktemp("exact")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FINISH, lambda *_: [])
        train(recipe(*ALL), folder, progress=lambda what, *_: told.append(what))
    return folder


def test_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All stages: what the folder has in the end. A changed last stage does not repeat those before."""
    seen: list[tuple[str, int, int]] = []
    lines: list[dict[str, Any]] = []
    last = train(recipe(*ALL), tmp_path, progress=lambda *what: seen.append(what), report=lines.append)
    assert {each.name for each in tmp_path.iterdir()} == {
        *(".lock", "recipe.yaml", "policy.onnx", "evaluations.jsonl", "card.md", "stages", "games", "tensorboard"),
    }
    assert [each.name.rpartition("-")[0] for each in sorted(tmp_path.glob("stages/*"))] == [
        *("1-imitate", "2-play", "3-imitate-2"),
    ]
    assert not list(tmp_path.rglob("*.tmp"))
    assert [line["stage"] for line in lines] == [
        *("imitate", "play", "play", "imitate-2", "final"),
    ]
    assert last == lines[-1:]
    assert [json.loads(line) for line in (tmp_path / "evaluations.jsonl").read_text().splitlines()] == lines
    assert all(line["wins"] + line["losses"] + line["draws"] == line["games"] == 8 for line in lines)
    for clock in ("seconds", "processor_seconds"):  # of the whole run
        assert sorted(lines, key=lambda line: line[clock]) == lines
    assert {what.partition(":")[0] for what, *_ in seen if "/" in what} == {
        *("1/3 imitate", "2/3 play", "3/3 imitate-2"),
    }
    assert all(0 <= done <= total for _, done, total in seen)
    card = (tmp_path / "card.md").read_text()
    for words in (
        "amoba train tictactoe",
        "| imitate |",
        "Trained with 1 thread of ",
        "| random | 8 |",
        "[recipe.yaml](recipe.yaml)",
    ):
        assert words in card
    assert list(tmp_path.glob("tensorboard/*/events.*"))

    what = load(tmp_path / "policy.onnx").architecture
    assert what is not None
    assert (what.game, what.sizes) == ("tictactoe", {"body": "mlp", "channels": 4, "layers": 1, "hidden": 16})
    start = recipe(IMITATE, network=recipes.NetworkSettings(start=str(tmp_path / "policy.onnx")))
    found = first_network(start)[0].state_dict()  # another run begins with these weights
    assert all(torch.allclose(array, found[name], atol=1e-6) for name, array in weights(tmp_path).items())
    assert chosen_network(start)[0].sizes == NETWORK.sizes
    with pytest.raises(ValueError, match="has a run already: continue it with --resume, or choose another folder"):
        train(recipe(*ALL), tmp_path)
    teacher, keys = tmp_path / "teacher.pt", set()
    for number, file in enumerate(tmp_path.glob("stages/*/policy.pt")):
        teacher.write_bytes(file.read_bytes())
        os.utime(teacher, (number, number))  # the clocks of some file systems tick every few milliseconds
        keys.add(recipe(dataclasses.replace(IMITATE, teacher=f"trained:{teacher}")).key(0))
    assert len(keys) == 3  # a teacher that is another network teaches something else
    teacher.unlink()
    before = {file: file.stat().st_mtime_ns for file in tmp_path.glob("stages/*/done.json")}
    monkeypatch.setattr(FINISH, lambda *_: [])  # has nothing to do with stages
    train(recipe(*ALL[:-1], dataclasses.replace(AGAIN, passes=2)), tmp_path, resume=True)
    after = {file: file.stat().st_mtime_ns for file in tmp_path.glob("stages/*/done.json")}
    assert len(after) == 4
    assert before.items() <= after.items()


@pytest.mark.usefixtures("stages_only")
def test_stopped_and_resumed(exact: Path, told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped wherever it says how far it is, a run comes to the same network as without a stop, bit for bit."""
    monkeypatch.setattr(job, "EVERY", 0.0)
    calls, at = 0, int(0.85 * len(told))

    def stop(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(recipe(*ALL), tmp_path / "run", progress=stop)
    train(recipe(*ALL), tmp_path / "run", resume=True)
    assert same(weights(tmp_path / "run"), weights(exact))


@pytest.mark.usefixtures("stages_only")
@pytest.mark.parametrize("file", ["checkpoint.pt", "policy.pt", "done.json"])
def test_stopped_at_any_file(file: str, exact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever file is next to be written, the second time."""
    times = 0
    with monkeypatch.context() as patch:
        for module in ("network_files", "job"):
            patch.setattr(f"amoba_experiments.training.{module}.replace", None)

        def replace(target: Path, data: Any) -> None:
            nonlocal times
            times += target.name == file
            if target.name == file and times == 2:
                raise KeyboardInterrupt
            target.write_bytes(data)

        for module in ("network_files", "job"):
            patch.setattr(f"amoba_experiments.training.{module}.replace", replace)
        with pytest.raises(KeyboardInterrupt):
            train(recipe(*ALL), tmp_path)
    train(recipe(*ALL), tmp_path, resume=True)
    assert same(weights(tmp_path), weights(exact))


@pytest.mark.usefixtures("stages_only")
def test_games_on_a_cluster_are_no_processor_time_of_this_machine(tmp_path: Path) -> None:
    """The card says so, for runs whose games somebody else played."""

    class Elsewhere:
        jobs = 1
        run = Threads(1).run

    what, cards = recipe(IMITATE), []
    for name, workers in (("here", None), ("there", Elsewhere())):
        train(what, tmp_path / name, workers=workers)
        (file,) = (tmp_path / name).glob("stages/*/done.json")
        architecture = chosen_network(what)[0]
        cards.append(card(what, architecture, [json.loads(file.read_text())], []))
    assert "it adds up all threads.\n" in cards[0]
    assert "it adds up all threads of this machine, without the games on a cluster.\n" in cards[1]


def test_the_last_matches_have_openings_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who chooses a stage, a setting or a network by the matches before has not met them."""
    played = matches_of(monkeypatch)
    train(recipe(IMITATE, PLAY), tmp_path)
    *during, last = [set(range(match.seed, match.seed + match.seeds)) for match in played]
    assert len(during) > 1
    assert all(seeds.isdisjoint(last) for seeds in during)


@pytest.mark.usefixtures("stages_only")
def test_play_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games and log go on from the last checkpoint; the steps are those that were asked for."""
    monkeypatch.setattr(job, "EVERY", 0.0)
    steps: list[int] = []

    def stop(what: str, done: int, total: int) -> None:
        if "moves" in what:
            steps.append(done)
            if len(steps) == 3:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(recipe(PLAY), tmp_path, progress=stop)
    (file,) = tmp_path.glob("stages/1-play-*/checkpoint.pt")
    state = torch.load(file, weights_only=True)["state"]
    assert (state["steps"], state["games"].shape[0]) == (128, PLAY.num_envs)
    train(recipe(PLAY), tmp_path, resume=True, progress=stop)
    assert steps == [0, 64, 128, 128, 192, 256]
    lines = json.loads((file.parent / "done.json").read_text())["evaluations"]
    assert [(line["stage"], line["steps"]) for line in lines] == [("play", 0), ("play", 256)]


@pytest.mark.usefixtures("stages_only")
def test_a_stop_during_an_evaluation_loses_no_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = recipe(PLAY, evaluation=dataclasses.replace(EVALUATION, during=2))

    def stop(_: object, steps: int, logger: object) -> None:
        if steps:
            raise KeyboardInterrupt

    monkeypatch.setattr(self_play, "evaluate", stop)
    with pytest.raises(KeyboardInterrupt):
        train(what, tmp_path)
    (file,) = tmp_path.glob("stages/1-play-*/checkpoint.pt")
    assert torch.load(file, weights_only=True)["state"]["steps"] == PLAY.steps // 2


def test_play_goes_on_at_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped after the last move, where men move, it ends with the same value as without a stop."""
    monkeypatch.setattr("amoba_experiments.training.train.finish", lambda *_: [])
    monkeypatch.setattr("amoba_experiments.training.reward_shaping.STEPS", 50)
    what, unshape = recipe(dataclasses.replace(PLAY, max_plies=30), game="halma"), self_play.unshape
    train(what, tmp_path / "whole")

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(self_play, "unshape", stop)
    with pytest.raises(KeyboardInterrupt):
        train(what, tmp_path / "stopped")
    monkeypatch.setattr(self_play, "unshape", unshape)
    train(what, tmp_path / "stopped", resume=True)
    files = (next(tmp_path.glob(f"{run}/stages/*/policy.pt")) for run in ("whole", "stopped"))
    one, two = (torch.load(file, weights_only=True)["weights"] for file in files)
    assert all(torch.equal(weights, two[name]) for name, weights in one.items())


def test_it_learns(tmp_path: Path) -> None:
    """Tic-tac-toe against random: most games are won and few lost, which is not so before the first step."""
    lines: list[dict[str, Any]] = []
    stage = Play(steps=65536, num_envs=64, n_steps=16, batch_size=256, learning_rate=3e-3)
    what = recipe(stage, evaluation=EvaluationSettings(against=("random",), games=600, during=1, final_games=600))
    train(
        dataclasses.replace(what, network=recipes.NetworkSettings(body="rows", channels=16)),
        tmp_path,
        report=lines.append,
    )
    good = [line["wins"] > 500 and line["losses"] < 100 for line in lines]
    assert good == [False, True, True], lines


@pytest.mark.usefixtures("stages_only")
@pytest.mark.filterwarnings(FORKS)
def test_killed_and_resumed(exact: Path, tmp_path: Path) -> None:
    """kill -9 in the second stage.

    The child finds the first stage done: a fork cannot learn with PyTorch if this process did so beside a GPU.
    """
    others = shutil.ignore_patterns("2-play-*", "3-imitate-2-*", "tensorboard")
    shutil.copytree(exact, tmp_path / "run", ignore=others)

    def progress(what: str, *_: int) -> None:
        if what == "2/3 play: moves":
            kill()

    killed(lambda: train(recipe(*ALL), tmp_path / "run", resume=True, progress=progress))
    (begun,) = tmp_path.glob("run/stages/2-play-*")
    assert not (begun / "done.json").exists()
    assert len(list(tmp_path.glob("run/stages/*/done.json"))) == 1
    train(recipe(*ALL), tmp_path / "run", resume=True)
    assert same(weights(tmp_path / "run"), weights(exact))


@pytest.mark.plain
def test_every_stage_says_what_it_does() -> None:
    """In the list of stages of a recipe."""
    rows = outline(recipe(*[kind() for kind in STAGES.values()])).rows
    assert len(rows) == len(STAGES) + 2
    assert all(does for _, does in rows)
    for stage in (Search(games=10, random=0.25), Distill(games=10, random=0.25)):
        assert "7 games against itself and 3 against random players" in stage.does()


def test_the_command(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(recipe(IMITATE).to_yaml())
    line = "train tictactoe --recipe mine.yaml --set seed=3 --set imitate.games=12"
    refused(run, line, "--out DIR")
    code, out, err = run(f"{line} --dry-run")
    assert code == 0, err
    assert [row.split()[0] for row in out.splitlines()] == ["stage", "network", "imitate", "final"]
    assert "12 games of greedy" in out
    assert not list(tmp_path.glob("*/"))
    code, out, err = run(f"{line} --out r")
    assert code == 0, err
    told = (
        "1/1 imitate: begins\n",
        "1/1 imitate: done\n",
        "\nwriting the policy\n",
        "\nmatches against random: 0 of 8\n",
    )
    assert all(words in err for words in told), err
    assert "1/1 imitate: games of greedy: 0 of 12" in err
    assert out.splitlines()[-1] == "The player is trained:r/policy.onnx"
    assert "seed: 3" in Path("r/recipe.yaml").read_text()
    assert run("match tictactoe trained:r/policy.onnx random --games 6")[0] == 0
    refused(run, f"{line} --out r", "r has a run already: continue it with --resume, or choose another folder")
    code, _, err = run("train tictactoe --out r --resume --set evaluation.final_games=4")
    assert code == 0, err
    assert "games of" not in err
    refused(run, "train gomoku --out r --resume", "expected a recipe for gomoku, got one for 'tictactoe'")


def test_bad_runs_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(recipe(IMITATE, PLAY).to_yaml())
    (tmp_path / "list.yaml").write_text("- 1\n")
    (tmp_path / "empty.yaml").write_text("game: tictactoe\n")
    (tmp_path / "search.yaml").write_text("stages: [search]")
    for line, message in {
        "train chess --out s": "unknown game 'chess'",
        "train gomoku --out s --recipe fast": "unknown recipe 'fast' for gomoku",
        "train gomoku --out s --option size=x": "option size: expected a whole number",
        "train gomoku --out s --set speed=9": "unknown setting 'speed'; the settings: seed, random_plies, ",
        "train halma --recipe quick --out s --set play.speed=9": "play has no option 'speed'; its options: steps, ",
        "train halma --out s --set imitate.games=9": "unknown setting 'imitate.games'",
        "train halma --recipe quick --out s --set play.gamma=high": "gamma: expected a number, 1e-06..1, got 'high'",
        "train halma --recipe quick --out s --set play.gamma=2": "play: gamma: expected 1e-06..1, got 2",
        "train halma --recipe quick --out s --set play.n_steps=5": "n_steps: expected at least 6",
        "train halma --recipe quick --out s --set play.num_envs=99999 --set play.n_steps=999": "n_steps: expected at",
        "train tictactoe --out s --set imitate.teacher=chess": "imitate: unknown agent 'chess'",
        "train gomoku --out s --set evaluation.against=chess": "unknown agent 'chess'",
        "train tictactoe --out s --set random_plies=9": "random_plies: 9 random moves end every game",
        "train tictactoe --out s --set imitate.runs=.": "expected the folder of a run or of several, got .",
        "train chinese_checkers --out s --option players=3": "this recipe is for 2 players, got players=3; expected",
        "train halma --out s --set search.opening=90": "search: opening: 90 random moves end every game",
        "train halma --recipe own-play --out s --option max_plies=6": "opening: 6 random moves end every game",
        "train tictactoe --recipe own-play --out s --set search.opening=9": "opening: 9 random moves end every game",
        "train halma --out s --set distill-2.max_plies=6": "distill-2: games: 6 random moves end every game",
        "train halma --recipe quick --out s --set play.max_plies=4": "random_plies: 4 random moves end every game",
        "train gomoku --out s --set network.hidden=64": "network: the body 'lines' has no hidden",
        "train tictactoe --out s --set imitate.runs=nowhere": "imitate: runs: the folder nowhere does not exist",
        "train gomoku --out s --set network.body=deep": "body: expected one of lines, rows, cnn, mlp, got 'deep'",
        "train halma --out s --set network.body=lines": "network.body: expected one of mlp, cnn, got 'lines'",
        "train gomoku --out s --set device=tpu": "device: expected auto, cpu, cuda or cuda:NUMBER, got 'tpu'",
        "train gomoku --out s --set device=cuda:99": "device: expected auto, cpu or a GPU of this machine, which has",
        "train gomoku --out s --set evaluation.against=person": "evaluation.against: expected programs, got 'person'",
        "train tictactoe --out s --set imitate.teacher=person": "teacher: expected programs, got 'person'",
        "train gomoku --out s --set search.games=2 --set search.random=0.9": "search: random: expected a share that",
        "train gomoku --out s --set distill.games=1 --set distill.random=0.1": "distill: random: expected a share that",
        "train gomoku --out a,b": "expected a folder without ',' and '='",
        "train gomoku --out s --recipe mine.yaml": "expected a recipe for gomoku, got one for 'tictactoe'",
        "train gomoku --out s --recipe list.yaml": "list.yaml: recipe: expected a mapping",
        "train tictactoe --out s --recipe empty.yaml": "stages: expected a list, got None",
        "train gomoku --out s --recipe search.yaml": "search.yaml: stages: expected one that trains the policy",
        "train gomoku --out s --recipe none.yaml": "none.yaml",
    }.items():
        refused(run, line, message)
    assert not Path("s").exists()


def test_an_interrupted_run_says_how_to_go_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("amoba_experiments.training.train.train", interrupted)
    code, out, err = run("train tictactoe --recipe quick --out 'my run'")
    assert (code, out) == (130, "")
    assert err.splitlines()[-2:] == ["amoba train tictactoe --out 'my run' --resume continues it", "interrupted"]


def test_export_is_tried_before_training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    network_files.try_export.cache_clear()

    def export(*_: Any, **__: Any) -> None:
        raise ImportError("onnxscript is too old")

    monkeypatch.setattr(torch.onnx, "export", export)
    begun: list[str] = []
    with pytest.raises(ImportError, match="onnxscript is too old"):
        train(recipe(PLAY), tmp_path, progress=lambda what, done, total: begun.append(what))
    assert not begun
