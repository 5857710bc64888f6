"""Tools for the makers of the package, run from a checkout: `python -m workshop.NAME`. They are not in the wheel.

small_networks   train the small networks of the searches
ship             copy the policy of a run into the package
bench            the speed of internals, beside `amoba bench`
learning         compare ways to learn a game
coverage         how often 95 % intervals contain the true value
"""
