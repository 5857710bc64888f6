"""A real browser for tests of pages: the system's Chromium, driven by Playwright, and axe's checks of accessibility.

Tests take the fixture `page` (tests/conftest.py): a fresh tab, so that no test sees what another one stored. For a
phone, a dark theme or two tabs they take `chromium` and open tabs with `chromium.tab(...)`. Chromium starts once in
each test process. Where there is none the tests are skipped, except in continuous integration.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Without windows it takes half the processor time; then Debian and Fedora, Ubuntu, and what forges bring.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# As root in a container Chromium has no sandbox, and /dev/shm is small.
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage"]
CALM: dict[str, Any] = {"reduced_motion": "reduce"}


class Chromium:
    """A running Chromium. Raises pytest's Skipped where none is installed, Failed in continuous integration."""

    def __init__(self) -> None:
        executable = next(filter(None, map(shutil.which, PROGRAMS)), None)
        if executable is None:
            message = "no Chromium is installed: apt-get install chromium"
            pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
        from playwright.sync_api import sync_playwright

        self._playwright = sync_playwright().start()
        self._loop = asyncio.get_running_loop()
        self._browser = self._playwright.chromium.launch(executable_path=executable, args=FLAGS)
        asyncio._set_running_loop(None)

    @contextmanager
    def _marked(self) -> Iterator[None]:
        """Inside, Playwright's event loop is marked as running in this thread, as Playwright wants it.

        Outside it must not be, or asyncio.run() of other tests would refuse to start.
        """
        asyncio._set_running_loop(self._loop)
        try:
            yield
        finally:
            asyncio._set_running_loop(None)

    @contextmanager
    def tab(self, **options: Any) -> Iterator[Page]:
        """A tab that shares nothing with others; `options` as of Playwright's browser.new_context().

        Men do not slide, which only takes time: a test of how they slide asks for `reduced_motion="no-preference"`.

        Raises:
            AssertionError: at the end, if a script of the page failed.
        """
        errors: list[str] = []
        with self._marked():
            context = self._browser.new_context(**CALM | options)
            try:
                page = context.new_page()
                page.on("pageerror", lambda error: errors.append(str(error)))
                yield page
            finally:
                context.close()
        assert not errors, f"scripts of the page failed: {errors}"

    def close(self) -> None:
        """Stop it."""
        with self._marked():
            self._browser.close()
            self._playwright.stop()


def check_accessible(page: Page, *, board: bool = True) -> None:
    """Fail with axe's own words where the page breaks WCAG 2.2, levels A and AA, or one of axe's best practices.

    In both themes, which differ in their colours alone. Afterwards the page is light.

    A board takes as long as all the rest. `board`: without it the board is checked for contrasts alone, which depend on
    what is around it; for a page whose board was checked before.
    """
    from axe_playwright_python.base import AXE_SCRIPT
    from axe_playwright_python.sync_playwright import Axe

    axe = Axe("" if page.evaluate("'axe' in window") else AXE_SCRIPT)  # once for a page
    page.emulate_media(color_scheme="dark")
    options: dict[str, Any] = {"resultTypes": ["violations"]}  # the others only take time
    if board:
        found = axe.run(page, options=options)
    else:
        found = axe.run(page, {"exclude": [[".board"]]}, options | {"rules": {"color-contrast": {"enabled": False}}})
    assert not found.violations_count, found.generate_report()
    themes: tuple[Literal["dark", "light"], ...] = ("light",) if board else ("dark", "light")
    for theme in themes:
        page.emulate_media(color_scheme=theme)
        contrasts = page.evaluate("axe.run({runOnly: ['color-contrast'], resultTypes: ['violations']})")
        assert not contrasts["violations"]
