"""Players from text, and registered players."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from errors import bad_value, error
from halma_positions import small
from simple_players import Next

import amoba_agents
import amoba_env.agent
from amoba_agents import AGENTS, describe, make_agent, register
from amoba_agents.players.lookahead import Lookahead
from amoba_agents.players.random import Random
from amoba_env import games
from amoba_env.games import Game

NAMES = {  # by text; "" is the text itself
    **dict.fromkeys(
        ["random", "perfect", "greedy", "greedy:ties=thesis", "lookahead:1", "lookahead:3,ties=thesis"], ""
    ),
    **dict.fromkeys(["alphabeta", "alphabeta:nodes=300", "alphabeta:ms=20", "alphabeta:nodes=300,depth=3"], ""),
    **dict.fromkeys(["brs:3,width=9", "robust:3,weight=50", "endgame", "alphabeta:nodes=5,evaluation=counted"], ""),
    "alphabeta:nodes=5,evaluation=learned": "alphabeta:nodes=5",
    "mcts": "mcts:400",
    "mcts:50,prior=trained,c=1.5": "mcts:50,c=1.5,prior=trained",
    "endgame:500,depth=3": "endgame:nodes=500,depth=3",
    "maxn": "maxn:3",
    "hinder:1,weight=25": "hinder:1",
}
REFUSED = {  # by text the value at fault, and perhaps what is possible
    "alphabeta:nodes=-1": "alphabeta: nodes",
    "alphabeta:depth=99": "alphabeta: depth",
    "alphabeta:evaluation=best": "alphabeta: option evaluation, counted, learned",
    "mcts:0": "mcts: sims",
    "mcts:9,c=-1": "mcts: c",
    "mcts:9,c=x": "mcts: option c",
    "mcts:9,leaves=0": "mcts: leaves",
    "endgame:nodes=-1": "endgame: nodes",
    "endgame:depth=41": "endgame: depth",
    "maxn:0": "maxn: depth",
    "brs:2,width=-1": "brs: width",
    "robust:2,weight=-1": "robust: weight",
    **dict.fromkeys(["level:0", "level:11", "level:-1"], "level, 1..10"),
}
NO_NETWORK = {
    "mcts:9,prior=nowhere.pt": "the file nowhere.pt does not exist",
    "mcts:9,leaves=8": "leaves: expected a network as prior too",
    "mcts:9,leaves=8,evaluation=learned": "leaves: expected a network as prior too",
}
STONES, HALMA = "two players who place stones", "endgame: expected halma with two or three players, without"
UNPLAYED = [
    ("alphabeta", games.make("halma"), STONES),
    ("alphabeta", games.make("amoba", players=3), STONES),
    ("brs", games.make("gomoku"), "expected a game where men move, such as halma, got gomoku"),
    *(("endgame", games.make(name), HALMA) for name in ("square_halma", "gomoku", "chinese_checkers")),
    ("endgame", games.make("chinese_checkers", players=2), HALMA),
    ("endgame", small(3), HALMA),
]


@pytest.mark.plain
@pytest.mark.parametrize("text", NAMES)
def test_names(text: str) -> None:
    assert make_agent(text).name == make_agent(f" {text} ").name == (NAMES[text] or text)


@pytest.mark.plain
@pytest.mark.parametrize("text", REFUSED)
def test_impossible_options(text: str) -> None:
    with bad_value(*REFUSED[text].split(", ", 1)):
        make_agent(text)


@pytest.mark.parametrize("text", NO_NETWORK)
def test_networks_that_are_missing(text: str) -> None:
    assert NO_NETWORK[text] in error(make_agent, text)


@pytest.mark.plain
@pytest.mark.parametrize(("text", "game", "message"), UNPLAYED)
def test_games_that_they_do_not_play(text: str, game: Game, message: str) -> None:
    assert message in error(make_agent(text).memory, game)


def test_options() -> None:
    agent = make_agent("lookahead:depth=4,ties=thesis")
    assert isinstance(agent, Lookahead)
    assert (agent.depth, agent.ties) == (4, "thesis")
    assert make_agent("lookahead").name == "lookahead:2"


@pytest.mark.plain
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            f"unknown agent ''; the agents: {', '.join(AGENTS)}",
        ),
        (
            "deep",
            f"unknown agent 'deep'; the agents: {', '.join(AGENTS)}",
        ),
        ("greddy:2", f"unknown agent 'greddy' (did you mean 'greedy'?); the agents: {', '.join(AGENTS)}"),
        ("random:3", "random: expected no options, got '3' in 'random:3'"),
        ("lookahead:2,speed=3", "lookahead has no option 'speed'; its options: depth, ties"),
        ("lookahead:2,3", "lookahead: expected an option as name=value, got '3'"),
    ],
)
def test_bad_text(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make_agent(text)


@pytest.mark.plain
def test_others_can_add(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AGENTS, "own", AGENTS.own.copy())
    register("next", Next)
    assert make_agent("next").name == "next"
    with pytest.raises(ValueError, match="'next' is taken"):
        register("next", Next)
    for wrong in ("a:b", "a,b", ""):
        with pytest.raises(ValueError, match="the name of an agent: expected letters, digits"):
            register(wrong, Next)


@pytest.mark.parametrize(
    ("text", "column", "name"),
    [("a,name=b", "a", "b"), ("'a,b', name=c", "'a,b'", "c"), ('x "a,b" y=1,name="c,d"', 'x "a,b" y=1', '"c,d"')],
)
def test_commas_in_quotes(text: str, column: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(Random):
        def __init__(self, column: str = "", name: str = "") -> None:
            self.column, self.name = column, name

    monkeypatch.setitem(AGENTS, "odd", Odd)
    for given in (text, f"column={text}"):
        agent = make_agent(f"odd:{given}")
        assert isinstance(agent, Odd)
        assert (agent.column, agent.name) == (column, name)


@pytest.mark.plain
def test_without_the_package_of_players(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Random()
    monkeypatch.setattr("amoba_env.agent.installed", lambda group: ())
    with pytest.raises(ValueError, match="'random': no installed package makes players from texts"):
        amoba_env.agent.make_agent("random")
    assert amoba_env.agent.make_agent(player) is player


@pytest.mark.plain
def test_descriptions() -> None:
    for name in AGENTS:
        summary, _ = describe(name)
        assert summary.endswith(".")
    assert describe("lookahead")[1] == {"depth": "2", "ties": "uniform|thesis"}
    assert amoba_agents.__all__ == sorted(amoba_agents.__all__, key=lambda n: (n.islower(), n))


def test_folders_of_the_usual_names_beside_a_script(tmp_path: Path) -> None:
    """Research repositories have packages called agents and experiments of their own."""
    for name in ("agents", "experiments", "policies"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('the wrong package')\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import gymnasium, amoba_env\n"
        "env = gymnasium.make('amoba/TicTacToe-v0', opponent='random')\n"
        "env.reset(seed=1)\n"
        "from amoba_experiments.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "script.py", "--help"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "tournament" in done.stdout
