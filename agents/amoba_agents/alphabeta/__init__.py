"""`alphabeta`: a search for placing games of two players, on any board and with any winning pattern.

lines.py              the search's own copy of the position: winning sets with stone counts
stones.py             updates that copy when a stone is put or removed
deadline.py           the time limit, checked inside the search
fours.py              search for wins by continuous fours (VCF)
threes.py             search for wins by continuous threats (VCT), and the relevant replies to a threat
order.py              move ordering
learned_order.py      move ordering learned from searches
stone_values.py       static evaluation: counted, or learned from games
alphabeta_search.py   alpha-beta search
kept_tables.py        tables of positions, kept from move to move
opening_play.py       decisions in the phases of an opening rule
alphabeta_player.py   the player
"""

from amoba_agents.alphabeta.alphabeta_player import AlphaBeta, win_by_fours

__all__ = ["AlphaBeta", "win_by_fours"]
