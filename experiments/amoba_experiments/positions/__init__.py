"""Questions about one position: its value, forbidden points, a picture."""
