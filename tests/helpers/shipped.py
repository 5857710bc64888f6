"""The policies of the package."""

from amoba_agents.networks.trained import POLICIES, look
from amoba_env import games
from amoba_env.games import Game


def policy_game(name: str) -> Game:
    """The game that a policy, named such as "gomoku", was trained for."""
    what = look(POLICIES / f"{name}.onnx").architecture
    assert what is not None
    return games.make_from(what.game, what.options)
