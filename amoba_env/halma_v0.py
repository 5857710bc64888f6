"""Halma on a star of 37 cells: six men race to the opposite point, by steps and chains of jumps.

After Zoltán Vécsey's thesis (JATE). A man steps to an empty neighbour, or jumps in a straight line over one man of
any colour to the empty cell beyond, and goes on jumping as long as it likes. Nothing is captured. The first player
with all six men in the goal wins. A player without a move is skipped; if nobody has one, the game is a draw.

| Creation | `amoba_env.halma_v0.env(players=3)`, `pettingzoo.make("aec", "amoba/halma-v0")`, `gymnasium.make("amoba/Halma-v0")` |
|---|---|
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play halma` |
| Agents | `agents = ['player_0', 'player_1', 'player_2']` (red, white, green) |
| Agents | 3 (or 2: red and white) |
| Action Shape | (1,) |
| Action Values | Discrete(1369) |
| Observation Shape | (9, 13, 4), with two players (9, 13, 3) |
| Observation Values | [0, 1] |

### Arguments

`players`: 3 or 2. `max_plies`: the game is truncated after so many moves (600 by default: 200 rounds; games of
sensible players take some 40 moves). `adjudicate`: at `max_plies` the game is not truncated but ends, and the
player alone with the least step distance wins; shared, it is a draw. `on_illegal`, `render_mode`: see
`amoba_env.aec.BoardGameEnv`.

### Observation

A dictionary: `observation`, int8 (9, 13, players + 1), and `action_mask`, int8 (1369,). Every agent sees the star
turned so that its own goal is the point at the top and its men start at the bottom.

| Plane | Holds |
|---|---|
| 0 | the agent's own men |
| 1 | the men of the next player |
| 2 | the men of the player after that (not with two players) |
| last | 1 on every cell of the board |

The grid has double width: the neighbours of the cell in row y and column x are (y, x - 2), (y, x + 2),
(y - 1, x - 1), (y - 1, x + 1), (y + 1, x - 1) and (y + 1, x + 1). The mask is all 0 for agents that are not to move.

### Action

`37 * from + to`, a whole turn, with cells numbered from the top, row by row, in the star *as the agent sees it*;
`encode(agent, "g1-e3")` and `decode(agent, action)` translate from and to the notation of the board.

### Rewards

| Winner | Each loser | Draw or truncation |
|---|---|---|
| +1 | -1 / (players - 1) | 0 |

An illegal action raises (`raw_env`), or loses the game (`env`): -1, and 0 for all others, as in PettingZoo's own
games; with `on_illegal="zero_sum"` each of the others gets 1 / (players - 1).

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
    """The environment for learners: an illegal action loses."""
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
