"""Whatever is given to what people call: it works, or a ValueError says what is possible."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from errors import bad_value

import amoba_agents
import amoba_env.agent
from amoba_agents import make_agent
from amoba_agents.registry import AGENTS, describe
from amoba_env import Position, Record, checks, draw, games, halma_v0, notation, options, records
from amoba_env.batch import Batch
from amoba_env.explain import explain
from amoba_env.record import About, Result
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_env.single import SingleEnv
from amoba_env.vector import BatchEnv
from amoba_experiments.analysis.tournament import Tournament
from amoba_experiments.analysis.tournament.ladder import ladder
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.openings import read_opening
from amoba_experiments.positions.solve import solution
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.statistics.sequential import read_rule
from amoba_experiments.training.recipes import Recipe, Stage
from amoba_experiments.training.settings import STAGES, EvaluationSettings, NetworkSettings, Play

HALMA, GOMOKU, TICTACTOE = games.make("halma"), games.make("gomoku"), games.make("tictactoe")
RENJU, SWAP2 = games.make("renju", size=9), games.make("gomoku", opening="swap2")
START = Position.start(TICTACTOE)
BOARD = "/".join(["10"] * 10)

GROUPS: dict[str, Any] = {"network": NetworkSettings, "evaluation": EvaluationSettings, **STAGES}
PLAYED = Stage("play", "play", Play())

JUNK: list[Any] = [
    *(None, True, False, -1, 0, 1, 2, 10**30, -(10**30), 2**63, 10**4000, 1.0, 1.5, math.nan, math.inf, 3 + 4j),
    *("", "x", "0", "a" * 300, "a/b", "\0", "é", "²", "٣", "1" * 5000, "~x", b"x"),
    *([], [1], ["x"], [None], [[1, 2], [3]], {}, {"a": 1}, {1: 2}, (), (1, 2), set(), object, object()),
    *(np.int64(0), np.int64(5), np.float64(1), np.bool_(True), np.array(0), np.array([0]), np.zeros((2, 2))),
    *(np.array(["x"]), np.array([math.nan]), np.zeros(0), Position.start(HALMA), TICTACTOE),
]
RAW = (  # what Python and NumPy say by themselves does not say what is possible
    *("ambiguous", "inhomogeneous", "invalid literal", "Exceeds the limit", "null byte", "unpack", "could not convert"),
    *("truth value", "setting an array"),
)


def env() -> Any:
    begun = halma_v0.raw_env()
    begun.reset(seed=0)
    return begun


def reset(made: Any, **options: Any) -> None:
    made.reset(options=options)


def about(**said: Any) -> str:
    return records.to_text([Record(GOMOKU, "b2", about=About(**said))], "jsonl")


def json_line(**more: Any) -> None:
    try:
        line = json.dumps({"game": "gomoku", "moves": ["a1"], **more})
    except (TypeError, ValueError):
        return  # what JSON cannot have
    records.from_text(line, "jsonl")


SINGLE, VECTOR = SingleEnv("tictactoe"), BatchEnv("tictactoe", 2)
BATCH, SELF_PLAY = Batch(TICTACTOE, 2, "random"), SelfPlayVecEnv("tictactoe", num_envs=2)
MATCH = Match("tictactoe", ("random", "random"), 4)


@pytest.fixture(scope="module", autouse=True)
def games_begin() -> None:
    """Not when pytest collects the tests, which would compile in every worker."""
    for made in (SINGLE, VECTOR):
        made.reset(seed=0)
    BATCH.begin(np.arange(2))
    SELF_PLAY.reset()


KEYS = ("seat", "random_plies", "on_illegal")

CALLS: dict[str, Callable[[Any], object]] = {
    "aec.reset options": lambda x: env().reset(options=x),
    "aec.reset seed": lambda x: env().reset(seed=x),
    "aec.step": lambda x: env().step(x),
    "aec.observe": lambda x: env().observe(x),
    "aec.encode agent": lambda x: env().encode(x, 0),
    "aec.encode move": lambda x: env().encode("player_0", x),
    "aec.decode agent": lambda x: env().decode(x, 0),
    "aec.decode action": lambda x: env().decode("player_0", x),
    "aec.set_state": lambda x: env().set_state(x),
    "aec render_mode": lambda x: halma_v0.raw_env(render_mode=x),
    "single.reset options": lambda x: SINGLE.reset(options=x),
    "single.reset seed": lambda x: SINGLE.reset(seed=x),
    "single.step": lambda x: SINGLE.step(x) if SINGLE.reset(seed=0) else None,
    "vector.reset options": lambda x: VECTOR.reset(options=x),
    "vector.reset seed": lambda x: VECTOR.reset(seed=x),
    "vector.reset mask": lambda x: reset(VECTOR, reset_mask=x),
    "vector.step": VECTOR.step,
    "vector autoreset_mode": lambda x: BatchEnv("tictactoe", autoreset_mode=x),
    "batch.seed": lambda x: BATCH.seed([0, 1], [x, x]),
    "batch.seed rows": lambda x: BATCH.seed(x, [1]),
    "batch.begin rows": BATCH.begin,
    "batch.begin options": lambda x: BATCH.begin(np.arange(2), x),
    "batch.observe": BATCH.observe,
    "batch.step": BATCH.step,
    "batch.set_opponents": BATCH.set_opponents,
    "self-play seed": SELF_PLAY.seed,
    "self-play step": SELF_PLAY.step,
    "self-play get_attr": lambda x: SELF_PLAY.get_attr("seats", x),
    "self-play env_method": lambda x: SELF_PLAY.env_method("action_masks", indices=x),
    "games.make": games.make,
    "games.make_from": lambda x: games.make_from("gomoku", x),
    "games.register": lambda x: games.register(x, 1) if not isinstance(x, str) else None,  # type: ignore[arg-type]
    "options_from_text": lambda x: games.options_from_text("gomoku", x),
    "an option": lambda x: games.options_from_text("gomoku", [x]),
    "game.start": GOMOKU.start,
    "game.batch": TICTACTOE.batch,
    "game.batch first": lambda x: GOMOKU.batch(2, x),
    "Position": lambda x: Position(TICTACTOE, x),
    "Position.start": lambda x: Position.start(TICTACTOE, x),
    "from_text": lambda x: Position.from_text(TICTACTOE, x),
    "from_text row": lambda x: Position.from_text(TICTACTOE, f"{x}/3/3"),
    "from_text ply": lambda x: Position.from_text(TICTACTOE, f"3/3/3 x {x}"),
    "from_text left": lambda x: Position.from_text(SWAP2, f"{BOARD} x 0 - left={x}"),
    "from_cells": lambda x: Position.from_cells(TICTACTOE, x),
    "from_cells, all": lambda x: Position.from_cells(TICTACTOE, [x] * 9),
    "from_cells, one": lambda x: Position.from_cells(TICTACTOE, [x] + [-1] * 8),
    "from_cells mover": lambda x: Position.from_cells(TICTACTOE, [-1] * 9, x),
    "from_moves": lambda x: Position.from_moves(TICTACTOE, x),
    "from_moves, one": lambda x: Position.from_moves(TICTACTOE, [x]),
    "from_moves first": lambda x: Position.from_moves(TICTACTOE, "b2", x),
    "play": START.play,
    "play in halma": Position.start(HALMA).play,
    "is_legal": START.is_legal,
    "encode": Position.start(HALMA).encode,
    "encode for": lambda x: Position.start(HALMA).encode(0, x),
    "decode": Position.start(HALMA).decode,
    "decode for": lambda x: Position.start(HALMA).decode(0, x),
    "observation": START.observation,
    "distance": Position.start(HALMA).distance,
    "cell_name": lambda x: notation.cell_name(TICTACTOE, x),
    "column_name": lambda x: notation.column_name(x) if not isinstance(x, int) or x < 99 else None,
    "move_text": lambda x: notation.move_text(HALMA, x),
    "parse_cell": lambda x: notation.parse_cell(TICTACTOE, x),
    "parse_move": lambda x: notation.parse_move(HALMA, x),
    "parse_position": lambda x: notation.parse_position(TICTACTOE, x),
    "an opening's parts": lambda x: notation.position_from_cells(TICTACTOE, [-1] * 9, opening=x),
    "Record game": lambda x: Record(x),
    "Record moves": lambda x: Record(TICTACTOE, x),
    "Record first": lambda x: Record(TICTACTOE, first=x),
    "Record start": lambda x: Record(TICTACTOE, start=x),
    "Record about": lambda x: Record(TICTACTOE, about=x) if not isinstance(x, np.ndarray) else None,
    "Result winner": lambda x: about(result=Result(x, "")),
    "Result ending": lambda x: about(result=Result(0, x)),
    "records.to_text": lambda x: records.to_text(x, "sgf"),
    "records format": lambda x: records.from_text("x", x),
    "records.from_text": lambda x: records.from_text(x, "sgf"),
    "records game": lambda x: records.from_text("(;GM[4]SZ[15];B[hh])", "sgf", x),
    "SGF time": lambda x: records.from_text(f"(;GM[4]SZ[15];B[hh]XT[{x}])", "sgf"),
    "html title": lambda x: Record(TICTACTOE).html(title=x),
    "html theme": lambda x: Record(TICTACTOE).html(theme=x),
    "html marks": lambda x: Record(TICTACTOE).html(marks=x),
    "explain": lambda x: explain(Position.start(RENJU), x),
    "make_agent": make_agent,
    "a player": amoba_env.agent.make_agent,
    "describe": describe,
    "amoba_agents.register": lambda x: (
        amoba_agents.register(x, AGENTS.function("random")) if not isinstance(x, str) else None
    ),
    "jobs": lambda x: play_match(MATCH, jobs=x),
    "games in lockstep": lambda x: play_match(MATCH, jobs=1, batch=x),
    "until": read_rule,
    "an opening": lambda x: read_opening(TICTACTOE, x),
    "ladder games": lambda x: ladder("tictactoe", None, x) if not isinstance(x, np.ndarray) else None,
    "solve limit": lambda x: solution(Position.from_text(TICTACTOE, "xo1/ox1/3"), x),
}
CALLS |= {
    f"{name} {key}": lambda x, make=make, key=key: make(**{key: x})  # type: ignore[misc]
    for name, make, keys in (
        ("aec.reset", lambda **more: reset(env(), **more), ("position", "first", "random_plies")),
        ("single.reset", lambda **more: reset(SINGLE, **more), ("position", "first", "random_plies")),
        ("vector.reset", lambda **more: reset(VECTOR, **more), ("position", "first", "random_plies")),
        ("single", lambda **more: SingleEnv("tictactoe", **more), (*KEYS, "opponent", "render_mode")),
        ("vector", lambda **more: BatchEnv("tictactoe", **more), (*KEYS, "opponent", "num_threads", "render_mode")),
        ("batch", lambda **more: Batch(TICTACTOE, 2, **more), (*KEYS, "opponents", "num_threads")),
        ("self-play", lambda **more: SelfPlayVecEnv("tictactoe", 2, **more), (*KEYS, "opponent", "num_threads")),
        ("gomoku", lambda **more: games.make("gomoku", **more), ("size", "rule", "opening")),
        ("amoba", lambda **more: games.make("amoba", **more), ("board", "patterns", "orientations", "players")),
        ("halma", lambda **more: games.make("halma", **more), ("players", "max_plies", "adjudicate")),
        ("svg", lambda **more: draw.svg(TICTACTOE, START.state, **more), ("moves", "heat", "theme", "size", "marks")),
        ("about", about, ("players", "result", "event", "date", "comments", "times", "more")),
        ("json", json_line, ("game", "options", "start", "first", "moves", "result", "comments", "times", "more")),
        ("match", lambda **more: dataclasses.replace(MATCH, **more), Match.__dataclass_fields__),
        (
            "tournament",
            lambda **more: Tournament(**({"game": "tictactoe", "agents": ("random", "greedy")} | more)),
            [each.name for each in dataclasses.fields(Tournament)],
        ),
        (
            "recipe",
            lambda **more: Recipe(**({"game": "tictactoe", "stages": (PLAYED,)} | more)),
            ("seed", "threads", "device"),
        ),
        *((name, kind, kind.__dataclass_fields__) for name, kind in GROUPS.items()),
    )
    for key in keys
}
CALLS |= {
    f"agent {name}, {key}": lambda x, name=name, key=key: AGENTS.function(name)(**{key: x})  # type: ignore[misc]
    for name in AGENTS
    for key in options.parameters(AGENTS.function(name))
}
CALLS |= {
    f"agent text {name}, {key}": lambda x, name=name, key=key: make_agent(f"{name},{key}={x}")  # type: ignore[misc]
    for name in AGENTS
    for key in options.parameters(AGENTS.function(name))
}


def said(call: Callable[[Any], object], value: Any) -> str | None:
    """What the ValueError says, if there is one; other errors come through."""
    try:
        call(value)
    except ValueError as error:
        return str(error)
    return None


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_it_works_or_says_what_is_possible(call: Callable[[Any], object]) -> None:
    for value in JUNK:
        message = said(call, value)
        if message is not None:
            assert len(message.splitlines()) == 1
            assert not any(raw in message for raw in RAW), (checks.brief(value), message)


COUNTS: dict[str, Callable[[Any], object]] = {
    "games": lambda x: dataclasses.replace(MATCH, games=x),
    "seed": lambda x: dataclasses.replace(MATCH, seed=x),
    "num_envs": lambda x: BatchEnv("tictactoe", x),
    "num_envs of self-play": lambda x: SelfPlayVecEnv("tictactoe", x),
    "count": lambda x: Batch(TICTACTOE, x),
    "random_plies": lambda x: SingleEnv("tictactoe", random_plies=x),
    "seat": lambda x: SingleEnv("tictactoe", seat=x),
    "seat of self-play": lambda x: SelfPlayVecEnv("tictactoe", seat=x),
    "first": lambda x: Position.start(TICTACTOE, x),
    "reset": lambda x: SINGLE.reset(seed=x),
    "seed of many": lambda x: VECTOR.reset(seed=x),
    "depth": lambda x: AGENTS.function("lookahead")(depth=x),
    "size": lambda x: draw.svg(TICTACTOE, START.state, size=x),
    "steps": lambda x: Play(steps=x),
    "jobs": lambda x: play_match(MATCH, jobs=x),
}


@pytest.mark.parametrize("call", COUNTS.values(), ids=COUNTS)
def test_whole_numbers_of_any_type_but_bools(call: Callable[[Any], object]) -> None:
    for one in (1, np.int64(1), np.uint8(1), np.array(1)):
        call(one)
    for wrong in (True, np.bool_(True), 1.0, "1"):
        with pytest.raises(ValueError, match="expected"):
            call(wrong)


@pytest.mark.parametrize("kind", [Match, Tournament, *GROUPS.values()])
def test_settings_have_limits(kind: Any) -> None:
    """Every number of every class of settings: out of range it is refused by name, and so is what is not a number."""
    good: dict[str, Any] = {"game": "tictactoe"} if kind in (Match, Tournament) else {}
    good |= {"agents": ("random", "greedy")} if kind in (Match, Tournament) else {}
    numbers = {name: each for name, each in options.parameters(kind).items() if options.kind_of(each) in (int, float)}
    assert numbers
    for name, each in numbers.items():
        for wrong in (10**40, -(10**40), math.nan, math.inf, *(() if each.default is None else (None,))):
            with pytest.raises(ValueError, match=r".") as raised:
                kind(**{**good, name: wrong})
            refused = getattr(raised.value, "name", str(raised.value)).split()[0]
            assert refused.rstrip("s:") == name.rstrip("s")


@pytest.mark.parametrize(
    ("name", "possible"), [("start", "random, rotate, first"), ("format", "round-robin, gauntlet")]
)
def test_settings_with_few_values(name: str, possible: str) -> None:
    with bad_value(name, possible):
        (Match if name == "start" else Tournament)("tictactoe", ("random", "greedy"), **{name: "last"})


def test_numbers_of_numpy_become_those_of_python() -> None:
    match = Match("tictactoe", ["random", "random"], np.int64(4), paired=np.bool_(True))  # type: ignore[arg-type]
    assert match == Match("tictactoe", ("random", "random"), 4, paired=True)
    assert (type(match.games), type(match.agents), match.paired) == (int, tuple, True)
    assert type(Play(gamma=np.float32(0.5)).gamma) is float  # type: ignore[arg-type]


def test_what_an_error_shows_is_short() -> None:
    assert checks.brief(np.zeros((3, 3))) == "array([[0., 0., 0.], [0., 0., 0.], [0., 0., 0.]])"
    assert len(checks.brief("x" * 1000)) == checks.MOST_CHARACTERS
    assert checks.brief(10**5000) == "a number of thousands of digits"


def test_a_bad_seed_among_good_ones_changes_nothing() -> None:
    batch = Batch(TICTACTOE, 3)
    before = batch.streams.copy()
    with bad_value("seed"):
        batch.seed(range(3), [1, 2, -1])
    assert (batch.streams == before).all()
