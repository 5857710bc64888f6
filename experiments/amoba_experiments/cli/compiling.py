"""The command that fills or empties the cache of machine code."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated, Any

from amoba_experiments.cli.command import Argument, Flag
from amoba_experiments.cli.progress import progress_bar
from amoba_experiments.cli.shared import Quiet, app, err, example, game_names, out, refuse

if TYPE_CHECKING:
    from amoba_env.games import Game

PLAYERS = (
    "random", "greedy", "lookahead:2", "maxn", "paranoid", "brs", "hinder", "robust", "level:1", "endgame",
    "alphabeta:nodes=200", "mcts:8", "mcts:8,evaluation=learned",
)  # fmt: skip
ROWS, PLIES = 8, 4  # positions for each player, after this many random moves


@app.command("compile", epilog=example("amoba compile gomoku halma", "amoba compile --clear"))
def compile_games(
    game: Annotated[
        list[str] | None, Argument(metavar="GAME...", help="Games to compile; by default all.", complete=game_names)
    ] = None,
    clear: Annotated[bool, Flag("--clear", help="Delete all machine code instead.")] = False,
    quiet: Quiet = False,
) -> None:
    """Compile environments and players before their first use, for example in an image or on a cluster."""
    from amoba_env.core.jit import cache_root, remove_all

    if clear:
        refuse("with --clear", "game", "quiet")
        files, size = remove_all()
        out.say(f"{files} files, {size / 1e6:.1f} MB, deleted in {cache_root()}")
        return
    os.environ["AMOBA_COMPILE"] = "now"
    from amoba_env import games

    chosen = [games.make(each) for each in game or games.GAMES]
    begun = time.perf_counter()
    with progress_bar(err, "games", quiet) as bar:
        task = bar.add_task("compiling", total=len(chosen))
        for each in chosen:
            compile_game(each)
            bar.advance(task)
    sizes, seconds = [each.stat().st_size for each in cache_root().glob("*.bin")], time.perf_counter() - begun
    text = f"{seconds:.0f} s; {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB, are in {cache_root()}"
    out.say(text)


def compile_game(game: Game) -> None:
    """Compile the functions that environments, positions, matches and players need in a game."""
    import numpy as np

    from amoba_agents import make_agent
    from amoba_env.aec import BoardGameEnv
    from amoba_env.agent import ask, new_memory
    from amoba_env.core import play
    from amoba_env.core import state as st
    from amoba_env.core.rng import streams
    from amoba_env.position import Position
    from amoba_env.vector import BatchEnv
    from amoba_experiments.arena.match import Match
    from amoba_experiments.runs.play_match import play_match

    env = BoardGameEnv(game.name, game)
    env.reset(seed=0, options={"random_plies": 1})
    env.step(int(env.last()[0]["action_mask"].argmax()))
    position, rng = Position.start(game), streams(0, 0, ROWS)
    while not position.over:
        legal = position.legal_actions()
        position = position.play(int(legal[position.ply % len(legal)]))
    options: dict[str, Any] = dict(game.options)
    many = BatchEnv(game.name, ROWS, **options)
    many.reset(seed=0)
    many.step(np.zeros(ROWS, np.int64))
    play_match(Match(game.name, ("random",) * game.players, 2 * ROWS, options=game.options))
    states = game.batch(ROWS)
    for b in range(ROWS):
        play.random_opening(game.rules, states[b], rng[b : b + 1], PLIES)
    states = states[states[:, st.STATUS] == st.RUNNING]
    for text in PLAYERS:
        agent = make_agent(text)
        try:
            memory = new_memory(agent, game, len(states))
        except ValueError:  # it does not play this game
            continue
        ask(agent, game, states, rng[: len(states)], memory)
