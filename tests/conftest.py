"""Hypothesis draws the same examples in every run, however slow the machine: no test may flake.

Windows open on a screen that nobody sees.
PyTorch has one thread: tests run side by side, and threads that wait for busy cores make it ten times slower.
"""

import os

import pytest
from hypothesis import settings

os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("ci", derandomize=True, deadline=None)
settings.load_profile("ci")

os.environ["SDL_VIDEODRIVER"] = "dummy"

pytest.register_assert_rewrite("both", "environments", "naive")
