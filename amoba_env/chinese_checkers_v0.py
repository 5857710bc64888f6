"""Chinese checkers: ten or fifteen men race across the star of 121 cells, by steps and chains of jumps.

A man steps to an empty neighbour, or jumps in a straight line over one man of any colour to the empty cell beyond,
and goes on jumping as long as it likes. Nothing is captured, and men may stop in any point of the star and leave
their goal again. The first player with all men in the opposite point wins. A player without a move is skipped; if
nobody has one, the game is a draw.

| Creation | `amoba_env.chinese_checkers_v0.env(players=2)`, `pettingzoo.make("aec", "amoba/chinese-checkers-v0")`, `gymnasium.make("amoba/ChineseCheckers-v0")` |
|---|---|
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play chinese_checkers` |
| Agents | `agents = ['player_0', 'player_1']` (red, white; then green, blue, yellow, violet) |
| Agents | 2 (or 3, 4, 6) |
| Action Shape | (1,) |
| Action Values | Discrete(14641) |
| Observation Shape | (17, 25, 3), with three, four or six players (17, 25, 4), (17, 25, 5), (17, 25, 7) |
| Observation Values | [0, 1] |

### Arguments

`players`: 2 at opposite points, 3 at every second point, 4 at two pairs of opposite points, or 6; they move
clockwise, red sits at the bottom. `men`: 10, or 15 with two or three players (triangles of fifteen at neighbouring
points would share a cell).

`anti_spoiling`: a player who leaves a man at home keeps the opposite player from winning for ever. With this rule a
player wins as soon as all cells of its goal are taken, by men of any colour, at least one of them its own, whoever
moved last. This is David Parlett's rule for halma (The Oxford History of Board Games, 1999). Without it
(the default) the goal must be full of own men.

`max_plies`: the game is truncated after so many moves (1200 by default: 200 rounds of six players; games of sensible
players take 30 to 60 rounds). `adjudicate`: at `max_plies` the game is not truncated but ends, and the player alone
with the least step distance wins; shared, it is a draw. `on_illegal`, `render_mode`: see
`amoba_env.aec.BoardGameEnv`.

### Observation

A dictionary: `observation`, int8 (17, 25, players + 1), and `action_mask`, int8 (14641,). Every agent sees the star
turned so that its own goal is the point at the top and its men start at the bottom.

| Plane | Holds |
|---|---|
| 0 | the agent's own men |
| 1 .. players - 1 | the men of the next player, of the one after that, and so on |
| last | 1 on every cell of the board |

The grid has double width: the neighbours of the cell in row y and column x are (y, x - 2), (y, x + 2),
(y - 1, x - 1), (y - 1, x + 1), (y + 1, x - 1) and (y + 1, x + 1). The mask is all 0 for agents that are not to move.

### Action

`121 * from + to`, a whole turn, with cells numbered from the top, row by row, in the star *as the agent sees it*;
`encode(agent, "j4-i5")` and `decode(agent, action)` translate from and to the notation of the board.

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
    """The environment for learners: an illegal action loses."""
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
