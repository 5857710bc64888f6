"""Tic-tac-toe: three in a row on 3x3 cells.

| Creation | `amoba_env.tictactoe_v0.env()`, `pettingzoo.make("aec", "amoba/tictactoe-v0")`, `gymnasium.make("amoba/TicTacToe-v0")` |
|---|---|
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play tictactoe` |
| Agents | `agents = ['player_0', 'player_1']` |
| Agents | 2 |
| Action Shape | (1,) |
| Action Values | Discrete(9) |
| Observation Shape | (3, 3, 3) |
| Observation Values | [0, 1] |

### Observation

A dictionary: `observation`, int8 (3, 3, 3), and `action_mask`, int8 (9,).

| Plane | Holds |
|---|---|
| 0 | the agent's own stones |
| 1 | the opponent's stones |
| 2 | 1 on every cell of the board |

Rows run from the top (`a3 b3 c3`) to the bottom. The mask is 1 for empty cells, and all 0 for the agent that is
not to move.

### Action

Cell `3 * row + column`, from the top left: 0 is `a3`, 8 is `c1`.

### Rewards

| Winner | Loser | Draw |
|---|---|---|
| +1 | -1 | 0 |

An illegal action raises (`raw_env`), or loses the game (`env`): -1, and 0 for the opponent, as in PettingZoo's own
games; with `on_illegal="zero_sum"` the opponent gets +1.

### Version history

* v0: first version
"""

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode
from amoba_env.games import make


def env(on_illegal: OnIllegal = "lose", render_mode: RenderMode | None = None) -> BoardGameEnv:
    """The environment for learners: an illegal action loses."""
    return raw_env(on_illegal, render_mode)


def raw_env(on_illegal: OnIllegal = "raise", render_mode: RenderMode | None = None) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
    return BoardGameEnv("tictactoe_v0", make("tictactoe"), on_illegal, render_mode)
