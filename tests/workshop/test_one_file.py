"""The curves of the programs in one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workshop import one_file

CURVE = [0.1, 0.2, 0.3, 0.4]


def test_runs_that_are_done_are_not_repeated(tmp_path: Path, monkeypatch: Any) -> None:
    begun: list[tuple[float, int]] = []

    def main(minutes: float, seed: int) -> list[float]:
        begun.append((minutes, seed))
        return CURVE

    monkeypatch.setitem(one_file.PROGRAMS, "ppo", one_file.Program("PPO, tic-tac-toe", 2, main))
    assert [one_file.run("ppo", seed, tmp_path) for seed in (0, 1, 0)] == [CURVE] * 3
    assert [each for each in begun if each[0] == 2] == [(2, 0), (2, 1)]
    assert json.loads((tmp_path / "ppo-0.json").read_text())["points"] == CURVE
    monkeypatch.setitem(one_file.PROGRAMS, "ppo", one_file.Program("PPO, tic-tac-toe", 3, main))
    one_file.run("ppo", 0, tmp_path)
    assert begun[-1] == (3, 0)  # with other minutes it is another run


def test_table_and_picture_show_all_programs() -> None:
    found = {name: [CURVE, [0.3, 0.4, 0.5, 0.6]] for name in one_file.PROGRAMS}
    assert one_file.table(found).rows[0] == ["PPO, tic-tac-toe", "1", "20, 40 %", "40, 60 %"]
    drawn = one_file.picture(found)
    assert all(program.title in drawn for program in one_file.PROGRAMS.values())
