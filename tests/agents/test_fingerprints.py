"""A match has one player under one text: the files and packages that define players are compared."""

from __future__ import annotations

import functools
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from commands import Run, refused
from packages import entry_points

from amoba_agents import AGENTS, fingerprint, make_agent, sources
from amoba_agents.networks import trained
from amoba_agents.networks.checksum import sealed
from amoba_agents.players.levels import LEVELS, WithMistakes
from amoba_agents.sources import NOT_KNOWN, source_digests
from amoba_env import games, registry
from amoba_experiments.analysis.tournament import Tournament, play_tournament
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.store import load, read_manifest

GAME = games.make("tictactoe")
SHIPPED = trained.POLICIES / "tictactoe.onnx"
OTHER = sealed(SHIPPED.read_bytes()[: -len(sealed(b""))] + b"\x32\x05other")  # another documentation in the file


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file net.onnx in the folder where the test runs."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(SHIPPED, "net.onnx"))


@pytest.fixture
def policies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package's own networks, of which one can be overwritten."""
    folder = tmp_path / "amoba_agents" / "policies"
    folder.mkdir(parents=True)
    monkeypatch.setattr(trained, "POLICIES", folder)
    return Path(shutil.copy(SHIPPED, folder))


def match(agent: str) -> Match:
    return Match("tictactoe", (agent, "random"), 8, seed=1)


@pytest.mark.parametrize("agent", ["trained:net.onnx", "trained:./net.onnx,temperature=1", "mcts:4,prior=net.onnx"])
def test_a_run_goes_on_with_its_network_only(agent: str, network: Path, run: Run) -> None:
    play_match(match(agent), "run", jobs=1, batch=4)
    ((name, digest),) = read_manifest("run")["fingerprints"][agent].items()
    shutil.rmtree("run/games")
    network.write_bytes(OTHER)
    message = rf"^run holds another run: {agent} plays with another {name} here \(\w+\) than there \({digest}\)$"
    with pytest.raises(ValueError, match=message):
        play_match(match(agent), "run", jobs=1, batch=4)
    refused(run, f"match tictactoe {agent} random --games 8 --seed 1 --out run --quiet", "holds another run: ")
    shutil.copy(SHIPPED, network)
    play_match(match(agent), "run", jobs=1, batch=4)
    assert load("run").num_rows == 8


@pytest.mark.parametrize("agent", ["trained", "mcts:4,prior=trained"])
def test_the_network_of_the_package_too(agent: str, policies: Path, tmp_path: Path) -> None:
    play_match(match(agent), tmp_path / "run")
    policies.write_bytes(OTHER)
    with pytest.raises(ValueError, match=rf"{agent} plays with another amoba_agents/policies/tictactoe\.onnx here"):
        play_match(match(agent), tmp_path / "run")


@pytest.mark.parametrize("on_disk", [True, False])
def test_a_network_that_is_written_meanwhile(on_disk: bool, network: Path) -> None:
    what, done = match("trained:net.onnx"), []

    def progress(count: int) -> None:
        done.append(count)
        if len(done) == 1:
            network.write_bytes(OTHER)

    with pytest.raises(ValueError, match=r"trained:net\.onnx plays with another net\.onnx here .* than when the match"):
        play_match(what, "run" if on_disk else None, jobs=1, batch=2, progress=progress)
    assert sum(done) == 2
    shutil.copy(SHIPPED, network)
    if on_disk:
        play_match(what, "run", jobs=1, batch=2)
        play_match(what, "whole", jobs=1, batch=2)
        assert load("run").equals(load("whole"))


def test_a_tournament_too(network: Path) -> None:
    what = Tournament("tictactoe", ("random", "greedy", "trained:net.onnx"), games=2)
    begun: list[str] = []

    def begin(pairing: str) -> None:
        begun.append(pairing)
        network.write_bytes(OTHER if len(begun) > 1 else SHIPPED.read_bytes())

    for folder in (None, "tournament"):
        begun.clear()
        with pytest.raises(ValueError, match=r"^trained:net\.onnx plays with another net\.onnx here"):
            play_tournament(what, folder, 1, begin=begin)
        assert len(begun) == 2
        shutil.copy(SHIPPED, network)
    network.write_bytes(OTHER)
    with pytest.raises(ValueError, match=r"^tournament holds another tournament: trained:net\.onnx plays with another"):
        play_tournament(what, "tournament", 1)
    shutil.copy(SHIPPED, network)
    assert len(play_tournament(what, "tournament", 1)) == 3


@pytest.mark.plain
def test_weights_beside_a_network_are_refused(network: Path) -> None:
    """Weights in ONNX's external data, also where onnxruntime would find them, in the working directory."""
    model = onnx.load(SHIPPED)
    del model.metadata_props[:]  # the checksum is that of the file without external data
    onnx.save(model, network, save_as_external_data=True, location="weights.bin", size_threshold=1024)
    assert Path("weights.bin").exists()
    with pytest.raises(
        ValueError, match=r"net\.onnx is not .* its weights are in another file; expected a model in one"
    ):
        make_agent("trained:net.onnx")


def test_a_network_for_one_position_is_refused(network: Path) -> None:
    model = onnx.load(SHIPPED)
    del model.metadata_props[:]
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    onnx.save(model, network)
    with pytest.raises(ValueError, match=r"net\.onnx .* expected any number of positions, \[B, H, W, planes\]"):
        make_agent("trained:net.onnx")


def test_a_column_of_values(network: Path) -> None:
    """As the usual last layer gives them."""
    model = onnx.load(SHIPPED)
    del model.metadata_props[:]
    values = model.graph.output[1]
    model.graph.node.append(onnx.helper.make_node("Unsqueeze", [values.name, "axis"], ["column"]))
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([1]), "axis"))
    values.name = "column"
    values.type.tensor_type.shape.dim.add().dim_value = 1
    onnx.save(model, network)
    found = [make_agent(text).evaluate(GAME, GAME.batch(3)) for text in ("trained", "trained:net.onnx")]
    for one, other in zip(*found, strict=True):
        assert np.allclose(one, other)


def test_two_values_for_a_position_are_refused(network: Path) -> None:
    model = onnx.load(SHIPPED)
    del model.metadata_props[:]
    logits = model.graph.output[0].name
    model.graph.node.append(onnx.helper.make_node("Identity", [logits], ["values"]))
    model.graph.output[1].CopyFrom(model.graph.output[0])
    model.graph.output[1].name = "values"
    onnx.save(model, network)
    with pytest.raises(ValueError, match="expected one value for each position, got values of shape"):
        make_agent("trained:net.onnx").evaluate(GAME, GAME.batch(3))


@pytest.mark.plain
def test_players_in_players(policies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fingerprint("level:10", GAME) == fingerprint("mcts:4", GAME) == fingerprint("greedy", GAME) == {}
    monkeypatch.setitem(LEVELS, "tictactoe", [WithMistakes(make_agent("mcts:4,prior=trained"), 50)])
    assert fingerprint("level:1", GAME) == fingerprint("trained", GAME) != {}


def test_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program and the script are compared, not what they write; the manifest says that they may read more."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "brain.py").write_text("one")
    (tmp_path / "engine").write_text("one")
    (tmp_path / "engine").chmod(0o755)
    (tmp_path / "log").write_text("one")
    text, game = f"gomocup:{sys.executable} brain.py --fast log engine", games.make("gomoku")
    one = fingerprint(text, game)
    assert list(one) == [sys.executable, "brain.py", "engine", f"what {sys.executable} reads"]
    for name in ("brain.py", "log", "engine"):
        (tmp_path / name).write_text("another")
    two = fingerprint(text, game)
    assert [one[name] == two[name] for name in one] == [True, False, False, True]
    assert two[f"what {sys.executable} reads"] == NOT_KNOWN


PLAYER = """
from amoba_agents.players.random import Random
class Player(Random):
    "Any move."
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package with a player `fine`."""
    folder = tmp_path / "a_package"
    points = {"fine": "a_package:Player", "ours": "amoba_agents.players.random:Random"}
    entry_points(tmp_path, "a-package", "amoba.agents", points)
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__init__.py").write_text(PLAYER)
    (folder / "weights.bin").write_bytes(b"one")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "installed", registry.installed.__wrapped__)  # as in a fresh process
    monkeypatch.setitem(vars(AGENTS), "_installed", type(AGENTS)._installed.func(AGENTS))
    monkeypatch.delitem(sys.modules, "a_package", raising=False)
    return folder


def anew(text: str) -> dict[str, str]:
    """As in a new process."""
    sources._of_package.cache_clear()
    return fingerprint(text, GAME)


@pytest.mark.plain
def test_players_of_packages(package: Path) -> None:
    """All files of the package count, except caches."""
    one = anew("fine")
    assert list(one) == ["package a_package"]
    (package / "__pycache__" / "cache").write_text("cache")
    assert anew("fine") == one
    (package / "weights.bin").write_bytes(b"another")
    two = anew("fine")
    assert two != one
    (package / "__init__.py").write_text(PLAYER + "# other")
    assert anew("fine") not in (one, two)
    assert anew("ours") == {}


@pytest.mark.plain
def test_players_of_scripts_and_modules() -> None:
    def factory(body: str) -> Callable[[], object]:
        scope: dict[str, Callable[[], object]] = {}
        exec(body, {"__name__": "__main__"}, scope)
        return scope["make"]

    assert source_digests(factory("def make(): ...")) == {"source in the script": NOT_KNOWN}  # nobody has its lines
    from simple_players import Next

    (own,) = source_digests(functools.partial(Next)).items()
    assert own[0] == "package simple_players"
    assert own[1] == sources.digest_of_file(Path(sys.modules["simple_players"].__file__ or ""))
    script = lambda: Next()  # noqa: E731
    script.__module__ = "__main__"
    (digest,) = source_digests(script).values()
    assert digest != NOT_KNOWN
