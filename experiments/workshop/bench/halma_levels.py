"""10,000 games of three-player halma between players of equal level, on all cores."""

from amoba_experiments.arena.match import Match
from amoba_experiments.arena.shard import compile_for
from amoba_experiments.bench import Measurement, compare, seconds
from amoba_experiments.runs.play_match import play_match

GAMES = 10_000


def measure(runs: int) -> list[Measurement]:
    """Seconds for three of lookahead:1, three of lookahead:2 and three of lookahead:3, with the thesis's tie rule."""
    results = []
    for level in (1, 2, 3):
        match = Match("halma", (f"lookahead:{level},ties=thesis",) * 3, GAMES)
        compile_for(match)
        times = [seconds(play_match, match) for _ in range(runs)]
        results.append(compare(f"{GAMES:,} games of halma, {level}-{level}-{level}", "s", times))
    return results
