"""Networks over lines look up the patterns on the board; a shipped network judges each position by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as hs
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from shipped import policy_game

from amoba_agents import make_agent
from amoba_agents.networks import trained
from amoba_agents.networks.board_policy import board_kwargs
from amoba_agents.networks.legal_categorical import LegalCategorical
from amoba_agents.networks.line_patterns import BLACK, DIRECTIONS, OFF, BoardLines, line_numbers
from amoba_agents.values.winning_sets import in_lines
from amoba_env import games
from amoba_env.batch import observe
from amoba_env.core import state as st
from amoba_env.core.play import random_plies
from amoba_env.core.rng import streams
from amoba_env.sb3 import SelfPlayVecEnv

HOLES = "....../.#..../....../..##../....../......"


def read(planes: np.ndarray, y: int, x: int, dy: int, dx: int, reach: int) -> tuple[int, ...]:
    """The symbols from a cell on in one direction; behind the edge all are off the board."""
    height, width = planes.shape[:2]
    symbols: list[int] = []
    for way in range(1, reach + 1):
        row, column = y + way * dy, x + way * dx
        inside = 0 <= row < height and 0 <= column < width and planes[row, column, 2]
        own, other = planes[row, column, :2] if inside else (0, 0)
        symbols.append(int(own + 2 * other) if inside and OFF not in symbols else OFF)
    return tuple(symbols)


@pytest.mark.parametrize(
    ("name", "options"),
    [("gomoku", {"size": 7}), ("renju", {"size": 9}), ("tictactoe", {}), ("amoba", {"board": HOLES, "patterns": "4"})],
)
def test_lines_of_positions(name: str, options: dict[str, Any]) -> None:
    """Two lines have the same number exactly if they are equal or mirror images."""
    env = SelfPlayVecEnv(name, 2, **options)
    kwargs = board_kwargs(env.game)
    body = BoardLines(env.observation_space, kwargs["points"], kwargs["reach"])
    states, rng = env.game.batch(12), streams(3, 0, 12)
    for row in range(12):
        random_plies(env.game.rules, states[row], rng[row : row + 1], 2 * row)
    planes = observe(env.game, states, states[:, st.TO_MOVE])[0]
    numbers = body.lookup[body.codes(torch.as_tensor(np.ascontiguousarray(planes)).float())].numpy()
    seen: dict[tuple[Any, ...], int] = {}
    for (board, y, x), _ in np.ndenumerate(planes[..., 0]):
        for way, (dy, dx) in enumerate(DIRECTIONS):
            sides = [read(planes[board], y, x, *step, body.reach) for step in ((dy, dx), (-dy, -dx))]
            number = numbers[board, way, y, x]
            assert seen.setdefault(tuple(sorted(sides)), number) == number
    assert len(set(seen.values())) == len(seen)
    assert body.colors == (2 if planes.shape[3] > BLACK else 1)


@pytest.mark.parametrize("reach", [1, 2, 4])
def test_how_many_lines(reach: int) -> None:
    numbers, lines = line_numbers(reach)
    sides = sum(3**known for known in range(reach + 1))  # of this many cells before the edge
    assert len(lines) == sides * (sides + 1) // 2
    assert numbers[lines].tolist() == list(range(len(lines)))


@given(hs.integers(0, 4**4 - 1), hs.integers(0, 4**4 - 1))
def test_mirrored_lines(one: int, two: int) -> None:
    numbers, _ = line_numbers(4)
    assert numbers[one | two << 8] == numbers[two | one << 8]


@pytest.mark.plain
@pytest.mark.parametrize(
    ("name", "options", "lines"),
    [
        ("gomoku", {}, True),
        ("amoba", {"board": HOLES, "patterns": "4"}, True),
        ("amoba", {"board": "8x8", "patterns": "xx/xx"}, False),
        ("amoba", {"board": "8x8", "players": 3}, False),
        ("halma", {}, False),
        ("square_halma", {}, False),
    ],
)
def test_which_games_are_of_lines(name: str, options: dict[str, Any], lines: bool) -> None:
    game = games.make(name, **options)
    assert in_lines(game) is lines
    assert (board_kwargs(game)["body"] == "lines") is lines


def test_lines_have_the_same_codes_with_coarse_numbers() -> None:
    """bfloat16 has eight bits for the digits of a number; the code of a line has sixteen."""
    env = SelfPlayVecEnv("gomoku", 8, size=9, random_plies=20)
    body = BoardLines(env.observation_space, board_kwargs(env.game)["points"], channels=4, layers=1)
    planes = torch.as_tensor(np.ascontiguousarray(env.reset())).float()
    codes = body.codes(planes)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(body.codes(planes), codes)
        assert body(planes).isfinite().all()
    body.to(torch.bfloat16)
    assert torch.equal(body.codes(planes.bfloat16()), codes)


def test_colours_matter_in_renju() -> None:
    env = SelfPlayVecEnv("renju", 2, size=9)
    body = BoardLines(env.observation_space, board_kwargs(env.game)["points"])
    planes = torch.zeros(1, 9, 9, 4)
    planes[..., 2] = 1
    body.cell.weight.data[:, BLACK] = 0  # the plane itself tells nothing
    white, planes[..., BLACK] = body(planes), 1
    assert not torch.allclose(white, body(planes))


@pytest.mark.parametrize("layers", [1, 2, 5])
def test_every_weight_of_the_convolutions_counts(layers: int) -> None:
    env = SelfPlayVecEnv("gomoku", 2, size=7)
    body = BoardLines(env.observation_space, board_kwargs(env.game)["points"], channels=4, layers=layers)
    body(torch.as_tensor(np.ascontiguousarray(env.reset())).float()).sum().backward()
    parts = (body.everywhere, *(part for block in body.blocks for part in (block.first, block.second)))
    assert all(part.weight.grad is not None for part in parts)


@pytest.mark.plain
def test_a_folded_table_says_the_same() -> None:
    env = SelfPlayVecEnv("renju", 4, size=9, random_plies=8)
    body = BoardLines(env.observation_space, board_kwargs(env.game)["points"], channels=4, layers=1)
    torch.nn.init.normal_(body.line)
    planes = torch.as_tensor(np.ascontiguousarray(env.reset())).float()
    before = body(planes)
    body.fold()
    assert torch.equal(body(planes), before)
    torch.nn.init.zeros_(body.line)
    assert torch.equal(body(planes), before)


@pytest.mark.parametrize("file", sorted(each.stem for each in trained.POLICIES.glob("*.onnx")))
def test_what_it_says_of_a_position_does_not_depend_on_the_others(file: str) -> None:
    """To the last bit, in passes of every size."""
    game, agent = policy_game(file), make_agent("trained")
    states, rng = game.batch(37), streams(2, 0, 37)
    for row in range(37):
        random_plies(game.rules, states[row], rng[row : row + 1], row % 20)
    logits, values = agent.evaluate(game, states)
    for count in (1, 2, 3, 7, 16, 17):
        for first in range(0, 37, count):
            rows = slice(first, first + count)
            found = agent.evaluate(game, states[rows])
            assert np.array_equal(found[0], logits[rows])
            assert np.array_equal(found[1], values[rows])


@pytest.mark.plain
def test_the_distribution_is_the_stock_one() -> None:
    """Of logits and masks: log probabilities, entropies, modes and samples."""
    torch.manual_seed(0)
    logits, masks = torch.randn(40, 30) * 3, torch.rand(40, 30) < 0.2
    masks[torch.arange(40), torch.randint(30, (40,))] = True
    for mask in (masks, None):
        ours, stock = LegalCategorical(30), MaskableCategoricalDistribution(30)
        for each in (ours, stock):
            each.proba_distribution(action_logits=logits)
            if mask is not None:
                each.apply_masking(mask.numpy())
        assert torch.allclose(ours.entropy(), stock.entropy(), atol=1e-5)
        assert (ours.mode() == stock.mode()).all()
        actions = ours.sample()
        assert mask is None or mask[torch.arange(40), actions].all()
        assert torch.allclose(ours.log_prob(actions), stock.log_prob(actions), atol=1e-5)
    many = LegalCategorical(30).proba_distribution(logits[:1].expand(20_000, 30))
    many.apply_masking(masks[:1].expand(20_000, 30))
    seen = torch.bincount(many.sample(), minlength=30) / 20_000
    assert torch.allclose(seen, torch.softmax(logits[0].masked_fill(~masks[0], -1e8), 0), atol=0.015)
    assert LegalCategorical(30).actions_from_params(logits, deterministic=True).tolist() == logits.argmax(1).tolist()
