"""One changed bit of a network's file is found when the file is read."""

import os
import random
from pathlib import Path

import pytest

from amoba_agents.networks import architecture
from amoba_agents.networks.checksum import sealed
from amoba_agents.networks.inference import load
from amoba_agents.networks.trained import POLICIES
from amoba_env import games
from amoba_experiments.training.network_files import saved, write_pt


@pytest.mark.plain
def test_one_changed_bit_of_a_network_is_found(tmp_path: Path) -> None:
    """Without the checksum some of these networks play, and play other moves."""
    good, file = bytearray((POLICIES / "tictactoe.onnx").read_bytes()), tmp_path / "net.onnx"
    chance = random.Random(0)
    for _ in range(12):
        data = good.copy()
        data[chance.randrange(len(data) - 80)] ^= 1 << chance.randrange(8)
        file.write_bytes(data)
        with pytest.raises(ValueError, match=r"net\.onnx is not an ONNX model .* changed after the export"):
            load(file)
    file.write_bytes(good[: -len(sealed(b""))])  # without its checksum, as other programs write files
    assert load(file).n_actions == 9
    file.write_bytes(sealed(file.read_bytes()))
    assert file.read_bytes() == good
    assert load(file).n_actions == 9


def test_one_changed_bit_of_weights_is_found(tmp_path: Path) -> None:
    """PyTorch reads damaged weights without a word."""
    game, file = games.make("tictactoe"), tmp_path / "policy.pt"
    what = architecture.architecture_of(game)
    write_pt(architecture.build(what), what, file)
    good = file.read_bytes()
    assert load(file).n_actions == 9
    for at in (len(good) // 3, len(good) // 2):
        data = bytearray(good)
        data[at] ^= 4
        file.write_bytes(data)
        os.utime(file, (at, at))  # the clocks of some file systems tick every few milliseconds
        with pytest.raises(ValueError, match=r"policy\.pt is not a file of weights .* damaged"):
            load(file)
        with pytest.raises(ValueError, match="damaged"):
            saved(file)
