"""Three invented participants in a real browser: makes the table and the figure of docs/people/studies.md.

    python -m workshop.study_trial FOLDER

The study and the analysis are those of the page, so this needs pandas, Matplotlib and Chromium. The participants are
made up: one plays anything, quickly; one looks a move ahead; one plays perfectly, slowly. Their reaction times are
random numbers, and say nothing about people.
"""

from __future__ import annotations

import random
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from amoba_agents import Seat, make_agent
from amoba_env import Position, games, notation
from amoba_env.draw.palette import THEMES
from amoba_experiments.analysis.page.charts import SERIES

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGE = Path(__file__).parents[2] / "docs" / "people" / "studies.md"
PICTURE = PAGE.parents[1] / "pictures" / "study.svg"
INK = [
    f"{name}: {THEMES['light'].ink[1:]}"
    for name in ["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"]
]
LINES = f"axes.prop_cycle: cycler('color', {[color[1:] for color in SERIES]})"
# Colours that docs/build.py replaces on dark pages; # begins a comment in this file.
STYLE = "\n".join(
    [*INK, LINES, "axes.facecolor: none", "legend.framealpha: 0", "svg.fonttype: none", "svg.hashsalt: amoba"]
)
PEOPLE = [("random", 0.4), ("greedy", 0.8), ("perfect", 1.4)]  # a player, and mean seconds for a move


def block(language: str) -> str:
    """The first block of code in a language on the page."""
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def take_part(page: Page, link: str, player: str, seconds: float, seed: int) -> None:
    """Open a link, agree, and play all games."""
    slow = random.Random(seed)
    page.goto(link)
    page.get_by_role("button", name="I agree").click()
    while page.get_by_role("heading", name="The end").count() == 0:
        page.get_by_role("button", name="Start").click()
        position = Position.start(games.make("tictactoe"))
        person = Seat(make_agent(player), position, seed)
        while not position.over:
            page.locator(".turn.yours, .turn.over").wait_for()
            shown = page.locator(".moves button").all_inner_texts()
            for text in shown[position.ply :]:
                position = position.play(text.split(". ")[1])
            if not position.over:
                page.wait_for_timeout(1000 * seconds * slow.lognormvariate(0, 0.4) * (1 + position.ply / 8))
                move = notation.move_text(position.game, person.act(position))
                page.locator(f'[role=gridcell][aria-label^="{move} "] .hit').click()
                page.locator(".moves button").nth(position.ply).wait_for()
        page.get_by_role("button", name="Continue").click()
        page.locator(".text h1").wait_for()


def main(folder: Path) -> None:
    """Serve the study, let the participants play, export, and run the analysis."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(block("yaml"), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    amoba = str(Path(sys.executable).with_name("amoba"))
    serve = [amoba, "serve", "--study", "study.yaml", "--data", "pilot", "--no-open", "--port", str(port)]
    with subprocess.Popen(serve, cwd=folder, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            if not any(line.startswith("serving") for line in server.stderr):
                raise OSError("the server did not start")
            list_links = [amoba, "study", "pilot", "--links", f"http://127.0.0.1:{port}/"]
            links = subprocess.run(list_links, cwd=folder, capture_output=True, text=True, check=True).stdout.split()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                for seed, (link, (player, seconds)) in enumerate(zip(links, PEOPLE, strict=True)):
                    take_part(browser.new_page(), link.split(",", 1)[1], player, seconds, seed)
                browser.close()
        finally:
            server.terminate()
    subprocess.run([amoba, "study", "pilot", "--out", "results"], cwd=folder, check=True)
    (folder / "matplotlibrc").write_text(STYLE, encoding="utf-8")
    subprocess.run([sys.executable, "-c", block("py")], cwd=folder, check=True)
    shutil.copy(folder / "study.svg", PICTURE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
