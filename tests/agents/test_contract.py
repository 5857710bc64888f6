"""What every agent promises, and what those who ask agents check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from child_threads import N
from errors import bad_value

from amoba_agents import AGENTS, Seat, make_agent, read_file, registry
from amoba_env import Position, games
from amoba_env.agent import Actions, Agent, Memory, Players, Streams, Wrapper, new_memory
from amoba_env.agent import make_agent as make_any
from amoba_env.batch import Batch
from amoba_env.core import endings as en
from amoba_env.core.rng import streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_env.vector import BatchEnv
from amoba_experiments.analysis.match_text import print_match
from amoba_experiments.analysis.summary import summarize
from amoba_experiments.analysis.tournament import Tournament, play_tournament
from amoba_experiments.analysis.tournament import summarize as summarize_tournament
from amoba_experiments.arena.games import Timed
from amoba_experiments.arena.match import Match
from amoba_experiments.rooms import questions
from amoba_experiments.rooms.commands import opened
from amoba_experiments.rooms.settings import Settings
from amoba_experiments.runs.play_match import play_match

GAME = games.make("tictactoe")


class Answers(Agent):
    """Gives always the same answer: an array, or what a function makes of the number of games."""

    name = "answers"

    def __init__(self, answer: Any, rowwise: bool = False) -> None:
        self.answer, self.rowwise = answer, rowwise

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        return self.answer(len(states)) if callable(self.answer) else self.answer


WRONG = {
    "one for all": lambda count: np.zeros(1 if count > 1 else 2, np.int32),
    "a column": lambda count: np.zeros((count, 1), np.int32),
    "one more": lambda count: np.zeros(count + 1, np.int32),
    "floats": lambda count: np.full(count, 4.7),
    "nan": lambda count: np.full(count, np.nan),
    "bools": lambda count: np.ones(count, bool),
    "texts": lambda count: ["b2"] * count,
    "nothing": None,
    "a number": 4,
    "ragged": [[1], [1, 2]],
    "beyond int32": lambda count: np.full(count, 2**32 + 4),
}


@pytest.mark.plain
@pytest.mark.parametrize("answer", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("rowwise", [True, False])
def test_what_is_no_answer_is_an_error_that_names_the_agent(
    answer: Any, rowwise: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Answers(answer, rowwise)
    monkeypatch.setitem(AGENTS, "answers", lambda: agent)
    position = Position.start(GAME)
    asked = [
        lambda: BatchEnv("tictactoe", N, opponent=agent, seat=1, num_threads=3).reset(seed=1),
        lambda: SelfPlayVecEnv("tictactoe", 2, agent, seat=1).reset(),
        lambda: Seat(agent, position).act(position),
        lambda: play_match(Match("tictactoe", ("answers", "random"), 4)),
        lambda: questions.machine_move(opened(Settings("tictactoe", ("answers", "me")), "Ann", 0), agent),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match="answers"):
            ask()


@pytest.mark.plain
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64, list])
def test_any_integers_are_an_answer(kind: Any) -> None:
    answer = [4, 4] if kind is list else np.array([4, 4], kind)
    players = Players(GAME, [Answers(answer)], 2)
    rows = np.arange(2)
    moves = players.act(GAME.batch(2), streams(1, 0, 2), rows, np.zeros(2, np.int64), np.zeros(2, np.int64))
    assert moves.tolist() == [4, 4]
    assert moves.dtype == np.int32


@pytest.mark.parametrize("words", [-1, 1.5, None, 10**9])
def test_a_memory_of_an_impossible_size(words: Any) -> None:
    agent = Answers(0)
    agent.memory = lambda game: words  # type: ignore[method-assign]
    with bad_value("answers: memory()"):
        Batch(GAME, 2, agent)


@pytest.mark.plain
@pytest.mark.parametrize("action", [4, -1, 10**6])
def test_results_say_who_lost_by_illegal_moves(
    action: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rich.console import Console

    monkeypatch.setitem(AGENTS, "stubborn", lambda: Answers(lambda count: np.full(count, action)))
    match = Match("tictactoe", ("stubborn", "greedy"), 40, seed=1)
    result = summarize(match, play_match(match), None)
    lost = result["endings"]["illegal"]
    assert lost >= 20
    line = f"stubborn lost {lost} of 40 games by illegal moves"
    assert line in result["warnings"]
    print_match(result, Console(width=200))
    assert line in capsys.readouterr().out
    what = Tournament("tictactoe", ("stubborn", "greedy", "random"), games=20)
    matches = play_tournament(what, None, 1)
    (said,) = (each for each in summarize_tournament(what, matches, None)["warnings"] if "illegal" in each)
    assert said.startswith("stubborn lost ")
    assert said.endswith(" of 40 games by illegal moves")


def test_no_word_where_nobody_did() -> None:
    match = Match("tictactoe", ("random", "greedy"), 20)
    assert not [each for each in summarize(match, play_match(match), None)["warnings"] if "illegal" in each]


# --- The base class -----------------------------------------------------------------------------------------------


class Everything(Agent):
    """Differs from the defaults in all that an agent has."""

    name, rowwise, at_once, incidents = "everything", False, 7, ((0, "it is broken"),)

    def memory(self, game: Game) -> int:
        return 3

    def load(self, game: Game) -> object:
        return "loaded"

    def reads(self, game: Game) -> dict[str, Path | None]:
        return {"what": None}

    def introduction(self) -> str:
        return "Everything 1.0"

    def used_ms(self, game: Game, memory: Memory) -> int:
        return 5

    def stop(self, now: bool = True) -> None:
        self.stopped = now

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        return np.zeros(len(states), np.int32)


@pytest.mark.parametrize("wrap", [Wrapper, lambda agent: Timed(agent, agent.name)], ids=["Wrapper", "Timed"])
def test_a_wrapper_passes_everything_on(wrap: Any) -> None:
    inner = Everything()
    outer = wrap(inner)
    outer.act(GAME, GAME.batch(1), streams(1, 0, 1), new_memory(outer, GAME, 1))
    names = [name for name in vars(Agent) if not name.startswith("_")]
    assert set(names) == {
        *("name", "memory", "load", "reads", "introduction", "used_ms", "stop", "act"),
        *("rowwise", "incidents", "at_once"),
    }
    for name in names:
        one, other, usual = (getattr(each, name) for each in (inner, outer, Answers(0)))
        if name in ("memory", "load", "reads"):
            one, other, usual = (each(GAME) for each in (one, other, usual))
        if name == "introduction":
            one, other, usual = (each() for each in (one, other, usual))
        if name == "used_ms":
            one, other, usual = (each(GAME, np.zeros(3, np.int16)) for each in (one, other, usual))
        if name == "stop":
            other(False)
            assert inner.stopped is False
        elif name != "act":
            assert one == other
            assert name == "rowwise" or other != usual
    assert Wrapper(make_agent("random")).rowwise


@pytest.mark.plain
def test_an_agent_is_of_the_base_class_and_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Like:
        name = "like"

        def memory(self, game: Game) -> int:
            return 0

        def act(self, *_: Any) -> Actions:
            return np.zeros(1, np.int32)

    class Nameless(Answers):
        name = ""

    for wrong in (Like(), Nameless(0), Answers, 4, None):
        with pytest.raises(ValueError, match="expected a player"):
            make_any(wrong)  # type: ignore[arg-type]
    monkeypatch.setitem(AGENTS, "like", Like)  # type: ignore[dict-item]
    with pytest.raises(ValueError, match=r"amoba_env\.agent\.Agent"):
        make_agent("like")


ROWWISE = {
    "random": "tictactoe",
    "greedy": "tictactoe",
    "perfect": "tictactoe",
    "alphabeta:nodes=20": "gomoku",
    "mcts:2": "tictactoe",
    "mcts:2,prior=trained": "tictactoe",
    "trained": "tictactoe",
    "trained,temperature=1": "tictactoe",
    "level:2": "tictactoe",
    "level:5": "gomoku",
    "level:6": "gomoku",
}


@pytest.mark.parametrize("text", ROWWISE)
def test_several_threads_ask_and_get_the_same(text: str) -> None:
    game, agent = games.make(ROWWISE[text]), make_agent(text)
    assert agent.rowwise
    rows, seats, nobody = np.arange(N), np.zeros(N, np.int64), np.zeros(N, np.int64)
    found = []
    for num_threads in (1, 3):
        rng = streams(1, 0, N)
        players = Players(game, [agent], N)
        found.append((players.act(game.batch(N), rng, rows, seats, nobody, num_threads).tolist(), rng.tolist()))
    assert found[0] == found[1]


TWO = {"players": 2}
ALIKE: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("tictactoe", {}, ("exploit:greedy,sims=12", "greedy")),
    ("gomoku", {"size": 9}, ("alphabeta:nodes=300", "greedy")),
    ("gomoku", {}, ("level:2", "greedy")),
    ("gomoku", {}, ("level:6", "greedy")),
    ("halma", {}, ("level:3", "greedy", "greedy")),
    ("halma", {}, ("level:8", "greedy", "greedy")),
    ("halma", TWO, ("maxn:2", "greedy")),
    ("halma", TWO, ("brs:3,width=8", "greedy")),
    ("halma", TWO, ("robust:2", "greedy")),
]
ALIKE += [
    (name, options, ("mcts:12", *["random"] * (games.make(name, **options).players - 1)))
    for name, options in (
        ("tictactoe", {}),
        ("gomoku", {"size": 7, "opening": "swap2"}),
        ("renju", {"size": 9, "opening": "soosyrv8"}),
        ("renju", {"size": 9, "forbidden": "lose"}),
        ("amoba", {"board": "cross", "patterns": "4,xx/xx", "players": 4}),
        ("halma", {"max_plies": 30}),
        ("chinese_checkers", {"players": 6, "max_plies": 20, "anti_spoiling": True}),
        ("square_halma", {"size": 8, "players": 2, "max_plies": 20}),
    )
]
PLAIN: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("tictactoe", {}, ("mcts:9", "mcts:9,c=1")),
    ("halma", {**TWO, "max_plies": 6}, ("mcts:3", "mcts:3,c=1")),
]
MATCHES = [pytest.param(*row, id=f"{row[0]}, {row[2][0]}") for row in ALIKE]
MATCHES += [pytest.param(*row, id=f"{row[0]}, {row[2][1]}", marks=pytest.mark.plain) for row in PLAIN]


@pytest.mark.parametrize(("name", "options", "agents"), MATCHES)
def test_games_do_not_depend_on_the_batch(name: str, options: dict[str, Any], agents: tuple[str, ...]) -> None:
    match = Match(name, agents, 6, seed=3, options=options, rotate=True)
    one = play_match(match, jobs=1)
    for jobs, batch in ((1, 1), (2, 5)):
        assert np.array_equal(one.digest, play_match(match, jobs=jobs, batch=batch).digest)
    assert len(set(one.digest.tolist())) > 1
    assert not (one.ending == en.ILLEGAL).any()


def test_who_is_asked_by_one_thread_only() -> None:
    assert not make_agent("alphabeta:ms=5").rowwise
    for level in range(1, 11):
        assert make_agent(f"level:{level}").rowwise


# --- The files that agents read -----------------------------------------------------------------------------------


class Secretive(Agent):
    """Reads a file while it plays, and not before."""

    name = "secretive"

    def __init__(self, early: bool) -> None:
        self.early = early

    def load(self, game: Game) -> object:
        return read_file("weights.txt", Path.read_text) if self.early else None

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        read_file("weights.txt", Path.read_text)
        return make_agent("random").act(game, states, rng, memory)


def test_a_file_that_is_read_during_a_match_must_be_known_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("weights.txt").write_text("one")
    monkeypatch.setitem(AGENTS, "secretive", Secretive)
    assert list(registry.fingerprint("secretive:early=true", GAME))[1:] == ["weights.txt"]
    play_match(Match("tictactoe", ("secretive:early=true", "random"), 4))
    with pytest.raises(ValueError, match=r"secretive.*weights\.txt"):
        play_match(Match("tictactoe", ("secretive:early=false", "random"), 4))


def test_a_file_is_read_again_when_it_was_written(tmp_path: Path) -> None:
    file, times = tmp_path / "weights.txt", []

    def read(path: Path) -> str:
        times.append(path)
        return path.read_text()

    file.write_text("one")
    assert [read_file(file, read), read_file(str(file), read)] == ["one", "one"]
    file.write_text("another")
    assert read_file(file, read) == "another"
    assert len(times) == 2
