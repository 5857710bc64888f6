"""Any commands in any order, and what a screen asks of a room."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from scale import tries

from amoba_agents import make_agent
from amoba_env import Position, games, records
from amoba_env.agent import Agent
from amoba_env.options import Value
from amoba_env.position import played
from amoba_experiments.rooms import questions
from amoba_experiments.rooms.commands import COMMANDS, apply, opened
from amoba_experiments.rooms.room import FREE, Command, Refusal, Room
from amoba_experiments.rooms.settings import Clock, Settings
from amoba_experiments.rooms.states import state_of
from amoba_experiments.web import view

WHAT = ("to move", "won", "may start", "pause", "quit", "new game")
STATES = {"draw", *(f"{seat} {what}" for seat in "ABC" for what in WHAT)}


class Anything(RuleBasedStateMachine):
    """People and the server try whatever they like; the room stays one that its moves explain."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0
        self.kept: list[tuple[Command, int]] = []
        self.settings = Settings("halma", ("me", "guest", "guest"), {"max_plies": 6}, clock=Clock(20_000), seed=1)
        self.room = self.first = opened(self.settings, "Ann", 0)

    @rule(
        do=st.sampled_from(sorted(COMMANDS)),
        who=st.integers(-1, 3),
        old=st.booleans(),
        name=st.sampled_from(["Ben", "Cleo", "Ann", ""]),
        move=st.sampled_from(["e3-d4", "win", "draw"]),
        wait=st.integers(0, 9000),
    )
    def anything(self, do: str, who: int, old: bool, name: str, move: str, wait: int) -> None:
        self.now += wait
        at = (0, 0) if old else None
        self.command(Command(do, who, at, move, name, away=(1,)))

    @rule(which=st.integers(0, 10**6), who=st.integers(0, 2), wait=st.integers(0, 5000))
    def moves(self, which: int, who: int, wait: int) -> None:
        self.now += wait
        legal = self.room.position.legal_moves() or ["e3-d4"]
        before = self.room
        after = self.command(Command("move", who, before.at, legal[which % len(legal)]))
        if after is not None and len(after.moves) > len(before.moves):
            assert before.holders[before.position.to_move] == who  # nobody moves for another
            with pytest.raises(Refusal, match="the position has changed since"):  # nor the same twice
                apply(after, self.kept[-1][0], self.now)

    def command(self, command: Command) -> Room | None:
        try:
            self.room = apply(self.room, command, self.now)
        except Refusal:
            return None
        self.kept.append((command, self.now))
        return self.room

    @invariant()
    def its_moves_explain_the_position(self) -> None:
        start = Position.start(self.room.game, self.room.starter)
        assert played(start, [each.action for each in self.room.moves])[-1] == self.room.position

    @invariant()
    def it_is_in_one_of_the_states(self) -> None:
        assert state_of(self.room) in STATES
        assert (self.room.phase == "waiting") == (FREE in self.room.holders)

    def teardown(self) -> None:
        again = self.first
        for command, now in self.kept:
            again = apply(again, command, now)
        assert again == self.room


Anything.TestCase.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)
TestAnything = Anything.TestCase
pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.NonInteractiveExampleWarning")

GAMES = [
    ("tictactoe", {}),
    ("gomoku", {"opening": "swap2"}),
    ("renju", {"opening": "soosyrv8"}),
    ("renju", {"opening": "taraguchi10"}),
    ("omok", {}),
    ("amoba", {"board": "islands", "patterns": "4,xx/xx", "players": 3}),
    ("halma", {}),
    ("chinese_checkers", {}),
    ("square_halma", {}),
]


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_targets_are_the_legal_moves(name: str, options: dict[str, Value]) -> None:
    """What a browser can send, told only by what it was sent, are the legal moves: in random games, ply by ply."""
    room = opened(Settings(name, ("me",) * games.make_from(name, options).players, options), "Ann", 0)
    names, drawn = view.board(room.game)["names"], random.Random(1)
    start = position = room.position
    for _ in range(tries(20, 1500)):
        if position.over:
            position = start
        sent = json.loads(json.dumps(view.own(replace(room, phase="playing", position=position), 0)))["targets"]
        if room.game.moves_men:
            found = [f"{names[int(origin)]}-{names[to]}" for origin, cells in sent["men"].items() for to in cells]
        else:
            found = [names[cell] for cell in sent["cells"]] + sent["choices"]
        assert sorted(found) == sorted(position.legal_moves())
        position = position.play(drawn.choice(found))


def test_machines_go_on_as_they_would_have() -> None:
    """The stream and the memory of a machine are in its moves: a room that is built anew has the same game."""
    agent = make_agent("greedy:ties=thesis")
    room = opened(Settings("halma", ("a", "b", "c"), seed=3), "", 0)
    kept = []
    for now in range(9):
        command = questions.machine_move(room, agent)
        assert questions.machine_move(room, agent) == command
        kept.append((command, now))
        room = apply(room, command, now)
    again = opened(room.settings, "", 0)
    for each, now in kept:
        assert questions.machine_move(again, agent) == each
        again = apply(again, each, now)
    assert again == room
    assert any(played.mind is not None and played.mind.memory.strip("0") for played in room.moves)


def test_a_machine_without_a_legal_move() -> None:
    class Wrong(Agent):
        name = "wrong"
        incidents = ((0, "it is broken"),)

        def act(self, *_: object) -> list[int]:
            return [-1]

    room = opened(Settings("tictactoe", ("wrong", "me")), "Ann", 0)
    command = questions.machine_move(room, Wrong())
    assert (command.do, command.move) == ("illegal", "(-1): it is broken")
    over = apply(room, command, 5)
    assert over.last is not None  # the game counts, though there was no move
    assert (over.last.result.ending, over.totals.games) == ("illegal", 1)


def test_distances() -> None:
    position = Position.start(games.make("halma"))
    assert questions.distances(position) == [32, 32, 32]
    assert [len(row) for row in questions.steps(position.game) or []] == [37] * 3
    with pytest.raises(ValueError, match="tictactoe has no distances"):
        questions.distances(Position.start(games.make("tictactoe")))


def test_files_that_can_hold_a_game() -> None:
    assert questions.formats(games.make("gomoku")) == ["sgf", "psq", "jsonl", "html"]
    assert questions.formats(games.make("gomoku", opening="swap2")) == ["sgf", "jsonl", "html"]
    assert questions.formats(games.make("halma")) == ["jsonl", "html"]
    assert questions.formats(games.make("amoba", board="./..", patterns="2")) == ["jsonl", "html"]


def test_records_and_counts() -> None:
    room = opened(Settings("tictactoe", ("me", "me")), "Ann", 0)
    for number, move in enumerate(["a1", "a3", "b1", "b3", "c1"], start=1):
        room = apply(room, Command("move", 0, None, move, took=10), number * 100)
    record = questions.record(room)
    assert (record.text, record.about.players, record.about.times) == ("a1 a3 b1 b3 c1", ("Ann", "Ann"), (100,) * 5)
    assert "Ann" in records.to_text([record], "jsonl")
    found = questions.counts(room)
    assert (found["games"], found["nobody"], found["rounds"]) == (1, 0, 2.0)
    assert found["seats"][0] == {"seat": 0, "name": "Ann", "wins": 1, "moves": 3, "thinking": 100, "reaction": 10}
    assert record.about.date == "1970-01-01"
    assert record.about.more == {}
    timed = questions.record(opened(Settings("tictactoe", ("me", "me"), clock=Clock(90_000, 1500)), "Ann", 0))
    assert "TM[90]OT[1.5 fischer]" in records.to_text([timed], "sgf")
    resigned = apply(opened(Settings("tictactoe", ("me", "me")), "Ann", 0), Command("resign", 0), 0)
    assert questions.record(resigned).result == (1, "resigned")
    assert questions.counts(opened(Settings("tictactoe", ("me", "me")), "Ann", 0))["rounds"] is None
    halma = Position.start(games.make("halma"))
    assert questions.skipped(halma, halma.play("e3-d4")) == []
