"""Games on disk: write, read, replay and convert."""
