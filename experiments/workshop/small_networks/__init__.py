"""Learning the small networks that searches of the package read: `python -m workshop.small_networks NAME DIR`."""
