"""Asynchronous rollouts: MaskablePPO that plays the next moves while it learns from the last ones, on two cores.

Moves are played with the weights from before the update that goes on meanwhile, so what is learned from is by a policy
one update older; the ratios of PPO account for that. An update takes as long as the slower of playing and learning, not
as both. (Learners that lag behind who plays: L. Espeholt et al., "IMPALA", arXiv:1802.01561.)
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from typing import Any

from sb3_contrib import MaskablePPO

from amoba_experiments.training.opponents import copy_of


class AsynchronousPPO(MaskablePPO):
    """See the module. The same seed gives the same weights, however the two threads take turns.

    Torch's random numbers are those of the moves; learning has to draw from NumPy's, as the buffers do.
    """

    player: AsynchronousPPO | None = None  # who has played the next moves already, into a buffer of its own

    def collect_rollouts(self, *args: Any, **kwargs: Any) -> bool:
        """Take the moves that were played meanwhile; the first time, play them."""
        if self.player is None:
            return super().collect_rollouts(*args, **kwargs)
        played, self.player.rollout_buffer = self.player.rollout_buffer, self.rollout_buffer
        self.rollout_buffer = played
        self.num_timesteps += self.n_steps * self.n_envs
        return True

    def train(self) -> None:
        """Learn, and play meanwhile."""
        if self.player is None:
            self.player = copy(self)
            self.player.policy, self.player.rollout_buffer = copy_of(self.policy), deepcopy(self.rollout_buffer)
        player = self.player
        player.policy.load_state_dict(self.policy.state_dict())
        assert self.env is not None
        what = self.env, player._init_callback(None), player.rollout_buffer, self.n_steps
        with ThreadPoolExecutor(1) as beside:
            moves = beside.submit(MaskablePPO.collect_rollouts, player, *what)
            super().train()
            moves.result()

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "player"]
