"""Any game as a Gymnasium vector environment: thousands of games in lockstep, in compiled code.

    import gymnasium, amoba_env
    envs = gymnasium.make_vec("amoba/Gomoku-v0", num_envs=1024, opponent="greedy")

With opponents, row i is played as `gymnasium.make("amoba/Gomoku-v0", ...)` with seed + i would be, bit for bit. With
`opponent=None` nobody plays the other seats: every step is a move of whoever is to move, whose side the observation
shows; `infos["to_move"]` (N,) says who. That is the mode for self-play of one's own make.

`rewards` (N,) are those of the seats that moved. So a loser's -1 is not among them, as it was another's move that ended
the game: `infos["rewards"]`, float64 (N, players), has what the step paid to every seat, the last one of a game too:

    movers = infos["to_move"]
    observations, rewards, terminations, truncations, infos = envs.step(actions)
    rewards == infos["rewards"][np.arange(envs.num_envs), movers]  # all true

`infos["_rewards"]` (N,) is false where no move was played, but a game begun (NEXT_STEP). With SAME_STEP the matrix is
that of the games that have ended, too, though the observations are those of the next ones; infos["final_info"] has it
again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from amoba_env import checks
from amoba_env.batch import Batch, Loses, Opponents, Rows, SeatChoice
from amoba_env.draw import RENDER_MODES, Renderer
from amoba_env.games import make_from
from amoba_env.options import Value

Info = dict[str, Any]
FPS = 2
MODES = tuple(mode for mode in RENDER_MODES if mode != "human")  # a window for each game is of no use


class BatchEnv(VectorEnv[NDArray[np.int8], NDArray[np.integer], NDArray[Any]]):
    """`num_envs` games of the catalogue.

    Observations are int8 (N, H, W, C), fresh at every call. Infos have "action_mask", int8 (N, A), and, without
    opponents, "to_move", int64 (N,), and, after a step, "rewards", float64 (N, players).

    Args:
        game: its name; options of the game follow by name.
        num_envs: how many games, N.
        opponent: as of amoba_env.single.SingleEnv; None: every seat is played by whoever calls step().
        seat: the own seat, or "random": drawn when an episode begins.
        random_plies: so many random moves are played when an episode begins.
        autoreset_mode: NEXT_STEP: the step after the end begins a game and ignores the action; SAME_STEP: the step
            that ends a game begins the next, and has the end in infos["final_obs"] and infos["final_info"]; DISABLED:
            call reset(options={"reset_mask": bool array (N,)}).
        on_illegal: as of amoba_env.single.SingleEnv.
        render_mode: what render() returns of each game: "ansi", the board as text; "svg", a drawing; "rgb_array", the
            drawing as uint8 (H, W, 3). gymnasium.wrappers.vector.HumanRendering shows the last one in a window.
        num_threads: as of amoba_env.batch.Batch.

    Raises:
        ValueError: no such game, option, seat, agent or mode.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponent: Opponents = "random",
        seat: SeatChoice = "random",
        random_plies: int = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        on_illegal: Loses = "lose",
        render_mode: str | None = None,
        num_threads: int = 1,
        **options: Value,
    ) -> None:
        self._renderer = Renderer(render_mode, FPS, modes=MODES)
        self.render_mode = render_mode
        self.game = make_from(game, options)
        self._batch = Batch(self.game, num_envs, opponent, seat, random_plies, on_illegal, num_threads)
        self.num_envs = num_envs = self._batch.count
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        self.autoreset_mode = AutoresetMode(
            checks.one_of("autoreset_mode", mode, [mode.value for mode in AutoresetMode])
        )
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": list(MODES), "render_fps": FPS}
        self.single_observation_space = spaces.Box(0, self.game.observation_high, self.game.observation_shape, np.int8)
        self.single_action_space = spaces.Discrete(self.game.n_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._everybody = opponent is None
        self._begun = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], Info]:
        """Begin episodes in all rows, or in those of options["reset_mask"], bool (N,).

        Args:
            seed: row i has the seed `seed + i`, or seed[i]; without one its random stream goes on.
            options: "reset_mask", and "position", "first", "random_plies", see amoba_env.begin.opening.

        Raises:
            ValueError: a reset_mask of another shape or type, without a row, or that leaves out rows in which no game
                has begun; not N seeds; see also amoba_env.begin.opening.
        """
        chosen = dict(checks.mapping("options", options))
        rows = self._rows(chosen.pop("reset_mask", None))
        if seed is not None:
            seeds: Any = seed
            if not (isinstance(seeds, (list, tuple, range)) or (isinstance(seeds, np.ndarray) and seeds.ndim == 1)):
                one = checks.seed(seed)
                seeds = range(one, one + self.num_envs)
            if len(seeds) != self.num_envs:
                raise ValueError(f"give {self.num_envs} seeds, or one, not {len(seeds)}")
            self._batch.seed(rows, (seeds[row] for row in rows))
        self._batch.begin(rows, chosen)
        self._begun[rows] = True
        return self._seen()

    def _rows(self, mask: object) -> Rows:
        if mask is None:
            return np.arange(self.num_envs)
        if not (isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (self.num_envs,)):
            wanted = f"a bool array of shape ({self.num_envs},)"
            raise ValueError(f"options['reset_mask'] must be {wanted}, not {checks.shown(mask)}")
        if not mask.any():
            raise ValueError("options['reset_mask'] has no row to reset")
        if not (mask | self._begun).all():
            raise ValueError("options['reset_mask'] leaves out rows in which no game has begun")
        return np.flatnonzero(mask)

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Play actions[i] in game i; opponents answer. An illegal action loses.

        Returns:
            Observations int8 (N, H, W, C); rewards float64 (N,), of the own seats, or without opponents of those that
            moved; terminations and truncations bool (N,); infos.

        Raises:
            ValueError: not N integers.
            RuntimeError: no games have begun, or (DISABLED) one is over.
        """
        if not self._begun.all():
            raise RuntimeError("no games have begun: call reset() first")
        batch = self._batch
        before = batch.over
        if self.autoreset_mode == AutoresetMode.DISABLED and before.any():
            ended = ", ".join(map(str, np.flatnonzero(before)[:10]))
            raise RuntimeError(f"games are over in rows {ended}: call reset(options={{'reset_mask': ...}})")
        seats = batch.seat.copy()
        batch.step(actions)
        paid = batch.rewards()
        if before.any():  # NEXT_STEP
            paid[before] = 0.0
            batch.begin(np.flatnonzero(before))
        over, truncated = batch.over, batch.truncated
        final: Info = {}
        rows = np.flatnonzero(over)
        rewards = np.zeros(self.num_envs)
        rewards[rows] = paid[rows, seats[rows]]
        if self.autoreset_mode == AutoresetMode.SAME_STEP and rows.size:
            final = self._final(rows, over, paid)
            batch.begin(rows)
        observation, info = self._seen()
        if self._everybody:
            info |= {"rewards": paid, "_rewards": ~before}
        return observation, rewards, over & ~truncated, truncated, final | info

    def _seen(self) -> tuple[NDArray[np.int8], Info]:
        observation, masks = self._batch.observe()
        info: Info = {"action_mask": masks, "_action_mask": np.ones(self.num_envs, np.bool_)}
        if self._everybody:
            info |= {"to_move": self._batch.seat.copy(), "_to_move": np.ones(self.num_envs, np.bool_)}
        return observation, info

    def _final(self, rows: Rows, over: NDArray[np.bool_], paid: NDArray[np.float64]) -> Info:
        """The end of the games in these rows, as Gymnasium's own vector environments give it."""
        planes, masks = self._batch.observe(rows)
        final_obs = np.full(self.num_envs, None, dtype=object)
        for row, seen in zip(rows, planes, strict=True):
            final_obs[row] = seen
        final_mask = np.zeros((self.num_envs, self.game.n_actions), np.int8)
        final_mask[rows] = masks
        final_info: Info = {"action_mask": final_mask, "_action_mask": over.copy()}
        if self._everybody:
            final_info |= {"to_move": np.where(over, self._batch.seat, 0), "_to_move": over.copy()}
            final_info |= {"rewards": paid.copy(), "_rewards": over.copy()}
        return {"final_obs": final_obs, "_final_obs": over.copy(), "final_info": final_info, "_final_info": over.copy()}

    def render(self) -> tuple[Any, ...]:
        """Each game, in the mode `render_mode`.

        Raises:
            RuntimeError: no mode, or no games have begun.
        """
        if not self._begun.all():
            raise RuntimeError("no games have begun: call reset() first")
        return tuple(self._renderer.render(self.game, state) for state in self._batch.states)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool (N, A): none where the game is over."""
        return self._batch.observe()[1].astype(np.bool_)

    @property
    def to_move(self) -> NDArray[np.int64]:
        """(N,): the seat whose side is shown, and whose action is asked."""
        return self._batch.seat.copy()

    @property
    def states(self) -> NDArray[np.int16]:
        """The positions, int16 (N, CELLS + n), a copy; see core/state.py."""
        return self._batch.states.copy()
