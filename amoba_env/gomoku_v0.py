"""Gomoku: five in a row on a square board, 10x10 by default.

Two players put stones on empty cells in turn. The first with five in a row, a column or a diagonal wins. If the board is
full and nobody has won, the game is a draw.

| Import | `from amoba_env import gomoku_v0` |
|---|---|
| Creation | `gomoku_v0.env(size=10, rule="freestyle", opening="none")`, `pettingzoo.make("aec", "amoba/gomoku-v0")`, `gymnasium.make("amoba/Gomoku-v0")` |
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play gomoku` |
| Agents | `agents = ['player_0', 'player_1']` |
| Agents | 2 |
| Action Shape | (1,) |
| Action Values | Discrete(size * size), 100 by default; more with an opening |
| Observation Shape | (size, size, 3), (10, 10, 3) by default; more with an opening |
| Observation Values | [0, 1] |

### Observation space

A dictionary: `observation`, int8 (size, size, 3), with an opening (size, size, 7); and `action_mask`, int8, one entry
for each action.

| Plane | Holds |
|---|---|
| 0 | the agent's own stones |
| 1 | the opponent's stones |
| 2 | 1 on every cell of the board |
| 3 | only with an opening: 1 everywhere if the agent has the black stones, else 0 |
| 4 | only with an opening: always 0 (renju has the offered cells here) |
| 5 | only with an opening: the number of the phase on every cell, see Openings |
| 6 | only with an opening: the number of actions left in this phase on every cell |

With an opening the values are 0 to 8. The first row is the top of the board. The mask is 1 for legal actions. It is all 0 for an agent that is not to move.

### Action space

The number of a cell, `size * row + column`, counted from the top left: on 10x10, 0 is `a10`, 99 is `j1`. With an opening
the choices follow after the cells, see Openings.

### Rewards

| Winner | Loser | Draw |
|---|---|---|
| +1 | -1 | 0 |

Rewards come when the game ends; before that they are 0.

An illegal action in `env()` gives -1 to the agent that played it and 0 to the other one, as in PettingZoo's own games. With
`on_illegal="zero_sum"` the other one gets +1.

### Arguments

`size`: cells on a side, 5 to 100.

`rule`: `"freestyle"`: five or more in a row win. `"exact"`: exactly five win, and six or more count for nothing.

`opening`: `"none"`, `"swap"` or `"swap2"`, see Openings.

`on_illegal`: what an illegal action does. `"raise"` (the default of `raw_env()`): it raises `ValueError`. `"lose"` (the
default of `env()`): the game ends and the agent that played it loses. `"zero_sum"`: the same, and the others share +1.

`render_mode`: `"ansi"`, `"svg"`, `"rgb_array"`, `"human"` or `None`, see `amoba_env.aec.BoardGameEnv`.

### Openings

An opening is a sequence of phases before normal play. Each phase is played by ordinary actions with masks, so agents can
learn them. The same agent may have to act several times in a row.

| Phase | Who acts | What the agent does | Actions |
|---|---|---|---|
| 1 put_three | the agent that begins; it has Black for now | puts a black, a white and a black stone anywhere | cells |
| 2 choose | the other agent | stays (keeps White), swaps colours, or (swap2 only) puts two more stones | n: stay, n + 1: swap, n + 2: more |
| 3 put_two | the other agent (swap2 only) | puts a white and a black stone | cells |
| 4 choose_again | the agent that began (swap2 only) | stays or swaps colours | n: stay, n + 1: swap |
| 0 play | | normal play, White moves next | cells |

Here n = size * size. A swap exchanges the owners of all stones: the agent that had the black stones now has the white
ones.

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
    """The environment for learners: an illegal action loses the game."""
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
