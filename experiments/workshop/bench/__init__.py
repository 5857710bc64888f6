"""The speed of internals: `python -m workshop.bench`. `amoba bench` has what users call."""
