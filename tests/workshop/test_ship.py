"""What a recipe made gets a place beside the package's policies."""

import json
from pathlib import Path

import pytest

from amoba_experiments.training import recipes
from amoba_experiments.training.job import DONE
from workshop import ship


def test_shipping(tmp_path: Path) -> None:
    """The files of a run by the package's recipe get the names of its game; other runs are refused."""
    own = recipes.load(recipes.find("tictactoe"), "tictactoe", changes=["seed=3", "threads=1"])
    for name, text in {"recipe.yaml": own.to_yaml(), "policy.onnx": "net", "evaluations.jsonl": "{}"}.items():
        (tmp_path / name).write_text(text)
    links = "[policy.onnx](policy.onnx), [evaluations.jsonl](evaluations.jsonl), [recipe.yaml](recipe.yaml)"
    (tmp_path / "card.md").write_text(f"# one\n\n`amoba train one --recipe recipe.yaml`\n{links}")
    (tmp_path / "to").mkdir()
    for number in range(len(own.stages)):
        with pytest.raises(FileNotFoundError):
            ship.ship(tmp_path, tmp_path / "to")
        (tmp_path / own.folders[number]).mkdir(parents=True)
        (tmp_path / own.folders[number] / DONE).touch()
    (tmp_path / "policy.onnx").rename(tmp_path / "later")
    with pytest.raises(FileNotFoundError):
        ship.ship(tmp_path, tmp_path / "to")
    assert not list((tmp_path / "to").iterdir())  # all three files are copied, or none
    (tmp_path / "later").rename(tmp_path / "policy.onnx")
    assert {file.name for file in ship.ship(tmp_path, tmp_path / "to")} == {
        *("tictactoe.onnx", "tictactoe.jsonl", "tictactoe.md"),
    }
    card = (tmp_path / "to" / "tictactoe.md").read_text()
    assert card.startswith("# Tic-tac-toe\n\n`amoba train tictactoe --out DIR`\n")
    names = "tictactoe.onnx", "tictactoe.jsonl", "tictactoe.yaml"
    assert card.endswith(", ".join(f"[{name}]({name})" for name in names))
    other = recipes.load(recipes.find("tictactoe"), "tictactoe", changes=["imitate.passes=1"])
    (tmp_path / "recipe.yaml").write_text(other.to_yaml())
    with pytest.raises(ValueError, match="expected a run by one of the recipes"):
        ship.ship(tmp_path, tmp_path / "to")
    assert json.loads((tmp_path / "to" / "tictactoe.jsonl").read_text()) == {}
