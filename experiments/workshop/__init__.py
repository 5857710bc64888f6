"""What only the makers of the package run, from a checkout: `python -m workshop.NAME`. It is not in the wheel.

small_networks   learn the small networks that searches read
ship             put what a recipe made beside the package's policies
bench            the speed of internals, beside `amoba bench`
learning         ways to learn a game, compared
coverage         how often 95 % intervals contain the true value
"""
