"""Gomoku engines as players: programs that speak the Gomocup ("Piskvork pipe") protocol, run as child processes.

    amoba match gomoku gomocup:./pbrain-some,ms=300 greedy --option size=15

They play five in a row (freestyle, exact, caro, exact-caro) and renju, also on rectangles and on drawn boards, whose
holes are blocked cells. The protocol: https://plastovicka.github.io/protocl2en.htm
"""

from amoba_agents.gomocup.agent import Gomocup
from amoba_agents.gomocup.pool import close_engines

__all__ = ["Gomocup", "close_engines"]
