"""Players from text: "random", "lookahead:2", "lookahead:2,ties=thesis", "trained,temperature=0.5".

The text is a name, then a colon or comma, then options separated by commas. The first option does not need its name. A
comma in quotes belongs to the value, and so do the quotes. A factory makes the player: its parameters
are the options, and the first line of its docstring describes the player.

A script adds a player with `register("name", factory)`, an installed package with an entry point of the group
`amoba.agents`, see amoba_env.registry. A player can also be in a file, see scripts.py.
"""

import re
from collections.abc import Callable
from contextlib import suppress

from amoba_agents.scripts import NAME, Players
from amoba_agents.sources import NOT_KNOWN, digest_of_file, files_read, source_digests
from amoba_env import checks
from amoba_env import options as texts
from amoba_env.agent import Agent, checked_agent
from amoba_env.games import Game
from amoba_env.options import Value

AGENTS = Players(
    "agent",
    {
        "random": "amoba_agents.players.random:Random",
        "greedy": "amoba_agents.players.lookahead:Greedy",
        "lookahead": "amoba_agents.players.lookahead:Lookahead",
        "maxn": "amoba_agents.halma.halma_players:MaxN",
        "paranoid": "amoba_agents.halma.halma_players:Paranoid",
        "brs": "amoba_agents.halma.halma_players:BestReply",
        "hinder": "amoba_agents.halma.halma_players:Hinder",
        "robust": "amoba_agents.halma.halma_players:Robust",
        "alphabeta": "amoba_agents.alphabeta:AlphaBeta",
        "endgame": "amoba_agents.players.endgame_player:Endgame",
        "mcts": "amoba_agents.mcts.mcts_player:Mcts",
        "perfect": "amoba_agents.players.perfect:Perfect",
        "exploit": "amoba_agents.players.exploit:Exploit",
        "level": "amoba_agents.players.levels:Level",
        "trained": "amoba_agents.networks.trained:Trained",
        "gomocup": "amoba_agents.gomocup:Gomocup",
        "person": "amoba_agents.players.person:PersonAgent",
    },
)

OPTION = re.compile(r"""(?:"[^"]*"|'[^']*'|[^,])+""")  # one option of a text


def register(name: str, factory: Callable[..., Agent]) -> None:
    """Add a player. ValueError if the name is taken or invalid, or the factory is not a function."""
    AGENTS.register(name, factory)


def _name(text: str) -> str:
    in_file = NAME.match(text.strip())
    return re.split("[:,]", text.strip(), maxsplit=1)[0] if in_file is None else in_file[0]


def read_agent(text: str) -> tuple[str, dict[str, Value]]:
    """The name and the options in a player's text. ValueError says what is possible."""
    whole = checks.text("agent", text).strip()
    name = _name(whole)
    rest = whole[len(name) + 1 :]
    factory = AGENTS.function(name)
    parts = [part.strip() for part in OPTION.findall(rest) if part.strip()]
    if parts and not re.match(r"\w+\s*=", parts[0]):
        first = next(iter(texts.parameters(factory)), None)
        if first is None:
            raise ValueError(f"{name}: expected no options, got {checks.brief(parts[0])} in {checks.brief(whole)}")
        parts[0] = f"{first}={parts[0]}"
    return name, texts.parse(name, factory, parts)


def make_agent(text: str) -> Agent:
    """The player that a text describes. ValueError says what is possible."""
    name, options = read_agent(text)
    factory = AGENTS.function(name)
    return checked_agent(factory(**texts.check(name, factory, options)))


def fingerprint(text: str, game: Game) -> dict[str, str]:
    """Digests of everything that determines how a player plays, except amoba's own sources.

    Returns:
        Description -> digest, for the package or script that defines the player, the files that it reads when it is
            made and in load(), and the files of reads(), see amoba_env.agent.Agent. The digest is NOT_KNOWN for a file
            that cannot be read or is unknown, such as those that another program reads.

    Raises:
        ValueError: as make_agent.
    """
    with files_read() as files:
        agent, name = make_agent(text), _name(text)
        agent.load(game)
    found = source_digests(AGENTS[name], AGENTS.module(name))
    for each, file in {**files, **agent.reads(game)}.items():
        found[each] = NOT_KNOWN
        if file is not None:
            with suppress(OSError):
                found[each] = digest_of_file(file)
    return found


def describe(name: str) -> tuple[str, dict[str, str]]:
    """The description of a player in one line, and its options with their defaults as text.

    Raises:
        ValueError: the player is unknown, or its package cannot be imported.
    """
    return texts.described(AGENTS.function(name))
