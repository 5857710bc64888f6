"""Methods of learning a game side by side: equal processor time, several seeds, and points against the same opponents."""
