"""People and machines at one board, as values: the web server and the terminal share them. No input or output here."""
