"""What is said of an install is true of it: how an extra is added, and the types that others see."""

import importlib.metadata
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from amoba_env import extras

ROOT = Path(__file__).parents[2]
WHEEL = "file:///w/amoba-1-py3-none-any.whl"
COMMIT = {"vcs": "git", "commit_id": "abc"}


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'amoba[web]'"),  # from an index
        ({"url": ROOT.as_uri(), "dir_info": {}}, "pip install '.[web]'"),
        ({"url": ROOT.as_uri(), "dir_info": {"editable": True}}, "pip install -e '.[web]'"),
        ({"url": "file:///a/my%20amoba", "dir_info": {}}, f"pip install '{Path('/a/my amoba')}[web]'"),
        ({"url": WHEEL, "archive_info": {}}, f"pip install 'amoba[web] @ {WHEEL}'"),
        ({"url": "https://h/a.git", "vcs_info": COMMIT}, "pip install 'amoba[web] @ git+https://h/a.git@abc'"),
    ],
)
def test_how_an_extra_is_added(origin: Any, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = None if origin is None else json.dumps(origin)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: SimpleNamespace(read_text=lambda file: text))
    assert extras.install("web") == command


def test_how_an_extra_is_added_where_nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "PACKAGE", "amoba-that-is-not-installed")
    monkeypatch.chdir(ROOT)
    assert extras.install("web") == "pip install '.[web]'"


def test_no_message_names_the_index() -> None:
    """Anybody could register the name: only amoba_env.extras says what works for this install."""
    for package in ("amoba_env", "agents/amoba_agents", "experiments/amoba_experiments"):
        for file in (ROOT / package).rglob("*.py"):
            assert file.name == "extras.py" or "pip install" not in file.read_text(encoding="utf-8"), file


def test_the_names_of_the_packages_have_types(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from amoba_env import ENVIRONMENTS, Outcome, Position, Record, games, gomoku_v0, records\n"
        "from amoba_agents import make_agent\n"
        "from amoba_experiments import Match, play_match\n"
        "reveal_type(Position.start(games.make('gomoku')).play(0).ply)\n"
        "reveal_type(Record(games.make('gomoku')).result)\n"
        "reveal_type(ENVIRONMENTS)\n"
        "reveal_type(gomoku_v0.env(size=9))\n"
        "reveal_type(make_agent('greedy'))\n"
        "reveal_type(play_match(Match('gomoku', ('greedy', 'greedy'))))\n",
        encoding="utf-8",
    )
    known = [f"--config-file={ROOT / 'pyproject.toml'}", f"--cache-dir={ROOT / '.mypy_cache'}"]  # of `make types`
    checked = [sys.executable, "-m", "mypy", *known, str(program)]
    said = subprocess.run(checked, capture_output=True, text=True, cwd=tmp_path).stdout
    assert said.count("Revealed type") == 6, said
    assert "Any" not in said


def test_what_is_built_has_absolute_links() -> None:
    absolute = runpy.run_path(str(ROOT / ".ci" / "metadata.py"))["absolute"]
    text = absolute((ROOT / "README.md").read_text(encoding="utf-8"), "https://forge/us/amoba", "v1")
    assert text.count("https://forge/us/amoba/blob/v1/docs/") > 20
    assert text.count('src="https://forge/us/amoba/raw/v1/docs/pictures/') == 2
    assert not re.search(r'(\]\(|src=")(?!https?://)', text)
