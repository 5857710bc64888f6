"""Tools for the makers of the package, run from a checkout: `python -m workshop.NAME`. They are not in the wheel.

search_networks  train the networks that alphabeta and mcts read
ship             copy the policy of a run into the package
growth           the strength of a run's networks against processor time
panels           rate the players of the panels, and grade agents by them
bench            the speed of internals, beside `amoba bench`
learning         compare methods of learning a game
one_file         the curves of the programs in one file
coverage         how often 95 % intervals contain the true value
"""

from pathlib import Path

PICTURES = Path("docs/pictures")  # in the checkout
