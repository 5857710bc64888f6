"""Engines of other people as players: programs that speak the Gomocup ("Piskvork pipe") protocol, as child processes.

    amoba match gomoku gomocup:./pbrain-some,ms=300 greedy --option size=15

Freestyle, exact and renju games of five in a row; rectangles, and drawn boards with their holes as blocked cells. The
protocol: https://plastovicka.github.io/protocl2en.htm
"""

from amoba_agents.gomocup.agent import Gomocup
from amoba_agents.gomocup.pool import close_engines

__all__ = ["Gomocup", "close_engines"]
