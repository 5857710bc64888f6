"""Adjudication: a referee ends games that are decided, or too long, as managers of engines do (`Match.adjudicate`).

    score 0.95 4      a player wins to whom a short search gives at least 0.95 (a win is 1) in 4 positions in a row
    length 200        a draw after 200 plies
    score 0.95 4, length 200

The search is alphabeta's with a fixed number of nodes, so it adjudicates the same games on every machine,
whoever plays.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents import make_agent
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_env.games import Game

REFEREE = "alphabeta:nodes=1000"
RULE = re.compile(r"score\s+(0\.[0-9]{1,6}|1(?:\.0*)?)\s+([1-9][0-9]{0,2})|length\s+([1-9][0-9]{0,4})")


def referees(rules: str) -> tuple[str, ...]:
    """The player whose search adjudicates games by these rules, if there is one."""
    return (REFEREE,) if "score" in rules else ()


class Adjudication(NamedTuple):
    """When games are ended."""

    score: float = 0.0  # a player wins who can expect at least this result; 0: never
    times: int = 0  # this number of positions in a row
    length: int = 0  # plies after which a game is drawn; 0: never


def read_adjudication(text: str) -> Adjudication:
    """The adjudication of a text. Raises ValueError."""
    found = Adjudication()
    for part in filter(None, map(str.strip, text.split(","))):
        rule = RULE.fullmatch(part)
        if rule is None or (found.length if rule[3] else found.times):
            raise ValueError(f"adjudicate: expected 'score 0.95 4', 'length 200', or both with a comma, got {text!r}")
        if rule[3]:
            found = found._replace(length=int(rule[3]))
        else:
            found = found._replace(score=float(rule[1]), times=int(rule[2]))
    return found


class Referee:
    """Ends games of a shard."""

    def __init__(self, game: Game, text: str, count: int) -> None:
        """For `count` games. ValueError for another text, or scores in a game that alphabeta does not play."""
        self.game, self.rules = game, read_adjudication(text)
        if self.rules.score:
            self.search: Any = make_agent(REFEREE)
            self.search.memory(game)
        self.leader, self.times = np.full(count, st.NOBODY), np.zeros(count, np.int64)

    def end_decided(self, states: States, rows: NDArray[np.intp]) -> None:
        """End the running ones of these games that are decided or too long: set STATUS, but not ENDING."""
        rows = rows[states[rows, st.STATUS] == st.RUNNING]
        if self.rules.length:
            states[rows[states[rows, st.PLY] >= self.rules.length], st.STATUS] = st.NOBODY
        rows = rows[(states[rows, st.STATUS] == st.RUNNING) & (states[rows, st.PHASE] == 0)]
        if not self.rules.score or not rows.size:
            return
        results, movers = self.search.expected(self.game, states[rows]), states[rows, st.TO_MOVE]
        leader = np.where(np.abs(results) >= self.rules.score, np.where(results > 0, movers, 1 - movers), st.NOBODY)
        self.times[rows] = np.where(leader == self.leader[rows], self.times[rows] + 1, 1)
        self.leader[rows] = leader
        won = (leader != st.NOBODY) & (self.times[rows] >= self.rules.times)
        states[rows[won], st.STATUS] = leader[won]
