"""Long compiling is told, once, on a logger."""

import logging
from types import SimpleNamespace

import pytest

from amoba_env.core import compiling, play


def begun(function: object) -> SimpleNamespace:
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function)})


def test_told_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "amoba_env"):
        notice = compiling.Notice(seconds=0.0)
        for _ in range(2):
            notice.on_start(begun(play.perft))
            assert notice.timer is not None
            notice.timer.join()
            assert notice.depth == 1, "it is known that something is compiled, also after it was told"
            notice.on_end(begun(play.perft))
            assert notice.depth == 0
    assert [record.message for record in caplog.records] == [compiling.MESSAGE]


def test_nothing_is_told_of_short_compiling_or_of_others(caplog: pytest.LogCaptureFixture) -> None:
    notice = compiling.Notice(seconds=3600.0)
    for function in (play.perft, pytest.main):
        notice.on_start(begun(function))
        notice.on_start(begun(function))
        notice.on_end(begun(function))
        notice.on_end(begun(function))
    assert notice.depth == 0
    assert notice.left < 3600.0
    others = compiling.Notice(seconds=0.0)
    others.on_start(begun(pytest.main))
    assert others.timer is None
    assert not caplog.records
