"""Check the limits of CONTRIBUTING.md: 400 lines a file, 60 lines a function.

    python .ci/limits.py

Files are those that git knows and new ones that it does not ignore. Exit code 1 if one is over its limit, or if an
exception below is no longer needed.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE, FUNCTION = 400, 60  # lines
EXCEPTIONS = {
    # Loops of searches: each further call from compiled code costs time, and a part needs many arguments.
    "agents/amoba_agents/alphabeta/fours.py by_fours",
    "agents/amoba_agents/alphabeta/lines.py _workspace",
    "agents/amoba_agents/alphabeta/alphabeta_search.py search",
    "agents/amoba_agents/alphabeta/threes.py by_threes",
    "agents/amoba_agents/halma/plan.py _best_progress",
    "agents/amoba_agents/mcts/simulate.py simulate",
    "agents/amoba_agents/values/solver.py wins",
    # One class, which holds all that a board shows.
    "experiments/amoba_experiments/web/page/board.js",
    # One dict, and what each of its keys means.
    "experiments/amoba_experiments/analysis/summary.py summarize",
}


def sources() -> list[str]:
    """The paths of all Python and JavaScript files, from the root of the repository."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py", "*.js"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted(name for name in listed if (ROOT / name).exists())


def too_long(name: str, text: str) -> Iterator[tuple[str, int, int]]:
    """What is over its limit in a file: its name, its lines, and the limit."""
    if (lines := len(text.splitlines())) > FILE:
        yield name, lines, FILE
    if name.endswith(".py"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION:
                    yield f"{name} {node.name}", lines, FUNCTION


def main() -> int:
    """Print what is over a limit, and the exceptions that are not needed; return the exit code."""
    found = [each for name in sources() for each in too_long(name, (ROOT / name).read_text(encoding="utf-8"))]
    said = [f"{name}: {lines} lines, at most {most}" for name, lines, most in found if name not in EXCEPTIONS]
    said += [f"{name}: no longer over the limit, remove the exception" for name in EXCEPTIONS - {n for n, *_ in found}]
    print("\n".join(said), end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
