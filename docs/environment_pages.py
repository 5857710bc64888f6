"""The pages of the environments: a module's docstring with a moving picture, code, and possible opponents.

What stands on a page is made from the package, so that it is what the package does.
"""

import importlib
import inspect
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import amoba_env
from amoba_agents import AGENTS, Seat, describe, make_agent
from amoba_env import Position, draw, games
from amoba_env.draw.palette import PAGE, THEMES, variables
from amoba_env.draw.picture import Sheet
from amoba_env.ids import VERSION, gymnasium_id, title

PICTURED: dict[str, dict[str, Any]] = {"amoba": {"board": "cross", "patterns": "4,xx/xx"}}  # options of what is shown
PLAYERS = "greedy", "lookahead:2"  # of the moving picture, in turn
PLY, END = 0.8, 4.0  # seconds for which each position, and the last one, is seen
GIVEN = "gomocup", "person"  # they play what a program or a person plays, which the package does not have

# A part is seen for some plies. Where people want no motion, the parts of the last position are.
MOTION = """\
.board g.part {{ visibility: hidden; animation: {seconds:.1f}s step-end infinite; }}
.board:has(:checked) g.part {{ animation-play-state: paused; }}
@media (prefers-reduced-motion) {{
  .board label {{ display: none; }}
  .board g.part {{ animation: none; }}
  .board g.end {{ visibility: visible; }}
}}
"""

USAGE = """\
## Usage {{data-search-exclude}}

Each seat is an agent of PettingZoo:

```python
from amoba_env import {name}

env = {name}.env()
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    over = terminated or truncated
    env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
print(env.outcome.ending)
```

One seat is yours in Gymnasium, and players sit on the others:

```python
import gymnasium

import amoba_env  # registers the ids

env = gymnasium.make("{id}", opponent="greedy")
observation, info = env.reset(seed=7)
action = env.action_space.sample(info["action_mask"])
observation, reward, terminated, truncated, info = env.step(action)
```

`gymnasium.make_vec("{id}", num_envs=1024, opponent="greedy")` steps 1,024 games at once, see
[batches](gymnasium.md#batches).
"""

FUNCTION = """\
```python
{signature}
```

{doc}
"""

OPPONENTS = """\
## Opponents {data-search-exclude}

These players can sit on the other seats. [Players](../players/index.md) has their options,
[ladders](../results/ladders.md) their strengths. A [player of your own](../players/write-an-agent.md) can be an
opponent too.

| `opponent=` | How it plays |
|---|---|
"""


def environment(name: str) -> str:
    """The page of an environment."""
    module = importlib.import_module(f"amoba_env.{name}")
    docstring = inspect.getdoc(module) or ""
    begin, table, rest = re.split(r"(?=^\| Import)|(?<=\|\n)\n", docstring, maxsplit=2, flags=re.M)
    game = name.removesuffix(VERSION)
    rest = re.sub("^### ", "## ", rest, flags=re.M)
    rest = rest.replace("`amoba_env.aec.BoardGameEnv`", "[`BoardGameEnv`][amoba_env.aec.BoardGameEnv]")
    arguments, history = rest.split("## Version history")
    functions = [FUNCTION.format(doc=each.__doc__, signature=signature(each)) for each in (module.env, module.raw_env)]
    made = [moving_picture(game), table, usage(game)]
    last = [opponents(game), f"## Version history{history}", "## Functions", *functions]
    return "\n\n".join([f"# {title(game)}", begin, *made, arguments, *last])


def signature(function: Callable[..., Any]) -> str:
    """A function with its parameters, one in a line."""
    called = inspect.signature(function)
    parameters = "".join(f"    {each},\n" for each in called.parameters.values())
    return f"{function.__name__}(\n{parameters}) -> BoardGameEnv"


def table() -> str:
    """All environments: for the page that introduces them."""
    rows = ["| environment | game | players | Gymnasium id |", "|---|---|---|---|"]
    for name in games.GAMES:
        seats = re.findall(r"^\| Agents \| (\d.*) \|$", getattr(amoba_env, name + VERSION).__doc__, re.M)[0]
        seats = ", ".join(sorted(re.findall(r"\b\d\b(?!`)", seats)))
        page = f"[`{name}{VERSION}`]({name}{VERSION}.md)"
        rows.append(f"| {page} | {games.describe(name)[0]} | {seats} | `{gymnasium_id(name)}` |")
    return "\n".join(rows)


def usage(game: str) -> str:
    """Code that plays."""
    return USAGE.format(name=game + VERSION, id=gymnasium_id(game))


def opponents(name: str) -> str:
    """The players that say that they can play a game, as a table."""
    game, rows = games.make(name), []
    for player in (player for player in AGENTS if player not in GIVEN):
        with suppress(ValueError):
            agent = make_agent(player)
            agent.memory(game)
            rows.append(f"| `{agent.name}` | {describe(player)[0]} |\n")
    return OPPONENTS + "".join(rows)


def moving_picture(name: str) -> str:
    """A game as an SVG that moves, with a box to stop it, in the colours of the page."""
    options = PICTURED.get(name, {})
    position = Position.start(games.make(name, **options))
    game, sheet = position.game, Sheet(position.game, PAGE)
    seats = [Seat(make_agent(PLAYERS[seat % 2]), position, seed=1) for seat in range(game.players)]
    positions = [position]
    while not position.over:
        positions.append(position := position.play(seats[position.to_move].act(position)))
    who = ", ".join(f"`{PLAYERS[seat % 2]}` ({color})" for seat, color in enumerate(game.colors))
    end = draw.status(game, position.state)
    drawn = motion([sheet.pieces(each.state) for each in positions])
    picture = f"{sheet.head(f'a game of {name}: {end}')}{sheet.ground()}{sheet.grid()}{drawn}</svg>"
    stop = '<label><input type="checkbox"> stop the picture</label>'
    chosen = "".join(f", `{key}={value!r}`" for key, value in options.items())
    return f'<div class="board" data-search-exclude>{picture}{stop}</div>\n\nA game of {who}{chosen}: {end}.'


def motion(frames: list[str]) -> str:
    """Frames shown in turn. A part that stays for several frames, such as the men of one seat, is written once."""
    spans: list[tuple[str, int, int]] = []  # part, its first frame, the frame after its last
    running: dict[str, int] = {}
    for number, frame in enumerate([*frames, ""]):
        parts = list(filter(None, re.split("(?=<g )", frame)))
        spans += [(part, first, number) for part, first in running.items() if part not in parts]
        running = {part: running.get(part, number) for part in parts}
    spans.sort(key=lambda span: ("<g " in span[0], 'class="seat' not in span[0]))  # from the bottom up
    seconds = PLY * (len(frames) - 1) + END
    rules, drawn = {"": MOTION.format(seconds=seconds)}, ""
    for part, first, after in spans:
        at_end = after == len(frames)
        name = f"seen-{after - first}{'-end' * at_end}"
        seen = PLY * (after - first) + (END - PLY) * at_end
        share = 100 * seen / seconds
        rules[name] = f"@keyframes {name} {{ 0% {{ visibility: visible; }} {share:.3f}% {{ visibility: hidden; }} }}"
        timing = f"animation-name: {name}; animation-delay: {PLY * first - seconds:.1f}s"
        drawn += f'<g class="part{" end" * at_end}" style="{timing}">{part}</g>'
    style = " ".join(rules.values()).replace("\n", " ")
    return f"<style>{style}</style>{drawn}"


def style() -> str:
    """The colours of moving pictures, which the pages' style sheet ends with."""
    schemes = zip(("default", "slate"), (variables(theme) for theme in THEMES), strict=True)
    return "".join(f'[data-md-color-scheme="{scheme}"] .board {{ {colors} }}\n' for scheme, colors in schemes)
