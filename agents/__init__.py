"""Players: one file a player. They see positions, never a screen or a file."""
