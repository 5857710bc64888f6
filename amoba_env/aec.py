"""Any game as a PettingZoo AEC environment.

The environment checks the order of calls and the legality of each action itself, so it needs none of PettingZoo's
wrappers: loops spend their time in the rules, and errors are as clear as theirs.
"""

from __future__ import annotations

import copy
import secrets
from collections.abc import Mapping
from functools import cached_property
from typing import Any, get_args

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from amoba_env import checks
from amoba_env.begin import first_position, opening_number
from amoba_env.border import checked
from amoba_env.core import endings as en
from amoba_env.core import play
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.rng import streams
from amoba_env.core.state import State
from amoba_env.draw import FPS, RENDER_MODES, svg
from amoba_env.draw import RenderMode as RenderMode  # the files of environments import it from here
from amoba_env.games import Game
from amoba_env.position import OnIllegal as OnIllegal
from amoba_env.position import Outcome, Position, decode, encode, observed, outcome, trusted, why_illegal
from amoba_env.rendering import renderer
from amoba_env.spaces import spaces_of

Observation = dict[str, NDArray[np.int8]]

# The attributes that change during a game: get_state() saves them.
CHANGING = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "infos",
    "_state",
    "_stream",
    "_skip_agent_selection",
)


class BoardGameEnv(AECEnv[str, Observation, int]):
    """A game of the catalogue for agents `player_0`, `player_1`, ...

    Observations have `observation`, int8 (H, W, planes): a plane for the agent's own stones or men, one for each other
    player in the order of play, and those of `amoba_env.core.planes`, all from the agent's side; and `action_mask`,
    int8 (A,): 1 for legal actions, all 0 when it is not the agent's turn. Both arrays are new at every call.

    The info of an agent has numbers only: "seat"; "opening", see amoba_env.begin.opening_number; and, when the game is
    over, "winner", a seat or -1: nobody; "ending", the number of a name in amoba_env.core.endings.NAMES; "plies", the
    number of moves. Before, these three are -1, 0 and 0. `outcome` says the end in words.

    Args:
        name: "gomoku_v0".
        game: from `amoba_env.games.make`.
        on_illegal: what an illegal action does. "raise": it raises ValueError. "lose": its agent loses the game, with
            reward -1, and the others get 0, as with PettingZoo's TerminateIllegalWrapper. "zero_sum": its agent loses,
            and the others share +1, so that the rewards of a game sum to zero. An action outside the action space
            always raises ValueError.
        render_mode: what render() returns. "ansi": the board as text. "svg": as SVG. "rgb_array": as pixels, uint8
            (H, W, 3). "human": nothing; a window shows the board after every move. The last two need the extra
            "render".

    Raises:
        ValueError: an unknown `on_illegal` or `render_mode`.
    """

    def __init__(
        self, name: str, game: Game, on_illegal: OnIllegal = "raise", render_mode: RenderMode | None = None
    ) -> None:
        checks.one_of("on_illegal", on_illegal, get_args(OnIllegal))
        self.game = game
        self.on_illegal = on_illegal
        self.render_mode = render_mode
        self.metadata = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": FPS,
        }
        self._renderer = renderer(render_mode)
        self.possible_agents = [f"player_{seat}" for seat in range(game.players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._state: State | None = None
        self._stream = streams(secrets.randbits(64), 0, 1)
        self._skip_agent_selection = None

    @cached_property  # made at the first request, so that clone() is cheap
    def _spaces(self) -> tuple[spaces.Dict, spaces.Discrete]:
        planes, actions = spaces_of(self.game)
        mask = spaces.Box(0, 1, (self.game.n_actions,), np.int8)
        return spaces.Dict([("observation", planes), ("action_mask", mask)]), actions  # spaces.Dict sorts a dict

    def observation_space(self, agent: str) -> spaces.Dict:
        """Dict(observation=Box int8 (H, W, planes), action_mask=Box int8 (A,)), the same for all agents."""
        return self._spaces[0]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Discrete(A), the same for all agents."""
        return self._spaces[1]

    @property
    def observation_spaces(self) -> dict[str, spaces.Dict]:
        """The observation space of each agent."""
        return {agent: self.observation_space(agent) for agent in self.possible_agents}

    @property
    def action_spaces(self) -> dict[str, spaces.Discrete]:
        """The action space of each agent."""
        return {agent: self.action_space(agent) for agent in self.possible_agents}

    @property
    def state_space(self) -> spaces.Box:
        """The space of state()."""
        return spaces_of(self.game)[0]

    def state(self) -> NDArray[np.int8]:
        """The board as player_0 sees it, int8 (H, W, C), whoever is to move. RuntimeError before the first reset()."""
        return self.observe(self.possible_agents[0])["observation"]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: for the random moves of `random_plies`; without it the environment's random stream continues.
            options: "position": a Position, or its text, to start from; "first": the seat that begins;
                "random_plies": the number of random moves that are played first. Other keys are ignored.

        Raises:
            ValueError: `position` is over or of another game, `first` is not a seat or both are given, the random moves
                always end the game, or the seed is impossible.
        """
        stream = self._stream.copy() if seed is None else streams(seed, 0, 1)
        options = checks.mapping("options", options)
        self._state = first_position(self.game, options, stream)  # if this raises, the environment has not changed
        self._stream = stream
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        opening = opening_number(self.game, self._state) if options else 0
        facts = {"opening": opening, "winner": -1, "ending": 0, "plies": 0}
        self.infos: dict[str, dict[str, Any]] = {agent: {"seat": seat, **facts} for agent, seat in self._seats.items()}
        self.agent_selection = self.possible_agents[self._state[st.TO_MOVE]]
        self._skip_agent_selection = None
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """The observation of an agent (see the class), at any time, also after the end.

        Raises:
            ValueError: unknown agent.
            RuntimeError: before the first reset().
        """
        state = self._started()
        planes, mask = observed(self.game, state, self._seat(agent))
        return {"observation": planes.transpose(1, 2, 0).copy(), "action_mask": mask}

    def _seat(self, agent: str) -> int:
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            known = ", ".join(self.possible_agents)
            raise ValueError(f"expected an agent, one of {known}, got {checks.brief(agent)}") from None

    def step(self, action: Any) -> None:
        """Play an action of `agent_selection`, relative to its seat; when the game is over, the action is None.

        Raises:
            ValueError: the action is not in the action space (None before the end of the game); or it is illegal and
                `on_illegal` is "raise".
            RuntimeError: before the first reset(), or all agents are done.
        """
        state = self._started()
        if state[st.STATUS] != st.RUNNING:
            if not self.agents:
                raise RuntimeError("the game is over and all agents are done: call reset()")
            self._was_dead_step(action)
            return
        agent = self.agent_selection
        chosen = checks.action(action, self.game.n_actions, agent)
        if not play.step_relative(self.game.rules, state, chosen):
            if self.on_illegal == "raise":
                there = int(play.renumber(self.game.rules, self._seats[agent], chosen, ru.BACK))
                raise ValueError(f"{agent}, action {chosen}: {why_illegal(self.game, state, there)}")
            play.forfeit(self.game.rules, state, en.ILLEGAL)
        if state[st.STATUS] == st.RUNNING:
            self.agent_selection = self.possible_agents[state[st.TO_MOVE]]
        else:
            self._finish(state)
            after = (self._seats[agent] + 1) % len(self.possible_agents)
            self.agent_selection = self.possible_agents[after]
        if self.render_mode == "human":
            self.render()

    def _finish(self, state: State) -> None:
        """Set the final rewards and facts; all agents are terminated, or all are truncated."""
        rewards = np.zeros(self.game.players)
        play.rewards(self.game.rules, state, self.on_illegal == "zero_sum", rewards)
        winner, ending, plies = max(int(state[st.STATUS]), -1), int(state[st.ENDING]), int(state[st.PLY])
        facts = {"winner": winner, "ending": ending, "plies": plies}
        flags = self.truncations if state[st.ENDING] == en.MAX_PLIES else self.terminations
        for agent, reward in zip(self.possible_agents, rewards.tolist(), strict=True):
            self.rewards[agent] = self._cumulative_rewards[agent] = reward
            flags[agent] = True
            self.infos[agent].update(facts)

    def _started(self) -> State:
        if self._state is None:
            raise RuntimeError("no game has begun: call reset() first")
        return self._state

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """The agents in the order of their turns, see PettingZoo. RuntimeError before the first reset()."""
        self._started()
        return super().agent_iter(max_iter)

    def last(self, observe: bool = True) -> Any:
        """Observation, cumulative reward, terminated, truncated and info of `agent_selection`, see PettingZoo."""
        self._started()
        if not self.agents:
            raise RuntimeError("the game is over and all agents are done: call reset()")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    @property
    def position(self) -> Position:
        """The current position; it does not change with the environment."""
        return trusted(self.game, self._started().copy())

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None."""
        return outcome(self.game, self._started(), self.on_illegal)

    def encode(self, agent: str, move: int | str) -> int:
        """The action, relative to the agent's seat, of a move that is given as text or as a board action.

        Relative actions and board actions differ in games like halma, where each agent sees the board turned.

        Raises:
            ValueError: unknown agent or impossible move.
        """
        return encode(self.game, self._seat(agent), move)

    def decode(self, agent: str, action: int) -> str:
        """The move, as text, of an action relative to the agent's seat. ValueError: unknown agent or action."""
        return decode(self.game, self._seat(agent), action)

    def get_state(self) -> dict[str, Any]:
        """All that changes during a game, to restore with set_state(). It can be pickled."""
        return {name: copy.deepcopy(getattr(self, name, None)) for name in CHANGING}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore what get_state() returned, of an environment with the same game and options.

        Raises:
            ValueError: `state` is something else; the message says what.
        """
        if not isinstance(state, Mapping) or not set(CHANGING) <= set(state):
            raise ValueError(f"expected what get_state() returns, got {checks.brief(state)}")
        self.__dict__.update(self._checked(self.game, {name: copy.deepcopy(state[name]) for name in CHANGING}))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(self._checked(state["game"], state))

    @staticmethod
    def _checked(game: Game, state: dict[str, Any]) -> dict[str, Any]:
        """A saved state whose arrays are safe for compiled code. Raises ValueError if they are not."""
        row, stream = state["_state"], state["_stream"]
        if not (isinstance(stream, np.ndarray) and stream.dtype == np.uint64 and stream.shape == (1,)):
            raise ValueError("state: expected a random stream, uint64[1], as get_state() returns it")
        if row is None:
            return state
        agents = [f"player_{seat}" for seat in range(game.players)]
        if state["agent_selection"] not in agents:
            raise ValueError(f"expected one of {game.players} agents, got agent_selection {state['agent_selection']!r}")
        row = checked(game, row)
        wanted = agents, agents[row[st.TO_MOVE]]
        if row[st.STATUS] == st.RUNNING and (state["agents"], state["agent_selection"]) != wanted:
            raise ValueError(f"state: expected all agents, and {wanted[1]} to act, while the game goes on")
        return state | {"_state": row}

    def clone(self) -> BoardGameEnv:
        """An independent copy, which continues exactly as this environment would."""
        twin = object.__new__(type(self))
        own = {name: value for name, value in self.__dict__.items() if name != "_spaces"}  # a space has a random stream
        twin.__dict__.update(own, _renderer=renderer(self.render_mode))
        twin.set_state(self.get_state())
        return twin

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board in the render mode (see the class). RuntimeError without one, ImportError without its libraries."""
        return self._renderer.render(self.game, self._started())

    def _repr_svg_(self) -> str:
        return svg(self.game, self.game.start() if self._state is None else self._state)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
