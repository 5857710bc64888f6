"""Intervals, p-values and sequential tests: functions of numbers. They do not depend on matches or games."""
