"""The games as games of OpenSpiel, and its bots as players. Needs the extra "openspiel".

    import pyspiel, amoba_env.openspiel

    game = pyspiel.load_game("amoba_gomoku(size=9)")              # or load_game("amoba_halma", {"players": 2})
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    state.position.text

Importing the module registers `amoba_NAME` for every game of the catalogue, with the game's options as parameters. The
rules are the same as everywhere; actions and observations are those of the PettingZoo environment, relative to the
player. OpenSpiel's Python algorithms work, and those in C++ that take any game, but not pyspiel.MCTSBot, which crashes
with every game written in Python. To them a Python game is much slower than one in C++; for matches use `amoba match`.

    from open_spiel.python.algorithms import mcts

    def uct(game, seed):
        rng = np.random.RandomState(seed)
        return mcts.MCTSBot(game, 1.4, 100, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)

    register("uct", lambda: BotAgent(uct, "uct"))                # a player for matches and environments
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np

from amoba_env import games, options
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core import play
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.rng import below
from amoba_env.core.state import State, States
from amoba_env.extras import needs
from amoba_env.games import Game
from amoba_env.position import Position, decode, observed, trusted

with needs("openspiel", "OpenSpiel's games"):
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame

PREFIX = "amoba_"
SEED_BOUND = 1 << 31  # seeds of bots are below it


def game_type(name: str) -> Any:
    """The pyspiel.GameType of a game of the catalogue."""
    known = options.parameters(games.GAMES.function(name))
    numbers = players_of(name, known.get("players"))
    return pyspiel.GameType(
        short_name=PREFIX + name,
        long_name=games.describe(name)[0],
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=min(numbers),
        max_num_players=max(numbers),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={each.name: each.default for each in known.values()},
    )


def players_of(name: str, option: inspect.Parameter | None) -> tuple[int, ...]:
    """How many players a game may have, by its option `players`: all numbers, or the least and the greatest."""
    if option is None:
        return (games.make(name).players,)
    limits = options.option_of(option)
    if limits.least is not None and limits.most is not None:
        return int(limits.least), int(limits.most)
    return tuple(map(int, get_args(options.kind_of(option)))) or (int(option.default),)


def _load(name: str, parameters: dict[str, Any]) -> Any:
    return pyspiel.load_game(name, parameters)


class SpielGame(pyspiel.Game):
    """A game of the catalogue for OpenSpiel; `rules` is the Game."""

    def __init__(self, name: str, parameters: dict[str, Any] | None = None) -> None:
        """ValueError: an impossible value of an option."""
        self.rules = rules = games.make_from(name, parameters or {})
        info = pyspiel.GameInfo(
            num_distinct_actions=rules.n_actions,
            max_chance_outcomes=0,
            num_players=rules.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=rules.most_plies,
        )
        super().__init__(game_type(name), info, parameters or {})

    def new_initial_state(self, position: Position | None = None) -> SpielState:
        """The start of the game, or a position of it. ValueError: a position of another game."""
        if position is not None and position.game != self.rules:
            raise ValueError(f"expected a position of {self.rules!r}, got one of {position.game!r}")
        return SpielState(self, self.rules.start() if position is None else position.state)

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (self.get_type().short_name, self.get_parameters())

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> Any:
        """See OpenSpiel."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return Observer(self.rules)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class SpielState(pyspiel.State):
    """A position for OpenSpiel; `position` is the Position."""

    def __init__(self, game: SpielGame, row: State) -> None:
        super().__init__(game)
        self.rules, self._row, self._first = game.rules, row, row.tobytes()

    def __reduce__(self) -> tuple[Any, ...]:
        return _play_on, (self.get_game(), self._first, self.history())

    @property
    def position(self) -> Position:
        """The position; it does not change with the state."""
        return trusted(self.rules, self._row.copy())

    def current_player(self) -> int:
        """See OpenSpiel."""
        return pyspiel.PlayerId.TERMINAL if self.is_terminal() else int(self._row[st.TO_MOVE])

    def _legal_actions(self, player: int) -> list[int]:
        return np.flatnonzero(observed(self.rules, self._row, player)[1]).tolist()

    def _apply_action(self, action: int) -> None:
        if not (0 <= action < self.rules.n_actions and play.step_relative(self.rules.rules, self._row, action)):
            raise ValueError(f"expected a legal action, got {action}")

    def _action_to_string(self, player: int, action: int) -> str:
        return decode(self.rules, player, action)

    def is_terminal(self) -> bool:
        """See OpenSpiel."""
        return bool(self._row[st.STATUS] != st.RUNNING)

    def returns(self) -> list[float]:
        """See OpenSpiel."""
        rewards = np.zeros(self.rules.players)
        play.rewards(self.rules.rules, self._row, True, rewards)
        return rewards.tolist()

    def __str__(self) -> str:
        return self.position.text


def _play_on(game: SpielGame, first: bytes, history: Sequence[int]) -> SpielState:
    """A state with its history. OpenSpiel's own text of it would lose the type of an option such as patterns="3"."""
    state = SpielState(game, np.frombuffer(first, np.int16).copy())
    for action in history:
        state.apply_action(action)
    return state


class Observer:
    """Planes (C, H, W) of a player, as OpenSpiel's Python games give them."""

    def __init__(self, rules: Game) -> None:
        height, width, channels = rules.observation_shape
        self.tensor = np.zeros(channels * height * width, np.float32)
        self.dict = {"observation": self.tensor.reshape(channels, height, width)}

    def set_from(self, state: SpielState, player: int) -> None:
        """See OpenSpiel."""
        self.dict["observation"][:] = observed(state.rules, state._row, player)[0]

    def string_from(self, state: SpielState, player: int) -> str:
        """See OpenSpiel."""
        return str(state)


class BotAgent(Agent):
    """A bot of OpenSpiel as a player.

    Args:
        make: called with the pyspiel game and a seed for every move; returns a bot, which sees no earlier move. So the
            same seed of a match gives the same games.
        name: of the player.
    """

    def __init__(self, make: Callable[[Any, int], Any], name: str) -> None:
        self.make, self.name = make, name

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        theirs = SpielGame(game.name, dict(game.options))
        actions = np.empty(len(states), np.int32)
        for i, row in enumerate(states):
            bot = self.make(theirs, int(below(rng[i : i + 1], SEED_BOUND)))
            action = bot.step(SpielState(theirs, row.copy()))
            actions[i] = play.renumber(game.rules, int(row[st.TO_MOVE]), action, ru.BACK)
        return actions


def register(name: str) -> None:
    """Register a game of the catalogue with OpenSpiel, as amoba_NAME."""

    def begin(self: SpielGame, parameters: dict[str, Any] | None = None) -> None:
        SpielGame.__init__(self, name, parameters)

    made = type(f"SpielGame_{name}", (SpielGame,), {"__init__": begin})  # a class outlives the interpreter
    pyspiel.register_game(game_type(name), made)


for _name in games.GAMES.working():
    if PREFIX + _name not in pyspiel.registered_names():
        register(_name)
if register not in games.GAMES.followers:
    games.GAMES.followers.append(register)
