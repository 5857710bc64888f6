"""The command line: what all commands have in common."""

import dataclasses
import inspect
import io
import json
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from commands import Run, hear_interrupts, refused
from rich.table import Table

import amoba_env
from amoba_env import files
from amoba_env.extras import install
from amoba_env.options import option_of, parameters
from amoba_experiments.analysis.text_tables import cell
from amoba_experiments.analysis.tournament import Tournament
from amoba_experiments.arena.games import Ended
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.options import Seed
from amoba_experiments.arena.own_bar import rate_text
from amoba_experiments.arena.shard import play_shard
from amoba_experiments.cli import progress
from amoba_experiments.cli.errors import missing, plain
from amoba_experiments.cli.playing import Playing, takes_playing
from amoba_experiments.cli.run import app, arguments
from amoba_experiments.cli.screen import Screen
from amoba_experiments.cli.shared import write_json, write_text
from amoba_experiments.runs.play_match import play_match


def test_help(run: Run) -> None:
    for line in ("", "--help"):
        code, out, _ = run(line)
        assert code == 0
        commands = "games agents perft solve match stats tournament ladder bench play convert"
        for command in commands.split():
            assert command in out
    assert "--agents-rotate" in run("match --help")[1]


def test_no_such_command(run: Run) -> None:
    names = ", ".join(app.functions)
    refused(run, "fly", f"unknown command 'fly'; the commands: {names}")


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"amoba {amoba_env.__version__}\n", "")


@pytest.mark.parametrize("name", app.functions)
def test_every_help_has_an_example_that_can_be_typed(name: str) -> None:
    command: Any = app.get_command(click.Context(app), name)
    label, _, examples = command.epilog.partition(": ")
    assert label == "Example"
    for line in examples.split("; "):
        first, second, *rest = shlex.split(line)
        assert (first, second) == ("amoba", name)
        command.make_context(name, rest)


def test_json_without_a_file_is_printed(run: Run) -> None:
    assert arguments(["a", "--json", "--quiet"]) == ["a", "--json", "-", "--quiet"]
    assert arguments(["a", "--json", "b", "--json", "-"]) == ["a", "--json", "b", "--json", "-"]
    assert arguments([]) == ["--help"]
    for kind, name in (("game", "renju"), ("agent", "lookahead")):
        code, out, err = run(f"{kind}s --json")
        assert (code, err) == (0, "")
        found = {row[kind]: row for row in json.loads(out)}
        assert found[name]["summary"]
        assert found[name]["options"]


def test_json_has_finite_numbers(tmp_path: Path) -> None:
    write_json({"a": [float("inf"), (float("nan"), 1e300)]}, str(tmp_path / "a.json"))
    assert json.loads((tmp_path / "a.json").read_text()) == {"a": [None, [None, 1e300]]}
    assert [cell(each) for each in (1e300, 1234.5, 0.25, float("inf"))] == ["1e+300", "1,234.50", "0.25", "inf"]


def test_completion(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_AMOBA_COMPLETE", "bash_complete")
    for words, found in {
        "amoba match go": "gomoku",
        "amoba match gomoku look": "lookahead",
        "amoba tour": "tournament",
    }.items():
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        assert run("")[1].split() == [f"plain,{found}"]


def test_files_are_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_text("before")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "_sync", interrupted)
    for name in ("a.json", "b.json"):
        with pytest.raises(KeyboardInterrupt):
            write_text(tmp_path / name, "after")
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]
    assert (tmp_path / "a.json").read_text() == "before"


def test_errors_of_files_in_plain_words(tmp_path: Path) -> None:
    for error, said in {
        FileNotFoundError(2, "", str(tmp_path / "a")): "the file or folder does not exist",
        FileNotFoundError(2, "", str(tmp_path / "a" / "b")): f"the folder {str(tmp_path / 'a')!r} does not exist",
        IsADirectoryError(21, "", "a"): "'a': this is a folder; expected a file",
        OSError(28, "No space left on device"): "the disk is full",
        OSError("in words"): "in words",
    }.items():
        assert plain(error).endswith(said)


def test_packages_that_are_not_installed() -> None:
    """An extra is named for every package that the extras bring."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    for package in ("torch", "onnxruntime", "scipy", "duckdb", "ray"):
        said = missing(ModuleNotFoundError("", name=package))
        extra = said.rpartition("[")[2].rstrip("]'")
        assert f"\n{extra} = [" in text
    assert "another version of onnxscript" in missing(ModuleNotFoundError("", name="onnxscript.new"))
    assert missing(ModuleNotFoundError("No module named 'x'", name="x")) == "No module named 'x'"


def test_without_the_extra() -> None:
    code = "import sys; sys.modules['click'] = None; from amoba_experiments.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"amoba: the command line needs click: {install('cli')}\n"


def test_lists_are_whole_sentences(run: Run) -> None:
    _, said, _ = run("--help")
    assert "in games of two on small boards." in " ".join(said.split())
    _, said, _ = run("games")
    lines = said.splitlines()
    assert max(map(len, lines)) <= 100
    assert sum("adjudicate=false" in line for line in lines) == 3


def test_narrow_terminals_cut_no_number() -> None:
    table = Table("player", "games", "points", "interval")
    table.columns[1].no_wrap = table.columns[2].no_wrap = True
    table.add_row("lookahead:2 with words that may be broken", "1,234,567", "123,456.78", "+1,234 to +2,345")
    screen = Screen(file=io.StringIO(), width=12)
    screen.print(table)
    text = screen.file.getvalue()  # type: ignore[attr-defined]
    assert all(number in text for number in ("1,234,567", "123,456.78", "+1,234", "+2,345"))
    assert "…" not in text
    assert screen.width == 12
    screen.print(":x: is text")
    assert screen.file.getvalue().endswith(":x: is text\n")  # type: ignore[attr-defined]
    screen.print("lines of words are as they were, broken where the terminal ends")
    assert max(map(len, screen.file.getvalue().splitlines()[-4:])) <= 12  # type: ignore[attr-defined]


def test_a_log_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.001)
    compiles = [True]
    monkeypatch.setattr("amoba_env.core.compiling.is_compiling", lambda: compiles[0])
    screen = Screen(file=io.StringIO(), width=80)

    def seen(words: str) -> None:
        while words not in screen.file.getvalue():  # type: ignore[attr-defined]
            pass

    with progress.progress_bar(screen, "games") as bar:
        task = bar.add_task("gomoku", total=2000)
        seen("compiling, once")
        compiles[0] = False
        seen("gomoku: 0 of 2,000 games\n")  # a search that takes long is not compiling
        bar.advance(task, 1500)
        seen("gomoku: 1,500 of 2,000 games")
        bar.advance(task, 100)
        seen(" left\n")
        assert rate_text(239.6, "games") == "240 games/s"
        assert (rate_text(1234, ""), rate_text(0.4, ""), rate_text(None, "")) == ("1,234/s", "", "")
        bar.reset(task, description="writing", total=0)
        seen("writing\n")
    said: list[str] = []
    with progress.progress_bar(screen, "games") as bar:
        bar.add_task("gomoku", total=1, completed=1)
        bar.add_task("renju", total=1)
        screen.print = lambda line, **how: said.append(line)  # type: ignore[method-assign]
        while len(said) < 2:
            pass
    assert set(said) == {"renju: 0 of 1 games"}  # nobody waits for what is finished
    quiet = Screen(file=io.StringIO())
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.progress_bar(quiet, "games", quiet=True) as bar:
        bar.add_task("gomoku", total=2000)
    assert quiet.file.getvalue() == ""  # type: ignore[attr-defined]


@pytest.mark.parametrize("where", ["", "--out r"])
def test_an_interrupted_match_prints_what_was_played(run: Run, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    line = f"match gomoku greedy random --games 40 --batch 10 --jobs 1 --option size=5 {where}"

    def interrupted(match: Match, first: int, *others: Any) -> Ended:
        if first == stops_at:
            raise KeyboardInterrupt
        return play_shard(match, first, *others)

    monkeypatch.setattr(f"{play_match.__module__}.play_shard", interrupted)
    for stops_at in (0, 20):
        played = stops_at
        code, out, err = run(f"{line} --json a.json")
        assert code == 130
        others = "; the same command plays the others" if where else ""
        assert err.splitlines() == [f"{played} of 40 games were kept, in whole batches{others}", "interrupted"]
        assert (f" {played} games" in out) == (played > 0)
        assert not Path("a.json").exists()
    stops_at = -1
    assert run(line)[0] == 0


@pytest.mark.parametrize(
    ("where", "hint"), [("", "no game was kept; with --out DIR"), ("--out cup", "cup has the games")]
)
def test_an_interrupted_tournament_says_how_to_go_on(
    run: Run, where: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> Ended:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"{play_match.__module__}.play_shard", interrupted)
    code, out, err = run(f"tournament tictactoe greedy random --games 4 --json a.json {where}")
    assert (code, out) == (130, "")
    assert err.splitlines()[-2].startswith(hint)
    assert err.splitlines()[-1] == "interrupted"
    assert not Path("a.json").exists()


PLAYS = """
from amoba_experiments import cli
from amoba_experiments.arena.shard import play_shard
from amoba_experiments.runs import play_match
def told(*args):
    print("playing\\n", end="", flush=True)
    return play_shard(*args)
play_match.play_shard = told
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
        preexec_fn=hear_interrupts,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "playing\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130, err
    assert err.strip().splitlines()[-1] == "interrupted"
    assert "Traceback" not in out + err


def test_takes_playing() -> None:
    """A command gets an option for each field of Playing, after its own, and one value with all of them."""
    seen: list[object] = []

    def command(game: str, *, playing: Playing) -> None:
        seen.extend((game, playing))

    made = takes_playing(command)
    parameters = inspect.signature(made).parameters
    assert list(parameters) == ["game", *(field.name for field in dataclasses.fields(Playing))]
    assert {name: part.default for name, part in parameters.items() if name != "game"} == dataclasses.asdict(Playing())
    assert parameters["seed"].annotation == Seed
    assert parameters["seed"].kind is inspect.Parameter.KEYWORD_ONLY
    given = {**dataclasses.asdict(Playing()), "seed": 7, "quiet": True}
    made(game="gomoku", **given)
    assert seen == ["gomoku", Playing(seed=7, quiet=True)]


@pytest.mark.parametrize(("name", "settings"), [("match", Match), ("tournament", Tournament)])
def test_the_command_line_has_the_options_of_the_settings(name: str, settings: type) -> None:
    """With the same limits; what they mean is what --help says."""
    command = app.get_command(click.Context(app), name)
    assert command is not None
    found = {each.name: each for each in command.params}
    for key, parameter in parameters(settings).items():
        option = option_of(parameter)
        if option.means:
            typed = found[key]
            assert isinstance(typed, click.Option)
            assert typed.help.lower() == f"{option.means}.".lower()
            assert (getattr(typed.type, "min", None), getattr(typed.type, "max", None)) == option[1:]
