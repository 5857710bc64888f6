"""Options that are declared with limits: checks, texts and tables follow from the declaration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from errors import bad_value

from amoba_env import checks, options
from amoba_env.options import Option


class Player:
    """Looks ahead."""

    name: str

    @options.named("player")
    def __init__(
        self,
        depth: Annotated[int, Option("moves ahead", 1, 20)] = 2,
        ties: Annotated[Literal["uniform", "thesis"], Option("how equal moves are chosen")] = "uniform",
        width: Annotated[Literal[4, 8], Option("moves that are looked at")] = 8,
        c: Annotated[float, Option("exploration", 0)] = 1.5,
        fast: bool = False,
    ) -> None:
        self.options = depth, ties, width, c, fast


class Deep(Player):
    """Looks far."""

    @options.named("deep")
    def __init__(self, *, ties: Literal["uniform", "thesis"] = "uniform", path: str = "") -> None:
        super().__init__(20, ties)


@dataclass(frozen=True)
class Group:
    """Some settings."""

    steps: Annotated[int, Option("how many", 1, 100)]
    opponents: tuple[str, ...] = ()
    rate: Annotated[float | None, Option("of learning", 0, 1)] = None
    more: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        options.convert_fields(self)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, "player:2"),
        ({"depth": 3}, "player:3"),
        ({"ties": "thesis", "depth": np.int16(4)}, "player:4,ties=thesis"),
        ({"c": 2}, "player:2,c=2"),
        ({"c": np.float32(0.25), "fast": np.True_}, "player:2,c=0.25,fast=true"),
        ({"width": np.int8(4)}, "player:2,width=4"),
    ],
)
def test_the_name_of_a_player_is_the_text_that_makes_it(given: dict[str, Any], name: str) -> None:
    player = Player(**given)
    assert player.name == name
    assert [type(each) for each in player.options] == [int, str, int, float, bool]
    texts = name.partition(":")[2].replace(":", ",").split(",")
    parsed = options.parse("player", Player, [f"depth={texts[0]}", *texts[1:]])
    assert Player(**parsed).options == player.options  # type: ignore[arg-type]


def test_an_option_only_by_name_is_written_with_its_name() -> None:
    assert (Deep().name, Deep(ties="thesis").name) == ("deep", "deep:ties=thesis")
    assert Deep(path="x").name == "deep:path=x"


@pytest.mark.plain
@pytest.mark.parametrize(
    ("given", "possible"),
    [
        ({"depth": 0}, "1..20"),
        ({"depth": 21}, "1..20"),
        ({"depth": True}, "1..20"),
        ({"depth": 2.0}, "whole number"),
        ({"ties": "coin"}, "uniform, thesis"),
        ({"ties": ["thesis"]}, "uniform, thesis"),
        ({"width": 6}, "4, 8"),
        ({"width": True}, "whole number"),
        ({"c": -0.5}, "0 or more"),
        ({"c": float("nan")}, "0 or more"),
        ({"fast": 1}, "true or false"),
    ],
)
def test_impossible_values_are_refused_before_the_player_is_made(given: dict[str, Any], possible: str) -> None:
    with bad_value(f"player: {next(iter(given))}", possible):
        Player(**given)
    with bad_value(f"player: {next(iter(given))}", possible):
        options.complete("player", Player, given)


@pytest.mark.plain
def test_fields_of_a_dataclass() -> None:
    group = Group(np.int64(3), ["a"], np.float64(0.5))  # type: ignore[arg-type]
    assert group == Group(3, ("a",), 0.5)
    assert [type(each) for each in (group.steps, group.opponents, group.rate)] == [int, tuple, float]
    assert options.check("group", Group, {"steps": 3, "rate": None}) == {"steps": 3, "rate": None}
    for given, name in (({"steps": 0}, "steps"), ({"steps": 1, "rate": 2}, "rate"), ({"steps": 1, "more": 1}, "more")):
        with bad_value(name):
            Group(**given)  # type: ignore[arg-type]
    with bad_value("opponents"):
        Group(1, "greedy")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'steps'"):
        options.check("group", Group, {})


def test_tables() -> None:
    known = options.parameters(Player)
    assert {
        key: options.possible(options.kind_of(each), *options.option_of(each)[1:]) for key, each in known.items()
    } == {
        "depth": "1 to 20",
        "ties": "one of uniform, thesis",
        "width": "one of 4, 8",
        "c": "0 or more",
        "fast": "true or false",
    }
    assert [options.option_of(each).means for each in known.values()][:2] == [
        "moves ahead",
        "how equal moves are chosen",
    ]
    assert {key: options.choices(each) for key, each in known.items()} == {
        "depth": "2",
        "ties": "uniform|thesis",
        "width": "8|4",
        "c": "1.5",
        "fast": "false",
    }
    assert options.possible(options.kind_of(options.parameters(Group)["opponents"])) == "a list of texts"


def test_options_without_a_default_or_with_one_limit() -> None:
    class Corner(Player):
        def __init__(self, odds: Annotated[int, Option("chance", None, 5)]) -> None: ...

    (odds,) = options.parameters(Corner).values()
    assert options.described(Corner) == ("", {"odds": ""})
    assert options.line(odds) == "odds=NUMBER (5 or less): chance"
    assert "| `odds` |  | 5 or less | chance |" in options.table({"odds": odds})
    for check in (checks.whole, checks.real):
        with bad_value("n", "expected 5 or less, got 7"):
            check("n", 7, most=5)
