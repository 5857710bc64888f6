"""Openings: positions as copies and as text, and matches."""

import random
from collections import Counter
from itertools import product

import numpy as np
import pytest
from errors import error
from opening_games import OPENINGS, every_opening, make

from amoba_env import Position, games
from amoba_env.border import WORDS
from amoba_env.core import check as core
from amoba_env.core import endings as en
from amoba_env.core import opening_rules as op
from amoba_env.core import play
from amoba_env.core import state as st
from amoba_env.core.state import State
from amoba_env.games import Game
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match

# --- Copies and texts -------------------------------------------------------------------------------------------


def walk(game: Game, seed: int, plies: int = 30) -> list[tuple[State, int]]:
    """Positions of a random game, and the action that was played in each."""
    dice, state, story = random.Random(seed), game.start(seed % 2), []
    legal = np.empty(game.n_actions, np.int32)
    for _ in range(plies):
        count = play.moves(game.rules, state, legal)
        if count == 0:
            break
        action = dice.choice(legal[:count].tolist())
        story.append((state.copy(), action))
        assert play.step(game.rules, state, action)
    return [*story, (state, -1)]


@every_opening
def test_texts_both_ways(opening: str) -> None:
    game, seen = make(opening), Counter[str]()
    for seed in range(40):
        for state, action in walk(game, seed, plies=22):
            position = Position(game, state)
            again = Position.from_text(game, position.text)
            assert np.array_equal(again.state, state), position.text
            assert again.text == position.text
            if action >= 0:
                assert again.play(action) == position.play(action)
            seen[op.PHASES[state[st.PHASE]]] += 1
            if state[st.PHASE]:  # who is to move and how many moves were played need not be said
                parts = [part for part in position.text.split()[1:] if "=" in part and not part.startswith("choices")]
                short = Position.from_text(game, " ".join([position.text.split()[0], *parts]))
                assert short.legal_moves() == position.legal_moves()
                assert (short.to_move, short.ply) == (position.to_move, position.ply - state[st.CHOICES])
    phases = {"swap": 3, "swap2": 5, "rif26": 6, "soosyrv8": 8, "taraguchi10": 5, "yamaguchi": 7}
    assert len(seen) == phases[opening]


EMPTY_9, FOUR_9 = "9/9/9/9/9/9/9/9/9", "9/9/4x4/4o4/4x4/9/9/9/o8"


@pytest.mark.plain
@pytest.mark.parametrize(
    ("opening", "text", "message"),
    [
        ("rif26", f"{EMPTY_9} x 0 - phase=chat left=1", "'phase=chat': expected one of play, put_three, "),
        (
            "rif26",
            f"{EMPTY_9} x 0 - stage=offer",
            "'stage=offer': renju has no such part; it has black, phase, left, choices",
        ),
        ("rif26", f"{EMPTY_9} x 0 - black=2", "'black=2': expected a number from 0 to 1"),
        ("rif26", f"{EMPTY_9} x 0 - phase=put_three left=-3", "'left=-3': expected a number from 0 to 99"),
        ("rif26", f"{EMPTY_9} x 0 - phase=put_three left=2", WORDS[core.PHASE_STONES]),
        ("rif26", f"{EMPTY_9} x 0 - phase=put_two left=2", WORDS[core.PHASE_UNKNOWN]),
        ("rif26", f"{EMPTY_9} x 0 - phase=declare left=1", WORDS[core.PHASE_UNKNOWN]),
        ("swap", "7/7/7/7/7/7/7 x 0 - phase=offer left=1", WORDS[core.PHASE_UNKNOWN]),
        ("rif26", f"{EMPTY_9} x 0 - left=2", WORDS[core.PHASE_STONES]),
        ("rif26", f"{EMPTY_9} x 0 - choices=2", "moves played: expected 2, as many as stones and choices, got 0"),
        ("rif26", f"{EMPTY_9} x 3 - choices=x", "'choices=x': expected a number from 0 to 99"),
        ("rif26", f"{FOUR_9} x 5 - phase=offer left=3 choices=1", WORDS[core.PHASE_STONES]),
        ("rif26", f"{FOUR_9} x 5 - phase=offer left=1 choices=1", WORDS[core.PHASE_STONES]),
        ("rif26", f"{FOUR_9} o 5 - phase=offer left=2 choices=1", WORDS[core.TURN]),
        ("rif26", f"{FOUR_9} x 5 - black=1 phase=pick left=1 choices=1", WORDS[core.PHASE_STONES]),
        ("rif26", f"{FOUR_9[:-2]}o?7 o 5 - choices=1", WORDS[core.PHASE_STONES]),
        ("rif26", f"{FOUR_9} o 5 - phase=fourth left=1 choices=1", WORDS[core.PHASE_STONES]),
        ("soosyrv8", f"{FOUR_9} x 6 - phase=choose_again left=9 choices=2", WORDS[core.PHASE_STONES]),
        ("soosyrv8", f"{FOUR_9} o 5 - phase=declare left=2 choices=1", WORDS[core.PHASE_STONES]),
        ("soosyrv8", f"{FOUR_9} x 5 declare-9 phase=declare left=1", "last move 'declare-9': "),
        ("swap", "7/7/7/7/7/7/x1o1x2 o 3 more phase=choose left=1", "last move 'more': 'more' is not a cell"),
    ],
)
def test_no_such_position(opening: str, text: str, message: str) -> None:
    assert message in error(Position.from_text, make(opening), text)


@pytest.mark.plain
def test_games_without_an_opening_have_no_such_parts() -> None:
    with pytest.raises(ValueError, match="'phase=play': gomoku has no such part; it has none"):
        Position.from_text(games.make("gomoku", size=5), "5/5/5/5/5 x 0 - phase=play")
    with pytest.raises(ValueError, match=r"'\?' in row 1"):
        Position.from_text(games.make("gomoku", size=5), "?4/5/5/5/5")


# --- Matches ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opening", "more"),
    [(opening, {}) for opening in OPENINGS] + [(opening, {"forbidden": "lose"}) for opening in ("rif26", "soosyrv8")],
    ids=str,
)
def test_matches(opening: str, more: dict[str, str]) -> None:
    """Whoever begins and whoever has the black stones, the better player wins, on either seat."""
    name, options = OPENINGS[opening]
    match = Match(name, ("greedy", "random"), 200, seed=3, start="rotate", rotate=True, options=options | more)
    found = play_match(match)
    assert (found.ending != en.ILLEGAL).all()
    for seat, starter in product((0, 1), (0, 1)):
        rows = (found.seating[:, seat] == 0) & (found.starter == starter)
        assert rows.sum() == 50
        assert (found.winner[rows] == seat).mean() > 0.9
    assert len(set(found.digest.tolist())) == 200


@every_opening
def test_matches_of_lookahead(opening: str) -> None:
    name, options = OPENINGS[opening]
    match = Match(name, ("lookahead:2", "greedy"), 16, seed=5, start="rotate", rotate=True, options=options)
    found = play_match(match)
    assert (found.ending != en.ILLEGAL).all()
    assert np.array_equal(found.digest, play_match(match, jobs=1, batch=3).digest)


def test_players_offer_and_pick_all_kinds() -> None:
    """At random: every choice of an opening comes about."""
    game, seen = make("soosyrv8"), Counter[str]()
    for seed in range(60):
        for state, action in walk(game, seed, plies=20):
            if action >= game.n_cells:
                seen[game.choices[action - game.n_cells]] += 1
            if state[st.PHASE] == op.OFFER:
                assert (state[st.CHOICES] - 3) == (game.cells(state) == st.OFFERED).sum()
    assert set(seen) == set(game.choices)
