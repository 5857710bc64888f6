"""What can be asked of one position: its value, forbidden points, a picture."""
