"""Gomoku: five in a row on a square board, 10x10 by default.

| Creation | `amoba_env.gomoku_v0.env(size=10, rule="freestyle", opening="none")`, `pettingzoo.make("aec", "amoba/gomoku-v0")`, `gymnasium.make("amoba/Gomoku-v0")` |
|---|---|
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play gomoku` |
| Agents | `agents = ['player_0', 'player_1']` |
| Agents | 2 |
| Action Shape | (1,) |
| Action Values | Discrete(size * size), 100 by default; more with an opening |
| Observation Shape | (size, size, 3), (10, 10, 3) by default; more with an opening |
| Observation Values | [0, 1] |

### Arguments

`size`: cells a side, 5 to 100. `rule`: `"freestyle"`, five or more in a row win; `"exact"`, exactly five win and
six or more count for nothing. `opening`: `"none"`, `"swap"`, `"swap2"`, below. `on_illegal`, `render_mode`: see
`amoba_env.aec.BoardGameEnv`.

### Openings

The phases are ordinary actions with masks, so that agents learn them; a seat may be asked several times in a row.

| Phase | Who | Does | Actions |
|---|---|---|---|
| 1 put_three | who begins, Black for now | puts a black, a white and a black stone anywhere | cells |
| 2 choose | the other | stays, swaps colours, or (swap2) puts two more stones | n: stay, n + 1: swap, n + 2: more |
| 3 put_two | the other (swap2) | puts a white and a black stone | cells |
| 4 choose_again | who began (swap2) | stays, or swaps colours | n, n + 1 |
| 0 play | | White goes on | cells |

n = size * size. The observation has seven planes then, with values 0 to 8. To swap exchanges the owners of all
stones: who had the black ones has the white ones.

### Observation

A dictionary: `observation`, int8 (size, size, 3 or 7), and `action_mask`, int8, one for each action.

| Plane | Holds |
|---|---|
| 0 | the agent's own stones |
| 1 | the opponent's stones |
| 2 | 1 on every cell of the board |
| 3 | with an opening: 1 everywhere if the agent has the black stones, else 0 |
| 4 | with an opening: nothing (offered cells in renju) |
| 5 | with an opening: the number of the phase everywhere, as above |
| 6 | with an opening: how often it is left to do (stones to put) everywhere |

Rows run from the top of the board to the bottom. The mask is 1 for empty cells, and all 0 for the agent that is
not to move.

### Action

Cell `size * row + column`, from the top left: on 10x10, 0 is `a10`, 99 is `j1`.

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
from amoba_env.games.gomoku import Opening, Rule


def env(
    size: int = 10,
    rule: Rule = "freestyle",
    opening: Opening = "none",
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses."""
    return raw_env(size, rule, opening, on_illegal, render_mode)


def raw_env(
    size: int = 10,
    rule: Rule = "freestyle",
    opening: Opening = "none",
    on_illegal: OnIllegal = "raise",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
    return BoardGameEnv("gomoku_v0", make("gomoku", size=size, rule=rule, opening=opening), on_illegal, render_mode)
