"""alphabeta misses no win by fours of up to 20 plies, and no win by threes of up to 12, in positions of many games.

A thousand of each kind in each rule in `make wins`; in the suite two wins by fours, and the wins by threes of
tests/data/threes. Slow solvers say what is a win.
"""

import random
from pathlib import Path

import pytest
from alphabeta_values import thought
from fours_puzzles import GAMES, positions, positions_before_wins, sides, stones, wins_on
from naive_fours import TooLong, win
from scale import LARGE, tries
from slow_threes import Threats
from slow_threes import TooLong as TooManyThrees

from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.alphabeta.alphabeta_search import MATE, PROVEN
from amoba_env import Position

MOST_FOURS = 10  # 20 plies, with the answers
LEAST_PLIES, MOST_PLIES = 5, 12
MOST_POSITIONS = 300  # that the slow solver of threes looks at
BEFORE_END = 14  # plies: wins by threes are sought so near to the end of half-random games, for the winner
NODES = 10_000  # enough for the wins by threes of the suite


@pytest.mark.parametrize("name", GAMES)
def test_no_win_by_fours_is_missed(name: str) -> None:
    found, agent = 0, AlphaBeta()
    for position in positions(name, random.Random(f"fours of {name}")):
        if found == tries(2, 1000):
            break
        try:
            fours = win(stones(position, position.to_move), *sides(name, position))
            if not 2 <= len(fours) <= MOST_FOURS:
                continue
            action, claim = thought(agent, position)
            wins = wins_on(name, position, action)
        except TooLong:
            continue
        found += 1
        assert claim > PROVEN, position.text
        assert wins, position.text


def test_known_wins_by_threes() -> None:
    """They are found, and played to their end against a player of the same strength.

    A line of the file is a position, and in how many plies it is won.
    """
    agent = AlphaBeta(nodes=NODES)
    for line in (Path(__file__).parents[1] / "data" / "threes" / "freestyle.txt").read_text().splitlines():
        text, plies = line.split(";")
        position = Position.from_text(GAMES["freestyle"][0], text.strip())
        assert thought(agent, position)[1] > PROVEN, position.text
        attacker, last = position.to_move, position.ply + 3 * int(plies)
        while not position.over and position.ply < last:
            position = position.play(thought(agent, position)[0])
        assert position.outcome is not None, position.text
        assert position.outcome.winner == attacker, position.text


@pytest.mark.parametrize(
    "text",
    [
        "1x3x4/3xo1x3/5x4/5o4/4xoo3/5o4/6o3/5x1o2/2o5o1/1x5x1x o 19 f10",
        "9o/1o3x4/1x3x4/5oo3/3xxx4/1x1xox3o/5o4/6o3/7oxo/10 x 20 j5",
    ],
)
def test_a_win_by_threes_takes_no_longer_than_its_value_says(text: str) -> None:
    """The fours after the last three count too."""
    position = Position.from_text(GAMES["freestyle"][0], text)
    plies = MATE - thought(AlphaBeta(), position)[1]
    slow, seat = Threats(position, MOST_POSITIONS), position.to_move
    assert slow.win(seat, plies) is not None
    assert plies < 20


def test_a_loss_takes_no_longer_than_its_value_says() -> None:
    """Replies that are not searched lose to the threat; that may take longer than the loss after those searched."""
    text = "1o6o1/10/2x7/8o1/1x4x1x1/1oo3x1x1/1o6x1/1o2x5/1o3o3x/1x8 o 19 c8"
    position = Position.from_text(GAMES["freestyle"][0], text)
    plies = MATE + thought(AlphaBeta(), position)[1]
    assert plies < 20
    for reply in position.legal_actions().tolist():
        slow, winner = Threats(position.play(reply), MOST_POSITIONS), 1 - position.to_move
        if not slow.wins_at_once(winner) and not 0 < slow.by_fours(winner) < plies:
            assert slow.win(winner, plies - 1) is not None


if LARGE:  # hours, most of them in renju

    @pytest.mark.parametrize("name", GAMES)
    def test_no_win_by_threes_is_missed(name: str) -> None:
        found, agent = 0, AlphaBeta(nodes=500_000)
        for position in positions_before_wins(name, random.Random(f"threes of {name}"), BEFORE_END):
            if found == tries(1, 1000):
                break
            slow, seat = Threats(position, MOST_POSITIONS), position.to_move
            if slow.wins_at_once(0) or slow.wins_at_once(1) or slow.by_fours(seat) or slow.by_fours(1 - seat):
                continue
            try:
                won = any(slow.win(seat, plies) is not None for plies in range(LEAST_PLIES, MOST_PLIES + 1, 2))
            except TooManyThrees:
                continue
            if won:
                found += 1
                assert thought(agent, position)[1] > PROVEN, position.text
