"""Hypothesis draws the same examples in every run, however slow the machine: no test may flake."""

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.load_profile("ci")
