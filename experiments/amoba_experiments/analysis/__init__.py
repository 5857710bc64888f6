"""The analysis of played games: statistics, tables, report pages, tournaments and ratings."""
