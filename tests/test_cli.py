"""The command line: what it prints and writes, and one clear line for every kind of bad input."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from amoba_env import Position, Record, draw, games, records
from experiments import cli
from experiments.cli import shared

pytestmark = pytest.mark.compiled


def amoba(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str) -> tuple[int, str, str]:
    """Run a command line in this process: exit code, stdout, stderr. /**/ is a space within a word."""
    monkeypatch.setattr(sys, "argv", ["amoba", *(word.replace("/**/", " ") for word in line.split())])
    monkeypatch.setattr(shared.out, "width", 100)
    monkeypatch.setattr(shared.err, "width", 100)
    with pytest.raises(SystemExit) as stop:
        cli.main()
    seen = capsys.readouterr()
    return int(stop.value.code or 0), seen.out, seen.err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    return lambda line: amoba(capsys, monkeypatch, line)


def test_lists(run) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = run("games")
    assert code == 0
    for words in ("tictactoe", "size=10 rule=freestyle|exact", "forbidden=mask|lose", "players=3 max_plies=600"):
        assert words in out
    code, out, _ = run("agents")
    assert code == 0
    assert "depth=2 ties=uniform|thesis" in out


def test_help(run) -> None:  # type: ignore[no-untyped-def]
    for line in ("", "--help"):
        code, out, _ = run(line)
        assert code == 0
        commands = "games agents perft solve match stats tournament ladder bench play convert"
        for command in commands.split():
            assert command in out
    assert "--agents-rotate" in run("match --help")[1]


def test_perft(run) -> None:  # type: ignore[no-untyped-def]
    assert run("perft halma 3") == (0, "3134\n", "")
    assert run("perft gomoku 2 --option size=7")[1] == f"{49 * 48}\n"
    code, out, _ = run("perft tictactoe 2 --divide --position xo1/3/3")
    assert code == 0
    assert out.splitlines() == ["c3: 6", "a2: 6", "b2: 6", "c2: 6", "a1: 6", "b1: 6", "c1: 6", "total: 42"]
    assert run("perft tictactoe 1 --divide --position xo1/3/3")[1].splitlines()[-1] == "total: 7"


def test_match(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
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


def test_boards_and_patterns(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "bay.txt").write_text("....  ....\n..........\n....  ....\n")
    shape = "--option patterns=3exact,xx/x. --option players=3"
    assert run(f"perft amoba 3 --option board=./bay.txt {shape}")[1] == f"{26 * 25 * 24}\n"
    assert run(f"perft amoba 3 --option board=..#../..... {shape}")[1] == f"{9 * 8 * 7}\n"
    line = f"match amoba greedy random lookahead:2 --games 20 --option board=./bay.txt {shape} --json -"
    code, out, _ = run(line)
    assert code == 0
    assert sum(player["wins"] for player in json.loads(out)["players"]) + json.loads(out)["draws"] == 20


def test_a_drawing_at_fault_is_shown(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "bay.txt").write_text("....   ...\n....  ....\n....   ...\n")
    assert run("perft amoba 1 --option board=bay.txt") == (
        2,
        "",
        "amoba: board 'bay.txt': one part is cut off (cells hang together by sides and corners), marked with letters:\n"
        "....###aaa\n....##aaaa\n....###aaa\n",
    )


def test_match_with_options(run) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = run("match gomoku random random --games 20 --option size=6 --option rule=exact --json -")
    assert code == 0
    assert json.loads(out)["options"] == {"size": 6, "rule": "exact", "opening": "none"}


def test_solve(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = run(f"solve gomoku --option size=5 --json {tmp_path / 'a.json'}")
    assert code == 0
    for words in ("5 . . . . .", "to move: black (x), draw", "who began: black (x), draw", "moves that draw: a5 b5"):
        assert words in out
    found = json.loads((tmp_path / "a.json").read_text())
    assert (found["value"], found["options"]["size"], found["free_cells"]) == (0, 5, 25)
    assert len(found["best"]) == len(found["moves"]) == 25


def test_solve_a_position(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def solve(position: str) -> dict[str, Any]:
        monkeypatch.setattr(sys, "argv", ["amoba", "solve", "tictactoe", "--json", "-", "--position", position])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        assert not stop.value.code
        return dict(json.loads(capsys.readouterr().out))

    found = solve("xx1/oo1/x2 o")
    assert (found["value"], found["best"]) == (1, ["c2"])
    assert (found["to_move"], found["first"], found["first_value"]) == (1, 0, -1)
    assert found["moves"] == {"c3": 0, "c2": 1, "b1": -1, "c1": -1}
    over = solve("xxx/oo1/3")
    assert (over["value"], over["first_value"], over["best"], over["moves"]) == (-1, 1, [], {})


def test_runs(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "openings.txt").write_text("d4 e4\nc3 c4\n")
    line = "match gomoku greedy random --games 40 --option size=7 --paired --openings openings.txt --out runs/a --quiet"
    code, out, err = run(f"{line} --json a.json")
    assert (code, err) == (0, "")
    for words in (
        "over openings",
        "distinct openings  4, every order of seats",
        "effective sample size 40",
        "on seat 1",
    ):
        assert words in out
    assert "games/s" not in out
    assert run(f"{line} --json b.json --batch 3")[1] == out
    assert (tmp_path / "a.json").read_text() == (tmp_path / "b.json").read_text()
    code, out, err = run("stats runs/a --json c.json")
    assert (code, err) == (0, "")
    for words in ("40 games, seed 0", "endings", "plies_when_won", "d4 e4", "seconds_a_move"):
        assert words in out
    assert json.loads((tmp_path / "c.json").read_text())["match"] == json.loads((tmp_path / "a.json").read_text())
    assert run("stats runs/a --sql")[0] == 2
    assert cli_sql(run, "stats runs/a --json - --sql", "SELECT count(*) AS n FROM players WHERE won") == [{"n": 40}]
    first = tmp_path / "runs" / "a" / "games" / "000000000000.parquet"
    first.write_text("no Parquet")
    code, out, err = run("stats runs/a")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "000000000000.parquet cannot be read" in err
    code, out, err = run(line)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    first.unlink()
    assert run(line)[0] == 0


def cli_sql(run, line: str, sql: str) -> Any:  # type: ignore[no-untyped-def]
    code, out, err = run(f"{line} {sql.replace(' ', '/**/')}")
    assert code == 0, err
    return json.loads(out)


def test_match_with_regret(run) -> None:  # type: ignore[no-untyped-def]
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


def test_match_until(run) -> None:  # type: ignore[no-untyped-def]
    line = "match tictactoe greedy random --games 2000 --paired --openings random:2 --until"
    code, out, err = run(f"{line} sprt/**/0/**/50 --quiet")
    assert (code, err) == (0, "")
    for words in ("stopped after 100 of at most 2,000 games: 50 Elo is accepted", "bounds -2.94 and 2.94", "beta 0.05"):
        assert words in out
    found = json.loads(run(f"{line} elo/**/80 --json - --quiet")[1])
    low, high = found["until"]["elo_ci95"]
    assert found["games"] < 2000
    assert (high - low) / 2 <= 80


def test_tournament(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    line = "tournament tictactoe greedy lookahead:3 random --games 10 --quiet"
    code, out, err = run(f"{line} --out t --json a.json --markdown a.md")
    assert (code, err) == (0, "")
    for words in ("round-robin: tictactoe, 10 games a pairing, seed 0", "points against each, of 10", "Bradley-Terry"):
        assert words in out
    found = json.loads((tmp_path / "a.json").read_text())
    assert json.loads((tmp_path / "t" / "result.json").read_text()) == found
    assert (
        (tmp_path / "t" / "result.md").read_text() == (tmp_path / "a.md").read_text() == run(f"{line} --markdown -")[1]
    )
    code, out, _ = run(f"{line} --json - --jobs 1")
    assert {**json.loads(out), "seconds": None} == found
    assert run("tournament tictactoe greedy random --out t")[0] == 2
    code, out, _ = run("tournament tictactoe greedy random lookahead:2 --format knockout --games 2 --seed 2")
    assert code == 0
    assert "├ 1 greedy" in out or "├ 2 random" in out or "├ 3 lookahead:2" in out


def test_reproduce(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run("reproduce halma --games 20 --seed 3")
    assert code == 0, err
    result = json.loads((tmp_path / "runs" / "halma-thesis.json").read_text())
    assert [row["levels"] for row in result["rows"]] == [[1, 1, 1], [2, 2, 2], [3, 3, 3], [1, 2, 1], [1, 2, 3]]
    assert result["rows"][0]["thesis"]["wins"] == [3336, 3372, 3292]
    assert result["rows"][4]["thesis"] is None
    assert sum(player["wins"] for player in result["rows"][3]["players"]) == 20
    table = (tmp_path / "runs" / "halma-thesis.md").read_text()
    for text in (out, table):
        for words in ("1-2-3", "33.4 %", "44.5 %", "14.7", "seed 3", "by more than chance"):
            assert words in text, words
    code, _, _ = run("reproduce halma --games 5 --ties uniform --out elsewhere")
    assert code == 0
    assert (tmp_path / "elsewhere" / "halma-uniform.md").exists()


def test_marks_in_the_table() -> None:
    from experiments.reproduce import thesis as study

    seats = [{"wins": wins, "share": wins / 10_000, "ci95": [0.0, 1.0]} for wins in (3336, 3372, 3292)]
    found = {"games": 10_000, "seats": seats, "rounds_mean": 14.71, "rounds_se": 0.03}
    published = study.THESIS[0]
    compared = study._compare(published, found)
    assert compared is not None
    assert min(compared["p_wins"]) > 0.99
    assert compared["p_rounds"] > 0.99
    seats[0]["wins"] = 2833
    found["rounds_mean"] = 14.3
    compared = study._compare(published, found)
    assert compared is not None
    assert compared["p_wins"][0] < study.CHANCE < compared["p_wins"][1]
    assert compared["p_rounds"] < study.CHANCE


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "fly",
            "No such command 'fly'; the commands: games, agents, perft, solve, forbidden, play, draw, explain, convert",
        ),
        ("match chess random random", "unknown game 'chess'; the games: tictactoe, gomoku, renju, amoba, halma"),
        ("match gomoku random deep", "unknown agent 'deep'; the agents: random, greedy, lookahead"),
        ("match gomoku random lookahead:0", "lookahead: depth must be 1..20, not 0"),
        ("match gomoku random", "gomoku has 2 seats, but 1 agents are given"),
        ("match halma random random", "halma has 3 seats, but 2 agents are given"),
        ("match gomoku random random --games -4", "Invalid value for '--games'"),
        ("match gomoku random random --games many", "Invalid value for '--games'"),
        ("match gomoku random random --seed -1", "Invalid value for '--seed'"),
        ("match gomoku random random --start last", "Invalid value for '--start'"),
        ("match gomoku random random --jobs 0", "Invalid value for '--jobs'"),
        ("match gomoku random random --fast", "No such option: --fast"),
        ("match gomoku random random --option siz=9", "gomoku has no option 'siz'; its options: size, rule, opening"),
        ("match gomoku random random --option size=4", "gomoku: size must be 5..100, not 4"),
        ("match gomoku random random --option size=x", "gomoku: option size takes a whole number, not 'x'"),
        ("match gomoku random random --option size", "gomoku: option 'size' should read name=value"),
        ("match gomoku random random --option rule=odd", "option rule must be one of freestyle, exact, not 'odd'"),
        ("match gomoku random random --json no/such/folder.json", "No such file or directory: 'no/such/folder.json'"),
        ("match amoba random random --option players=5", "amoba: players must be 2..4, not 5"),
        ("match amoba random random --option board=no/such.txt", "a file or a drawing is wanted"),
        ("match amoba random random --option board=.../.x.", "a stray 'x' in row 2, column 2"),
        ("match amoba random random --option board=4x4", "pattern '5' fits nowhere on this board of 16 cells"),
        ("match amoba random random --option patterns=xx/yx", "pattern 'xx/yx' has a stray 'y'"),
        ("match halma random random random --option adjudicate=maybe", "adjudicate takes true or false, not 'maybe'"),
        ("perft halma 0", "Invalid value for 'depth'"),
        ("perft halma 2 --position 1/2/3", "board '1/2/3' has 3 rows, halma has 9"),
        ("perft", "Missing argument 'GAME'"),
        ("solve gomoku", "gomoku is too large to solve: 100 free cells, up to 5e+46 positions; at most 60"),
        ("solve gomoku --option size=7 --limit 1000", "too large to solve: no value after 1,000 positions"),
        ("solve halma", "halma cannot be solved: only placing games of two players"),
        ("solve tictactoe --limit 0", "Invalid value for '--limit'"),
        ("solve tictactoe --position xx1/oo1", "board 'xx1/oo1' has 2 rows, tictactoe has 3"),
        ("solve tictactoe --json no/such/folder.json", "No such file or directory: 'no/such/folder.json'"),
        ("match gomoku random random --regret", "gomoku is too large to solve"),
        ("match halma random random random --regret", "halma cannot be solved"),
        ("match gomoku perfect random --games 1", "gomoku is too large to solve"),
        ("match gomoku random random --openings none.txt", "No such file or directory: 'none.txt'"),
        ("match gomoku random random --openings random:x", "opening 'random:x': random:4 is how"),
        ("match gomoku random random --games 3 --paired", "games must be a multiple of 2 with paired"),
        ("match tictactoe random random --regret --out a", "it goes without --out"),
        ("match tictactoe random random --until soon", 'until \'soon\': "elo WIDTH" or "sprt ELO0 ELO1"'),
        ("match halma random random random --until elo/**/20", "until compares two players, but halma has 3 seats"),
        ("tournament tictactoe random greedy --format league", "Invalid value for '--format'"),
        ("tournament tictactoe random", "a tournament wants two agents or more, not 1"),
        ("tournament tictactoe random greedy --games 5", "games must be a multiple of 2 with paired"),
        ("tournament halma random greedy --format knockout", "knockout is for two players, but halma has 3 seats"),
        ("tournament tictactoe random greedy --rounds 2", "rounds are given for swiss only"),
        ("tournament tictactoe random greedy --json - --markdown -", "only one of --json and --markdown"),
        ("ladder chinese_checkers --option players=6", "ladders are of games of 2 to 4 players, chinese"),
        ("ladder tictactoe --games 3", "games must be a multiple of 2 with paired"),
        ("play gomoku --against level:11", "level must be 1..10, not 11"),
        ("stats none", "none is no run: it has no run.json"),
        ("reproduce chess", "unknown study 'chess'; the studies: halma, gomoku, renju"),
        (
            "bench speed",
            "unknown benchmark 'speed'; the benchmarks: aec, arena, batch, halma, renju, rollouts, search",
        ),
        ("play gomoku --seat 2", "seat"),
        ("play gomoku --against nobody", "unknown agent 'nobody'"),
    ],
)
def test_bad_input_is_one_line(run, line: str, message: str) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run(line)
    assert code == 2
    assert out == ""
    assert len(err.splitlines()) == 1, err
    assert err.startswith("amoba: ")
    assert message in err


def test_play_from_a_pipe() -> None:
    """The installed command, as a person would run it."""
    command = [sys.executable, "-c", "from experiments.cli import main; main()", "play", "tictactoe", "--seed", "1"]
    done = subprocess.run(command, input="b2\nnonsense\nquit\n", capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "nonsense" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


PLAYS = """
from experiments import arena, cli
shard = arena.play_shard
def told(*args):
    print("playing\\n", end="", flush=True)
    return shard(*args)
arena.play_shard = told
cli.main()
"""


def test_ctrl_c_ends_cleanly(tmp_path: Path) -> None:
    line = ["match", "halma", "lookahead:3", "lookahead:3", "lookahead:3", "--games", "100000", "--batch", "50"]
    process = subprocess.Popen(
        [sys.executable, "-c", PLAYS, *line],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "playing\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=100)
    assert process.returncode == 130, err
    assert err.strip().splitlines()[-1] == "interrupted"
    assert "Traceback" not in out + err


# --- Records ----------------------------------------------------------------------------------------------------


def test_convert(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    game = games.make("gomoku", size=7, rule="exact")
    played = [Record(game, "a1 b2"), Record(game, "c3 d4", first=1)]
    records.write(played, tmp_path / "a.jsonl")
    assert run("convert a.jsonl b.sgf") == (0, "", "2 games written: b.sgf\n")
    assert run("convert b.sgf c.psq") == (0, "", "2 games written: c-1.psq to c-2.psq\n")
    line = "convert c-1.psq c-2.psq d.jsonl --game gomoku --option rule=exact"
    assert run(line) == (0, "", "2 games written: d.jsonl\n")
    assert run("convert c-2.psq e.psq") == (0, "", "1 game written: e.psq\n")
    assert records.read(tmp_path / "d.jsonl") == played


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "Missing argument 'IN... OUT'"),
        ("a.sgf", "a file to read and one to write are wanted"),
        ("a.sgf b.pgn", "'b.pgn': a file that ends in .sgf, .psq, .jsonl is wanted"),
        ("a.pgn b.sgf", "'a.pgn': a file that ends in"),
        ("none.sgf b.sgf", "No such file or directory: 'none.sgf'"),
        ("a.sgf b.sgf", "a.sgf: game 2, move 2: illegal move a5: the cell is taken"),
        ("a.sgf b.sgf --option rule=exact", "--option is of a game: name it with --game"),
        ("a.sgf b.sgf --game chess", "unknown game 'chess'"),
        ("halma.jsonl b.sgf", "b.sgf: game 1: halma with these options is no game of two"),
        ("b.sgf halma.jsonl c.psq", "c.psq: game 2: halma with these options is no game of two"),
    ],
)
def test_bad_conversions(run, line: str, message: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.sgf").write_text("(;GM[4]SZ[5])(;GM[4]SZ[5];B[aa];W[aa])")
    (tmp_path / "b.sgf").write_text("(;GM[4]SZ[5])")
    (tmp_path / "halma.jsonl").write_text('{"game": "halma", "moves": []}')
    code, out, err = run(f"convert {line}")
    assert (code, out) == (2, "")
    assert err.startswith("amoba: ")
    assert message in err
    assert len(err.splitlines()) == 1
    assert len(list(tmp_path.iterdir())) == 3


# --- Drawings ---------------------------------------------------------------------------------------------------


def test_draw(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    game = games.make("halma", players=2)
    record = Record(game, "e3-f4")
    for file in ("a.svg", "a.PNG", "a.html"):
        line = f"draw halma --option players=2 --moves e3-f4 --theme dark --size 300 -o {file}"
        assert run(line) == (0, "", "")
    picture = draw.svg(game, record.positions[-1].state, theme="dark", size=300)
    assert (tmp_path / "a.svg").read_text() == picture
    assert (tmp_path / "a.PNG").read_bytes() == draw.png(picture)
    assert (tmp_path / "a.html").read_text() == record.html(theme="dark")
    assert run("draw gomoku --moves e5 -o b.svg") == (0, "", "")  # stones have their numbers
    gomoku = games.make("gomoku")
    assert (tmp_path / "b.svg").read_text() == Record(gomoku, "e5")._repr_svg_()
    assert run("draw gomoku --position 10/10/10/10/10/4x5/10/10/10/10 -o b.svg") == (0, "", "")
    cells = Position.from_text(gomoku, "10/10/10/10/10/4x5/10/10/10/10")
    assert (tmp_path / "b.svg").read_text() == draw.svg(gomoku, cells.state)
    assert run("draw tictactoe --position x2/3/3 --moves b2 -o c.html") == (0, "", "")
    page = Record(games.make("tictactoe"), "b2", start="x2/3/3").html()
    assert (tmp_path / "c.html").read_text() == page


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-o a.gif", "'a.gif': a file that ends in .svg, .png, .html is wanted"),
        ("-o a.svg --theme pink", "unknown theme 'pink'; the themes: light, dark"),
        ("-o a.svg --moves z9", "move 1: the board has no cell 'z9'"),
        ("-o a.svg --position 3/3", "board '3/3' has 2 rows"),
        ("-o a.svg --position x2/3/3 --moves a3", "move 1: illegal move a3: the cell is taken"),
        ("-o none/a.svg", "No such file or directory"),
        ("-o a.svg --size 0", "Invalid value for '--size'"),
        ("", "Missing option '-o'"),
    ],
)
def test_bad_drawings(run, line: str, message: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run(f"draw tictactoe {line}")
    assert (code, out) == (2, "")
    assert err.startswith("amoba: ")
    assert message in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
