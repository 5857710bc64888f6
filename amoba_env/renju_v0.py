"""Renju: five in a row on a square board, 15x15 by default, with forbidden points for Black.

| Creation | `amoba_env.renju_v0.env(size=15, forbidden="mask", opening="none")`, `pettingzoo.make("aec", "amoba/renju-v0")`, `gymnasium.make("amoba/Renju-v0")` |
|---|---|
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play renju` |
| Agents | `agents = ['player_0', 'player_1']` |
| Agents | 2 |
| Action Shape | (1,) |
| Action Values | Discrete(size * size), 225 by default; more with an opening |
| Observation Shape | (size, size, 4), (15, 15, 4) by default; more with an opening |
| Observation Values | [0, 1] |

Black begins. Black wins with exactly five in a row and has forbidden points: overlines, double-fours and
double-threes, by the full recursive definition (`amoba_env.core.renju`). White wins with five or more, and has none.
Black's five comes before everything else. `amoba_env.explain` says why a point is forbidden.

### Arguments

`size`: cells a side, 9 to 40. `forbidden`: `"mask"`, forbidden points are illegal for Black; `"lose"`, they are legal,
and lose (ending `forbidden`). Where all empty cells are forbidden for Black and masked, the game is a draw (ending
`no_moves`). `opening`: `"none"`, `"rif26"`, `"soosyrv8"`, below. `on_illegal`, `render_mode`: see
`amoba_env.aec.BoardGameEnv`.

### Openings

The phases are ordinary actions with masks, so that agents learn them; a seat may be asked several times in a row.

| Phase | Who | Does | Actions |
|---|---|---|---|
| 1 put_three | who begins, Black for now | puts a black, a white and a black stone | cells |
| 2 choose | the other | stays, or swaps colours | n: stay, n + 1: swap |
| 5 fourth | White | puts the fourth stone | cells |
| 6 declare | White (soosyrv8) | says how many fifth moves Black has to offer | n + 2 .. n + 9: 1 .. 8 |
| 4 choose_again | Black (soosyrv8) | stays, or swaps colours | n, n + 1 |
| 7 offer | Black | offers cells for the fifth stone: 2 (rif26), or as many as declared | cells |
| 8 pick | White | picks one of them: Black's fifth stone goes there | cells |
| 0 play | | White goes on with the sixth stone | cells |

n = size * size. The observation has seven planes then, with values 0 to 8. To swap exchanges the owners of all
stones: who had the black ones has the white ones.

The first three stones make one of the 26 canonical openings: the first in the centre, the second next to it, the third
within two cells of the centre. No two offered cells may be mirror images of each other.

### Observation

A dictionary: `observation`, int8 (size, size, 4 or 7), and `action_mask`, int8, one for each action.

| Plane | Holds |
|---|---|
| 0 | the agent's own stones |
| 1 | the opponent's stones |
| 2 | 1 on every cell of the board |
| 3 | 1 everywhere if the agent has the black stones, else 0 |
| 4 | with an opening: the offered cells |
| 5 | with an opening: the number of the phase everywhere, as above |
| 6 | with an opening: how often it is left to do (stones to put, cells to offer) everywhere |

Rows run from the top of the board to the bottom. The mask is 1 for legal actions, and all 0 for the agent that is not
to move.

### Action

Cell `size * row + column`, from the top left; then the choices of the opening.

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
from amoba_env.games.renju import Forbidden, Opening


def env(
    size: int = 15,
    forbidden: Forbidden = "mask",
    opening: Opening = "none",
    on_illegal: OnIllegal = "lose",
    render_mode: RenderMode | None = None,
) -> BoardGameEnv:
    """The environment for learners: an illegal action loses."""
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
