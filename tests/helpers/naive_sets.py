"""The open winning sets of a position, from their definition in agents/amoba_agents/alphabeta/lines.py."""

import numpy as np

from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.place import is_restricted
from amoba_env.core.rules import table
from amoba_env.games import Game


def counted(game: Game, state: np.ndarray) -> tuple[list[dict[str, int]], list[set[int]]]:
    """By cell and by need: open sets of each seat, from the definition; and the sets that need 1 and 2."""
    sets = table(game.rules, ru.SETS).reshape(int(game.rules[ru.N_SETS]), -1)
    guards = table(game.rules, ru.GUARDS).reshape(-1, 2)
    cells, rule = state[st.CELLS :].tolist(), str(game.options.get("rule", ""))
    words = [dict.fromkeys(range(1, 5), 0) for _ in range(2 * game.n_cells)]
    lists: list[set[int]] = [set() for _ in range(4)]
    for line, (row, pair) in enumerate(zip(sets.tolist(), guards.tolist(), strict=True)):
        row = [cell for cell in row if cell != st.NOWHERE]
        for seat in range(2):
            mine = sum(cells[cell] == seat for cell in row)
            around = is_restricted(game.rules, state, seat) and any(c != st.NOWHERE and cells[c] == seat for c in pair)
            blocked = all(c != st.NOWHERE and cells[c] == 1 - seat for c in pair)
            if (
                (around and rule != "caro")
                or (blocked and "caro" in rule)
                or any(cells[c] == 1 - seat for c in row)
                or mine == len(row)
                or (mine == 0 and len(row) > 4)
            ):
                continue
            need = len(row) - mine
            for cell in row:
                words[seat * game.n_cells + cell][min(need, 4)] += 1
            if need <= 2:
                lists[2 * (need - 1) + seat].add(line)
    return words, lists
