"""The catalogue and its options: defaults, texts, errors that say what is possible; games as values."""

import copy
import inspect
import pickle
from typing import Annotated, Any, Literal, get_args, get_origin

import numpy as np
import pytest
from errors import error

from amoba_env import games, options
from amoba_env.games import Game
from amoba_env.options import Value

# Each game with all its options: default values, and others that it takes.
CATALOGUE: dict[str, dict[str, tuple[Value, Value]]] = {
    "tictactoe": {},
    "gomoku": {"size": (10, 15), "rule": ("freestyle", "exact-caro"), "opening": ("none", "swap2")},
    "renju": {"size": (15, 9), "forbidden": ("mask", "lose"), "opening": ("none", "soosyrv8")},
    "omok": {"size": (15, 9), "rule": ("exact", "freestyle"), "forbidden": ("mask", "lose")},
    "amoba": {
        "board": ("10x10", "cross"),
        "patterns": ("5", "4 exact,xx./.xx"),
        "orientations": ("rotations+reflections", "fixed"),
        "players": (2, 3),
    },
    "halma": {
        "players": (3, 2),
        "anti_spoiling": (False, True),
        "max_plies": (600, 30),
        "adjudicate": (False, True),
    },
    "chinese_checkers": {
        "players": (2, 3),
        "men": (10, 15),
        "anti_spoiling": (False, True),
        "max_plies": (1200, 30),
        "adjudicate": (False, True),
    },
    "square_halma": {
        "size": (10, 16),
        "players": (4, 2),
        "directions": (8, 4),
        "anti_spoiling": (False, True),
        "max_plies": (1200, 30),
        "adjudicate": (False, True),
    },
}


def another(parameter: inspect.Parameter) -> Value:
    """Another value of an option."""
    kind, default = options.kind_of(parameter), parameter.default
    if kind is bool:
        return not default
    if get_origin(kind) is Literal:
        return next(value for value in get_args(kind) if value != default)
    return default - 1 if default > (options.option_of(parameter).least or 0) else default + 1


CATALOGUE |= {  # games that are not above
    name: {key: (each.default, another(each)) for key, each in options.parameters(games.GAMES[name]).items()}
    for name in games.GAMES
    if name not in CATALOGUE
}
every_name = pytest.mark.parametrize("name", CATALOGUE)


def defaults(name: str) -> dict[str, Value]:
    return {key: default for key, (default, _) in CATALOGUE[name].items()}


def others(name: str) -> dict[str, Value]:
    return {key: other for key, (_, other) in CATALOGUE[name].items()}


# --- Making games -----------------------------------------------------------------------------------------------


@every_name
def test_defaults(name: str) -> None:
    assert games.make(name).name == name
    assert dict(games.make(name).options) == defaults(name)
    assert list(games.make(name).options) == list(CATALOGUE[name])
    assert games.make(name) == games.make(name, **defaults(name)) == games.make_from(name, {})


@every_name
def test_each_option_has_an_effect(name: str) -> None:
    for key, value in others(name).items():
        base = {**defaults(name), **({"patterns": "xx./.xx"} if key == "orientations" else {})}  # rows have none
        game, before = games.make(name, **{**base, key: value}), games.make(name, **base)
        assert dict(game.options) == {**base, key: value}
        assert game != before
        assert game.rules.tolist() != before.rules.tolist()


@pytest.mark.parametrize(
    ("name", "given", "players", "n_cells", "n_actions"),
    [
        ("tictactoe", {}, 2, 9, 9),
        ("gomoku", {}, 2, 100, 100),
        ("gomoku", {"size": 5}, 2, 25, 25),
        ("gomoku", {"size": 100}, 2, 10_000, 10_000),
        ("gomoku", {"opening": "swap"}, 2, 100, 102),
        ("gomoku", {"opening": "swap2"}, 2, 100, 103),
        ("renju", {}, 2, 225, 225),
        ("renju", {"size": 9}, 2, 81, 81),
        ("renju", {"size": 40, "opening": "rif26"}, 2, 1600, 1602),
        ("renju", {"opening": "soosyrv8"}, 2, 225, 235),
        ("renju", {"opening": "taraguchi10"}, 2, 225, 228),
        ("renju", {"opening": "yamaguchi"}, 2, 225, 237),
        ("omok", {}, 2, 225, 225),
        ("amoba", {}, 2, 100, 100),
        ("amoba", {"board": "cross", "players": 4}, 4, 80, 80),
        ("amoba", {"board": "100x100", "players": 3}, 3, 10_000, 10_000),
        ("halma", {}, 3, 37, 1369),
        ("halma", {"players": 2}, 2, 37, 1369),
        ("halma", {"max_plies": 1}, 3, 37, 1369),
        ("halma", {"max_plies": 32767}, 3, 37, 1369),
        ("chinese_checkers", {}, 2, 121, 14_641),
        ("chinese_checkers", {"players": 6}, 6, 121, 14_641),
        ("square_halma", {}, 4, 100, 10_000),
        ("square_halma", {"size": 16, "players": 2}, 2, 256, 65_536),
    ],
)
def test_numbers(name: str, given: dict[str, Value], players: int, n_cells: int, n_actions: int) -> None:
    game = games.make(name, **given)
    assert (game.players, game.n_cells, game.n_actions) == (players, n_cells, n_actions)
    assert [type(number) for number in (game.players, game.n_cells, game.n_actions)] == [int, int, int]
    assert len(game.symbols) == len(game.colors) == players
    assert game.moves_men == (n_actions == n_cells**2)
    assert game.batch(3).tolist() == [game.start().tolist()] * 3
    assert game.start() is not game.start()
    assert game.cells(game.batch(3)).shape == (3, n_cells)


# --- What is not possible ---------------------------------------------------------------------------------------


def test_unknown_game() -> None:
    for call in (games.make, games.describe, lambda name: games.options_from_text(name, [])):
        assert error(call, "chess") == f"unknown game 'chess'; the games: {', '.join(CATALOGUE)}"


@pytest.mark.parametrize(
    ("name", "key", "known"),
    [
        ("tictactoe", "size", "none"),
        ("gomoku", "sise", "size, rule, opening"),
        ("renju", "rule", "size, forbidden, opening"),
        ("halma", "n", "players, anti_spoiling, max_plies, adjudicate"),
    ],
)
def test_unknown_option(name: str, key: str, known: str) -> None:
    message = f"{name} has no option {key!r}; its options: {known}"
    assert error(games.make, name, **{key: 1}) == message
    assert error(games.options_from_text, name, [f"{key}=1"]) == message


def wrong_values(parameter: inspect.Parameter) -> tuple[list[Any], list[str], list[str]]:
    """Values and texts that an option refuses, and words that its errors have."""
    kind, option = options.kind_of(parameter), options.option_of(parameter)
    if kind is int:
        least, most = option.least, option.most
        assert least is not None
        assert most is not None
        values = [least - 1, most + 1, str(parameter.default), most - 0.5, float(parameter.default), True, None]
        return values, ["big", "", "7.0"], [f"{least}..{most}", "whole number"]
    if kind is bool:
        return ["yes", 1, None], ["1", "yes", ""], ["true or false"]
    if get_origin(kind) is Literal:
        first, *_, last = get_args(kind)
        values = [last + 1 if type(last) is int else "nosuch", str(first) if type(first) is int else 5, True, None]
        return values, ["nosuch", ""], [", ".join(map(options.text_of, get_args(kind))), "whole number"]
    return [10, True, None, ["5"]], [], ["a text"]


@pytest.mark.parametrize(("name", "key"), [(name, key) for name in CATALOGUE for key in CATALOGUE[name]])
def test_impossible_values(name: str, key: str) -> None:
    parameter = options.parameters(games.GAMES[name])[key]
    values, texts, words = wrong_values(parameter)
    for value in values:
        message = error(games.make, name, **{key: value})
        assert message.startswith(f"{name}: {key}: expected")
        assert any(each in message for each in words), message
    for text in texts:
        message = error(games.options_from_text, name, [f"{key}={text}"])
        assert message.startswith(f"{name}: option {key}: expected")
        assert any(each in message for each in words), message


@pytest.mark.plain
@pytest.mark.parametrize(
    ("name", "given", "chosen"),
    [
        *[
            ("chinese_checkers", {"players": players, "men": 15}, f"players={players} with men=15")
            for players in (4, 6)
        ],
        ("square_halma", {"size": 8, "players": 4}, "players=4 with size=8"),
    ],
)
def test_values_that_do_not_fit_together(name: str, given: dict[str, Value], chosen: str) -> None:
    assert error(games.make, name, **given).endswith(chosen)


# --- Options as text --------------------------------------------------------------------------------------------


@every_name
def test_options_from_text_and_back(name: str) -> None:
    for given in (defaults(name), others(name)):
        texts = [f"{key}={str(value).lower()}" for key, value in given.items()]
        assert games.options_from_text(name, texts) == given
    assert games.options_from_text(name, []) == {}


@pytest.mark.plain
@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("gomoku", "size", "gomoku: expected an option as name=value, got 'size'"),
        ("gomoku", "", "gomoku: expected an option as name=value, got ''"),
        ("gomoku", "=15", "gomoku has no option ''; its options: size, rule, opening"),
    ],
)
def test_texts_that_are_no_options(name: str, text: str, message: str) -> None:
    assert error(games.options_from_text, name, [text]) == message


def test_description() -> None:
    assert games.describe("tictactoe") == ("Three in a row on 3x3 cells.", {})
    summary, choices = games.describe("gomoku")
    assert summary.startswith("Five in a row")
    assert choices == {"size": "10", "rule": "freestyle|exact|caro|exact-caro", "opening": "none|swap|swap2"}
    race = {"anti_spoiling": "false", "max_plies": "600", "adjudicate": "false"}
    assert games.describe("halma")[1] == {"players": "3|2", **race}
    openings = "none|rif26|soosyrv8|taraguchi10|yamaguchi"
    assert games.describe("renju")[1] == {"size": "15", "forbidden": "mask|lose", "opening": openings}


@every_name
def test_the_described_options_are_those_of_make(name: str) -> None:
    first = [f"{key}={choices.split('|')[0]}" for key, choices in games.describe(name)[1].items()]
    assert games.options_from_text(name, first) == defaults(name)


def player(
    depth: int = 2, ties: Literal["uniform", "thesis"] = "uniform", slow: bool = False, safe: bool = True
) -> None:
    """Looks ahead.

    And more.
    """


def test_options_of_any_function() -> None:
    assert options.summary(player) == "Looks ahead."
    known = options.parameters(player)
    assert {key: options.choices(parameter) for key, parameter in known.items()} == {
        "depth": "2",
        "ties": "uniform|thesis",
        "slow": "false",
        "safe": "true|false",
    }
    given = options.parse("player", player, ["ties=thesis", "safe=FALSE", "depth=4"])
    assert given == {"ties": "thesis", "safe": False, "depth": 4}
    assert options.complete("player", player, given) == {"depth": 4, "ties": "thesis", "slow": False, "safe": False}
    assert error(options.parse, "player", player, ["depth=4", "depth=4"]) == (
        "player: expected one value of 'depth', got two"
    )
    assert options.parse_value("player", known["slow"], "True") is True
    assert error(options.complete, "player", player, {"deep": 1}) == (
        "player has no option 'deep'; its options: depth, ties, slow, safe"
    )
    assert options.summary(lambda: None) == ""


def test_an_option_without_a_type_is_a_text() -> None:
    parameter = inspect.Parameter("file", inspect.Parameter.KEYWORD_ONLY, annotation=str)
    assert options.parse_value("trained", parameter, "a=b.npz") == "a=b.npz"


def shouting(text: str) -> str:
    """Bang."""
    return text.upper() + "!"


@pytest.mark.plain
def test_a_text_is_settled_before_anything_is_made() -> None:
    def maker(loud: Annotated[str, shouting] = "a", plain: str = "b") -> None:
        """Nothing."""

    assert options.complete("maker", maker, {}) == {"loud": "A!", "plain": "b"}
    assert options.complete("maker", maker, options.parse("maker", maker, ["loud=x=y", "plain=z"])) == {
        "loud": "X=Y!",
        "plain": "z",
    }
    for key in ("loud", "plain"):
        assert error(options.complete, "maker", maker, {key: 5}) == f"maker: {key}: expected a text, got 5"


# --- Games as values --------------------------------------------------------------------------------------------

VALUES = [games.make(name, **given(name)) for name in CATALOGUE for given in (defaults, others)]
every_value = pytest.mark.parametrize("game", VALUES, ids=repr)


@every_value
def test_copies(game: Game) -> None:
    twins = [copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game)), eval(repr(game), {"games": games})]
    for twin in twins:
        assert twin == game
        assert hash(twin) == hash(game)
        assert repr(twin) == repr(game)
        assert twin.rules.tolist() == game.rules.tolist()


@pytest.mark.plain
def test_equality() -> None:
    assert len(set(VALUES)) == len({repr(game) for game in VALUES}) == 2 * len(CATALOGUE) - 1  # tictactoe stands twice
    assert games.make("gomoku", rule="exact", size=7) == games.make("gomoku", size=7, rule="exact")
    assert games.make("tictactoe") != "tictactoe"


def test_repr() -> None:
    assert repr(games.make("tictactoe")) == "games.make('tictactoe')"
    assert repr(games.make("gomoku")) == "games.make('gomoku', size=10, rule='freestyle', opening='none')"


def test_numbers_of_numpy() -> None:
    assert games.make("gomoku", size=np.int64(7)) is games.make("gomoku", size=7)
    assert games.make("halma", adjudicate=np.True_) is games.make("halma", adjudicate=True)
    assert type(games.make("gomoku", size=np.int16(9)).options["size"]) is int
