"""Levels of difficulty for people: ten players for each kind of game. The weaker ones make deliberate mistakes.

The player of each level, and how often it makes a mistake, were chosen by matches so that steps between levels are
roughly equal. In games where three or more players place stones, all levels are the same player with fewer and fewer
mistakes. docs/results/ladders.md has the ratings.
"""

import functools
from typing import Annotated, Literal

import numpy as np

from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.halma.halma_players import BestReply
from amoba_agents.mcts.mcts_player import Mcts
from amoba_agents.players.endgame_player import Endgame
from amoba_agents.players.lookahead import Greedy, Lookahead
from amoba_agents.players.mistakes import make_mistakes
from amoba_agents.players.perfect import Perfect
from amoba_env.agent import Actions, Agent, Memory, Streams, Wrapper, plays
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.options import Option, named

Kind = Literal[
    "tictactoe",
    "placing, two players",
    "placing, three or more players",
    "halma, two players",
    "moving, two players",
    "moving, three or more players",
]


class WithMistakes(Wrapper):
    """A player that makes a mistake in `percent` per cent of its moves, see mistakes.py."""

    def __init__(self, player: Agent, percent: int) -> None:
        super().__init__(player)
        self.percent = percent
        self.name += f", errs {percent} %" if percent else ""

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        actions = np.empty(len(states), np.int32)
        make_mistakes(game.rules, states, rng, self.percent, actions)
        rows = np.flatnonzero(actions == st.NOWHERE)
        if rows.size:
            own_rng, own_memory = rng[rows], memory[rows]
            actions[rows] = super().act(game, states[rows], own_rng, own_memory)
            rng[rows], memory[rows] = own_rng, own_memory
        if not self.rowwise:
            self.incidents = [(int(rows[row]), text) for row, text in self.incidents] if rows.size else []
        return actions


def _erring(player: Agent, *percents: int) -> list[WithMistakes]:
    return [WithMistakes(player, percent) for percent in percents]


LEVELS: dict[Kind, list[WithMistakes]] = {
    "tictactoe": _erring(Perfect(), 100, 84, 69, 56, 44, 30, 21, 13, 5, 0),
    "placing, two players": [
        *_erring(Lookahead(2), 80, 57, 38, 24, 11),
        *_erring(AlphaBeta(nodes=200), 11, 5, 0),
        *_erring(AlphaBeta(nodes=2000), 0),
        *_erring(AlphaBeta(nodes=20_000), 0),
    ],
    "placing, three or more players": _erring(Greedy(), 90, 80, 70, 60, 50, 40, 30, 20, 10, 0),
    "halma, two players": [
        *_erring(Greedy(), 80, 68, 50, 32, 10),
        *_erring(BestReply(4), 22, 7, 0),
        *_erring(Endgame(nodes=3000), 0),
        *_erring(Endgame(), 0),
    ],
    "moving, two players": [*_erring(Greedy(), 80, 68, 55, 32, 10), *_erring(BestReply(4), 36, 25, 17, 5, 0)],
    "moving, three or more players": [
        *_erring(Greedy(), 80, 67, 57, 45, 36, 26, 5),
        *_erring(BestReply(4), 0),
        *(WithMistakes(Mcts(sims), 0) for sims in (32, 400)),
    ],
}


@functools.lru_cache(maxsize=64)
def kind(game: Game) -> Kind:
    """The key of a game in LEVELS. It is cached: a player is asked at each move."""
    if game.name == "tictactoe":
        return "tictactoe"
    if game.moves_men:
        if game.players > 2:
            return "moving, three or more players"
        return "halma, two players" if plays(Endgame(), game) else "moving, two players"
    return "placing, two players" if plays(AlphaBeta(), game) else "placing, three or more players"


class Level(Wrapper):
    """For people: levels 1 (a beginner) to 10 of every game; the weaker ones make deliberate mistakes."""

    @named("level")
    def __init__(self, level: Annotated[int, Option("1: a beginner; 10: the strongest", 1, 10)] = 5) -> None:
        self.level = level
        super().__init__(*(players[level - 1] for players in LEVELS.values()))

    def player(self, game: Game) -> WithMistakes:
        """The player of this level in this game."""
        return LEVELS[kind(game)][self.level - 1]
