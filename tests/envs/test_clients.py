"""Other people's libraries play our environments: the examples run as they stand."""

import pytest

from amoba_experiments.clients import with_sb3, with_shimmy, with_supersuit, with_torchrl

pytestmark = pytest.mark.compiled


def test_sb3(capsys: pytest.CaptureFixture[str]) -> None:
    with_sb3.main(steps=128)
    assert "a game of" in capsys.readouterr().out


def test_shimmy(capsys: pytest.CaptureFixture[str]) -> None:
    with_shimmy.main()
    assert "as in OpenSpiel" in capsys.readouterr().out


def test_supersuit(capsys: pytest.CaptureFixture[str]) -> None:
    with_supersuit.main()
    assert "observations (10, 10, 12) float32" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested:UserWarning")
def test_torchrl(capsys: pytest.CaptureFixture[str]) -> None:
    with_torchrl.main()
    assert "rewards" in capsys.readouterr().out
