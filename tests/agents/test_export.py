"""`amoba export`: a policy as ONNX; a file that can run code is loaded by it alone, and only if it is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from commands import Run, refused
from training import new_model

from amoba_experiments.arena.match import Match


def test_export_command(run: Run, tmp_path: Path) -> None:
    new_model("tictactoe", {}, layers=1).save(tmp_path / "model.zip")
    assert run("export model.zip -o net.onnx --trust")[0] == 0
    code, out, _ = run("match tictactoe trained:net.onnx random --games 10")
    assert code == 0
    assert "trained:net.onnx" in out
    refused(
        run, "export net.onnx -o again.onnx", "expected a .zip of MaskablePPO or a .pt of `amoba train`, got net.onnx"
    )
    (tmp_path / "bad.zip").write_text("no model")
    refused(run, "export bad.zip -o bad.onnx --trust", "bad.zip: expected a model of MaskablePPO")


@pytest.mark.plain
def test_a_file_that_can_run_code_is_not_loaded(tmp_path: Path, run: Run) -> None:
    """A pickle that leaves a mark when it is loaded does not, whichever way it is asked for."""

    class Mark:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "mark",)

    evil, told = tmp_path / "evil.zip", "evil.zip can run code"
    torch.save(Mark(), evil)
    for text in (f"trained:{evil}", f"mcts:9,prior={evil}"):
        with pytest.raises(ValueError, match=told):
            Match("tictactoe", (text, "random"))
    (tmp_path / "r.yaml").write_text(f"stages: [{{imitate: {{teacher: 'trained:{evil}'}}}}]")
    for command in (
        f"match tictactoe trained:{evil} random",
        f"train tictactoe --out o --set network.start={evil}",
        f"train tictactoe --out o --recipe {tmp_path / 'r.yaml'}",
        f"export {evil} -o o.onnx",
    ):
        refused(run, command, told)
    assert not (tmp_path / "mark").exists()
