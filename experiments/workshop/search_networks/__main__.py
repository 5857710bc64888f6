"""Learn a network of the package from games of the searches that read it.

    python -m workshop.search_networks NAME DIR --jobs 2

writes the package's file. NAME is alphabeta, endgame, mcts-2 or mcts-3 (halma with two and with three players). The
games are kept in DIR/NAME-SEED: a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from amoba_experiments.cli.errors import exit_code
from workshop.search_networks.chances_learner import EndgameChances, MctsChances
from workshop.search_networks.loop import NetworkLearner, learn
from workshop.search_networks.values_learner import StoneValues

NETWORKS: dict[str, NetworkLearner] = {
    "alphabeta": StoneValues(),
    "endgame": EndgameChances(),
    "mcts-2": MctsChances(),
    "mcts-3": MctsChances(players=3, games=(8_000,) * 3),
}


def main() -> None:
    """Play, learn and write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", choices=NETWORKS)
    parser.add_argument("folder", type=Path, help="where the games are kept")
    parser.add_argument("--jobs", type=int, default=1, help="games are played in this many processes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="the file to write; without it the package's")
    given = parser.parse_args()
    network = NETWORKS[given.name]
    folder = given.folder / f"{given.name}-{given.seed}"
    shutil.copyfile(learn(network, folder, given.jobs, given.seed), given.out or network.file)


if __name__ == "__main__":
    sys.exit(exit_code(main))
