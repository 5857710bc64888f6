"""Games on disk: written as they are played, read again, converted."""
