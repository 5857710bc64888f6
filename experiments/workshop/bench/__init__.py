"""Benchmarks of internals: `python -m workshop.bench`. `amoba bench` has those of the public interface."""
