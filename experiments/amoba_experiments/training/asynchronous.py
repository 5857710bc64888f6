"""Asynchronous rollouts: MaskablePPO that plays the next moves while it learns from the last ones, on two cores.

Moves are played with the weights from before the current update, so the data come from a policy that is one update
older; PPO's ratios correct for that. An update takes the longer time of playing and learning, not the sum. (Learners
that lag behind the actors: L. Espeholt et al., "IMPALA", arXiv:1802.01561.)
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from typing import Any

from sb3_contrib import MaskablePPO

from amoba_experiments.training.opponents import copy_of


class AsynchronousPPO(MaskablePPO):
    """See the module. The same seed gives the same weights, however the two threads take turns.

    Moves draw from torch's random numbers, so learning has to draw from NumPy's, as the buffers do.
    """

    player: AsynchronousPPO | None = None  # has played the next moves already, into its own buffer

    def collect_rollouts(self, *args: Any, **kwargs: Any) -> bool:
        """Take the moves that were played during the last update; the first time, play them."""
        if self.player is None:
            return super().collect_rollouts(*args, **kwargs)
        played, self.player.rollout_buffer = self.player.rollout_buffer, self.rollout_buffer
        self.rollout_buffer = played
        self.num_timesteps += self.n_steps * self.n_envs
        return True

    def train(self) -> None:
        """Learn, and play the next moves at the same time."""
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
