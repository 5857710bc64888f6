"""Questions to runs on disk: SQL against plain counts, and intervals against SciPy and by hand."""

import csv
import dataclasses
import io
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import printed
from simple_players import Next

from amoba_agents import AGENTS
from amoba_experiments import load, query
from amoba_experiments.analysis.match_text import print_evaluation, print_match
from amoba_experiments.analysis.openings import openings_of
from amoba_experiments.analysis.queries import compare, connect, overview, stats
from amoba_experiments.analysis.run_text import csv_text, print_comparison, print_overview, print_stats
from amoba_experiments.analysis.summary import REPEATED, effective_size, percent, share_cells, summarize
from amoba_experiments.analysis.text_tables import print_rows
from amoba_experiments.arena.games import COLUMNS, HELD, TIMES, Games
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.stopping import stopping_summary
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.store import load_games

MATCH = Match("gomoku", ("greedy", "random"), 120, 1, "random", False, {"size": 7}, ("random:3",), True)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "it's a run"
    play_match(MATCH, folder, batch=50)
    return folder


def test_statistics_from_the_disk_are_those_from_memory(run: Path) -> None:
    found = stats(run)
    assert found["match"] == summarize(MATCH, play_match(MATCH), None) == summarize(MATCH, load_games(run), None)
    assert json.loads(json.dumps(found))["of"] == 120
    rows = load(run).to_pylist()
    assert {row["ending"]: row["games"] for row in found["endings"]} == Counter(row["ending"] for row in rows)
    won_rows = [row for row in found["lengths"] if row["result"] == "won"]
    assert sum(row["games"] for row in won_rows) == sum(row["winner"] is not None for row in rows)
    assert sum(row["games"] for row in found["lengths"]) == 2 * len(rows)
    won = [row["plies"] for row in rows if row["winner"] is not None and row["seats"][row["winner"]] == "greedy"]
    assert (won_rows[0]["shortest"], won_rows[0]["longest"]) == (min(won), max(won))
    assert won_rows[0]["median"] == sorted(won)[(len(won) - 1) // 2]
    assert sum(row["moves"] for row in found["times"]) == sum(row["plies"] - row["opening_plies"] for row in rows)
    assert {len(row["opening"].split()) for row in found["openings"]} == {3}  # the openings that were drawn
    assert {row["games"] for row in found["openings"]} == {2}
    (row,) = stats(run, first_moves=0)["openings"]  # all of them
    assert {key: row[key] for key in ("wins", "share", "ci95")} == found["match"]["first_mover"]
    common = Counter(tuple(row["moves"][:1]) for row in rows)  # whoever made it
    top = stats(run, first_moves=1)["openings"]
    assert [row["games"] for row in top] == sorted(common.values(), reverse=True)[:10]
    began = [row for row in rows if tuple(row["moves"][:1]) == common.most_common(1)[0][0]]
    assert (top[0]["games"], top[0]["plies_mean"]) == (len(began), np.mean([row["plies"] for row in began]))


def test_sql(run: Path) -> None:
    rows = load(run).to_pylist()
    (row,) = query(run, "SELECT count(*) AS n, sum(plies) AS plies FROM games")
    assert row == {"n": 120, "plies": sum(row["plies"] for row in rows)}
    found = query(run, "SELECT agent, seat, count(*) FILTER (won) AS wins FROM players GROUP BY ALL ORDER BY ALL")
    wins = Counter((row["seats"][row["winner"]], row["winner"]) for row in rows if row["winner"] is not None)
    assert {(row["agent"], row["seat"]): row["wins"] for row in found if row["wins"]} == wins
    assert query(run, "SELECT sum(games) AS n FROM times WHERE agent = 'greedy'") == [{"n": 120}]
    with connect(run) as connection:
        assert connection.execute("SELECT count(*) FROM games").fetchall() == [(120,)]
    with pytest.raises(ValueError, match=r'DuckDB: .*"nothing"'):
        query(run, "SELECT nothing")
    assert query(run.parent, "SELECT DISTINCT run FROM games") == [{"run": run.name}]
    assert query(run, "SELECT 1.5 AS a, [0.5, 2] AS b") == [{"a": 1.5, "b": [0.5, 2.0]}]
    assert query(run, "SELECT 1 AS a, 2 AS a_2, 3 AS a, 4 AS a") == [{"a": 1, "a_2": 2, "a_3": 3, "a_4": 4}]
    (run.parent / "none").mkdir()
    with pytest.raises(ValueError, match=r"the folder of a run or of several, got .* \(no run\.json\)"):
        query(run.parent / "none", "SELECT 1")


def test_a_run_that_is_not_finished(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    (folder / "games" / "000000000048.parquet").unlink()  # its times were written, as when the process was killed
    found = stats(folder)
    assert (found["match"]["games"], found["of"]) == (96, 120)
    rows = load(folder).to_pylist()
    assert sum(row["moves"] for row in found["times"]) == sum(row["plies"] - row["opening_plies"] for row in rows)
    out = printed(print_stats, found)
    assert "note: 96 of 120 games are played" in out
    assert "won by first mover" in out.partition("openings\n")[2]
    shared, unfinished = compare(run, folder)["warnings"]
    assert "share some openings" in shared
    assert unfinished == f"{folder}: 96 of 120 games are played"
    assert overview([folder])[0]["warnings"] == ["96 of 120 games are played"]
    for file in (folder / "games").iterdir():
        file.unlink()
    with pytest.raises(ValueError, match="has no games yet"):
        stats(folder)


def test_a_run_that_has_not_reached_all_its_seeds(tmp_path: Path) -> None:
    """The seeds that have no games yet are null, and the least and the greatest share leave them out."""
    match = dataclasses.replace(MATCH, games=12, seeds=3)
    play_match(match, tmp_path, batch=2)
    for file in sorted((tmp_path / "games").iterdir())[1:]:
        file.unlink()
    found = stats(tmp_path)
    (share, *others) = found["match"]["players"][0]["points"]["by_seed"]
    assert (share, others) == (found["match"]["players"][0]["points"]["share"], [None, None])
    json.dumps(found, allow_nan=False)
    out = printed(print_stats, found)
    assert f"{100 * share:.1f} to {100 * share:.1f} %" in out


def test_games_of_another_match() -> None:
    other = dataclasses.replace(MATCH, games=60)
    with pytest.raises(ValueError, match="up to 60 with 2 seats, got 120 with 2 seats"):
        summarize(other, play_match(MATCH))


def test_runs_of_the_same_name(tmp_path: Path) -> None:
    for name in ("one", "other"):
        play_match(Match("tictactoe", ("greedy", "random"), 4), tmp_path / name / "1-2")
    counts = query(tmp_path, "SELECT run, count(*) AS games FROM games GROUP BY run ORDER BY run")
    assert counts == [{"run": "one/1-2", "games": 4}, {"run": "other/1-2", "games": 4}]
    again = [tmp_path / "one", tmp_path / "other" / ".." / "one"]
    assert query(again, "SELECT run, count(*) AS games FROM games GROUP BY run") == [{"run": "1-2", "games": 4}]


def test_runs_with_other_options_are_named(tmp_path: Path) -> None:
    for size in (5, 9):
        play_match(Match("gomoku", ("greedy", "random"), 4, options={"size": size}), tmp_path / str(size))
    (note, *_) = compare(tmp_path / "5", tmp_path / "9")["warnings"]
    assert note.startswith("the games have different options: gomoku size=5 ")


def test_an_infinite_difference_has_a_sign() -> None:
    for agents, sign in ((("greedy", "random"), "+"), (("random", "greedy"), "-")):
        match = Match("gomoku", agents, 20, options={"size": 7}, openings=("random:2",))
        out = printed(print_match, summarize(match, play_match(match)))
        assert f"{sign}inf [" in out


def test_agents_are_compared_by_name(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, agents in ((one, ("greedy", "random")), (other, ("random", "greedy"))):
        play_match(Match("tictactoe", agents, 40, openings=("random:2",)), folder)
    figures = [row["figure"] for row in compare(one, other)["rows"]]
    assert figures[:2] == ["points of greedy, %", "points of random, %"]


def test_shared_places() -> None:
    """All share a place, or only the second is shared."""
    two = Match("amoba", ("random", "random", "greedy"), 30, options={"players": 3})
    for match in (Match("halma", ("random",) * 3, 12, options={"max_plies": 6}), two):
        out = printed(print_match, result := summarize(match, play_match(match)))
        assert "all who share a place have the best of these places" in out
    assert sum(row["places"][0]["games"] for row in result["players"]) == 30


def test_seats_have_the_share_of_the_points() -> None:
    match = Match("tictactoe", ("perfect", "perfect"), 20, paired=True)
    out = printed(print_match, summarize(match, play_match(match)))
    seats = [line.split() for line in out.splitlines() if line.startswith(("0 ", "1 "))]
    assert len(seats) == 4
    for line in seats:  # seat, colour, agent, games, wins, points, share
        assert line[2:8] == ["perfect", "10", "0", "5", "50.0", "%"]


def test_runs_that_are_given_in_different_ways(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run.parent)
    out = printed(print_overview, overview([Path(run.name)]) + overview([run]))
    assert out.count("it's a run") == 2


def test_runs_of_the_same_seed_have_the_same_games(tmp_path: Path) -> None:
    """They say nothing new, also without openings."""
    matches = [Match("gomoku", ("greedy", "random"), games) for games in (20, 40)]
    played = [(match, play_match(match)) for match in matches]
    np.testing.assert_array_equal(played[0][1].digest, played[1][1].digest[:20])
    assert len(np.unique(openings_of(played))) == 40


def rows_of(played: Games, rows: slice) -> Games:
    return Games(**{name: getattr(played, name)[rows] for name in HELD}, times=played.times)


def test_the_number_of_a_game_with_an_incident(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where games before it are missing, too."""
    match = Match("tictactoe", ("greedy", "random"), 20)
    played = play_match(match)
    played = dataclasses.replace(rows_of(played, slice(10, 20)), incident=np.array([""] * 3 + ["stuck"] * 7))
    (found,) = summarize(match, played)["incidents"]
    assert (found["first"], found["games"]) == (13, 7)


def test_pairs_after_missing_games_do_not_count(tmp_path: Path) -> None:
    match = Match("tictactoe", ("greedy", "random"), 300, openings=("random:1",), paired=True, until="elo 1")
    played = play_match(match, tmp_path, batch=7)
    assert stats(tmp_path)["match"]["until"]["reason"].startswith("all 300 games are played")
    (tmp_path / "games" / "000000000107.parquet").unlink()
    left = load_games(tmp_path)
    assert len(left.index) == 293
    found, known = (stopping_summary(match, each) for each in (left, rows_of(played, slice(0, 107))))
    assert found["reason"] == f"the first {known['reason']}"
    assert {**found, "reason": ""} == {**known, "reason": ""}
    assert known["reason"].startswith("107 of at most 300 games are played")


def test_effective_size() -> None:
    assert effective_size(np.arange(50)) == 50
    assert effective_size(np.zeros(50)) == 1
    assert effective_size(np.repeat(np.arange(5), 10)) == pytest.approx(5)


def test_repeated_games_are_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "next", Next)
    match = Match("tictactoe", ("next",) * 2, 60, start="rotate")
    found = summarize(match, play_match(match), None)
    assert (found["distinct_games"], found["effective_games"], found["warnings"]) == (2, 2, [REPEATED])
    assert summarize(MATCH, play_match(MATCH), None)["warnings"] == []


@pytest.mark.parametrize("players", [2, 3])
def test_copies_of_openings_say_nothing_new(players: int) -> None:
    """Every interval and every standard error is the same for two and for twelve copies of twenty games."""
    options = {"players": 3, "board": "7x7"} if players == 3 else {"size": 7}
    lines = tuple(f"{column}{row}" for column in "abcde" for row in "1234")
    game = "amoba" if players == 3 else "gomoku"
    match = Match(game, ("random",) * players, 240, 1, "first", options=options, openings=lines)
    played = play_match(match)

    def copies(count: int) -> dict[str, Any]:
        index = np.arange(count)
        games = Games(**{name: getattr(played, name)[index % len(lines)] for name in HELD})
        return summarize(match, dataclasses.replace(games, index=index), None)

    def figures(of: Any) -> list[Any]:
        if isinstance(of, dict):
            own = [of[key] for key in of if key.endswith(("ci95", "_se")) or key == "p"]
            return own + [each for value in of.values() for each in figures(value)]
        return [each for value in of for each in figures(value)] if isinstance(of, list) else []

    ours, theirs = ([np.nan if each is None else each for each in figures(copies(count))] for count in (240, 40))
    assert len(ours) == len(theirs) > 10
    for one, other in zip(ours, theirs, strict=True):
        assert one == pytest.approx(other, nan_ok=True)


def test_a_share_as_text_is_that_of_the_tables() -> None:
    match = Match("tictactoe", ("perfect", "perfect"), 200, openings=("random:1",), paired=True)
    found = summarize(match, play_match(match), None)
    row = found["players"][0]
    assert (row["wins"], percent(row)) == (0, " ".join(share_cells(row["points"])))
    out = printed(print_match, found)
    assert percent(row).split("[")[1] in out
    assert percent({"share": 0.5, "ci95": None}) == "50.0 % unknown"


def test_who_began_on_which_seat() -> None:
    match = dataclasses.replace(MATCH, paired=False, openings=())
    played = play_match(match)
    rows = summarize(match, played, None)["first_mover_seats"]
    for row in rows:
        began = played.starter == row["seat"]
        assert (row["games"], row["wins"]) == (began.sum(), (played.winner[began] == row["seat"]).sum())
    assert sum(row["games"] for row in rows) == 120


def test_an_evaluation_in_a_line() -> None:
    line = {"stage": "final", "steps": 200_704, "seconds": 176.0, "against": "perfect", "games": 1200, "wins": 0}
    line |= {"losses": 0, "draws": 1200, "ci95": [0.0, 0.0032], "notes": [REPEATED]}
    text = printed(print_evaluation, line)
    assert "200,704 steps" in text
    assert REPEATED in text.replace("\n", " ")
    assert "final" in printed(print_evaluation, line | {"steps": 0, "ci95": None})


def test_rows_stay_rows_and_long_lists_are_cut(run: Path) -> None:
    rows = query(run, "SELECT * FROM games ORDER BY index LIMIT 3")
    lines = printed(print_rows, rows).splitlines()
    assert len(lines) == 4
    assert f"… {len(rows[0]['moves']) - 6} more" in lines[1]
    table = list(csv.DictReader(io.StringIO(csv_text(list(rows[0]), rows))))
    assert [json.loads(row["moves"]) for row in table] == [row["moves"] for row in rows]


def test_two_runs_are_compared(run: Path, tmp_path: Path) -> None:
    play_match(dataclasses.replace(MATCH, agents=("random", "random")), tmp_path / "b", batch=120)
    found = compare(run, tmp_path / "b")
    one, other = (each["players"][0]["points"] for each in overview([run, tmp_path / "b"]))
    row = found["rows"][0]
    assert row["figure"] == "points of greedy / random, %"
    assert row["difference"] == pytest.approx(100 * (one["share"] - other["share"]))
    assert row["ci95"][0] < row["difference"] < row["ci95"][1]
    assert "difference" in printed(print_comparison, found)
    assert "note" in printed(print_comparison, {**found, "warnings": [REPEATED]})
    assert compare(run, run)["rows"][0]["difference"] == 0
    text = printed(print_overview, overview([run, tmp_path / "b"]))
    assert text.count("random") >= 3
    play_match(Match("tictactoe", ("random", "random"), 10), tmp_path / "c")
    with pytest.raises(ValueError, match="expected runs of the same game, got gomoku"):
        compare(run, tmp_path / "c")


def test_runs_with_the_same_openings_are_compared_opening_by_opening(tmp_path: Path) -> None:
    """Where one gains what the other loses, the interval is wider than that of independent runs, and else narrower."""
    one = Match("tictactoe", ("lookahead:8", "lookahead:6"), 200, openings=("random:4",), start="first")
    for name, match in {
        "one": one,
        "turned": dataclasses.replace(one, agents=one.agents[::-1]),
        "alike": dataclasses.replace(one, agents=("lookahead:3", "lookahead:6")),
        "others": dataclasses.replace(one, agents=one.agents[::-1], seed=1),
        "more": dataclasses.replace(one, games=240),
    }.items():
        play_match(match, tmp_path / name)
    widths = {}
    for name in ("turned", "alike", "others", "more"):
        found = compare(tmp_path / "one", tmp_path / name)
        row = found["rows"][0]
        low, high = row["ci95"]
        assert low <= row["difference"] <= high
        widths[name] = high - low
        assert any("share some openings" in each for each in found["warnings"]) == (name == "more")
    assert widths["alike"] < 0.7 * widths["others"] < 0.7 * widths["turned"]


def test_sql_says_what_columns_mean(run: Path) -> None:
    found = query(run, "SELECT \"column\", meaning FROM columns WHERE view = 'games'")
    assert {row["column"]: row["meaning"] for row in found} == {name: each.says for name, each in COLUMNS.items()}
    assert len(query(run, "FROM columns WHERE view = 'times' AND meaning != ''")) == len(TIMES)
