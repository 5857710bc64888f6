"""Games for people to read, one file each in tests/data/golden. After a change of the rules or of the notation that is
meant, and for a new game, write them anew with `make golden`, read what changed, and commit both.
"""

import random
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

import numpy as np

from amoba_env import Position, draw, games
from amoba_env.aec import BoardGameEnv
from amoba_env.core import state as st
from amoba_env.games import Game
from amoba_env.notation import cell_name
from amoba_env.options import Value

MOST_COLUMNS = 120
GOLDEN = Path(__file__).parents[1] / "data" / "golden"


class Playthrough(NamedTuple):
    """Which game is played, from where, and how much of it is drawn."""

    file: str
    game: str
    options: dict[str, Value]
    seed: int
    plies_a_drawing: int
    position: str | None = None


A_GAP_IN_SIX = "7/2oo3/7/xx1xxx1/7/3ooo1/7 x 10 -"
BETWEEN_TWO_STONES = "7/2oo3/7/oxx1xxo/7/7/7 x 8 -"  # d4 makes a five that does not win
TWO_TWOS = "o7o/9/4x4/4x4/2xx5/9/9/9/o7o x 8 -"
NEARLY_ACROSS = "r/1r/2r/r2r/4r2w5/12/11/2r3r3/4r4/10/8w2/12/4wwrw5/3w/2w/ww/w w 99 h12-j14"
A_MAN_LEFT_AT_HOME = "bbb1b1rrrr/r2b5r/10/g5b2r/3r6/gw1g5w/g7r1/b2g2bw1w/gg4w1bw/gwgb1gwrww b 187 c5-a5"

PLAYTHROUGHS = [
    Playthrough("tictactoe-drawn", "tictactoe", {}, seed=1, plies_a_drawing=3),
    Playthrough("gomoku", "gomoku", {}, seed=10, plies_a_drawing=6),
    Playthrough("gomoku-drawn", "gomoku", {"size": 5}, seed=1, plies_a_drawing=8),
    Playthrough(
        "gomoku-exact", "gomoku", {"size": 7, "rule": "exact"}, seed=2, plies_a_drawing=6, position=A_GAP_IN_SIX
    ),
    Playthrough(
        "gomoku-caro", "gomoku", {"size": 7, "rule": "caro"}, seed=3, plies_a_drawing=6, position=BETWEEN_TWO_STONES
    ),
    Playthrough("gomoku-swap2", "gomoku", {"size": 7, "opening": "swap2"}, seed=8, plies_a_drawing=7),
    Playthrough("renju", "renju", {"size": 11}, seed=35, plies_a_drawing=9),
    Playthrough("renju-lost", "renju", {"size": 9, "forbidden": "lose"}, seed=1, plies_a_drawing=9, position=TWO_TWOS),
    Playthrough("renju-rif26", "renju", {"size": 9, "opening": "rif26"}, seed=2, plies_a_drawing=7),
    Playthrough("renju-soosyrv8", "renju", {"size": 9, "opening": "soosyrv8"}, seed=10, plies_a_drawing=7),
    Playthrough("renju-taraguchi10", "renju", {"size": 9, "opening": "taraguchi10"}, seed=2, plies_a_drawing=11),
    Playthrough("renju-yamaguchi", "renju", {"size": 9, "opening": "yamaguchi"}, seed=4, plies_a_drawing=9),
    Playthrough("omok", "omok", {"size": 9}, seed=2, plies_a_drawing=9),
    Playthrough(
        "omok-lost",
        "omok",
        {"size": 9, "rule": "freestyle", "forbidden": "lose"},
        1,
        plies_a_drawing=9,
        position=TWO_TWOS,
    ),
    Playthrough("amoba-cross", "amoba", {"board": "cross", "patterns": "5 exact"}, seed=2, plies_a_drawing=8),
    Playthrough(
        "amoba-strait",
        "amoba",
        {"board": "strait", "patterns": "xx./.xx,x.x.x", "orientations": "rotations"},
        seed=7,
        plies_a_drawing=8,
    ),
    Playthrough(
        "amoba-four-players",
        "amoba",
        {"board": "#...#/...../..#../...../#...#", "patterns": "4,xx/xx,xxx/x..", "players": 4},
        seed=4,
        plies_a_drawing=12,
    ),
    Playthrough(
        "amoba-drawn",
        "amoba",
        {"board": "...#/..../.#../....", "patterns": "4,x..x/x..x", "orientations": "fixed"},
        seed=11,
        plies_a_drawing=6,
    ),
    Playthrough("halma", "halma", {}, seed=3, plies_a_drawing=9),
    Playthrough("halma-two-players", "halma", {"players": 2}, seed=14, plies_a_drawing=10),
    Playthrough("halma-truncated", "halma", {"max_plies": 12}, seed=1, plies_a_drawing=6),
    Playthrough("halma-adjudicated", "halma", {"max_plies": 18, "adjudicate": True}, seed=9, plies_a_drawing=9),
    Playthrough("chinese-checkers", "chinese_checkers", {}, seed=3, plies_a_drawing=13, position=NEARLY_ACROSS),
    Playthrough(
        "chinese-checkers-six-players",
        "chinese_checkers",
        {"players": 6, "max_plies": 12, "adjudicate": True},
        seed=1,
        plies_a_drawing=12,
    ),
    Playthrough(
        "square-halma-spoiling",
        "square_halma",
        {"directions": 4, "anti_spoiling": True},
        seed=2,
        plies_a_drawing=12,
        position=A_MAN_LEFT_AT_HOME,
    ),
]
PLAYTHROUGHS += [  # games that are not above
    Playthrough(
        name, name, {"max_plies": 12} if "max_plies" in games.describe(name)[1] else {}, seed=1, plies_a_drawing=9
    )
    for name in games.GAMES
    if name not in {each.game for each in PLAYTHROUGHS}
]


def text(playthrough: Playthrough) -> str:
    """The whole file."""
    game = games.make(playthrough.game, **playthrough.options)
    return "\n".join(line.rstrip() for line in lines(game, playthrough)) + "\n"


def lines(game: Game, playthrough: Playthrough) -> Iterator[str]:
    env = BoardGameEnv(f"{game.name}_v0", game)
    env.reset(options={"position": playthrough.position})
    dice = random.Random(playthrough.seed)
    yield from header(env)
    first = env.position.ply
    while env.outcome is None:
        if (env.position.ply - first) % playthrough.plies_a_drawing == 0:
            yield from picture(env)
            yield ""
            yield "  #  agent     move     action  legal  position after the move"
        yield row(env, env.encode(env.agent_selection, choose(env.position, dice)))
    yield from picture(env)
    yield from ending(env)


def header(env: BoardGameEnv) -> Iterator[str]:
    game = env.game
    options = ", ".join(f"{key}={value}" for key, value in game.options.items())
    yield f"{game.name}({options})"
    yield games.describe(game.name)[0]
    yield ""
    for agent, color, symbol in zip(env.possible_agents, game.colors, game.symbols, strict=True):
        yield f"{agent} is {color} ({symbol})"
    shape = "x".join(map(str, env.observe("player_0")["observation"].shape))
    yield f"{game.n_cells} cells, {game.n_actions} actions, observations {shape}"
    if game.choices:
        yield from wrap(
            f"actions from {game.n_cells} on: {', '.join(game.choices)}", MOST_COLUMNS, subsequent_indent="    "
        )
    others = ["2 the next player's", "3 those of the one after it"]
    others += ["4 the last one's"] if game.players == 4 else ["and so on"] if game.players > 4 else []
    others = ["2 the opponent's"] if game.players == 2 else others[: game.players - 1]
    others += ["? an offered cell"] if game.choices else []
    yield f"begins at {env.position.text}"
    yield f"what an agent sees: 0 an empty cell, 1 its own, {', '.join(others)}"


def row(env: BoardGameEnv, action: int) -> str:
    """Play the action; its line of the table."""
    agent, legal = env.agent_selection, int(env.observe(env.agent_selection)["action_mask"].sum())
    move = env.decode(agent, action)
    env.step(action)
    line = f"{env.position.ply:3}  {agent}  {move:7}  {action:6}  {legal:5}"
    room = MOST_COLUMNS - len(line) - 2
    return f"{line}  {env.position.text}" if len(env.position.text) <= room else f"{line}\n     {env.position.text}"


def picture(env: BoardGameEnv) -> Iterator[str]:
    """The board, and beside it what each agent sees."""
    yield ""
    yield f"--- {draw.status(env.game, env.position.state)}"
    yield ""
    columns = [str(env.position).splitlines()]
    for agent in env.possible_agents:
        planes = env.observe(agent)["observation"]
        columns.append([*digits(planes, env.game.players), agent, *constants(planes, env.game.players)])
    widths = [max(map(len, column)) + 4 for column in columns]
    widths[0] = len(columns[0][-1]) + 5  # whether or not a bracket stands at the right rim
    for part in bands(widths):
        if part.start:
            yield ""
        for lines_beside in zip_longest(*columns[part], fillvalue=""):
            yield "".join(line.ljust(width) for line, width in zip(lines_beside, widths[part], strict=True))
    if env.game.moves_men and env.outcome is None:
        yield ""
        yield from ways_of_men(env)


def bands(widths: list[int]) -> Iterator[slice]:
    """Columns that fit beside each other."""
    first = 0
    for end in range(1, len(widths) + 1):
        if end == len(widths) or sum(widths[first : end + 1]) - 4 > MOST_COLUMNS:
            yield slice(first, end)
            first = end


def digits(planes: np.ndarray, players: int) -> list[str]:
    """The planes as one grid: a cell shows the number of the plane that owns it, counted from 1, or ?."""
    *owners, board = np.moveaxis(planes[:, :, : players + 1], 2, 0)
    offered = planes[:, :, players + 2] if planes.shape[2] > players + 2 else np.zeros_like(board)
    assert (sum(owners) + offered <= board).all(), "a point is owned twice, or is not on the board"
    number = sum(owner * place for place, owner in enumerate(owners, start=1))
    return [
        "".join("?" if offer else str(n) if on_board else " " for n, on_board, offer in zip(*line, strict=True))
        for line in zip(number, board, offered, strict=True)
    ]


def constants(planes: np.ndarray, players: int) -> list[str]:
    """The planes that are the same everywhere: the colour, and in openings the phase and the actions left in it."""
    if planes.shape[2] == players + 1:
        return []
    black, *phase = (planes[0, 0, i] for i in (players + 1, players + 3, players + 4) if i < planes.shape[2])
    assert (planes[:, :, players + 1] == black).all()
    names = [f"phase {phase[0]}", f"{phase[1]} left"] if phase else []
    return ["black" if black else "white", *names]


def ways_of_men(env: BoardGameEnv) -> Iterator[str]:
    """Where each man can go, read from the mask."""
    agent, goals = env.agent_selection, dict[str, list[str]]()
    for action in np.flatnonzero(env.observe(agent)["action_mask"]).tolist():
        origin, goal = env.decode(agent, action).split("-")
        goals.setdefault(origin, []).append(goal)
    ways = [f"{origin} to {' '.join(sorted(goals[origin]))}" for origin in sorted(goals)]
    yield f"{agent} can go from " + ",\n    ".join(", ".join(ways[i : i + 4]) for i in range(0, len(ways), 4))


def ending(env: BoardGameEnv) -> Iterator[str]:
    outcome = env.outcome
    assert outcome is not None
    yield ""
    yield f"ending   {outcome.ending}, {'truncated' if env.truncations['player_0'] else 'terminated'}"
    yield f"winner   {'nobody' if outcome.winner is None else env.possible_agents[outcome.winner]}"
    yield f"places   {'  '.join(map(str, outcome.places))}"
    yield f"rewards  {'  '.join(f'{env.rewards[agent]:+}' for agent in env.possible_agents)}"
    if outcome.cells:
        yield f"cells    {' '.join(cell_name(env.game, cell) for cell in outcome.cells)}"
    if env.game.moves_men:
        yield f"left     {'  '.join(str(env.position.distance(seat)) for seat in range(env.game.players))} steps"


# --- Players who make games worth reading -----------------------------------------------------------------------


def choose(position: Position, dice: random.Random) -> int:
    """Mostly a sensible move."""
    legal = position.legal_actions().tolist()
    if dice.random() < 0.1 or position.state[st.PHASE]:
        return dice.choice(legal)  # or games would be all alike, and men would block each other for ever
    return dice.choice(run(position, legal) if position.game.moves_men else fight(position, legal))


def run(position: Position, legal: list[int]) -> list[int]:
    """The moves that leave the least distance."""
    left = {action: position.play(action).distance(position.to_move) for action in legal}
    return [action for action in legal if left[action] == min(left.values())]


def fight(position: Position, legal: list[int]) -> list[int]:
    """Win; else take a cell where the next one would win; else make or stop long rows, from the middle outwards."""
    seats = [(position.to_move + turn) % position.game.players for turn in range(position.game.players)]
    for seat in seats:
        state = position.state.copy()
        state[st.TO_MOVE] = seat
        moved = Position(position.game, state)
        possible = [action for action in legal if moved.is_legal(action)]
        wins = [action for action in possible if (after := moved.play(action).outcome) and after.winner == seat]
        if wins:
            return wins
    promise = {action: sum(longest(position, action, seat) for seat in (seats[0], *seats)) for action in legal}
    best = [action for action in legal if promise[action] == max(promise.values())]
    middle = position.game.board.coords.mean(axis=0)
    away = {action: abs(position.game.board.coords[action] - middle).max() for action in best}
    return [action for action in best if away[action] == min(away.values())]


def longest(position: Position, cell: int, seat: int) -> int:
    """How many stones of the seat are in one row with the cell, at most."""
    neighbor, cells = position.game.board.neighbor.tolist(), position.cells.tolist()
    arms = []
    for direction in range(8):
        here, stones = neighbor[cell][direction], 0
        while here >= 0 and cells[here] == seat:
            here, stones = neighbor[here][direction], stones + 1
        arms.append(stones)
    return max(arms[direction] + arms[direction + 4] for direction in range(4))


def main() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for old in GOLDEN.glob("*.txt"):
        old.unlink()
    for playthrough in PLAYTHROUGHS:
        (GOLDEN / f"{playthrough.file}.txt").write_text(text(playthrough), encoding="utf-8")


if __name__ == "__main__":
    main()
