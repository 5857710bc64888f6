"""Tic-tac-toe: three in a row on 3x3 cells.

Two players put stones on empty cells in turn. The first with three in a row, a column or a diagonal wins. If the board
is full and nobody has won, the game is a draw.
"""

from amoba_env.games.game import Game
from amoba_env.games.rows import k_in_a_row


def tictactoe() -> Game:
    """Three in a row on 3x3 cells."""
    return k_in_a_row("tictactoe", {}, 3, 3, 3)
