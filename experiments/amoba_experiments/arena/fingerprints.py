"""What the players of a match are made of, so that no match has two players under one text.

A network that is trained on, an engine that is compiled anew, a node of a cluster with an older file: the text of the
agent stays. Fingerprints are taken when a match begins, kept in its manifest, and compared around each shard.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from amoba_agents import fingerprint
from amoba_env import games
from amoba_env.options import Options
from amoba_experiments.arena.match import Match

Fingerprints = Mapping[str, Mapping[str, str]]  # by agent, then by file or package; see agents.fingerprint


class Played(Protocol):
    """What is played, and by whom: a match or a tournament."""

    @property
    def game(self) -> str:
        """The game's name."""

    @property
    def options(self) -> Options:
        """The game's options."""

    @property
    def agents(self) -> tuple[str, ...]:
        """The players, as texts."""


def fingerprints(what: Played) -> Fingerprints:
    """Of agents that are made of more than amoba's own sources. Raises ValueError if one cannot be made."""
    game = games.make_from(what.game, what.options)
    found = {text: fingerprint(text, game) for text in dict.fromkeys(what.agents)}
    return {text: parts for text, parts in found.items() if parts}


def changes(there: Fingerprints, here: Fingerprints, where: str = "there") -> list[str]:
    """What is not alike, each in a sentence."""
    return [
        f"{text} plays with another {name} here ({two or 'none'}) than {where} ({one or 'none'})"
        for text in dict.fromkeys([*there, *here])
        for name in dict.fromkeys([*there.get(text, ()), *here.get(text, ())])
        if (one := there.get(text, {}).get(name)) != (two := here.get(text, {}).get(name))
    ]


@contextmanager
def unchanged_files(match: Match, begun: Fingerprints) -> Iterator[None]:
    """Look before and after what is done inside: what agents read in between is what it was when the match began.

    Raises:
        ValueError: it is not, and whose file it is.
    """
    _compare(match, begun)
    yield
    _compare(match, begun)


def _compare(match: Match, begun: Fingerprints) -> None:
    known = {text: begun[text] for text in match.agents if text in begun}
    if different := changes(known, fingerprints(match), "when the match began"):
        raise ValueError("; ".join(different))
