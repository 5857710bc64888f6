"""People, as the players that files of their games name."""

from amoba_env import checks
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core.state import States
from amoba_env.games import Game


class PersonAgent(Agent):
    """Somebody who played in a room (amoba serve, amoba play): a name in files, which plays no match."""

    def __init__(self, name: str = "") -> None:
        self.name = f"person:{checks.text('the name of a person', name)}"

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """Raises ValueError: a match has no screen."""
        raise ValueError(f"{self.name} is a person: people play in `amoba serve` and `amoba play`")
