"""Simple players: random, greedy and lookahead, perfect, levels, endgame."""
