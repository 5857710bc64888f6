"""Files that can run code when they are loaded have to be trusted."""

from pathlib import Path
from typing import Any

import pytest
import torch
from commands import Run, refused

from amoba_agents import make_agent
from amoba_agents.networks import trust
from amoba_agents.networks.inference import load
from amoba_experiments.arena import cluster
from amoba_experiments.arena.match import Match


def test_what_can_run_code_has_to_be_trusted(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pickle that leaves a mark when it is loaded does not, whichever way it is asked for."""

    class Mark:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "mark",)

    monkeypatch.setattr(trust, "_trusted", set())
    evil, told = tmp_path / "evil.zip", "evil.zip can run code when it is loaded: add --trust"
    torch.save(Mark(), evil)
    (tmp_path / "other.pt2").write_bytes(b"")
    for text in (f"trained:{evil}", f"mcts:9,prior={evil}"):
        with pytest.raises(ValueError, match=told):
            make_agent(text)
        with pytest.raises(ValueError, match=told):
            Match("tictactoe", (text, "random"))
    with pytest.raises(ValueError, match=r"other\.pt2 can run code"):
        load(tmp_path / "other.pt2")
    (tmp_path / "r.yaml").write_text(f"stages: [{{imitate: {{teacher: 'trained:{evil}'}}}}]")
    for command in (
        f"match tictactoe trained:{evil} random",
        f"train tictactoe --out o --set network.start={evil}",
        f"train tictactoe --out o --recipe {tmp_path / 'r.yaml'}",
        f"export {evil} -o o.onnx",
    ):
        refused(run, command, told)
    assert not (tmp_path / "mark").exists()
    trust.trust(evil)
    with pytest.raises(ValueError, match=r"evil\.zip is no model of MaskablePPO"):
        load(evil)
    evil.write_bytes(evil.read_bytes() + b" ")  # trust is for what was in the file
    with pytest.raises(ValueError, match=told):
        load(evil)
    for words in (f"match tictactoe trained:{evil} random --trust", f"--trust export {evil} -o o.onnx"):
        monkeypatch.setattr(trust, "_trusted", set())
        refused(run, words, "evil.zip is no model of MaskablePPO")


def test_trust_goes_to_other_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "_trusted", set())
    file = tmp_path / "model.zip"
    file.write_bytes(b"1")
    trust.trust(file)
    given = trust.given()
    monkeypatch.setattr(trust, "_trusted", set())
    cluster.play(cluster.code_of_all(), given, None, 0, lambda *_: trust.check(file), 0, 1)
