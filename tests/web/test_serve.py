"""`amoba serve` as a program: what it prints, its page, and its end."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

from gomocup_logs import command

PROGRAM = """
import sys
from amoba_agents.gomocup import agent
from amoba_experiments.cli import main
from amoba_experiments.web import serve

agent.INTRODUCTION_MS = 60_000
serve.warm = lambda *_: None  # takes a minute where nothing is compiled
sys.exit(main())
"""


def test_from_the_first_line_to_ctrl_c(tmp_path: Path) -> None:
    words = ["serve", "--port", "0", "--no-open", "--engine", f"mine={command('about', tmp_path / 'log')}"]
    server = subprocess.Popen([sys.executable, "-c", PROGRAM, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    told = ""
    try:
        while not (url := re.search(r"serving (http://127\.0\.0\.1:\d+/)", told)):
            line = server.stderr.readline()
            assert line, told
            told += line
        with urlopen(url[1], timeout=60) as page:
            assert b"<title>" in page.read()
        server.send_signal(signal.SIGINT)
        rest = server.communicate(timeout=60)[1]
    finally:
        server.kill()
        server.wait()
    assert server.returncode == 0
    assert told.startswith("--engine mine: ")
    assert rest == "ended; all rooms continue after the next start\n"
    assert (tmp_path / "amoba-data").is_dir()
