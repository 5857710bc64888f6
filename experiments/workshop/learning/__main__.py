"""Give several methods the same processor time to learn a game, and compare them. Runs that are done are not repeated.

    python -m workshop.learning gomoku --minutes 3 --into docs/results/learning.md

One of the methods is TorchRL's: pip install '.[clients]'.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from amoba_experiments.cli.errors import exit_code
from amoba_experiments.cli.progress import progress_bar
from amoba_experiments.cli.shared import err, out, write_text
from amoba_experiments.cli.studies import check_marks, put_into, write_tables
from amoba_experiments.studies.section import SEEDS, markdown, print_section
from workshop import PICTURES
from workshop.learning import report
from workshop.learning.measure import Comparison
from workshop.learning.methods import METHODS
from workshop.learning.tasks import TASKS


def main() -> None:
    """Learn, and write the tables and the curves."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", choices=TASKS)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="METHOD")
    parser.add_argument("--name", help="of the tables and curves, and of the marks in the document")
    parser.add_argument("--minutes", type=float, default=1.0, help="processor time for each method and each seed")
    parser.add_argument("--games", type=int, default=120, help="games against each opponent in each evaluation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="threads of the evaluation games")
    parser.add_argument("--out", type=Path, default=Path("runs"), help="folder of the runs, tables and curves")
    parser.add_argument("--into", type=Path, help="put the table into this document, and the curves into docs/pictures")
    given = parser.parse_args()
    numbers = given.minutes, given.games, given.seed, given.seeds, given.jobs
    what = Comparison(TASKS[given.game], given.methods, *numbers)
    name, folder = given.name or f"learning-{given.game}", given.out
    picture = folder / f"{name}.svg"
    if given.into is not None:
        check_marks(given.into, name)
        picture = PICTURES / picture.name
    with progress_bar(err, "") as bar:
        task = bar.add_task("starting", total=100)
        result = report.compare(
            what,
            folder / "learning",
            lambda told, share: bar.update(task, description=told, completed=round(100 * share)),
        )
    print_section(result, out)
    write_text(picture, result.pop("curves") + "\n")
    text = report.markdown(result, markdown(result), picture, given.into)
    write_tables(folder / name, result, text)
    if given.into is not None:
        put_into(given.into, name, text)


if __name__ == "__main__":
    sys.exit(exit_code(main))
