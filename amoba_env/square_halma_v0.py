"""Square halma: men race from their corner of a square board to the opposite one, by steps and chains of jumps.

A man steps to an empty neighbouring cell, or jumps in a straight line over one man of any colour to the empty cell
beyond, and may go on jumping in the same move. Nothing is captured. Men may leave their goal again. The first player with all
men in the opposite corner wins. A player without a legal move is skipped; if nobody has one, the game is a draw.

| Import | `from amoba_env import square_halma_v0` |
|---|---|
| Creation | `square_halma_v0.env(size=10)`, `pettingzoo.make("aec", "amoba/square-halma-v0")`, `gymnasium.make("amoba/SquareHalma-v0")` |
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play square_halma` |
| Agents | `agents = ['player_0', 'player_1', 'player_2', 'player_3']` (red, white, green, blue) |
| Agents | 4 (or 2) |
| Action Shape | (1,) |
| Action Values | Discrete(10000) |
| Observation Shape | (10, 10, 5) |
| Observation Values | [0, 1] |

### Observation space

A dictionary: `observation`, int8 (size, size, players + 1), and `action_mask`, int8 (size ** 4,).

| Plane | Holds |
|---|---|
| 0 | the agent's own men |
| 1 .. players - 1 | the men of the next player, of the one after that, and so on |
| last | 1 on every cell of the board |

Every agent sees the board turned so that its own goal is the corner at the top right and its men start at the bottom
left. The mask is 1 for legal actions. It is all 0 for an agent that is not to move.

### Action space

A whole move is one action, `size ** 2 * from + to`: 4,096, 10,000 or 65,536 actions. Cells are numbered from the top left,
row by row, on the board *as the agent sees it*. `env.encode(agent, "a4-a5")` and `env.decode(agent, action)` translate
from and to the board's notation.

### Rewards

| Winner | Each loser | Draw or truncation |
|---|---|---|
| +1 | -1 / (players - 1) | 0 |

Rewards come when the game ends; before that they are 0.

An illegal action in `env()` gives -1 to the agent that played it and 0 to all others, as in PettingZoo's own games. With
`on_illegal="zero_sum"` each of the others gets 1 / (players - 1).

### Arguments

`size` and `players`: these pairs are possible. The players move clockwise. Red sits at the bottom left; with two players
white sits at the top right.

| Men each | two players | four players |
|---|---|---|
| size=8 | 10 | |
| size=10 | 15 | 10 |
| size=16 | 19 | 13 |

`directions`: 8: men step and jump in all directions. 4: only along rows and columns. (Vécsey's thesis has both, on 10x10.)

`anti_spoiling`: without this rule (the default) a goal must be full of the player's own men. So a player who leaves a man
at home keeps the opposite player from winning. With `True` a player wins as soon as all cells of its goal are taken by
men of any colour and at least one of them is its own, whoever moved last. This is David Parlett's rule for halma (The
Oxford History of Board Games, 1999).

`max_plies`: the game is truncated after this many moves. The default, 1200 moves, is 300 rounds of four players; good players need 20 to 120 rounds, on 16x16 with 4 directions up to 400.

`adjudicate`: if `True`, the game is not truncated at `max_plies` but ends. The player with the least step distance wins;
if several share it, the game is a draw.
Step distances are defined in `amoba_env.games.square_halma.corner_seats`.

`on_illegal`: what an illegal action does. `"raise"` (the default of `raw_env()`): it raises `ValueError`. `"lose"` (the
default of `env()`): the game ends and the agent that played it loses. `"zero_sum"`: the same, and the others share +1.

`render_mode`: `"ansi"`, `"svg"`, `"rgb_array"`, `"human"` or `None`, see `amoba_env.aec.BoardGameEnv`.

### Version history

* v0: first version
"""

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode
from amoba_env.games import make
from amoba_env.games.square_halma import MAX_PLIES


def env(
    size: int = 10,
    players: int = 4,
    directions: int = 8,
    anti_spoiling: bool = False,
    max_plies: int = MAX_PLIES,
    adjudicate: bool = False,
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses the game."""
    return raw_env(size, players, directions, anti_spoiling, max_plies, adjudicate, on_illegal, render_mode)


def raw_env(
    size: int = 10,
    players: int = 4,
    directions: int = 8,
    anti_spoiling: bool = False,
    max_plies: int = MAX_PLIES,
    adjudicate: bool = False,
    on_illegal: OnIllegal = "raise",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
    game = make(
        "square_halma",
        size=size,
        players=players,
        directions=directions,
        anti_spoiling=anti_spoiling,
        max_plies=max_plies,
        adjudicate=adjudicate,
    )
    return BoardGameEnv("square_halma_v0", game, on_illegal, render_mode)
