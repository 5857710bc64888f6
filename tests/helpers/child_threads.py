"""What a child process does, apart from what the tests import: a child that is spawned imports it anew."""

from amoba_env.threads import LEAST, each, parts

N = 3 * LEAST + 5


def in_a_child() -> None:
    each(lambda part: None, parts(N, 3))
