"""x."""

from agents.alphabeta.player import AlphaBeta

__all__ = ["AlphaBeta"]
