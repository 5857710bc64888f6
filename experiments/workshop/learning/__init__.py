"""Methods of learning, side by side: equal processor time, several seeds, and points against the same opponents."""
