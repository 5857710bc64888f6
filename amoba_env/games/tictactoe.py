"""Tic-tac-toe: 3x3, three in a row."""

from amoba_env.games.game import Game
from amoba_env.games.rows import k_in_a_row


def tictactoe() -> Game:
    """Three in a row on 3x3 cells."""
    return k_in_a_row("tictactoe", {}, 3, 3, 3, exact=False)
