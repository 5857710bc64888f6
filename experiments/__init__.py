"""The arena, statistics, reproductions, benchmarks and the command line."""
