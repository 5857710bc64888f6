"""Fingerprints of the files that players read, so that a player cannot change during a match.

The text of an agent does not change when its network is trained further, its engine is compiled again, or a node of a
cluster has an older file. So the fingerprints of its files are taken when a match begins, stored in the manifest, and
compared before and after each shard.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from amoba_agents import fingerprint
from amoba_agents.sources import files_read
from amoba_env import games
from amoba_experiments.arena.adjudicate import referees
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.options import MatchFields, TournamentFields

Fingerprints = Mapping[str, Mapping[str, str]]  # by agent, then by file or package; see amoba_agents.fingerprint


def fingerprints(what: MatchFields | TournamentFields) -> Fingerprints:
    """Fingerprints of the agents that use more than amoba's own sources. Raises ValueError for an unknown agent."""
    game = games.make_from(what.game, what.options)
    found = {text: fingerprint(text, game) for text in _texts(what)}
    return {text: parts for text, parts in found.items() if parts}


def changes(there: Fingerprints, here: Fingerprints, where: str = "there") -> list[str]:
    """The differences, a sentence each."""
    return [
        f"{text} plays with another {name} here ({two or 'none'}) than {where} ({one or 'none'})"
        for text in dict.fromkeys([*there, *here])
        for name in dict.fromkeys([*there.get(text, ()), *here.get(text, ())])
        if (one := there.get(text, {}).get(name)) != (two := here.get(text, {}).get(name))
    ]


@contextmanager
def unchanged_files(match: Match, begun: Fingerprints) -> Iterator[None]:
    """A context that checks, before and after, that the agents' files have not changed since the match began.

    Raises:
        ValueError: a file has changed (the message names it and its agent); or an agent read a file in the block that
            was not known before, so that a run could not notice a change of it.
    """
    _compare(match, begun)
    with files_read() as files:
        yield
    _compare(match, begun)
    if unknown := set(files).difference(*(begun.get(text, ()) for text in _texts(match))):
        raise ValueError(
            f"a player of {', '.join(_texts(match))} read {', '.join(sorted(unknown))} during the match: "
            "expected it to read its files when it is made, or in load(game)"
        )


def _compare(match: Match, begun: Fingerprints) -> None:
    known = {text: begun[text] for text in _texts(match) if text in begun}
    if different := changes(known, fingerprints(match), "when the match began"):
        raise ValueError("; ".join(different))


def _texts(what: MatchFields | TournamentFields) -> list[str]:
    return list(dict.fromkeys((*what.agents, *referees(what.adjudicate))))
