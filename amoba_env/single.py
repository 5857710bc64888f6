"""Any game as a Gymnasium environment for one seat: agents play the others.

    import gymnasium, amoba_env
    env = gymnasium.make("amoba/Gomoku-v0", opponent="lookahead:2", seat="random", size=15)

The observation is the array int8 (H, W, C) of the PettingZoo environment of the same name, from your seat. The legal
actions are in `info["action_mask"]` (int8, for Discrete.sample) and `action_masks()` (bool, for MaskablePPO). `info`
also has your seat, the winner, the ending, the opening and the plies, see amoba_env.batch.Batch.facts. A step is
your move and the others' answers, until it is your turn again or the game ends. The reward comes at the end: +1
for the winner, -1 / (players - 1) for each loser, 0 otherwise. An illegal action loses (-1; see `on_illegal`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from amoba_env import checks
from amoba_env.batch import Batch, Loses, Opponents, SeatChoice, Specified
from amoba_env.draw import FPS, RENDER_MODES, RenderMode, svg
from amoba_env.games import make_from
from amoba_env.options import Value
from amoba_env.position import Outcome, Position, outcome, trusted
from amoba_env.rendering import renderer
from amoba_env.spaces import spaces_of

ROW = np.zeros(1, np.intp)  # the one game of the batch


class SingleEnv(Specified, gymnasium.Env[NDArray[np.int8], np.int64]):
    """One seat of a game of the catalogue.

    Args:
        game: its name; options of the game follow by name.
        opponent: who plays the other seats: an agent or its text ("random", "greedy", "lookahead:2", ...), or a list
            of them, from which one is drawn for each seat when an episode begins.
        seat: your seat, or "random": drawn when an episode begins.
        random_plies: the number of random moves that are played when an episode begins.
        on_illegal: an illegal action, by you or an opponent, loses with -1. The others get 0 ("lose") or share +1
            ("zero_sum").
        render_mode: what render() returns. "ansi": the board as text. "svg": a drawing. "rgb_array": the drawing as
            uint8 (H, W, 3). "human": nothing; a window shows the board after every step.

    Raises:
        ValueError: an unknown game, option, seat or agent.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": FPS}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        opponent: Opponents = "random",
        seat: SeatChoice = "random",
        random_plies: int = 0,
        on_illegal: Loses = "lose",
        render_mode: RenderMode | None = None,
        **options: Value,
    ) -> None:
        self._renderer = renderer(render_mode)
        if opponent is None:
            raise ValueError("opponent: expected an agent, its text, or a list of them, got None")
        self.game = make_from(game, options)
        self.render_mode = render_mode
        self.observation_space, self.action_space = spaces_of(self.game)
        self._batch = Batch(self.game, 1, opponent, seat, random_plies, on_illegal)
        self.on_illegal = on_illegal

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin an episode, up to your first turn.

        Args:
            seed: for all randomness: your seat, the opponents, their moves. Without it the random stream continues.
            options: "position", "first", "random_plies", see amoba_env.begin.first_position. Other keys are ignored.

        Raises:
            ValueError: see amoba_env.begin.first_position.
        """
        super().reset(seed=None if seed is None else checks.seed(seed))
        self._batch.seed((0,), (seed,))
        self._batch.begin(ROW, checks.mapping("options", options))
        if self.render_mode == "human":
            self.render()
        return self._observe()

    def step(self, action: Any) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Play an action, relative to your seat; the others answer.

        Raises:
            ValueError: the action is not in the action space.
            RuntimeError: before the first reset(), or the game is over.
        """
        if self._batch.over[0]:
            raise RuntimeError("the game is over: call reset()")
        seats = self._batch.step([checks.action(action, self.game.n_actions)])
        reward = float(self._batch.rewards()[0, seats[0]])
        over, truncated = bool(self._batch.over[0]), bool(self._batch.truncated[0])
        if self.render_mode == "human":
            self.render()
        observation, info = self._observe()
        return observation, reward, over and not truncated, truncated, info

    def _observe(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        planes, masks = self._batch.observe()
        facts = {name: values.item() for name, values in self._batch.facts().items()}
        return planes[0].copy(), {"action_mask": masks[0], **facts}

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool (A,): none when the game is over. RuntimeError before the first reset()."""
        self._batch.check_begun()
        return self._batch.observe()[1][0].astype(np.bool_)

    @property
    def seat(self) -> int:
        """Your seat in this episode."""
        return int(self._batch.seat[0])

    @property
    def position(self) -> Position:
        """The current position; it does not change with the environment. RuntimeError before the first reset()."""
        self._batch.check_begun()
        return trusted(self.game, self._batch.states[0].copy())

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None. RuntimeError before the first reset()."""
        self._batch.check_begun()
        return outcome(self.game, self._batch.states[0], self.on_illegal)

    def render(self) -> Any:
        """The position in the mode `render_mode`; None in "human" mode, which shows a window.

        RuntimeError before the first reset().
        """
        self._batch.check_begun()
        return self._renderer.render(self.game, self._batch.states[0])

    def _repr_svg_(self) -> str:
        return svg(self.game, self._batch.states[0])

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
