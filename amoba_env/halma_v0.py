"""Halma on a star of 37 cells: six men race to the opposite point, by steps and chains of jumps.

A man steps to an empty neighbouring cell, or jumps in a straight line over one man of any colour to the empty cell
beyond, and may go on jumping in the same move. Nothing is captured. The first player with all six men in the opposite point
wins. A player without a legal move is skipped; if nobody has one, the game is a draw. The game is from Zoltán Vécsey's
thesis (JATE).

| Import | `from amoba_env import halma_v0` |
|---|---|
| Creation | `halma_v0.env(players=3)`, `pettingzoo.make("aec", "amoba/halma-v0")`, `gymnasium.make("amoba/Halma-v0")` |
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play halma` |
| Agents | `agents = ['player_0', 'player_1', 'player_2']` (red, white, green) |
| Agents | 3 (or 2: red and white) |
| Action Shape | (1,) |
| Action Values | Discrete(1369) |
| Observation Shape | (9, 13, 4), with two players (9, 13, 3) |
| Observation Values | [0, 1] |

### Observation space

A dictionary: `observation`, int8 (9, 13, players + 1), and `action_mask`, int8 (1369,).

| Plane | Holds |
|---|---|
| 0 | the agent's own men |
| 1 | the men of the next player |
| 2 | the men of the player after that (not with two players) |
| last | 1 on every cell of the board |

Every agent sees the star turned so that its own goal is the point at the top and its men start at the bottom. The grid has
double width: the neighbours of the cell in row y and column x are (y, x - 2), (y, x + 2), (y - 1, x - 1), (y - 1, x + 1),
(y + 1, x - 1) and (y + 1, x + 1). The mask is 1 for legal actions. It is all 0 for an agent that is not to move.

### Action space

A whole move is one action, `37 * from + to`. Cells are numbered from the top, row by row, in the star *as the agent sees
it*. `env.encode(agent, "g1-e3")` and `env.decode(agent, action)` translate from and to the board's notation.

### Rewards

| Winner | Each loser | Draw or truncation |
|---|---|---|
| +1 | -1 / (players - 1) | 0 |

Rewards come when the game ends; before that they are 0.

An illegal action in `env()` gives -1 to the agent that played it and 0 to all others, as in PettingZoo's own games. With
`on_illegal="zero_sum"` each of the others gets 1 / (players - 1).

### Arguments

`players`: 3 or 2.

`max_plies`: the game is truncated after this many moves. The default, 600 moves, is 200 rounds of three players; good players need some 40 moves.

`adjudicate`: if `True`, the game is not truncated at `max_plies` but ends. The player with the least step distance wins;
if several share it, the game is a draw.

`on_illegal`: what an illegal action does. `"raise"` (the default of `raw_env()`): it raises `ValueError`. `"lose"` (the
default of `env()`): the game ends and the agent that played it loses. `"zero_sum"`: the same, and the others share +1.

`render_mode`: `"ansi"`, `"svg"`, `"rgb_array"`, `"human"` or `None`, see `amoba_env.aec.BoardGameEnv`.

### Version history

* v0: first version
"""

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode
from amoba_env.games import make
from amoba_env.games.halma import MAX_PLIES


def env(
    players: int = 3,
    max_plies: int = MAX_PLIES,
    adjudicate: bool = False,
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses the game."""
    return raw_env(players, max_plies, adjudicate, on_illegal, render_mode)


def raw_env(
    players: int = 3,
    max_plies: int = MAX_PLIES,
    adjudicate: bool = False,
    on_illegal: OnIllegal = "raise",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
    game = make("halma", players=players, max_plies=max_plies, adjudicate=adjudicate)
    return BoardGameEnv("halma_v0", game, on_illegal, render_mode)
