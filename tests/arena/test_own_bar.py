"""Calls without a progress show a bar of their own in a notebook or a terminal, and nothing elsewhere."""

import io
import sys
from types import ModuleType

import pytest

from amoba_experiments.arena import own_bar
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match

MATCH = Match("tictactoe", ("random", "random"), 20)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("delay", "seen"), [(-1.0, True), (1e9, False)])
def test_a_bar_in_a_terminal(delay: float, seen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(own_bar, "DELAY", delay)
    play_match(MATCH, jobs=1)
    assert ("random - random" in screen.getvalue()) == ("20/20" in screen.getvalue()) == seen


@pytest.mark.parametrize("imported", [False, True])
def test_nothing_elsewhere(imported: bool, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is not a notebook shows no bar, even if it has imported ipykernel."""
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    if imported:
        monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    monkeypatch.setattr(own_bar, "DELAY", -1.0)
    play_match(MATCH, jobs=1)
    play_match(MATCH, jobs=1, progress=lambda count: None)
    assert capfd.readouterr() == ("", "")


def test_nothing_in_a_terminal_that_cannot_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(own_bar, "DELAY", -1.0)
    play_match(MATCH, jobs=1)
    assert screen.getvalue() == ""
