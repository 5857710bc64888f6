"""Players: random, greedy and lookahead, perfect, levels and their mistakes, endgame, exploit, person."""
