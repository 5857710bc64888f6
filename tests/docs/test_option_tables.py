"""The tables of options in the pages are those of the code."""

import importlib
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_the_tables_are_those_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change: python docs/option_tables.py"""
    monkeypatch.syspath_prepend(DOCS)
    option_tables = importlib.import_module("option_tables")
    found = []
    for page in DOCS.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert text == option_tables.with_tables(text), page
        found += re.findall("<!-- options of (.*) -->", text)
    assert {"alphabeta", "mcts", "gomocup", "recipe", "network", "play", "levels", *option_tables.GAMES} <= set(found)
