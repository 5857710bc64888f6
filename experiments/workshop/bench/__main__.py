"""Run the benchmarks of internals; with --all also those of `amoba bench`.

python -m workshop.bench --runs 3
python -m workshop.bench --all --json docs/bench.json
"""

from __future__ import annotations

import argparse
import sys

from rich.console import Console

from amoba_experiments.bench import BENCHMARKS, report, run_benchmarks
from amoba_experiments.cli.errors import exit_code
from amoba_experiments.cli.shared import check_writable, write_json

OWN = ("halma_levels", "renju_points", "alphabeta_nodes")


def main() -> None:
    """Run the benchmarks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="measure this many times, and show the medians")
    parser.add_argument("--all", action="store_true", help="also the benchmarks of `amoba bench`")
    parser.add_argument("--json", metavar="FILE", help="write the results here")
    given = parser.parse_args()
    console = Console()
    check_writable(given.json)
    results = run_benchmarks(BENCHMARKS, given.runs, console) if given.all else []
    results += run_benchmarks(OWN, given.runs, console, package="workshop.bench")
    write_json(report(results), given.json)


if __name__ == "__main__":
    sys.exit(exit_code(main))
