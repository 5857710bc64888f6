"""Commands about one game, position or record."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from commands import Run, refused

from amoba_env import Position, Record, draw, games, records
from amoba_experiments import Match, play_match, records_of


def test_lists(run: Run) -> None:
    code, out, _ = run("games")
    assert code == 0
    for words in ("tictactoe", "size=10", "rule=freestyle|exact", "forbidden=mask|lose", "players=3|2"):
        assert words in out
    code, out, _ = run("agents")
    assert code == 0
    assert "depth=2" in out
    assert "ties=uniform|thesis" in out


def test_perft(run: Run) -> None:
    assert run("perft halma 3") == (0, "3134\n", "")
    assert run("perft gomoku 2 --option size=7")[1] == f"{49 * 48}\n"
    code, out, _ = run("perft tictactoe 2 --divide --position xo1/3/3")
    assert code == 0
    assert out.splitlines() == ["c3: 6", "a2: 6", "b2: 6", "c2: 6", "a1: 6", "b1: 6", "c1: 6", "total: 42"]
    assert run("perft tictactoe 1 --divide --position xo1/3/3")[1].splitlines()[-1] == "total: 7"


def test_boards_and_patterns(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bay.txt").write_text("....  ....\n..........\n....  ....\n")
    shape = "--option patterns=3exact,xx/x. --option players=3"
    assert run(f"perft amoba 3 --option board=./bay.txt {shape}")[1] == f"{26 * 25 * 24}\n"
    assert run(f"perft amoba 3 --option board=..#../..... {shape}")[1] == f"{9 * 8 * 7}\n"
    line = f"match amoba greedy random lookahead:2 --games 20 --option board=./bay.txt {shape} --json -"
    code, out, _ = run(line)
    assert code == 0
    assert sum(player["wins"] for player in json.loads(out)["players"]) + json.loads(out)["draws"] == 20


def test_a_drawing_at_fault_is_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bay.txt").write_text("....   ...\n....  ....\n....   ...\n")
    assert run("perft amoba 1 --option board=bay.txt") == (
        2,
        "",
        "amoba: board 'bay.txt': one part is cut off (cells are connected by sides and corners), marked with letters:\n"
        "....###aaa\n....##aaaa\n....###aaa\n",
    )


def test_solve(run: Run, tmp_path: Path) -> None:
    code, out, _ = run(f"solve gomoku --option size=5 --json {tmp_path / 'a.json'}")
    assert code == 0
    for words in ("5 . . . . .", "to move: black (x), draw", "first mover: black (x), draw", "moves that draw: a5 b5"):
        assert words in out
    found = json.loads((tmp_path / "a.json").read_text())
    assert (found["value"], found["options"]["size"], found["free_cells"]) == (0, 5, 25)
    assert len(found["best"]) == len(found["moves"]) == 25


def test_solve_a_position(run: Run) -> None:
    def solve(position: str) -> dict[str, Any]:
        code, out, _ = run(f"solve tictactoe --json - --position '{position}'")
        assert code == 0
        return dict(json.loads(out))

    found = solve("xx1/oo1/x2 o")
    assert (found["value"], found["best"]) == (1, ["c2"])
    assert (found["to_move"], found["first"], found["first_value"]) == (1, 0, -1)
    assert found["moves"] == {"c3": 0, "c2": 1, "b1": -1, "c1": -1}
    over = solve("xxx/oo1/3")
    assert (over["value"], over["first_value"], over["best"], over["moves"]) == (-1, 1, [], {})


def test_play_from_a_pipe() -> None:
    """The installed command, as a person would run it."""
    command = [
        sys.executable,
        "-c",
        "from amoba_experiments.cli import main; main()",
        "play",
        "tictactoe",
        "--seed",
        "1",
    ]
    done = subprocess.run(command, input="b2\nnonsense\nquit\n", capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "nonsense" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_convert(run: Run, tmp_path: Path) -> None:
    game = games.make("gomoku", size=7, rule="exact")
    played = [Record(game, "a1 b2"), Record(game, "c3 d4", first=1)]
    records.write(played, tmp_path / "a.jsonl")
    assert run("convert a.jsonl b.sgf") == (0, "", "2 games written: b.sgf\n")
    assert run("convert b.sgf c.psq") == (0, "", "2 games written: c-1.psq to c-2.psq\n")
    line = "convert c-1.psq c-2.psq d.jsonl --game gomoku --option rule=exact"
    assert run(line) == (0, "", "2 games written: d.jsonl\n")
    assert run("convert c-2.psq e.psq") == (0, "", "1 game written: e.psq\n")
    assert records.read(tmp_path / "d.jsonl") == played


def test_convert_a_run(run: Run, tmp_path: Path) -> None:
    match = Match("gomoku", ("greedy", "random"), 4, 1, rotate=True, options={"size": 7}, openings="random:2")
    play_match(match, tmp_path / "mine")
    records.write([Record(games.make("gomoku"), "a1")], tmp_path / "a.sgf")
    assert run("convert mine a.sgf b.sgf") == (0, "", "5 games written: b.sgf\n")
    refused(run, "convert mine c.sgf --game gomoku", "runs name their game themselves")
    *played, last = records.read(tmp_path / "b.sgf")
    assert played == list(records_of(tmp_path / "mine"))
    assert {each.about.players for each in played} == {("greedy", "random"), ("random", "greedy")}
    assert last.text == "a1"
    refused(run, "convert none b.sgf", "'none'")


def test_a_tree_is_converted(run: Run, tmp_path: Path) -> None:
    tree = Path(__file__).parents[1] / "data" / "records" / "tree.lib"
    assert run(f"convert {tree} a.sgf") == (0, "", "3 variations written: a.sgf\n")
    assert (tmp_path / "a.sgf").read_text().count("(") == 5
    assert run(f"convert {tree} b.jsonl") == (0, "", "3 games written: b.jsonl\n")
    assert run(f"draw renju {tree} --number 2 -o a.html") == (0, "", "written: a.html\n")
    refused(run, "convert a.sgf c.lib", "only be read")


def test_bad_games_are_left_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text("(;GM[4]SZ[5])\n(;GM[4]SZ[5];B[aa];W[aa])")
    (tmp_path / "b.sgf").write_text("(;GM[4]SZ[5];B[b)(;GM[4]SZ[5];B[cc])")
    said = "left out: a.sgf: line 2, game 2: move 2: illegal move a5: the cell is taken"
    code, out, err = run("convert a.sgf b.sgf c.jsonl --skip-bad")
    assert (code, out) == (0, "")
    assert [line.split(": ")[:2] for line in err.splitlines()] == [
        ["left out", "a.sgf"],
        ["left out", "b.sgf"],
        ["1 game written", "c.jsonl"],
    ]
    assert err.startswith(said)
    refused(run, "convert b.sgf d.jsonl --skip-bad", "b.sgf: line 1, game 1: ")


def test_draw(run: Run, tmp_path: Path) -> None:
    game = games.make("halma", players=2)
    record = Record(game, "e3-f4")
    for file in ("a.svg", "a.PNG", "a.html"):
        size = "" if file == "a.html" else "--size 300"  # a page is as large as its window
        line = f"draw halma --option players=2 --moves e3-f4 --theme dark {size} -o {file}"
        assert run(line) == (0, "", f"written: {file}\n")
    picture = draw.svg(game, record.positions[-1].state, theme="dark", size=300)
    assert (tmp_path / "a.svg").read_text() == picture
    assert (tmp_path / "a.PNG").read_bytes() == draw.png(picture)
    assert (tmp_path / "a.html").read_text() == record.html(theme="dark")
    assert run("draw gomoku --moves e5 -o b.svg") == (0, "", "written: b.svg\n")  # stones have their numbers
    gomoku = games.make("gomoku")
    placed = Record(gomoku, "e5")
    assert (tmp_path / "b.svg").read_text() == draw.svg(gomoku, placed.positions[-1].state, moves=placed.moves)
    assert run("draw gomoku --position 10/10/10/10/10/4x5/10/10/10/10 -o b.svg") == (0, "", "written: b.svg\n")
    cells = Position.from_text(gomoku, "10/10/10/10/10/4x5/10/10/10/10")
    assert (tmp_path / "b.svg").read_text() == draw.svg(gomoku, cells.state)
    assert run("draw tictactoe --position x2/3/3 --moves b2 -o c.html") == (0, "", "written: c.html\n")
    page = Record(games.make("tictactoe"), "b2", start="x2/3/3").html()
    assert (tmp_path / "c.html").read_text() == page
