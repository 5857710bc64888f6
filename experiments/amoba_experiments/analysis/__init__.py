"""What games say: statistics, tables, pages, tournaments and ratings."""
