"""The labelled renju positions: black, white or moves as [row, col]; forbidden, kinds, five."""

from experiments.bench.renju import corpus

__all__ = ["corpus"]
