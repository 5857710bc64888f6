"""Pages of games in a real browser: by mouse, by keyboard, and for people who do not see the board."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import check_accessible
from pictures import played

from amoba_env import draw, games

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.compiled


def test_the_page_of_a_game_is_accessible(page: Page, tmp_path: Path) -> None:
    record = played(games.make("gomoku"), 20)
    file = tmp_path / "game.html"
    file.write_text(draw.html(record.game, [p.state for p in record.positions], record.moves), encoding="utf-8")
    page.goto(file.as_uri())
    check_accessible(page)
