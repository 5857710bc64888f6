"""Any game as a Stable-Baselines3 VecEnv for sb3-contrib's MaskablePPO, with opponents and self-play.

    from sb3_contrib import MaskablePPO
    from amoba_env.sb3 import SelfPlayVecEnv

    env = SelfPlayVecEnv("gomoku", num_envs=64, opponent=["random", "greedy"])
    model = MaskablePPO("MlpPolicy", env).learn(100_000)

A step goes from the learner's move to its next turn, or to the end of the game. So if an opponent wins, the reward of
the learner's last step is -1. In each step every opponent is called once, for all the games in which it is to move.
`set_opponents` changes the opponents, for instance to frozen copies of the policy in training. Running games keep
theirs.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from amoba_env import checks
from amoba_env.batch import Batch, Loses, Opponents, Rows, SeatChoice
from amoba_env.draw import FPS
from amoba_env.games import make_from
from amoba_env.options import Value
from amoba_env.rendering import renderer
from amoba_env.spaces import spaces_of

MODES = ("rgb_array",)
PIXELS = 240  # of the longer side of a game in a picture of all


class SelfPlayVecEnv(VecEnv):
    """`num_envs` games; in each the learner has one seat.

    Observations are int8 (N, H, W, C), see amoba_env.batch.observe. Rewards are float32 (N,): 0 until the end, then +1
    for the winner and -1 / (players - 1) for each loser. An illegal action loses: -1. When a game ends its
    info has "terminal_observation", "TimeLimit.truncated", "episode" as VecMonitor writes it, and "seat", "winner",
    "ending", "opening" and "plies", see amoba_env.batch.Batch.facts.

    Args:
        game: its name; options of the game follow by name.
        num_envs: the number of games, N.
        opponent: an agent or its text, or a list, from which one is drawn for each seat when an episode begins.
        seat: the learner's seat, or "random": drawn when an episode begins.
        random_plies: the number of random moves that are played when an episode begins.
        on_illegal: as in amoba_env.single.SingleEnv.
        num_threads: as in amoba_env.batch.Batch.
        render_mode: "rgb_array": render() and VecVideoRecorder draw all games side by side. None: no drawing.

    Raises:
        ValueError: an unknown game, option, seat, agent or mode; or no opponent.
    """

    spec = None  # not made by gymnasium.make

    def __init__(
        self,
        game: str,
        num_envs: int = 64,
        opponent: Opponents = "random",
        seat: SeatChoice = "random",
        random_plies: int = 0,
        on_illegal: Loses = "lose",
        num_threads: int = 1,
        render_mode: str | None = None,
        **options: Value,
    ) -> None:
        _check(opponent)
        self._renderer = renderer(render_mode, size=PIXELS, modes=MODES)
        self.render_mode = render_mode
        self.game = make_from(game, options)
        num_envs = checks.whole("num_envs", num_envs, 1, checks.MOST_COUNT)
        self._batch = Batch(self.game, num_envs, opponent, seat, random_plies, on_illegal, num_threads)
        self._actions: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self._masks = np.zeros((num_envs, self.game.n_actions), np.bool_)
        self._moves = np.zeros(num_envs, np.int64)  # of the learner, in this episode
        self._start_time = time.time()
        super().__init__(num_envs, *spaces_of(self.game))
        self.metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": FPS}

    def set_opponents(self, opponents: Opponents) -> None:
        """Set the agents from which opponents are drawn when an episode begins. Running games keep theirs."""
        _check(opponents)
        self._batch.set_opponents(opponents)

    @property
    def seats(self) -> NDArray[np.int64]:
        """The learner's seat in each game, int64 (N,)."""
        return self._batch.seat.copy()

    @property
    def states(self) -> NDArray[np.int16]:
        """The positions, int16 (N, CELLS + n), a copy; see core/state.py."""
        return self._batch.states.copy()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seeds of the next reset(): `seed + i` for row i. ValueError if it is not a seed."""
        return super().seed(None if seed is None else checks.seed(seed))

    def reset(self) -> NDArray[np.int8]:
        """Begin an episode in every row, with the seeds of seed() and the options of set_options().

        Raises:
            ValueError: see amoba_env.begin.first_position, which reads the options.
        """
        rows = np.arange(self.num_envs)
        options = self._options
        self._reset_options()  # also if these are refused
        if len(options) != self.num_envs:
            raise ValueError(f"options: expected one mapping, or a list of {self.num_envs}, got {len(options)}")
        self._batch.seed(rows, self._seeds)
        alike = all(each == options[0] for each in options)
        for part in [rows] if alike else rows[:, None]:
            self._batch.begin(part, options[part[0]])
        self.reset_infos = self._facts(rows)
        self._reset_seeds()
        self._moves[:] = 0
        return self._observe()

    def step_async(self, actions: Any) -> None:
        """Take the actions of the next step, (N,) integers."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play these actions; the opponents answer; where a game ends, the next one begins.

        Raises:
            ValueError: not N integers, or one outside the action space.
            RuntimeError: before the first reset().
        """
        batch = self._batch
        seats = batch.step(self._actions)
        self._moves += 1
        rewards = batch.rewards()[np.arange(self.num_envs), seats].astype(np.float32)
        over, truncated = batch.over, batch.truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        rows = np.flatnonzero(over)
        if rows.size:
            seconds = round(time.time() - self._start_time, 6)
            for row, seen, facts in zip(rows.tolist(), batch.observe(rows)[0], self._facts(rows), strict=True):
                infos[row] = {
                    "terminal_observation": seen,
                    "TimeLimit.truncated": bool(truncated[row]),
                    "episode": {"r": float(rewards[row]), "l": int(self._moves[row]), "t": seconds},
                    **facts,
                }
            batch.begin(rows)
            self._moves[rows] = 0
            for row, facts in zip(rows.tolist(), self._facts(rows), strict=True):
                self.reset_infos[row] = facts
        return self._observe(), rewards, over, infos

    def _facts(self, rows: Rows) -> list[dict[str, Any]]:
        columns = {name: values.tolist() for name, values in self._batch.facts(rows).items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _observe(self) -> NDArray[np.int8]:
        planes, masks = self._batch.observe()
        self._masks = masks.astype(np.bool_)
        return planes

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool (N, A)."""
        return self._masks.copy()

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """`action_masks`: bool (N, A), or the rows of `indices`; single games have no other methods."""
        if method_name != "action_masks":
            raise AttributeError(f"{type(self).__name__}.env_method: expected 'action_masks', got {method_name!r}")
        return self.action_masks()[list(self._get_indices(indices))]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute for each game: its row of an array such as `seats`, else what all games share."""
        value = getattr(self, attr_name)
        own = isinstance(value, np.ndarray)
        return [value[row] if own else value for row in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Not possible: the games are rows of a batch. Raises AttributeError."""
        raise AttributeError(f"{type(self).__name__} has no attributes of single games to set")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """False: nothing is around single games."""
        return [False] * len(list(self._get_indices(indices)))

    def get_images(self) -> Sequence[Any]:
        """A picture of each game, uint8 (H, W, 3). RuntimeError without a `render_mode`."""
        return [self._renderer.render(self.game, state) for state in self._batch.states]

    def close(self) -> None:
        """There is nothing to close."""

    def _get_indices(self, indices: int | Iterable[int] | None) -> Iterable[int]:
        if indices is None:
            return range(self.num_envs)
        given = checks.array("indices", indices)
        return checks.rows(given[None] if given.ndim == 0 else indices, self.num_envs).tolist()


def _check(opponents: object) -> None:
    """Raise ValueError without opponents.

    If the learner played every seat, the next observation would be another player's, and so would its value. The
    algorithms of Stable-Baselines3 would count it as the mover's own.
    """
    if opponents is None:
        raise ValueError(
            "opponent: expected an agent, its text, or a list of them, got None. To learn from the moves of all seats, "
            "use gymnasium.make_vec(..., opponent=None) and an algorithm that knows that the value of the next "
            "position is another player's; those of Stable-Baselines3 do not"
        )
