"""`amoba gomocup`: any of our players as an engine of the Gomocup ("Piskvork pipe") protocol.

A manager, such as Piskvork, runs the games. The engine plays freestyle, exact (INFO rule 1), renju (INFO rule 4, on
squares) and caro (INFO rules 8 and 9), on squares and rectangles, with blocked cells. It knows SWAP2BOARD, TAKEBACK,
PLAY and RESTART. A player with an option `ms` gets the time that the manager allows, see clock.py. The engine answers
errors with ERROR and continues; only END or the end of the input ends it.

It also knows what Yixin-Board and similar boards send: YXBOARD, YXNBEST, YXSTOP (which ends a search of `alphabeta`),
YXSHOWFORBID, YXSHOWINFO, YXHASHCLEAR, START w h, INFO rule 2 for renju, INFO max_node and max_depth.

The protocols: https://plastovicka.github.io/protocl2en.htm, https://github.com/accreator/Yixin-protocol; what the board
sends is in https://github.com/accreator/Yixin-Board (main.c).
"""

from amoba_experiments.gomocup.brain import Brain

__all__ = ["Brain"]
