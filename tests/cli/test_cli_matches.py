"""Commands that play many games: matches, statistics of runs, studies."""

import json
from pathlib import Path

from commands import Run


def test_match(run: Run, tmp_path: Path) -> None:
    line = "match halma greedy lookahead:2 random --games 30 --seed 7 --agents-rotate --start rotate"
    code, out, err = run(f"{line} --json {tmp_path / 'a.json'}")
    assert code == 0, err
    for words in ("30 games, seed 7", "lookahead:2", "0 red", "2 green", "rounds a game", "distinct games", "games/s"):
        assert words in out
    first = json.loads((tmp_path / "a.json").read_text())
    assert first["players"][2]["wins"] == 0
    assert [player["agent"] for player in first["players"]] == ["greedy", "lookahead:2", "random"]
    assert len(first["seats"]) == 9
    code, out, _ = run(f"{line} --json - --jobs 1 --batch 4")
    again = json.loads(out)
    del first["seconds"], again["seconds"]
    assert first == again


def test_a_game_without_options(run: Run) -> None:
    _, out, _ = run("match tictactoe random random --games 2")
    assert out.startswith("tictactoe: 2 games, seed 0\n")


def test_match_with_options(run: Run) -> None:
    code, out, _ = run("match gomoku random random --games 20 --option size=6 --option rule=exact --json -")
    assert code == 0
    assert json.loads(out)["options"] == {"size": 6, "rule": "exact", "opening": "none"}


def test_runs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "openings.txt").write_text("d4 e4\nc3 c4\n")
    line = "match gomoku greedy random --games 40 --option size=7 --paired --openings openings.txt --out runs/a --quiet"
    code, out, err = run(f"{line} --json a.json")
    assert (code, err) == (0, "written: a.json\n")
    for words in (
        "points of first mover",
        "2, each with every order of the agents",
        "effective sample size 40",
        "on seat 1",
    ):
        assert words in out
    assert "games/s" not in out
    assert run(f"{line} --json b.json --batch 3")[1] == out
    assert (tmp_path / "a.json").read_text() == (tmp_path / "b.json").read_text()
    code, out, err = run("stats runs/a --json c.json")
    assert (code, err) == (0, "written: c.json\n")
    for words in ("40 games, seed 0", "endings", "3rd quartile", "d4 e4", "microseconds a move"):
        assert words in out
    assert json.loads((tmp_path / "c.json").read_text())["match"] == json.loads((tmp_path / "a.json").read_text())
    assert run("stats runs/a --sql")[0] == 2
    code, out, _ = run("stats runs/a --json - --sql 'SELECT count(*) AS n FROM players WHERE won'")
    assert (code, json.loads(out)) == (0, [{"n": 40}])
    first = tmp_path / "runs" / "a" / "games" / "000000000000.parquet"
    first.write_text("no Parquet")
    code, out, err = run("stats runs/a")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "000000000000.parquet is damaged" in err
    code, out, err = run(line)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    first.unlink()
    assert run(line)[0] == 0


def test_match_with_regret(run: Run) -> None:
    line = "match tictactoe perfect random --games 200 --agents-rotate --regret"
    code, out, _ = run(line)
    assert code == 0
    for words in ("regret a move", "moves that lose value", "0.0000"):
        assert words in out
    code, out, _ = run(f"{line} --json - --jobs 1 --batch 7")
    perfect, chance = (player["regret"] for player in json.loads(out)["players"])
    assert (perfect["mean"], perfect["lost_1"], perfect["lost_2"], perfect["share"]) == (0, 0, 0, 0)
    assert 0.1 < chance["mean"] < 0.4
    assert chance["ci95"][0] < chance["share"] < chance["ci95"][1]
    assert "regret" not in run("match tictactoe random random --games 20")[1]


def test_match_until(run: Run) -> None:
    line = "match tictactoe greedy random --games 2000 --paired --openings random:2 --until"
    code, out, err = run(f"{line} 'sprt 0 50' --quiet")
    assert (code, err) == (0, "")
    for words in ("stopped after 100 of at most 2,000 games: 50 Elo is accepted", "bounds -2.94 and 2.94", "beta 0.05"):
        assert words in out
    found = json.loads(run(f"{line} 'elo 80' --json - --quiet")[1])
    low, high = found["until"]["elo_ci95"]
    assert found["games"] < 2000
    assert (high - low) / 2 <= 80


def test_reproduce(run: Run, tmp_path: Path) -> None:
    code, out, err = run("reproduce halma --games 20 --seed 3")
    assert code == 0, err
    result = json.loads((tmp_path / "runs" / "halma-thesis.json").read_text())
    assert [row["levels"] for row in result["rows"]] == [[1, 1, 1], [2, 2, 2], [3, 3, 3], [1, 2, 1], [1, 2, 3]]
    assert result["rows"][0]["thesis"]["wins"] == [3336, 3372, 3292]
    assert result["rows"][4]["thesis"] is None
    assert sum(player["wins"] for player in result["rows"][3]["players"]) == 20
    table = (tmp_path / "runs" / "halma-thesis.md").read_text()
    for text in (out, table):
        for words in ("1-2-3", "33.4 %", "44.5 %", "14.7", "seeds 3 to 5", "by more than chance"):
            assert words in text, words
    code, _, _ = run("reproduce halma --games 5 --ties uniform --out elsewhere")
    assert code == 0
    assert (tmp_path / "elsewhere" / "halma-uniform.md").exists()
