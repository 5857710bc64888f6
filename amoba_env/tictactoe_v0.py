"""Tic-tac-toe: three in a row on 3x3 cells.

Two players put stones on empty cells in turn. The first with three in a row, a column or a diagonal wins. If the board
is full and nobody has won, the game is a draw.

| Import | `from amoba_env import tictactoe_v0` |
|---|---|
| Creation | `tictactoe_v0.env()`, `pettingzoo.make("aec", "amoba/tictactoe-v0")`, `gymnasium.make("amoba/TicTacToe-v0")` |
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play tictactoe` |
| Agents | `agents = ['player_0', 'player_1']` |
| Agents | 2 |
| Action Shape | (1,) |
| Action Values | Discrete(9) |
| Observation Shape | (3, 3, 3) |
| Observation Values | [0, 1] |

### Observation space

A dictionary: `observation`, int8 (3, 3, 3), and `action_mask`, int8 (9,).

| Plane | Holds |
|---|---|
| 0 | the agent's own stones |
| 1 | the opponent's stones |
| 2 | 1 on every cell of the board |

The first row is the top of the board (`a3 b3 c3`). The mask is 1 for empty cells. It is all 0 for an agent that is not to move.

### Action space

The number of a cell, `3 * row + column`, counted from the top left: 0 is `a3`, 8 is `c1`.

### Rewards

| Winner | Loser | Draw |
|---|---|---|
| +1 | -1 | 0 |

Rewards come when the game ends; before that they are 0.

An illegal action in `env()` gives -1 to the agent that played it and 0 to the other one, as in PettingZoo's own games. With
`on_illegal="zero_sum"` the other one gets +1.

### Arguments

`on_illegal`: what an illegal action does. `"raise"` (the default of `raw_env()`): it raises `ValueError`. `"lose"` (the
default of `env()`): the game ends and the agent that played it loses. `"zero_sum"`: the same, and the others share +1.

`render_mode`: `"ansi"`, `"svg"`, `"rgb_array"`, `"human"` or `None`, see `amoba_env.aec.BoardGameEnv`.

### Version history

* v0: first version
"""

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode
from amoba_env.games import make


def env(on_illegal: OnIllegal = "lose", render_mode: RenderMode | None = None) -> BoardGameEnv:
    """The environment for learners: an illegal action loses the game."""
    return raw_env(on_illegal, render_mode)


def raw_env(on_illegal: OnIllegal = "raise", render_mode: RenderMode | None = None) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
    return BoardGameEnv("tictactoe_v0", make("tictactoe"), on_illegal, render_mode)
