"""Games of installed packages: the package of docs/internals/add-a-game.md, and packages at fault."""

import json
import re
from pathlib import Path

import pytest
from packages import ROOT, entry_points, output_of, pip_install

PAGE = (ROOT / "docs/internals/add-a-game.md").read_text(encoding="utf-8")
FILE, REGISTER, FOLLOWS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
PROJECT = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]
PLAYED = "from amoba_env import games\n" + FOLLOWS
# Command lines, one after the other in a process, which takes long to begin: the exit code, stdout and stderr of each.
COMMANDS = """
import contextlib, io, json, shlex, sys
from amoba_experiments.cli import main
done = []
for line in sys.argv[1:]:
    sys.argv = ["amoba", *shlex.split(line)]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            main()
        except SystemExit as stop:
            done.append((stop.code, out.getvalue(), err.getvalue()))
print(json.dumps(done))
"""
FORM = """
from amoba_experiments.web.server_players import catalogue
print([each["name"] for each in catalogue()][-1])
"""
ENVIRONMENT = "import amoba_env; from amoba_env import gomoku_v0; print(gomoku_v0.env().game.name)\n"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the page, built and installed as any other."""
    source, site = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    (source / "amoba_cylinder.py").write_text(FILE)
    (source / "pyproject.toml").write_text(PROJECT)
    pip_install(source, site)
    return site


def test_the_package_of_the_page_plays_everywhere(package: Path) -> None:
    expected = re.findall(r"^print\(.*\)  # (.*)$", FOLLOWS, re.MULTILINE)
    assert output_of(package, PLAYED).splitlines() == expected


def test_the_command_line_and_the_form(package: Path, tmp_path: Path) -> None:
    match = "match cylinder greedy random --games 2 --option size=4"
    draw = f"draw cylinder --moves 'e1 a2' -o '{tmp_path}/game.svg'"
    told, form = output_of(package, COMMANDS + FORM, "games", match, draw).splitlines()
    listed, refused, drawn = json.loads(told)
    assert "cylinder" in listed[1]
    assert listed[2] == ""
    assert refused[0] == 2
    assert "5..20" in refused[2]
    assert drawn[0] == 0, drawn[2]
    assert (tmp_path / "game.svg").exists()
    assert form == "cylinder"


def test_packages_at_fault(tmp_path: Path) -> None:
    """One line for each, and all other games are there."""
    renju = "amoba_env.games.renju:renju"
    entry_points(
        tmp_path,
        "aaa",
        "amoba.games",
        {"broken": "no_such_module:game", "gomoku": renju, "a b": "c:d", "tic-tac-toe": renju},
    )
    game, told = output_of(tmp_path, ENVIRONMENT + COMMANDS, "games").splitlines()
    assert game == "gomoku"
    ((code, listed, errors),) = json.loads(told)
    assert code == 0
    assert sorted(errors.splitlines()) == [
        "amoba: game 'a b' of package aaa is refused: expected letters, digits, _ and - in the name",
        "amoba: game 'broken' of package aaa cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'",
        "amoba: game 'gomoku' of package aaa is refused: the name is taken",
        "amoba: game 'tic-tac-toe' of package aaa is refused: its id amoba/TicTacToe-v0 is that of game 'tictactoe'",
    ]
    assert "square_halma" in listed
