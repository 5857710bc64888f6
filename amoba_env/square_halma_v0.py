"""Square halma: men race from their corner of a square board to the opposite one, by steps and chains of jumps.

A man steps to an empty neighbour, or jumps in a straight line over one man of any colour to the empty cell beyond,
and goes on jumping as long as it likes. Nothing is captured, and men may leave their goal again. The first player
with all men in the opposite corner wins. A player without a move is skipped; if nobody has one, the game is a draw.

| Creation | `amoba_env.square_halma_v0.env(size=10)`, `pettingzoo.make("aec", "amoba/square-halma-v0")`, `gymnasium.make("amoba/SquareHalma-v0")` |
|---|---|
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play square_halma` |
| Agents | `agents = ['player_0', 'player_1', 'player_2', 'player_3']` (red, white, green, blue) |
| Agents | 4 (or 2) |
| Action Shape | (1,) |
| Action Values | Discrete(10000) |
| Observation Shape | (10, 10, 5) |
| Observation Values | [0, 1] |

### Arguments

`size`, `players`: see the table; they move clockwise, red sits at the bottom left, with two players white at the top
right. There are size ** 4 actions: 4,096, 10,000 or 65,536. `directions`: men step and jump in 8 directions, or in 4,
along rows and columns alone (Vécsey's thesis has both, on 10x10).

| Men each | two players | four players |
|---|---|---|
| size=8 | 10 | |
| size=10 | 15 | 10 |
| size=16 | 19 | 13 |

`anti_spoiling`: a player who leaves a man at home keeps the opposite player from winning for ever. With this rule a
player wins as soon as all cells of its goal are taken, by men of any colour, at least one of them its own, whoever
moved last. This is David Parlett's rule for halma (The Oxford History of Board Games, 1999). Without it
(the default) the goal must be full of own men.

`max_plies`: the game is truncated after so many moves (1200 by default: 300 rounds of four players; games of
sensible players take 20 to 120 rounds, on 16x16 along rows and columns up to 400). `adjudicate`: at `max_plies` the
game is not truncated but ends, and the player alone with the least step distance wins; shared, it is a draw. Step
distances: see `amoba_env.games.square_halma.corner_seats`. `on_illegal`, `render_mode`: see
`amoba_env.aec.BoardGameEnv`.

### Observation

A dictionary: `observation`, int8 (size, size, players + 1), and `action_mask`, int8 (size ** 4,). Every agent sees
the board turned so that its own goal is the corner at the top right and its men start at the bottom left.

| Plane | Holds |
|---|---|
| 0 | the agent's own men |
| 1 .. players - 1 | the men of the next player, of the one after that, and so on |
| last | 1 on every cell of the board |

The mask is all 0 for agents that are not to move.

### Action

`size ** 2 * from + to`, a whole turn, with cells numbered from the top left, row by row, on the board *as the agent
sees it*; `encode(agent, "a4-a5")` and `decode(agent, action)` translate from and to the notation of the board.

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
    """The environment for learners: an illegal action loses."""
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
