"""`alphabeta`: a search for the placing games of two players, on any board and pattern.

lines.py     the position of the search: winning sets with their counts, kept up to date stone by stone
fours.py     wins by fours (VCF)
threes.py    wins by threes (VCT), and which replies to threats matter
order.py     scores of moves, the worth of a position
search.py    alpha-beta
openings.py  the phases of openings
player.py    the player
"""

from amoba_agents.alphabeta.player import AlphaBeta

__all__ = ["AlphaBeta"]
