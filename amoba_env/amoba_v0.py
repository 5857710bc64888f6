"""Amoba, the general game in a row: any board, any winning patterns, two to four players.

The players put stones on empty cells in turn. The first to own all cells of a winning pattern wins. If the board is full
and nobody has won, the game is a draw.

| Import | `from amoba_env import amoba_v0` |
|---|---|
| Creation | `amoba_v0.env()`, `pettingzoo.make("aec", "amoba/amoba-v0")`, `gymnasium.make("amoba/Amoba-v0")` |
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play amoba` |
| Agents | `agents = ['player_0', 'player_1']`, with `players=3` also `'player_2'`, with 4 `'player_3'` |
| Agents | 2 by default; 2 to 4 |
| Action Shape | (1,) |
| Action Values | Discrete(cells), 100 by default |
| Observation Shape | (rows, columns, players + 1), (10, 10, 3) by default |
| Observation Values | [0, 1] |

### Observation space

A dictionary: `observation`, int8 (rows, columns, players + 1), and `action_mask`, int8 (cells,).

| Plane | Holds |
|---|---|
| 0 | the agent's own stones |
| i | the stones of the i-th player after it, i = 1 .. players - 1 |
| last | 1 on every cell of the board, 0 where the grid has no cell |

The first row is the top of the drawing. The mask is 1 for empty cells. It is all 0 for an agent that is not to move.

### Action space

The number of a cell. Cells are numbered row by row from the top left; places without a cell have no number. On 10x10,
0 is `a10`, 99 is `j1`.

### Rewards

| Winner | Each loser | Draw |
|---|---|---|
| +1 | -1 / (players - 1) | 0 |

Rewards come when the game ends; before that they are 0.

An illegal action in `env()` gives -1 to the agent that played it and 0 to all others, as in PettingZoo's own games. With
`on_illegal="zero_sum"` each of the others gets 1 / (players - 1).

### Arguments

`board`: one of

* `"10x8"`: a rectangle, columns x rows, up to 100x100;
* `"cross"`, `"hexagon"`, `"islands"`, `"ring"`, `"strait"`: a ready board;
* a drawing of several lines, or of one line with `/` between the rows: `.` is a cell, `#` or a space is not a cell. The board
  may be concave and may have holes. All its cells must be connected by sides or corners;
* the path of a file with a drawing. The file is read once, when the environment is made.

`patterns`: what wins; several patterns have commas between them:

* `"5"`: five or more in a row, a column or a diagonal; `"5 exact"`: exactly five;
* `"xx/.xx"`, `"x.x"`: a shape of two cells or more, in one line with `/` between its rows or in several lines. `x` is a
  cell of the shape; at `.` there may be anything.

A pattern that fits nowhere on the board raises `ValueError`. So do large patterns that fit in very many ways (on 100x100
cells, rows of more than 28).

`orientations`, for shapes: `"fixed"`: as drawn. `"rotations"`: also in quarter turns. `"rotations+reflections"`: also
mirrored.

`players`: 2, 3 or 4.

`on_illegal`: what an illegal action does. `"raise"` (the default of `raw_env()`): it raises `ValueError`. `"lose"` (the
default of `env()`): the game ends and the agent that played it loses. `"zero_sum"`: the same, and the others share +1.

`render_mode`: `"ansi"`, `"svg"`, `"rgb_array"`, `"human"` or `None`, see `amoba_env.aec.BoardGameEnv`.

### Version history

* v0: first version
"""

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode
from amoba_env.games import make
from amoba_env.games.amoba import Orientations


def env(
    board: str = "10x10",
    patterns: str = "5",
    orientations: Orientations = "rotations+reflections",
    players: int = 2,
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses the game."""
    return raw_env(board, patterns, orientations, players, on_illegal, render_mode)


def raw_env(
    board: str = "10x10",
    patterns: str = "5",
    orientations: Orientations = "rotations+reflections",
    players: int = 2,
    on_illegal: OnIllegal = "raise",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
    game = make("amoba", board=board, patterns=patterns, orientations=orientations, players=players)
    return BoardGameEnv("amoba_v0", game, on_illegal, render_mode)
