"""Networks: their input, their layers, how they are evaluated, and the player `trained`."""
