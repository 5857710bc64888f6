"""People, as players in files of games."""

from typing import Annotated

from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.options import Option, named


class PersonAgent(Agent):
    """A person who played in a room (amoba serve, amoba play); it names them in files and plays no matches."""

    @named("person")
    def __init__(self, name: Annotated[str, Option("name of the person")] = "") -> None:
        """Set the name."""

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """Always raises ValueError: people do not play in matches."""
        raise ValueError(f"{self.name}: expected a program; people play in `amoba serve` and `amoba play`")
