"""What docs/build.py adds to pages: code that runs, players that can play, a moving picture, the table of columns."""

import importlib
import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import gymnasium
import pytest

from amoba_agents import make_agent
from amoba_env import ENVIRONMENTS, draw, environment_page, games


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "docs")
    return importlib.import_module("environment_pages")


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_code_runs(pages: ModuleType, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    code = re.findall(r"^```python\n(.*?)^```", pages.usage(name.removesuffix("_v0")), re.MULTILINE | re.DOTALL)
    assert len(code) == 2
    for block in code:
        exec(block, names)
    assert capsys.readouterr().out.strip() in ("line", "goal", "full_board", "max_plies", "no_moves")
    assert isinstance(names["env"], gymnasium.Env)
    assert names["info"]


def test_opponents_are_those_that_play_the_game(pages: ModuleType) -> None:
    for game, there, absent in (("gomoku", "alphabeta", "maxn:3"), ("halma", "maxn:3", "alphabeta")):
        players = re.findall(r"^\| `([^`=]+)` \|", pages.opponents(game), re.MULTILINE)
        assert {"random", "greedy", "lookahead:2", there, "trained"} <= set(players)
        assert absent not in {make_agent(player).name for player in players}


def test_arguments_have_their_limits() -> None:
    for name in games.GAMES:
        assert "values by name" not in environment_page.page(name)
    assert re.search(r"\| `size` \| `10` \| 5 to 100 \| ", environment_page.page("gomoku"))


def test_the_page_of_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    def mine() -> games.Game:
        """Mine.

        Raises:
            ValueError: never.
        """
        return games.make("tictactoe")

    monkeypatch.setattr(games.GAMES, "own", games.GAMES.own.copy())
    games.register("mine", mine)
    environment_page.page.cache_clear()
    page = environment_page.page("mine")
    environment_page.page.cache_clear()
    assert page.startswith("Mine: Mine.")
    assert "Raises:" not in page


def test_each_frame_is_seen_in_its_turn(pages: ModuleType) -> None:
    a, b, c, end = '<g class="seat0">1</g>', '<g class="seat1">2</g>', '<g class="last">3</g>', '<path d="M0"/>'
    frames = [a, a + b, a + b + c, b, end + a]
    drawn = pages.motion(frames)
    seconds = pages.PLY * 4 + pages.END
    shares = {
        name: float(share) for name, share in re.findall(r"@keyframes (\S+) .*?([0-9.]+)% \{ visibility: h", drawn)
    }
    pattern = r'animation-name: (\S+); animation-delay: -([0-9.]+)s">(.*?)</g>(?=<g class="part|$)'
    spans = [
        (float(delay), float(shares[name]) / 100 * seconds, part) for name, delay, part in re.findall(pattern, drawn)
    ]
    for number, frame in enumerate(frames):
        now = pages.PLY * (number + 0.5)
        assert "".join(part for delay, seen, part in spans if (now + delay) % seconds < seen) == frame


def test_the_picture_takes_the_colours_of_the_page(pages: ModuleType) -> None:
    page = pages.moving_picture("tictactoe")
    svg = page[page.index("<svg") : page.index("</svg>") + len("</svg>")]
    picture = ElementTree.fromstring(svg)
    assert picture.get("aria-label") == "a game of tictactoe: draw after 9 moves (full board)"
    for name in set(re.findall(r"var\(--(\w+)\)", page)):
        assert pages.style().count(f"--{name}:") == 2


@pytest.mark.parametrize("name", ["halma", "gomoku", "chinese_checkers"])
def test_pictures_are_dark_on_dark_pages(pages: ModuleType, name: str) -> None:
    game = games.make(name)
    light, dark = (draw.svg(game, game.start(), theme=theme) for theme in ("light", "dark"))
    assert importlib.import_module("build").dark(light) == dark.replace(draw.THEMES["dark"].page, "none", 1)
