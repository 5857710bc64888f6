"""People, as the players that files of their games name."""

from typing import Annotated

from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.options import Option, named


class PersonAgent(Agent):
    """Somebody who played in a room (amoba serve, amoba play): a name in files, which plays no match."""

    @named("person")
    def __init__(self, name: Annotated[str, Option("who it is")] = "") -> None:
        """Nothing more is known of a person."""

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """Raises ValueError: a match has no screen."""
        raise ValueError(f"{self.name} is a person: people play in `amoba serve` and `amoba play`")
