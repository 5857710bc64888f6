"""Shimmy: OpenSpiel's gomoku as a PettingZoo environment, beside ours, with the same moves."""

import numpy as np
from shimmy import OpenSpielCompatibilityV0

from amoba_env import gomoku_v0


def main(games: int = 5) -> None:
    """Play random games in both; legal moves and rewards must be the same."""
    ours = gomoku_v0.raw_env(size=10)
    theirs = OpenSpielCompatibilityV0(game_name="gomoku", config={"size": 10})  # other ways fall back to 15x15 at reset
    rng = np.random.default_rng(0)
    moves = 0
    for _ in range(games):
        ours.reset()
        theirs.reset()
        while not any(ours.terminations.values()):
            assert ours.agent_selection == theirs.agent_selection
            legal = np.flatnonzero(ours.observe(ours.agent_selection)["action_mask"])
            their_legal = np.flatnonzero(theirs.infos[theirs.agent_selection]["action_mask"])
            assert legal.tolist() == their_legal.tolist()
            action = int(rng.choice(legal))
            ours.step(action)
            theirs.step(action)
            moves += 1
        assert ours.rewards == theirs.rewards
    print(f"Shimmy: {games} games, {moves} moves, legal moves and rewards as in OpenSpiel")


if __name__ == "__main__":
    main()
