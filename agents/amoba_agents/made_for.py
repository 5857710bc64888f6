"""What a network learned, and what it is asked to play: warnings, once, of rules that it did not learn."""

import functools
import logging

from amoba_env.games import Game
from amoba_env.options import Options

# Options that change which moves are good, though a network sees the same board.
RETRAIN = ("men", "rule", "anti_spoiling", "patterns", "orientations")
log = logging.getLogger("amoba_env")


def warn_of_rules(name: str, learned: Options, game: Game, options: tuple[str, ...] = RETRAIN) -> None:
    """Warn of each of these options that the network of player or file `name` learned with another value."""
    for option in options:
        known, here = learned.get(option), game.options.get(option)
        if known not in (None, here):
            warn(f"{name} was trained with {option}={known} and plays with {option}={here}")


@functools.cache
def warn(what: str) -> None:
    """Log a warning, once."""
    log.warning("%s", what)
