"""Renju: five in a row on a square board, 15x15 by default, with forbidden points for Black.

Two players put stones on empty cells in turn; Black begins. Black wins with exactly five in a row. Black must not make an
overline (six or more in a row), a double-four or a double-three; the full recursive definition is in
`amoba_env.core.renju`. If a move makes exactly five, Black wins even if the point would be forbidden. White wins with five
or more in a row and has no forbidden points. `amoba_env.explain` says why a point is forbidden.

| Import | `from amoba_env import renju_v0` |
|---|---|
| Creation | `renju_v0.env(size=15, forbidden="mask", opening="none")`, `pettingzoo.make("aec", "amoba/renju-v0")`, `gymnasium.make("amoba/Renju-v0")` |
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play renju` |
| Agents | `agents = ['player_0', 'player_1']` |
| Agents | 2 |
| Action Shape | (1,) |
| Action Values | Discrete(size * size), 225 by default; more with an opening |
| Observation Shape | (size, size, 4), (15, 15, 4) by default; more with an opening |
| Observation Values | [0, 1] |

### Observation space

A dictionary: `observation`, int8 (size, size, 4), with an opening (size, size, 7); and `action_mask`, int8, one entry
for each action.

| Plane | Holds |
|---|---|
| 0 | the agent's own stones |
| 1 | the opponent's stones |
| 2 | 1 on every cell of the board |
| 3 | 1 everywhere if the agent has the black stones, else 0 |
| 4 | only with an opening: the cells offered for the fifth stone |
| 5 | only with an opening: the number of the phase on every cell, see Openings |
| 6 | only with an opening: the number of actions left in this phase (stones to put, cells to offer) on every cell |

With an opening the values are 0 to 8. The first row is the top of the board. The mask is 1 for legal actions. It is all 0 for an agent that is not to move.

### Action space

The number of a cell, `size * row + column`, counted from the top left. With an opening the choices follow after the
cells, see Openings.

### Rewards

| Winner | Loser | Draw |
|---|---|---|
| +1 | -1 | 0 |

Rewards come when the game ends; before that they are 0.

An illegal action in `env()` gives -1 to the agent that played it and 0 to the other one, as in PettingZoo's own games. With
`on_illegal="zero_sum"` the other one gets +1.

### Arguments

`size`: cells on a side, 9 to 40.

`forbidden`: `"mask"`: forbidden points are illegal for Black. `"lose"`: they are legal, and Black loses by playing one
(ending `forbidden`). With `"mask"`, if Black is to move and every empty cell is forbidden, the game is a draw (ending
`no_moves`).

`opening`: `"none"`, `"rif26"` or `"soosyrv8"`, see Openings.

`on_illegal`: what an illegal action does. `"raise"` (the default of `raw_env()`): it raises `ValueError`. `"lose"` (the
default of `env()`): the game ends and the agent that played it loses. `"zero_sum"`: the same, and the others share +1.

`render_mode`: `"ansi"`, `"svg"`, `"rgb_array"`, `"human"` or `None`, see `amoba_env.aec.BoardGameEnv`.

### Openings

An opening is a sequence of phases before normal play. Each phase is played by ordinary actions with masks, so agents can
learn them. The same agent may have to act several times in a row.

| Phase | Who acts | What the agent does | Actions |
|---|---|---|---|
| 1 put_three | the agent that begins; it has Black for now | puts a black, a white and a black stone | cells |
| 2 choose | the other agent | stays (keeps White) or swaps colours | n: stay, n + 1: swap |
| 5 fourth | White | puts the fourth stone | cells |
| 6 declare | White (soosyrv8 only) | says how many cells Black has to offer for the fifth stone | n + 2 .. n + 9: 1 .. 8 |
| 4 choose_again | Black (soosyrv8 only) | stays or swaps colours | n: stay, n + 1: swap |
| 7 offer | Black | offers cells for the fifth stone: two (rif26), or as many as declared | cells |
| 8 pick | White | picks one of the offered cells; Black's fifth stone is put there | cells |
| 0 play | | normal play, White puts the sixth stone | cells |

Here n = size * size. A swap exchanges the owners of all stones: the agent that had the black stones now has the white
ones. The first three stones make one of the 26 canonical openings: the first stone is in the centre, the second next to
it, the third within two cells of the centre. No two offered cells may be mirror images of each other.

### Version history

* v0: first version
"""

from amoba_env.aec import BoardGameEnv, OnIllegal, RenderMode
from amoba_env.games import make
from amoba_env.games.renju import Forbidden, Opening


def env(
    size: int = 15,
    forbidden: Forbidden = "mask",
    opening: Opening = "none",
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses the game."""
    return raw_env(size, forbidden, opening, on_illegal, render_mode)


def raw_env(
    size: int = 15,
    forbidden: Forbidden = "mask",
    opening: Opening = "none",
    on_illegal: OnIllegal = "raise",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for programs: an illegal action raises ValueError."""
    game = make("renju", size=size, forbidden=forbidden, opening=opening)
    return BoardGameEnv("renju_v0", game, on_illegal, render_mode)
