"""Learning the networks that searches of the package read: `python -m workshop.search_networks NAME DIR`."""
