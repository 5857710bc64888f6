"""The page of an environment, as Markdown: the docstring of its module, and a page of the documentation.

The description of a game is the docstring of its file if function and file have the same name, else the docstring of
its function. Everything that follows from the rules and options of the game is generated here.
"""

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Literal, get_args, get_origin

from amoba_env import games, notation, options
from amoba_env.core.planes import MEANINGS
from amoba_env.games import Game
from amoba_env.ids import VERSION, gymnasium_id, pettingzoo_id, title
from amoba_env.position import Position

PAGE = """\
{begin}

| Import | `from amoba_env import {module}` |
|---|---|
| Creation | `{module}.env()`, `pettingzoo.make("aec", "{pettingzoo}")`, `gymnasium.make("{gymnasium}")` |
| Actions | Discrete |
| Parallel API | No |
| Manual Control | `amoba play {name}` |
| Agents | `agents = {agents}` ({colors}) |
| Agents | {players} |
| Action Shape | (1,) |
| Action Values | {actions} |
| Observation Shape | {shapes} |
| Observation Values | [0, {high}] |

### Observation space

A dictionary: `observation`, int8 (rows, columns, planes), and `action_mask`, int8 (actions,): 1 for legal actions, all
0 for an agent that is not to move.

| Plane | Holds |
|---|---|
{planes}

{seen}

### Action space

{action_space}

### Rewards

| Winner | Each loser | Draw{truncation} |
|---|---|---|
| +1 | {loser} | 0 |

Rewards come when the game ends; before that they are 0.

In `env()` an illegal action ends the game: -1 for its agent and 0 for {others}, as in PettingZoo's own games.
With `on_illegal="zero_sum"` {share}.

### Arguments

| Argument | Default | Values | Meaning |
|---|---|---|---|
{arguments}| `on_illegal` | `'lose'` | `lose`, `zero_sum`, `raise` | what an illegal action does: see Rewards; \
`raise` raises `ValueError`, the default of `raw_env()` |
| `render_mode` | `None` | `ansi`, `svg`, `rgb_array`, `human` | see `amoba_env.aec.BoardGameEnv` |
{more}
### Version history

* v0: first version
"""

TURNED = """\
Every agent sees the board turned so that its goal is at the same place. `player_0` sees the board as it is drawn."""
HEX = """\
The grid has double width: the neighbours of the cell in row y and column x are (y, x - 2), (y, x + 2),
(y - 1, x - 1), (y - 1, x + 1), (y + 1, x - 1) and (y + 1, x + 1)."""
MOVES_OF_MEN = """\
A whole move, with all its jumps, is one action: `{cells} * from + to`. Cells are numbered row by row from the top, on
the board *as the agent sees it*. `env.encode(agent, "{move}")` and `env.decode(agent, action)` translate between
actions and notation."""


@functools.cache
def page(name: str) -> str:
    """The page of a game's environment. ValueError if the game is unknown or cannot be imported."""
    variants = [games.make(name), *_variants(name)]
    game, (begin, more) = variants[0], _own_text(name)
    two = all(each.players == 2 for each in variants)
    return PAGE.format(
        begin=begin,
        name=name,
        module=name + VERSION,
        pettingzoo=pettingzoo_id(name),
        gymnasium=gymnasium_id(name),
        agents=[f"player_{seat}" for seat in range(game.players)],
        colors=", ".join(game.colors),
        players=_by_players(variants, lambda each: each.players),
        actions=f"Discrete({game.n_actions})" + " by default" * (len({each.n_actions for each in variants}) > 1),
        shapes=_by_players(variants, lambda each: each.observation_shape),
        high=game.observation_high,
        planes="\n".join(f"| {number} | {holds} |" for number, holds in _planes(variants)),
        seen=_seen(variants),
        action_space=_action_space(variants),
        truncation=" or truncation" * game.moves_men,
        loser="-1" if two else "-1 / (players - 1)",
        others="the other one" if two else "all others",
        share="the other one gets +1" if two else "each of the others gets 1 / (players - 1)",
        arguments="".join(_arguments(name)),
        more=f"\n{more}\n" if more else "",
    )


def _own_text(name: str) -> tuple[str, str]:
    """The description of a game: the text before its first heading, and the rest."""
    function = games.GAMES.function(name)
    module = sys.modules.get(getattr(function, "__module__", ""))
    has_file = module is not None and module.__name__.rpartition(".")[2] == getattr(function, "__name__", "")
    text = inspect.getdoc(module if has_file else function) or ""
    text = re.split(r"\n\n(?=(?:Args|Returns|Raises):\n)", text)[0]
    text = text if has_file else f"{title(name)}: {text}"
    begin, heading, more = text.partition("### ")
    return begin.strip(), (heading + more).strip()


def _variants(name: str) -> Iterator[Game]:
    """The game with the other values of its options, one at a time, and with each number of players."""
    for key, parameter in options.parameters(games.GAMES.function(name)).items():
        kind, (_, least, most) = options.kind_of(parameter), options.option_of(parameter)
        values = get_args(kind) if get_origin(kind) is Literal else ()
        if key == "players" and least is not None and most is not None:
            values = tuple(range(int(least), int(most) + 1))
        for value in values:
            with suppress(ValueError):
                yield games.make(name, **{key: value})


def _by_players(variants: list[Game], what: Callable[[Game], object]) -> str:
    """A property of the game, by default and with other numbers of players."""
    game = variants[0]
    others = {each.players: what(each) for each in reversed(variants) if each.players != game.players}
    return "; ".join([str(what(game)), *(f"{others[n]} with `players={n}`" for n in sorted(others))])


def _planes(variants: list[Game]) -> Iterator[tuple[str, str]]:
    game, things = variants[0], "men" if variants[0].moves_men else "stones"
    yield "0", f"the agent's own {things}"
    two = all(each.players == 2 for each in variants)
    if two:
        yield "1", f"the opponent's {things}"
    else:
        yield "1 .. players - 1", f"the {things} of the next player, of the one after it, and so on"
    most = max(each.observation_shape[2] - each.players for each in variants)
    for number, holds in enumerate(MEANINGS[:most], game.players):
        always = number < game.observation_shape[2]
        place = str(number) if two or number > game.players else "players"
        yield place, holds if always else f"only with an opening rule: {holds}"


def _seen(variants: list[Game]) -> str:
    game = variants[0]
    if game.moves_men:
        return "\n".join([TURNED, *([HEX] if game.board.double_width else [])])
    high = max(each.observation_high for each in variants)
    more = "" if high == 1 else f" With an opening rule the values are 0 to {high}."
    return f"The first row is the top of the board.{more}"


def _action_space(variants: list[Game]) -> str:
    game = variants[0]
    if game.moves_men:
        one_board = all(each.n_cells == game.n_cells for each in variants)
        move = Position.start(game).legal_moves()[0]
        return MOVES_OF_MEN.format(cells=game.n_cells if one_board else "cells", move=move)
    first, last = (notation.move_text(game, cell) for cell in (0, game.n_cells - 1))
    more = any(each.choices for each in variants)
    return (
        "The number of a cell. Cells are numbered row by row from the top left; a point without a cell has no number.\n"
        f"0 is `{first}`, {game.n_cells - 1} is `{last}`.{' With an opening rule the choices follow.' * more}"
    )


def _arguments(name: str) -> Iterator[str]:
    for key, parameter in options.parameters(games.GAMES.function(name)).items():
        option = options.option_of(parameter)
        possible = options.possible(options.kind_of(parameter), *option[1:])
        yield f"| `{key}` | `{parameter.default!r}` | {possible} | {option.means} |\n"
