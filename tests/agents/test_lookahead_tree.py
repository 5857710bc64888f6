"""The search tree of halma's lookahead, against the example of the thesis, the definition, and the moves played."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from halma_positions import (
    FIRST_MOVES,
    RED_MEN,
    defined_best,
    moved,
    own,
    point,
    positions_of,
    some_positions,
    value,
)

from amoba_agents import make_agent
from amoba_agents.players.lookahead_tree import all_home, first_moves, second_moves
from amoba_env import Position, games
from amoba_env.core import rules as ru
from amoba_env.core.rng import streams
from amoba_env.draw.ground import LETTER
from amoba_experiments.positions.search_picture import PAD, WIDE, explain_file, search_parts

HALMA = games.make("halma")
ALL_HOME = 8


def test_the_worked_example() -> None:
    agent, start = make_agent("lookahead:2"), Position.start(HALMA)
    lines = first_moves(agent, start)
    assert [line.number for line in lines] == list(range(14))
    for number, (man, target, after, best, numbers) in FIRST_MOVES.items():
        line = lines[number]
        origin, to = (point(HALMA, cell) for cell in divmod(line.action, HALMA.n_cells))
        assert (RED_MEN.index(origin), to, line.distance - ALL_HOME) == (man, target, after)
        if best is not None:
            seconds = second_moves(agent, line)
            assert line.value - ALL_HOME == best == min(each.distance for each in seconds) - ALL_HOME
            assert [each.number for each in seconds if each.best] == numbers
    assert [line.number for line in lines if line.best] == [5, 11]
    assert all_home(HALMA, 0) == ALL_HOME
    assert not second_moves(make_agent("greedy"), lines[0])


@pytest.mark.parametrize("player", ["greedy", "lookahead:1", "lookahead:2", "lookahead:2,ties=thesis"])
def test_figures_are_those_of_the_definition_and_the_best_is_what_is_played(player: str) -> None:
    agent = make_agent(player)
    greedy, depth = player == "greedy", 2 if "2" in player else 1
    square = games.make("square_halma", size=8, players=2)
    for position in some_positions(3, 12, seed=depth) + positions_of(square, 2, seed=1, plies=60):
        lines, seat = first_moves(agent, position), position.to_move
        assert {line.action for line in lines} == set(own(position, seat))
        for line in lines:
            after = moved(position, seat, line.action)
            assert line.distance == after.distance(seat)
            exact = value(after, seat, depth - 1)
            assert line.value == (exact if greedy else min(exact, position.distance(seat)))
        best = {line.action for line in lines if line.best}
        assert best == {line.action for line in lines if line.value == min(each.value for each in lines)}
        assert best == defined_best(position, depth, greedy)[0]
        states = np.repeat(position.state[None], 200, axis=0)
        memory = np.zeros((200, agent.memory(position.game)), np.int16)
        played = set(agent.act(position.game, states, streams(3, 0, 200), memory).tolist())
        assert played <= best
        assert len(played) > 1 or len(best) == 1


@pytest.mark.plain
def test_home_before_the_last_move() -> None:
    position = Position.from_text(HALMA, "r/rr/2rr3/3r2/wwggg/wwwwgg/1g5/2/1 r 60")
    lines = first_moves(make_agent("lookahead:2"), position)
    assert {line.value for line in lines if line.best} == {0}
    assert [second_moves(make_agent("lookahead:2"), line) for line in lines if line.distance == ALL_HOME] == [[]]


def test_the_picture_marks_what_the_seed_plays() -> None:
    start = Position.start(HALMA)
    for seed in range(4):
        now, firsts, seconds = search_parts(start, "lookahead:2", seed)
        assert now.cards[0].text == ("red to move", "distance 32")
        assert "step distance after the move (0: all home), and the least after 2 own moves" in firsts.title
        assert seconds.title.endswith("the step distance after both")
        assert [i for i, card in enumerate(firsts.cards) if card.marked] == [5, 11]
        (played,) = (i for i, card in enumerate(firsts.cards) if card.played)
        assert played in (5, 11)
        assert firsts.cards[5].text == ("5: e3-f4", "31, best 27")
        assert [card.text for card in seconds.cards if card.marked] == [
            ("5, then 0: g1-g5", "27"),
            ("11, then 0: g1-g5", "27"),
        ]
        assert len(seconds.cards) == 4 * 4 + 2
    assert len(search_parts(start, "greedy", 0)) == 2


@pytest.mark.plain
@pytest.mark.parametrize(("game", "player"), [("halma", "lookahead:2"), ("chinese_checkers", "greedy")])
def test_pictures(game: str, player: str, tmp_path: Path) -> None:
    position = Position.start(games.make(game))
    for theme in ("light", "dark"):
        explain_file(position, player, 0, tmp_path / "a.svg", theme)
        root = ET.fromstring((tmp_path / "a.svg").read_text())
        name = "{http://www.w3.org/2000/svg}"
        parts = search_parts(position, player, 0)
        cards = [card for part in parts for card in part.cards]
        assert len(root.findall(f"{name}svg")) == len(cards)
        best = [rect for rect in root.findall(f"{name}rect") if rect.get("class") == "best"]
        assert len(best) == sum(card.marked for card in cards)
        for text in root.findall(f"{name}text"):
            assert len(text.text or "") * LETTER * 18 < float(root.get("width", 0))
            if text.get("text-anchor") == "middle":  # below a board: inside its frame
                assert len(text.text or "") * LETTER * 15 < WIDE + 2 * PAD


@pytest.mark.plain
@pytest.mark.parametrize(
    ("player", "file", "message"),
    [
        ("random", "a.svg", "expected greedy or lookahead:DEPTH"),
        ("lookahead:5", "a.svg", "lookahead:5: expected at most 4 moves ahead"),
        ("greedy", "a.png", r"'a.png': expected a file that ends in \.svg"),
    ],
)
def test_what_cannot_be_drawn(player: str, file: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        explain_file(Position.start(HALMA), player, 0, Path(file))


@pytest.mark.plain
def test_other_games_have_no_own_moves_ahead() -> None:
    with pytest.raises(ValueError, match="expected a game where men move"):
        first_moves(make_agent("greedy"), Position.start(games.make("tictactoe")))
    goal, cells = ru.table(HALMA.rules, ru.GOALS)[0], Position.start(HALMA).cells
    others = cells[goal][cells[goal] >= 0]
    cells[cells == 0] = -1
    cells[goal] = 0
    cells[ru.table(HALMA.rules, ru.HOMES)[0][: len(others)]] = others
    over = Position.from_cells(HALMA, cells, 1)
    assert over.over
    with pytest.raises(ValueError, match="the game is over"):
        first_moves(make_agent("greedy"), over)
