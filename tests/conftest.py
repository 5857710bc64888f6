"""Every run draws the same: Hypothesis its examples, PyTorch its weights, and what has no seed its seeds (but not in
processes that tests start). No test may fail by chance.

Windows open on a screen that nobody sees.
PyTorch has one thread: tests run side by side, and threads that wait for busy cores make it ten times slower.
"""

from __future__ import annotations

import gc
import logging
import os
import random
import secrets
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, register_random, settings

if TYPE_CHECKING:
    from browser import Chromium
    from commands import Run
    from playwright.sync_api import Page

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault(
    "AMOBA_COMPILE", "now"
)  # as it would be without a compiler in the background: no test waits for it
gc.disable()  # until all tests are collected: what that makes stays, and there is nothing to look for

settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci")

os.environ["SDL_VIDEODRIVER"] = "dummy"
for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"):
    os.environ.pop(name, None)  # with these Rich takes files for terminals
logging.getLogger("amoba_env").setLevel(logging.ERROR)  # what is compiled anew depends on the machine

pytest.register_assert_rewrite(
    "both", "browser", "commands", "environments", "errors", "naive", "rooms_by_hand", "rooms_http", "rooms_page"
)


ORDER = (
    "agents",
    "training",
    "workshop",
    "arena",
    "runs",
    "web",
    "docs",
    "analysis",
    "cli",
    "core",
    "games",
    "envs",
)  # of folders


@pytest.fixture
def no_engines_after_the_test() -> Iterator[None]:
    from amoba_agents.gomocup import close_engines

    yield
    close_engines()


chance = random.Random(0)
for place in (secrets, np.random.bit_generator):  # where amoba and NumPy get a seed if none is given
    place.randbits = chance.getrandbits  # type: ignore[attr-defined]
register_random(chance)  # for Hypothesis: an example that is tried again draws the same


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Begin each fixture and each test with the same chance, whatever tests came before."""
    chance.seed(0)
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


pytest_runtest_call = pytest_runtest_setup


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Run:
    """Run a command line in this process, in an empty folder, on screens of 100 columns."""
    from amoba_experiments import cli
    from amoba_experiments.cli import progress, shared

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shared.out, "width", 100)
    monkeypatch.setattr(shared.err, "width", 100)
    monkeypatch.setattr(progress, "EVERY", 3600.0)  # no lines that depend on how fast the machine is

    def amoba(line: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["amoba", *shlex.split(line)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        seen = capsys.readouterr()
        return int(stop.value.code or 0), seen.out, seen.err

    return amoba


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """A browser, started once in each test process; most tests take `page`."""
    from browser import Chromium

    started = Chromium()
    yield started
    started.close()


@pytest.fixture
def page(chromium: Chromium) -> Iterator[Page]:
    """A fresh tab in a real browser."""
    with chromium.tab() as fresh:
        yield fresh


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in the order of ORDER. Two workers begin with a half each: the first half has all that compiles searches or
    exports networks, so that this is done once, and the second half the core and the games."""
    items.sort(key=lambda item: ORDER.index(item.path.relative_to(Path(__file__).parent).parts[0]))


def pytest_collection_finish() -> None:
    """Look for garbage from now on, and only among what the tests make: modules and collected tests are a million
    objects, and to go through them again and again takes a tenth of the time of all tests."""
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the seconds of each folder of tests, in all workers together."""
    seconds: dict[str, float] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if hasattr(report, "duration"):
                folder = report.nodeid.split("/")[1] if report.nodeid.count("/") > 1 else "tests"
                seconds[folder] = seconds.get(folder, 0.0) + report.duration
    if len(seconds) > 1:
        found = sorted(seconds.items(), key=lambda each: -each[1])
        terminalreporter.write_line("seconds by folder: " + ", ".join(f"{name} {value:.0f}" for name, value in found))
