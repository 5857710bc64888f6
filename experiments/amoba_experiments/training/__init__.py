"""Training networks: behaviour cloning, search play and distillation, self-play, and files of policies."""
