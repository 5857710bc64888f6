"""The arena: the same games for any jobs and batch size, honest counts, illegal moves, and the statistics."""

import dataclasses
import itertools
import json
import shutil
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import printed
from simple_players import Stubborn

from amoba_agents import AGENTS
from amoba_agents.players.random import Random
from amoba_env import Position
from amoba_env.core import endings as en
from amoba_env.games import make
from amoba_experiments.analysis.match_text import print_match
from amoba_experiments.analysis.summary import shared_places, summarize
from amoba_experiments.analysis.tournament import Tournament
from amoba_experiments.arena.games import HELD, Games
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.shard import play_shard
from amoba_experiments.arena.workers import Cancelled, Threads, growing
from amoba_experiments.runs.play_match import Interrupted, play_match
from amoba_experiments.runs.store import load_games

HALMA = Match("halma", ("lookahead:1,ties=thesis", "greedy", "random"), 90, seed=5, options={"max_plies": 90})
GOMOKU = Match("gomoku", ("greedy", "random"), 60, seed=1, rotate=True, options={"size": 7})


def assert_same(a: Games, b: Games) -> None:
    for name in HELD:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


@pytest.mark.parametrize("match", [HALMA, GOMOKU], ids=["halma", "gomoku"])
@pytest.mark.parametrize("start", ["random", "rotate", "first"])
def test_same_games_for_any_jobs_and_batch(match: Match, start: str) -> None:
    match = dataclasses.replace(match, start=start)
    reference = play_match(match, jobs=1, batch=match.games)
    assert_same(reference, play_match(match, jobs=2, batch=7))
    assert_same(reference, play_match(match, jobs=3, batch=1000))
    part = Games.of(play_shard(match, 11, 20))
    np.testing.assert_array_equal(part.digest, reference.digest[11:31])


def test_another_seed_gives_other_games() -> None:
    other = dataclasses.replace(HALMA, seed=6)
    assert (play_match(HALMA).digest != play_match(other).digest).mean() > 0.9


def test_start_and_rotation() -> None:
    games = play_match(dataclasses.replace(GOMOKU, start="first"))
    assert (games.starter == 0).all()
    games = play_match(dataclasses.replace(GOMOKU, start="rotate"))
    pairs = list(zip(games.seating[:, 0].tolist(), games.starter.tolist(), strict=True))
    assert pairs[:4] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert {pairs.count(pair) for pair in set(pairs)} == {15}
    games = play_match(dataclasses.replace(HALMA, start="random", games=300, agents=("random",) * 3))
    assert np.bincount(games.starter, minlength=3).min() > 60
    assert (games.seating == [0, 1, 2]).all()
    games = play_match(dataclasses.replace(HALMA, start="rotate"))
    assert np.bincount(games.starter).tolist() == [30, 30, 30]


def test_an_illegal_move_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "stubborn", Stubborn)
    match = Match("gomoku", ("stubborn", "random"), 50, start="first")
    games = play_match(match)
    assert (games.ending == en.ILLEGAL).all()
    assert (games.winner == 1).all()
    assert (games.plies == 2).mean() > 0.9  # or 1, where the other one took cell 0
    found = summarize(match, games, 1.0)
    assert (found["forfeits"], found["draws"], found["truncated"]) == (50, 0, 0)
    assert found["players"][1]["wins"] == 50
    three = Match("halma", ("stubborn", "random", "random"), 10, start="first")
    found = summarize(three, play_match(three), 1.0)
    assert [player["wins"] for player in found["players"]] == [0, 0, 0]
    assert (found["forfeits"], found["draws"]) == (10, 0)


def test_results_by_seat_colour_and_turn() -> None:
    """Beside plain counts. Colours matter in renju only: there Black moves first."""
    for match in (GOMOKU, Match("renju", ("greedy", "random"), 40, 2, rotate=True, options={"size": 9})):
        played = play_match(match)
        found = summarize(match, played)
        assert found["seconds"] is None
        assert (found["colors"] is None) == (match.game == "gomoku")
        names = [("seat", list(range(2))), ("began", [False, True]), ("color", ["black", "white"])]
        tables = {"seat": "seats", "began": "began", "color": "colors"}
        for name, values in names[: 2 + (found["colors"] is not None)]:
            expected = []
            for value, (number, agent) in itertools.product(values, enumerate(match.agents)):
                points, wins = [], 0
                for seating, starter, winner in zip(played.seating, played.starter, played.winner, strict=True):
                    seat = seating.tolist().index(number)
                    began = bool(seat == starter)
                    is_value = {"seat": seat, "began": began, "color": "black" if began else "white"}[name] == value
                    if is_value:
                        points.append(1.0 if seat == winner else 0.5 if winner < 0 else 0.0)
                        wins += bool(seat == winner)
                expected.append((value, agent, len(points), wins, sum(points)))
            rows = found[tables[name]]
            assert [(r[name], r["agent"], r["games"], r["wins"], r["points"]["points"]) for r in rows] == expected
        assert ("colour" in printed(print_match, found, 150)) == (match.game == "renju")


def test_the_time_of_a_move(tmp_path: Path) -> None:
    """In memory, from the disk, and joined from both; no time is measured where nobody was asked."""
    played = play_match(GOMOKU, batch=20)
    moves = {name: times[0] for name, times in played.times.items()}
    assert sum(moves.values()) == played.plies.sum()
    play_match(GOMOKU, tmp_path, batch=20)
    for again in (load_games(tmp_path), play_match(GOMOKU, tmp_path, batch=20)):
        assert {name: times[0] for name, times in again.times.items()} == moves
        assert again.seconds_a_move == {name: seconds / moves[name] for name, (_, seconds) in again.times.items()}
        assert min(again.seconds_a_move.values()) > 0
    shutil.rmtree(tmp_path / "times")
    assert load_games(tmp_path).seconds_a_move == {}


@pytest.mark.parametrize("kind", [Match, Tournament])
def test_openings_as_on_the_command_line(kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lines.txt").write_text("b2 a1\n\na1 # corner\n")
    for given, expected in (("random:2", ("random:2",)), ("lines.txt", ("b2 a1", "a1")), (["b2"], ("b2",)), ((), ())):
        assert kind("tictactoe", ("random", "greedy"), games=4, openings=given).openings == expected
    with pytest.raises(ValueError, match=r"none\.txt"):
        kind("tictactoe", ("random", "greedy"), games=4, openings="none.txt")


class Reporting(Stubborn):
    """Stubborn, and says so."""

    name, rowwise = "reporting", False

    def act(self, game, states, rng, memory):  # type: ignore[no-untyped-def]
        self.incidents = [(row, "no idea") for row in np.flatnonzero(game.cells(states)[:, 0] >= 0)]
        return super().act(game, states, rng, memory)


def test_what_agents_report_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "reporting", Reporting)
    match = Match("gomoku", ("random", "reporting"), 30, rotate=True)
    games = play_match(match, batch=7)
    lost = games.ending == en.ILLEGAL
    assert (games.incident[lost] == "reporting: no idea").all()
    assert (games.incident[~lost] == "").all()
    found = summarize(match, games, 1.0)
    assert found["incidents"] == [{"what": "reporting: no idea", "games": 30, "first": 0}]
    assert found["warnings"] == ["reporting: no idea (30 games, first 0)"]
    assert summarize(GOMOKU, play_match(GOMOKU), 1.0)["incidents"] == []


class Counting(Random):
    """Random, and counts how often it is asked."""

    name = "counting"
    asked = 0

    def act(self, game, states, rng, memory):  # type: ignore[no-untyped-def]
        Counting.asked += 1
        return super().act(game, states, rng, memory)


def test_one_call_a_step_for_all_seats_of_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "counting", Counting)
    match = Match("halma", ("counting",) * 3, 15, options={"max_plies": 50})
    play_match(match, batch=15)
    assert Counting.asked == 50


@pytest.mark.plain
@pytest.mark.parametrize(
    ("games", "most"), [(range(5), 1000), (range(10_000), 1000), (range(300, 400), 1000), (range(99), 7)]
)
def test_shards_grow(games: range, most: int) -> None:
    """All games are in one, in order; the last ones are not much of what has been played before."""
    shards = growing(games, most)
    assert [number for first, count in shards for number in range(first, first + count)] == list(games)
    assert all(count <= min(most, max(16, first / 2)) for first, count in shards)
    assert shards[:-1] == growing(range(games.start, games.stop + 500), most)[: len(shards) - 1]
    assert len(shards) <= 25


def test_progress_and_cancelling() -> None:
    seen: list[int] = []
    play_match(HALMA, jobs=1, batch=30, progress=seen.append)
    assert sum(seen) == HALMA.games
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        play_shard(HALMA, 0, 10, None, cancel)

    def interrupt(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_match(HALMA, jobs=2, batch=10, progress=interrupt)


def test_the_first_error_cancels_whichever_shard_it_is_of() -> None:
    """Shard 0 ends only when it is cancelled, and the error of shard 1 is raised."""
    cancelled = []

    def work(first: int, count: int, progress: object, cancel: threading.Event | None) -> None:
        assert cancel is not None
        if first:
            raise ValueError("shard 1")
        cancelled.append(cancel.wait(20))
        raise Cancelled

    with pytest.raises(ValueError, match="shard 1"):
        Threads(2).run(work, [(0, 1), (1, 1)], lambda *_: None, None)
    assert cancelled == [True]


def test_no_shard_begins_after_an_error() -> None:
    """With one thread, which goes on at once."""
    begun = []

    def work(first: int, count: int, progress: object, cancel: threading.Event | None) -> None:
        assert cancel is not None
        begun.append((first, cancel.is_set()))
        if first == 1:
            raise ValueError("shard 1")

    for _ in range(200):
        begun.clear()
        with pytest.raises(ValueError, match="shard 1"):
            Threads(1).run(work, [(first, 1) for first in range(5)], lambda *_: None, None)
        assert [first for first, cancelled in begun if not cancelled] == [0, 1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"agents": ("random",)}, "agents: expected 3, one for each seat, got 1"),
        ({"agents": ("random", "x", "random")}, "unknown agent 'x'"),
        ({"options": {"size": 3}}, "halma has no option 'size'"),
    ],
)
def test_bad_matches(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(HALMA, **changes)  # type: ignore[arg-type]


def test_summary_against_a_plain_count() -> None:
    match = dataclasses.replace(GOMOKU, games=200)
    games = play_match(match)
    found = summarize(match, games, 2.0)
    wins = [0, 0]
    for status, seating in zip(games.winner.tolist(), games.seating.tolist(), strict=True):
        if status >= 0:
            wins[seating[status]] += 1
    assert [player["wins"] for player in found["players"]] == wins
    assert sum(wins) + found["draws"] == 200
    assert found["players"][0]["agent"] == "greedy"
    assert found["players"][0]["share"] == wins[0] / 200 > 0.9
    assert sum(seat["games"] for seat in found["seats"]) == 400
    assert sum(seat["wins"] for seat in found["seats"]) == sum(wins)
    assert found["endings"][en.NAMES[en.LINE]] == sum(wins)
    assert found["plies_mean"] == pytest.approx(games.plies.mean())
    assert found["rounds_mean"] == pytest.approx((games.plies // 2).mean())
    assert found["rounds_se"] == pytest.approx((games.plies // 2).std(ddof=1) / 200**0.5)
    assert found["distinct_games"] == len(set(games.digest.tolist()))
    keys = "game options games seed players seats draws truncated rounds_mean rounds_se plies_mean distinct_games"
    assert {*keys.split(), "seconds"} <= set(json.loads(json.dumps(found)))


def test_truncated_games_are_not_draws() -> None:
    match = Match("halma", ("random",) * 3, 20, options={"max_plies": 30})
    found = summarize(match, play_match(match), 1.0)
    assert (found["truncated"], found["draws"]) == (20, 0)
    match = dataclasses.replace(match, options={"max_plies": 30, "adjudicate": True})
    found = summarize(match, play_match(match), 1.0)
    assert found["truncated"] == 0
    assert found["endings"] == {"distance": 20}


def test_every_finished_game_has_a_winner_at_home() -> None:
    games = play_match(Match("halma", ("greedy",) * 3, 50))
    assert (games.ending == en.GOAL).all()
    assert (games.winner >= 0).all()


def test_places_in_halma_are_those_of_the_distances_left() -> None:
    """By the positions at the end: whoever has the least left is before the others, who is home is first."""
    match = Match("halma", ("lookahead:2", "greedy", "random"), 60, seed=2, rotate=True)
    ended = play_shard(match, 0, 60)
    games = Games.of(ended)
    rules = make(match.game)
    counted, points = np.zeros((3, 3), int), np.zeros(3)
    for state, seating, status in zip(ended.states, games.seating.tolist(), games.winner.tolist(), strict=True):
        position = Position(rules, state)
        left = [-1 if seat == status else position.distance(seat) for seat in range(3)]
        for seat, agent in enumerate(seating):
            counted[agent, sum(other < left[seat] for other in left)] += 1
            points[agent] += 1 + sum(other < left[seat] for other in left) + (left.count(left[seat]) - 1) / 2
    found = summarize(match, games, None)["players"]
    assert [[each["games"] for each in row["places"]] for row in found] == counted.tolist()
    assert [row["place_mean"] for row in found] == pytest.approx((points / 60).tolist())
    assert found[2]["places"][2]["games"] == 60
    assert sum(row["place_mean"] for row in found) == pytest.approx(6)
    low, high = found[0]["place_ci95"]
    assert 1 < low < found[0]["place_mean"] < high < 2
    assert found[0]["places"][0]["ci95"] == found[0]["ci95"]
    assert "places" not in summarize(GOMOKU, play_match(GOMOKU), None)["players"][0]


def test_shared_places() -> None:
    found = shared_places(np.array([[1, 2, 2], [1, 1, 1], [3, 1, 1], [2, 3, 1]]))
    assert found.tolist() == [[1, 2.5, 2.5], [2, 2, 2], [3, 1.5, 1.5], [2, 3, 1]]


def test_ctrl_c_while_shards_are_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reaches the main thread, which is outside the pool: there it could leave a lock closed for ever."""
    submit, threads = ThreadPoolExecutor.submit, []

    def interrupted(*args: Any, **given: Any) -> Any:
        threads.append(threading.current_thread())
        if len(threads) == 3:
            signal.raise_signal(signal.SIGINT)
        return submit(*args, **given)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # workers of pytest-xdist ignore it
    try:
        with pytest.raises(Interrupted):
            play_match(Match("tictactoe", ("random", "random"), 10_000_000), jobs=1, batch=1000)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(threads) >= 3
    assert threading.main_thread() not in threads
