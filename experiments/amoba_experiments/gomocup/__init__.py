"""`amoba gomocup`: any of our players as an engine of the Gomocup ("Piskvork pipe") protocol.

Freestyle, exact (INFO rule 1) and renju (INFO rule 4, on squares) games of five in a row, on squares and rectangles,
with blocked cells; SWAP2BOARD, TAKEBACK, PLAY, RESTART. A player that takes a time limit, an option `ms`, gets what the
manager allows. What goes wrong is answered by ERROR; only END, or the end of the input, ends the engine.

The protocol: https://plastovicka.github.io/protocl2en.htm
"""

from amoba_experiments.gomocup.brain import Engine

__all__ = ["Engine"]
