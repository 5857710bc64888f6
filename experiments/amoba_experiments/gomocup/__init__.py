"""`amoba gomocup`: any of our players as an engine of the Gomocup ("Piskvork pipe") protocol.

It plays freestyle, exact (INFO rule 1) and renju (INFO rule 4, on squares) games of five in a row, on squares and
rectangles, with blocked cells, and knows SWAP2BOARD, TAKEBACK, PLAY and RESTART. A player with an option `ms` gets
the time that the manager allows, see clock.py. Errors are answered by ERROR; only END or the end of the input ends
the engine.

The protocol: https://plastovicka.github.io/protocl2en.htm
"""

from amoba_experiments.gomocup.brain import Engine

__all__ = ["Engine"]
