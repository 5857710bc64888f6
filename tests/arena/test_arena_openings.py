"""Openings of matches: drawn and given, and seats in pairs."""

import dataclasses
from collections import Counter
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from simple_players import Next

from amoba_agents import AGENTS
from amoba_env import Position, games
from amoba_experiments.analysis.openings import game_clusters
from amoba_experiments.analysis.summary import summarize
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.openings import begin, openings_from, read_opening
from amoba_experiments.arena.seating import seats_and_starters
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.replay import records_of

MATCH = Match("gomoku", ("greedy", "random"), 60, 1, options={"size": 7}, openings=("random:3",))


def drawn(numbers: list[int], seed: int = 0, plies: int = 3, name: str = "gomoku") -> np.ndarray:
    game = games.make(name)
    return begin(
        game, [f"random:{plies}"], [seed] * len(numbers), np.array(numbers), np.zeros(len(numbers), np.int8)
    ).moves


def test_a_drawn_opening_depends_on_seed_and_number_alone() -> None:
    both = drawn([4, 5, 5])
    np.testing.assert_array_equal(drawn([4])[0], both[0])
    np.testing.assert_array_equal(both[1], both[2])
    assert (both[0] != both[1]).any()
    assert (drawn([4], seed=1) != both[0]).any()


def test_a_drawn_opening_leaves_a_game() -> None:
    game = games.make("tictactoe")
    begun = begin(game, ["random:6"], [0] * 50, np.arange(50), np.ones(50, np.int8))
    for state, moves in zip(begun.states, begun.moves.tolist(), strict=True):
        position = Position.from_moves(game, moves, first=1)
        assert not position.over
        assert position == Position(game, state)
    with pytest.raises(ValueError, match="openings: expected fewer than 9 random moves"):
        drawn([0], plies=9, name="tictactoe")


def test_pairs_share_opening_and_beginner() -> None:
    match = dataclasses.replace(MATCH, paired=True)
    played = play_match(match, jobs=2, batch=7)
    for column in (played.opening, played.starter):
        np.testing.assert_array_equal(column[::2], column[1::2])
    assert (played.seating[::2] == [0, 1]).all()
    assert (played.seating[1::2] == [1, 0]).all()
    assert len(np.unique(played.opening)) == 30
    three = Match("halma", ("random", "greedy", "lookahead:1"), 12, 3, openings=("random:4",), paired=True)
    played = play_match(three)
    assert len({tuple(row) for row in played.seating[:6].tolist()}) == 6
    assert played.opening.tolist() == [played.opening[0]] * 6 + [played.opening[6]] * 6


def test_equal_players_without_chance_play_a_pair_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "next", Next)
    match = dataclasses.replace(MATCH, agents=("next", "next"), paired=True, games=6)
    digests = play_match(match).digest
    np.testing.assert_array_equal(digests[::2], digests[1::2])


def test_given_openings() -> None:
    position = "7/7/7/3x3/7/7/7 o"
    match = dataclasses.replace(MATCH, openings=("d4 e4 c3", position), start="first")
    played = play_match(match)
    assert (played.starter[::2] == 0).all()
    assert (played.starter[1::2] == 1).all()  # who is to move there
    assert len(np.unique(played.opening)) == 2


@pytest.mark.parametrize("paired", [True, False])
def test_a_line_of_a_file_is_one_opening_whoever_begins(paired: bool) -> None:
    lines = ("d4 e4", "c3", "d4 e4", "b2 b3 c3")  # one is there twice
    match = dataclasses.replace(MATCH, openings=lines, games=96, paired=paired)
    played = play_match(match)
    line = played.index // match.orders % 4
    assert len(set(zip(line.tolist(), played.starter.tolist(), strict=True))) == 8
    for numbers in (played.opening, game_clusters(match, played)):
        pairs = set(zip(np.where(line == 2, 0, line).tolist(), numbers.tolist(), strict=True))
        assert len(pairs) == len(set(numbers.tolist())) == 3
    found = summarize(match, played, None)
    assert (found["openings"], found["clusters"]) == (3, 3)


def test_drawn_openings_beside_given_ones() -> None:
    """The given line is one opening; each drawn one is new."""
    match = dataclasses.replace(MATCH, openings=("d4 e4", "random:3"), games=40)
    clusters = game_clusters(match, play_match(match))
    assert len(set(clusters[::2].tolist())) == 1
    assert len(set(clusters.tolist())) == 21
    seeds = dataclasses.replace(match, seeds=2)  # each seed begins at the first line
    assert len(set(game_clusters(seeds, play_match(seeds)).tolist())) == 21


def test_a_comment_makes_no_board(tmp_path: Path) -> None:
    play_match(Match("tictactoe", ("random", "random"), 2, openings=("b2 a1 # a/b",)), tmp_path / "run")
    assert [record.text[:5] for record in records_of(tmp_path / "run")] == ["b2 a1"] * 2


def test_men_say_who_begins() -> None:
    game = games.make("halma")
    moves = Position.start(game, 1).legal_moves()[0]
    assert list(read_opening(game, moves).states) == [1]
    begun = begin(game, [moves], [0] * 3, np.arange(3), np.array([0, 1, 2], np.int8))
    assert begun.starter.tolist() == [1, 1, 1]
    assert list(read_opening(games.make("gomoku"), "e5").states) == [0, 1]


def test_files_of_openings(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("# mine\nd4  e4\n\nc3  # the corner\n")
    assert openings_from(str(file), games.make("gomoku")) == ("d4 e4", "c3")
    assert openings_from("random:4", games.make("gomoku")) == ("random:4",)
    file.write_text("\n# none\n")
    with pytest.raises(ValueError, match="has no openings"):
        openings_from(str(file), games.make("gomoku"))
    file.write_bytes(b"\xff\xfd")
    with pytest.raises(ValueError, match="expected a text file in UTF-8"):
        openings_from(str(file), games.make("gomoku"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"openings": ("random:x",)}, "opening 'random:x': expected random:NUMBER"),
        ({"openings": ("d4 d4",)}, "opening 'd4 d4': move 2: illegal move d4"),
        ({"openings": ("7/7",)}, "opening '7/7': board '7/7' has 2 rows"),
        ({"openings": ("xxxxx2/7/7/7/7/7/ooo4",)}, "the game is over"),
        ({"paired": True, "games": 61}, "games: expected a multiple of 2, such as 60, got 61; with paired"),
        ({"paired": True, "rotate": True}, r"expected rotate \(--agents-rotate\) or paired, got both"),
    ],
)
def test_bad_openings(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(MATCH, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("lines", range(1, 8))
@pytest.mark.parametrize(("game", "players"), [("tictactoe", 2), ("halma", 3), ("square_halma", 4)])
@pytest.mark.parametrize("start", ["first", "rotate"])
def test_each_opening_meets_all_seats(game: str, players: int, lines: int, start: Literal["first", "rotate"]) -> None:
    """Agents and first movers that take turns do not keep step with the lines of a file."""
    openings = tuple(f"random:{each}" for each in range(1, lines + 1))
    options = {"players": 4} if players == 4 else {}
    match = Match(game, ("random",) * players, 10_000, start=start, rotate=True, openings=openings, options=options)
    turns = players * (players if start == "rotate" else 1)
    index = np.arange(lines * turns)
    seating, starter = seats_and_starters(match, index, [0] * len(index))
    met = Counter(zip((index % lines).tolist(), seating[:, 0].tolist(), starter.tolist(), strict=True))
    assert len(met) == lines * turns
    assert set(met.values()) == {1}
    whole = Counter(zip(seating[: match.cycle, 0].tolist(), starter[: match.cycle].tolist(), strict=True))
    assert len(whole) == turns
    assert len(set(whole.values())) == 1


@pytest.mark.parametrize(
    ("changes", "least"),
    [
        ({"rotate": True}, 10),
        ({"start": "rotate"}, 10),
        ({"rotate": True, "start": "rotate"}, 20),
        ({"paired": True, "start": "rotate"}, 20),
    ],
)
def test_seeds_have_whole_turns(changes: dict[str, Any], least: int) -> None:
    agents = ("random", "random")
    Match("tictactoe", agents, 2 * least, seeds=5, **changes)
    with pytest.raises(ValueError, match=f"games: expected a multiple of {least}, such as {2 * least}, so"):
        Match("tictactoe", agents, 2 * least - 2, seeds=5, **changes)


def test_an_opening_counts_once_however_it_is_written() -> None:
    texts = "e5 f6", "e5f6", "E5,F6", "1. e5 f6", "0,0 1,-1"
    match = Match("gomoku", ("greedy", "random"), 20, options={"size": 9}, openings=(*texts, "a1 b1"), paired=True)
    assert len(set(game_clusters(match, play_match(match)).tolist())) == 2
    positions = "x2/3/3", "x2/3/3 o", "x2/3/3 o 1", "x2/3/3 o 1 a3"
    match = Match("tictactoe", ("random", "random"), 8, openings=positions)
    assert len(set(game_clusters(match, play_match(match)).tolist())) <= 2  # the last move is part of a position
