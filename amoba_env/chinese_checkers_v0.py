"""Chinese checkers: ten or fifteen men race across the star of 121 cells, by steps and chains of jumps.

A man steps to an empty neighbouring cell, or jumps in a straight line over one man of any colour to the empty cell
beyond, and may go on jumping in the same move. Nothing is captured. Men may stop in any point of the star and may leave
their goal again. The first player with all men in the opposite point wins. A player without a legal move is skipped; if
nobody has one, the game is a draw.

| Import | `from amoba_env import chinese_checkers_v0` |
|---|---|
| Creation | `chinese_checkers_v0.env(players=2)`, `pettingzoo.make("aec", "amoba/chinese-checkers-v0")`, `gymnasium.make("amoba/ChineseCheckers-v0")` |
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play chinese_checkers` |
| Agents | `agents = ['player_0', 'player_1']` (red, white; then green, blue, yellow, violet) |
| Agents | 2 (or 3, 4, 6) |
| Action Shape | (1,) |
| Action Values | Discrete(14641) |
| Observation Shape | (17, 25, 3), with three, four or six players (17, 25, 4), (17, 25, 5), (17, 25, 7) |
| Observation Values | [0, 1] |

### Observation space

A dictionary: `observation`, int8 (17, 25, players + 1), and `action_mask`, int8 (14641,).

| Plane | Holds |
|---|---|
| 0 | the agent's own men |
| 1 .. players - 1 | the men of the next player, of the one after that, and so on |
| last | 1 on every cell of the board |

Every agent sees the star turned so that its own goal is the point at the top and its men start at the bottom. The grid has
double width: the neighbours of the cell in row y and column x are (y, x - 2), (y, x + 2), (y - 1, x - 1), (y - 1, x + 1),
(y + 1, x - 1) and (y + 1, x + 1). The mask is 1 for legal actions. It is all 0 for an agent that is not to move.

### Action space

A whole move is one action, `121 * from + to`. Cells are numbered from the top, row by row, in the star *as the agent sees
it*. `env.encode(agent, "j4-i5")` and `env.decode(agent, action)` translate from and to the board's notation.

### Rewards

| Winner | Each loser | Draw or truncation |
|---|---|---|
| +1 | -1 / (players - 1) | 0 |

Rewards come when the game ends; before that they are 0.

An illegal action in `env()` gives -1 to the agent that played it and 0 to all others, as in PettingZoo's own games. With
`on_illegal="zero_sum"` each of the others gets 1 / (players - 1).

### Arguments

`players`: 2 at opposite points, 3 at every second point, 4 at two pairs of opposite points, or 6. They move clockwise; red
sits at the bottom.

`men`: 10 each, or 15 with two or three players (with more, neighbouring triangles of 15 would share a cell).

`anti_spoiling`: without this rule (the default) a goal must be full of the player's own men. So a player who leaves a man
at home keeps the opposite player from winning. With `True` a player wins as soon as all cells of its goal are taken by
men of any colour and at least one of them is its own, whoever moved last. This is David Parlett's rule for halma (The
Oxford History of Board Games, 1999).

`max_plies`: the game is truncated after this many moves. The default, 1200 moves, is 200 rounds of six players; good players need 30 to 60 rounds.

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
from amoba_env.games.chinese_checkers import MAX_PLIES


def env(
    players: int = 2,
    men: int = 10,
    anti_spoiling: bool = False,
    max_plies: int = MAX_PLIES,
    adjudicate: bool = False,
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses the game."""
    return raw_env(players, men, anti_spoiling, max_plies, adjudicate, on_illegal, render_mode)


def raw_env(
    players: int = 2,
    men: int = 10,
    anti_spoiling: bool = False,
    max_plies: int = MAX_PLIES,
    adjudicate: bool = False,
    on_illegal: OnIllegal = "raise",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
    game = make(
        "chinese_checkers",
        players=players,
        men=men,
        anti_spoiling=anti_spoiling,
        max_plies=max_plies,
        adjudicate=adjudicate,
    )
    return BoardGameEnv("chinese_checkers_v0", game, on_illegal, render_mode)
