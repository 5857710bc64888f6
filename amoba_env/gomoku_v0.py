"""Gomoku: five in a row on a square board, 10x10 by default.

| Creation | `amoba_env.gomoku_v0.env(size=10, rule="freestyle")`, `pettingzoo.make("aec", "amoba/gomoku-v0")` |
|---|---|
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play gomoku` |
| Agents | `agents = ['player_0', 'player_1']` |
| Agents | 2 |
| Action Shape | (1,) |
| Action Values | Discrete(size * size), 100 by default |
| Observation Shape | (size, size, 3), (10, 10, 3) by default |
| Observation Values | [0, 1] |

### Arguments

`size`: cells a side, 5 to 100. `rule`: `"freestyle"`, five or more in a row win; `"exact"`, exactly five win and
six or more count for nothing. `on_illegal`, `render_mode`: see `amoba_env.aec.BoardGameEnv`.

### Observation

A dictionary: `observation`, int8 (size, size, 3), and `action_mask`, int8 (size * size,).

| Plane | Holds |
|---|---|
| 0 | the agent's own stones |
| 1 | the opponent's stones |
| 2 | 1 on every cell of the board |

Rows run from the top of the board to the bottom. The mask is 1 for empty cells, and all 0 for the agent that is
not to move.

### Action

Cell `size * row + column`, from the top left: on 10x10, 0 is `a10`, 99 is `j1`.

### Rewards

| Winner | Loser | Draw |
|---|---|---|
| +1 | -1 | 0 |

An illegal action raises (`raw_env`) or loses the game (`env`): `on_illegal`.

### Version history

* v0: first version
"""

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode
from amoba_env.games import make
from amoba_env.games.gomoku import Rule


def env(
    size: int = 10, rule: Rule = "freestyle", on_illegal: OnIllegal = "lose", render_mode: RenderMode | None = None
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses."""
    return raw_env(size, rule, on_illegal, render_mode)


def raw_env(
    size: int = 10, rule: Rule = "freestyle", on_illegal: OnIllegal = "raise", render_mode: RenderMode | None = None
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
    return BoardGameEnv("gomoku_v0", make("gomoku", size=size, rule=rule), on_illegal, render_mode)
