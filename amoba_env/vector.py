"""Any game as a Gymnasium vector environment: thousands of games in lockstep, in compiled code.

    import gymnasium, amoba_env
    envs = gymnasium.make_vec("amoba/Gomoku-v0", num_envs=1024, opponent="greedy")

With opponents, row i after `reset(seed=s)` is the same game, bit for bit, as `gymnasium.make("amoba/Gomoku-v0", ...)`
after `reset(seed=s + i)`. With `opponent=None` you play every seat, for your own self-play: each step is a move of the
seat to move, `infos["to_move"]` (N,), and the observation is from its side.

`rewards[i]` belongs to the seat that just moved in row i. The winner usually makes the last move, so a loser's -1 is
rarely among them. The player who moves last can lose by an illegal action or a forbidden point, and in halma by
`anti_spoiling` or `adjudicate`. `infos["rewards"]`, float64 (N, players), has the rewards of all seats in this step:

    movers = infos["to_move"]
    observations, rewards, terminations, truncations, infos = envs.step(actions)
    rewards == infos["rewards"][np.arange(envs.num_envs), movers]  # all true

`infos["_rewards"]` (N,) is false where the step only began a new game (NEXT_STEP). With SAME_STEP the rewards are of
the game that just ended, and the observation is of the next game; infos["final_info"] repeats these rewards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from amoba_env import checks
from amoba_env.batch import Batch, Loses, Opponents, Rows, SeatChoice, Specified
from amoba_env.draw import FPS, RENDER_MODES, svg
from amoba_env.games import make_from
from amoba_env.options import Value
from amoba_env.rendering import renderer
from amoba_env.spaces import spaces_of

Info = dict[str, Any]
SHOWN = 12  # games of a batch in a notebook
MODES = tuple(mode for mode in RENDER_MODES if mode != "human")  # not a window for each game


class BatchEnv(Specified, VectorEnv[NDArray[np.int8], NDArray[np.integer], NDArray[Any]]):
    """`num_envs` games of the catalogue.

    Observations are int8 (N, H, W, C), new arrays at every call. Infos have "action_mask", int8 (N, A), and what
    amoba_env.batch.Batch.facts returns: "seat", "winner", "ending", "opening", "plies", each (N,). Without opponents
    "seat" is called "to_move", and after a step there are "rewards", float64 (N, players).

    Args:
        game: its name; options of the game follow by name.
        num_envs: the number of games, N.
        opponent: as in amoba_env.single.SingleEnv; None: you play every seat.
        seat: your seat, or "random": drawn when an episode begins.
        random_plies: the number of random moves that are played when an episode begins.
        autoreset_mode: NEXT_STEP: the step after the end begins a game and ignores the action. SAME_STEP: the step
            that ends a game also begins the next one; the end is in infos["final_obs"] and infos["final_info"].
            DISABLED: you call reset(options={"reset_mask": bool array (N,)}).
        on_illegal: as in amoba_env.single.SingleEnv.
        render_mode: what render() returns for each game. "ansi": the board as text. "svg": a drawing. "rgb_array": the
            drawing as uint8 (H, W, 3), which gymnasium.wrappers.vector.HumanRendering shows in a window.
        num_threads: as in amoba_env.batch.Batch.
        max_episode_steps: your steps after which an episode is truncated, as gymnasium.make(..., max_episode_steps=...)
            does it: the reward is 0 unless this step also ended the game. None or -1: no limit.

    Raises:
        ValueError: an unknown game, option, seat, agent or mode; a seat without opponents.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponent: Opponents | None = "random",
        seat: SeatChoice = "random",
        random_plies: int = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        on_illegal: Loses = "lose",
        render_mode: str | None = None,
        num_threads: int = 1,
        max_episode_steps: int | None = None,
        **options: Value,
    ) -> None:
        self._renderer = renderer(render_mode, modes=MODES)
        self.render_mode = render_mode
        self.game = make_from(game, options)
        if opponent is None and (not isinstance(seat, str) or seat != "random"):
            raise ValueError(f"seat: expected none with opponent=None, where you play every seat, got {seat!r}")
        self.num_envs = num_envs = checks.whole("num_envs", num_envs, 1, checks.MOST_COUNT)
        self._batch = Batch(self.game, num_envs, opponent, seat, random_plies, on_illegal, num_threads)
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        self.autoreset_mode = AutoresetMode(
            checks.one_of("autoreset_mode", mode, [mode.value for mode in AutoresetMode])
        )
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": list(MODES), "render_fps": FPS}
        self.single_observation_space, self.single_action_space = spaces_of(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.opponent = opponent
        never = int(np.iinfo(np.int64).max)
        limit = never if max_episode_steps in (None, -1) else checks.whole("max_episode_steps", max_episode_steps, 1)
        self._most_steps = limit if limit < self.game.most_plies else never  # a game that is over is not truncated too
        self._steps = np.zeros(num_envs, np.int64)  # in each episode

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | NDArray[np.integer] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[NDArray[np.int8], Info]:
        """Begin episodes in all rows, or in those of options["reset_mask"], bool (N,).

        Args:
            seed: row i has the seed `seed + i`, or seed[i] of a list or an array; without one its stream goes on.
            options: "reset_mask", and "position", "first", "random_plies", see amoba_env.begin.first_position.

        Raises:
            ValueError: a reset_mask of another shape or type, or all false, or false in a row where no game has begun;
                a list of seeds whose length is not N; see also amoba_env.begin.first_position.
        """
        chosen = dict(checks.mapping("options", options))
        rows = self._rows(chosen.pop("reset_mask", None))
        seeds = checks.seeds(seed, self.num_envs)
        if seed is not None and not isinstance(seed, Sequence) and np.ndim(seed) == 0:
            super().reset(seed=seeds[0])  # np_random, which wrappers may read
        self._batch.seed(rows, (seeds[row] for row in rows))
        self._begin(rows, chosen)
        return self._observe()

    def _begin(self, rows: Rows, options: Mapping[str, Any] | None = None) -> None:
        self._batch.begin(rows, options)
        self._steps[rows] = 0

    def _rows(self, mask: object) -> Rows:
        if mask is None:
            return np.arange(self.num_envs)
        if not (isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (self.num_envs,)):
            wanted = f"a bool array of shape ({self.num_envs},)"
            raise ValueError(f"options['reset_mask']: expected {wanted}, got {checks.brief(mask)}")
        if not mask.any():
            raise ValueError("options['reset_mask']: expected one row or more to reset, got none")
        if not (mask | self._batch.begun).all():
            raise ValueError("options['reset_mask']: expected also all rows in which no game has begun")
        return np.flatnonzero(mask)

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Play actions[i], relative to the seat, in game i; opponents answer. An illegal action loses.

        Returns:
            Observations int8 (N, H, W, C); rewards float64 (N,), of your seats, or without opponents of the seats that
            moved; terminations and truncations bool (N,); infos.

        Raises:
            ValueError: not N integers, or one outside the action space, in a game that is not over.
            RuntimeError: a game has not begun, or (DISABLED) one is over.
        """
        batch = self._batch
        late = self._steps >= self._most_steps
        before = batch.over | late
        if self.autoreset_mode == AutoresetMode.DISABLED and before.any():
            ended = ", ".join(map(str, np.flatnonzero(before)[:10]))
            raise RuntimeError(f"games are over in rows {ended}: call reset(options={{'reset_mask': ...}})")
        seats = batch.step(actions, late)
        paid = batch.rewards()
        self._steps += 1
        if before.any():
            paid[before] = 0.0
            self._begin(np.flatnonzero(before))  # NEXT_STEP
        late = self._steps >= self._most_steps
        terminated = batch.over & ~batch.truncated
        over, truncated = batch.over | late, batch.truncated | late
        final: Info = {}
        rows = np.flatnonzero(over)
        rewards = np.zeros(self.num_envs)
        rewards[rows] = paid[rows, seats[rows]]
        if self.autoreset_mode == AutoresetMode.SAME_STEP and rows.size:
            final = self._final(rows, over, paid)
            self._begin(rows)
        observation, info = self._observe()
        if self.opponent is None:
            info |= {"rewards": paid, "_rewards": ~before}
        return observation, rewards, terminated, truncated, final | info

    def _observe(self) -> tuple[NDArray[np.int8], Info]:
        observation, masks = self._batch.observe()
        return observation, self._info({"action_mask": masks, **self._batch.facts()}, np.ones(self.num_envs, np.bool_))

    def _info(self, values: Info, there: NDArray[np.bool_]) -> Info:
        """Infos as Gymnasium's own vector environments give them: for each key a mask of the rows that have it."""
        if self.opponent is None:
            values["to_move"] = values.pop("seat")
        return values | {f"_{name}": there.copy() for name in values}

    def _final(self, rows: Rows, over: NDArray[np.bool_], paid: NDArray[np.float64]) -> Info:
        """The end of the games in these rows, as Gymnasium's own vector environments give it."""
        planes, masks = self._batch.observe(rows)
        final_obs = np.full(self.num_envs, None, dtype=object)
        for row, seen in zip(rows, planes, strict=True):
            final_obs[row] = seen
        ended = {"action_mask": masks, **self._batch.facts(rows)}
        if self.opponent is None:
            ended["rewards"] = paid[rows]
        final_info = self._info({name: self._spread(values, rows) for name, values in ended.items()}, over)
        return {"final_obs": final_obs, "_final_obs": over.copy(), "final_info": final_info, "_final_info": over.copy()}

    def _spread(self, values: NDArray[Any], rows: Rows) -> NDArray[Any]:
        """The values of some rows among all rows; the others are 0 or None."""
        whole = np.full((self.num_envs, *values.shape[1:]), None if values.dtype == object else 0, values.dtype)
        whole[rows] = values
        return whole

    def render(self) -> tuple[Any, ...]:
        """Each game in the mode `render_mode`.

        Raises:
            RuntimeError: no mode, or a game has not begun.
        """
        self._batch.check_begun()
        return tuple(self._renderer.render(self.game, state) for state in self._batch.states)

    def _repr_html_(self) -> str:
        """What notebooks show: the first SHOWN games side by side."""
        return "".join(svg(self.game, state, size=160) for state in self._batch.states[:SHOWN])

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool (N, A): none where the game is over. RuntimeError: a game has not begun."""
        self._batch.check_begun()
        return self._batch.observe()[1].astype(np.bool_)

    @property
    def to_move(self) -> NDArray[np.int64]:
        """The seat to move in each game, int64 (N,); the observation is from its side."""
        return self._batch.seat.copy()

    @property
    def states(self) -> NDArray[np.int16]:
        """The positions, int16 (N, CELLS + n), a copy; see core/state.py."""
        return self._batch.states.copy()
