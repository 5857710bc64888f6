"""Gomoku: five in a row on a square board, 10x10 by default.

Two players put stones on empty cells in turn. The first with five in a row, a column or a diagonal wins. If the board
is full and nobody has won, the game is a draw.

### Rules

| `rule` | a row of five wins | a row of six or more |
|---|---|---|
| `freestyle` | always | wins |
| `exact` | always | does not win: the game goes on |
| `caro` | unless stones of the opponent stand at both its ends | wins |
| `exact-caro` | unless stones of the opponent stand at both its ends | does not win |

The rim of the board is not a stone, and a row that was blocked when it was made stays without a win. `caro` is the rule
8 of Gomocup, and `exact-caro` is 9, which Piskvork calls standard caro. `amoba_env.explain` says why a row does not
count. Sources: the code of Gomocup's judge, https://github.com/Gomocup/GomocupJudge (client/ai_match.py), and of
Piskvork, https://github.com/plastovicka/Piskvork (source/game.cpp).

### Opening rules

With an opening rule the game has phases before normal play. Each phase is played by ordinary actions with masks, so
agents can learn them. The same agent may have to act several times in a row.

| Phase | Who acts | What the agent does | Actions |
|---|---|---|---|
| 1 put_three | the agent that begins; it has Black for now | puts a black, a white and a black stone anywhere | cells |
| 2 choose | the other agent | stays (keeps White), swaps, or (swap2) puts two | n: stay, n + 1: swap, n + 2: more |
| 3 put_two | the other agent (swap2 only) | puts a white and a black stone | cells |
| 4 choose_again | the agent that began (swap2 only) | stays or swaps colours | n: stay, n + 1: swap |
| 0 play | | normal play, White moves next | cells |

Here n = size * size. A swap exchanges the owners of all stones: the agent that had the black stones now has the white
ones.
"""

from typing import Annotated, Literal

from amoba_env.games.game import Game
from amoba_env.games.rows import k_in_a_row
from amoba_env.options import Option, Options

Size = Annotated[int, Option("cells on a side", 5, 100)]
Rule = Annotated[
    Literal["freestyle", "exact", "caro", "exact-caro"],
    Option("freestyle: five or more in a row win; exact: only exactly five; caro: not if blocked at both ends"),
]
OpeningRule = Annotated[
    Literal["none", "swap", "swap2"],
    Option("how the first stones and the colours are chosen; none: normal play from the first move"),
]


def gomoku(size: Size = 10, rule: Rule = "freestyle", opening: OpeningRule = "none") -> Game:
    """Five in a row on size x size cells: freestyle, exactly five, or caro (not blocked at both ends)."""
    options: Options = {"size": size, "rule": rule, "opening": opening}
    return k_in_a_row("gomoku", options, size, size, 5, rule, opening)
