"""Networks: architecture, layers, inference, and the player `trained`."""
