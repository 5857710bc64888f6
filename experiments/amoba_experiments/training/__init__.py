"""Training networks: behaviour cloning, self-play, expert iteration, and files of policies."""
