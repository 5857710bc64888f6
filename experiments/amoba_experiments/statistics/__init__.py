"""Intervals, p-values and sequential tests: numbers in, numbers out; they know no match."""
