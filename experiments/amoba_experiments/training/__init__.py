"""Training networks: behaviour cloning, dataset aggregation, self-play, and files of policies."""
