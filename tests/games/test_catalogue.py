"""Games that scripts add to the catalogue, or put in the place of others."""

import functools
import pickle

import pytest

from amoba_env import Position, games, symmetry
from amoba_env.games import Game
from amoba_env.games.rows import k_in_a_row
from amoba_env.games.tictactoe import tictactoe


def rows(k: int, size: int = 5) -> Game:
    """So many in a row."""
    return k_in_a_row("rows", {"size": size}, size, size, k)


@pytest.fixture(autouse=True)
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games.GAMES, "own", games.GAMES.own.copy())


@pytest.mark.plain
def test_registered() -> None:
    def three(size: int = 5) -> Game:
        """Three in a row."""
        return rows(3, size)

    games.register("rows", three)
    game = games.make("rows")
    assert game is games.make("rows", size=5) is games.make_from("rows", {})
    assert Position.from_moves(game, "a1 b1 a2 b2 a3").over
    assert "rows" in games.GAMES
    assert games.describe("rows") == ("Three in a row.", {"size": "5"})
    for wrong, why in (("rows", "taken"), ("gomoku", "taken"), ("", "expected letters"), ("a b", "expected letters")):
        with pytest.raises(ValueError, match=why):
            games.register(wrong, lambda: rows(4))
    with pytest.raises(ValueError, match="game 'more': expected a function that returns a game, got 3"):
        games.register("more", 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="game 'more': expected a default value of option 'k', got none"):
        games.register("more", rows)
    with pytest.raises(ValueError, match="game 'more': expected another name of option 'seat', which is taken"):
        games.register("more", lambda seat=0: rows(4))


@pytest.mark.plain
def test_a_game_whose_copies_would_be_another_game_is_refused() -> None:
    """Copies, also in other processes, are made from the game's name and options."""
    games.GAMES["alias"] = tictactoe
    assert pickle.loads(pickle.dumps(games.make("alias"))) == games.make("tictactoe")
    games.GAMES["forgets"] = lambda size=5: k_in_a_row("forgets", {}, size, size, 3)
    assert games.make("forgets", size=5).n_cells == 25
    games.GAMES["unknown"] = lambda: k_in_a_row("nobody", {}, 3, 3, 3)
    games.GAMES["number"] = lambda: 3  # type: ignore[assignment, return-value]
    for name, options, why in (
        ("forgets", {"size": 4}, "the options that it was made with"),
        ("unknown", {}, "expected a Game with this name"),
        ("number", {}, "expected a function that returns a Game, got 3"),
    ):
        with pytest.raises(ValueError, match=f"game '{name}': .*{why}"):
            games.make(name, **options)  # type: ignore[arg-type]


@pytest.mark.plain
@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [("a-b", "a_b", "amoba/AB-v0"), ("ab", "aB", "amoba/Ab-v0"), ("tictactoe", "tic_tac_toe", "amoba/TicTacToe-v0")],
)
def test_two_games_with_one_id(first: str, second: str, shared: str) -> None:
    if first not in games.GAMES:
        games.register(first, tictactoe)
    with pytest.raises(ValueError, match=f"^game {second!r}: its id {shared} is that of game {first!r}$"):
        games.register(second, tictactoe)
    assert second not in games.GAMES


def test_another_game_in_its_place_is_another_game() -> None:
    """No cache knows the old one under the name: not the catalogue's, nor those that are kept by game."""
    games.GAMES["rows"] = functools.partial(rows, 3)
    three = games.make("rows")
    games.GAMES["rows"] = functools.partial(rows, 4)
    four = games.make("rows")
    assert not Position.from_moves(four, "a1 b1 a2 b2 a3").over
    assert three != four
    assert symmetry.symmetries(four) is not symmetry.symmetries(three)
