"""Write tests/data/perft/NAME.perft for each game of the catalogue that has none: a part of `make golden`.

The slow referee counts. Numbers from elsewhere are better: put them in place of these where there are any.
"""

from pathlib import Path

import naive

from amoba_env import games

PERFT = Path(__file__).parents[1] / "data" / "perft"
MOST_LEAVES = 20_000


def text(name: str) -> str:
    """The whole file: the counts from the start, with default options."""
    referee = naive.referee(name, games.make(name).options)
    counts = [len(referee.legal_actions())]
    while counts[-1] * counts[0] <= MOST_LEAVES:
        counts.append(naive.perft(referee, len(counts) + 1))
    line = " ; ".join(["start", *(f"D{depth} {count}" for depth, count in enumerate(counts, 1))])
    return f"# Source: naive.perft in tests/helpers/naive.py.\ngame {name}\n{line}\n"


def main() -> None:
    known = {path.read_text(encoding="utf-8").split("\ngame ")[1].split()[0] for path in PERFT.glob("*.perft")}
    for name in set(games.GAMES) - known:
        (PERFT / f"{name}.perft").write_text(text(name), encoding="utf-8")


if __name__ == "__main__":
    main()
