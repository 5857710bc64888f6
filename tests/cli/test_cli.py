"""The command line: what all commands have in common."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Run, hear_interrupts, refused

pytestmark = pytest.mark.compiled


def test_help(run: Run) -> None:
    for line in ("", "--help"):
        code, out, _ = run(line)
        assert code == 0
        commands = "games agents perft solve match stats tournament ladder bench play convert"
        for command in commands.split():
            assert command in out
    assert "--agents-rotate" in run("match --help")[1]


def test_no_such_command(run: Run) -> None:
    names = "games, agents, perft, solve, forbidden, play, draw, explain, convert"
    refused(run, "fly", f"No such command 'fly'; the commands: {names}")


PLAYS = """
from amoba_experiments import cli
from amoba_experiments.arena import play as arena
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
        preexec_fn=hear_interrupts,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "playing\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=100)
    assert process.returncode == 130, err
    assert err.strip().splitlines()[-1] == "interrupted"
    assert "Traceback" not in out + err
