"""Games as values, and as pages."""

import copy
import html
import json
import pickle
import re

import pytest
from pictures import ONCE_EACH, circles, of_class, played, read, written

from amoba_env import Position, Record, draw, games
from amoba_env.core import endings as en
from amoba_env.core import play
from amoba_env.games import Game
from amoba_env.notation import move_text

TICTACTOE, HALMA = games.make("tictactoe"), games.make("halma")
one_of_each = pytest.mark.parametrize("game", ONCE_EACH, ids=repr)


@pytest.mark.plain
@one_of_each
def test_a_record(game: Game) -> None:
    record = played(game, 9)
    assert len(record) == len(record.moves) == len(record.positions) - 1
    assert record.positions[0] == Position.start(game)
    for before, move, after in zip(record.positions, record.moves, record.positions[1:], strict=False):
        assert before.play(move) == after
    assert Record(game, record.text) == record
    assert Record(game, record.text.split()) == record
    assert record.positions[-1] == Position.from_moves(game, record.text)
    for twin in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record)):
        assert (twin, hash(twin), twin.positions) == (record, hash(record), record.positions)
    assert eval(repr(record), {"games": games, "Record": Record}) == record
    assert html.unescape(record._repr_html_()).count(record.html()) == 1


def test_equality() -> None:
    record = Record(TICTACTOE, "b2 a3")
    assert record != Record(TICTACTOE, "b2")
    assert record != Record(TICTACTOE, "b2 a3", first=1)
    assert Record(TICTACTOE).text == ""
    assert Record(TICTACTOE, "b2", first=1).positions[1].to_move == 0
    with pytest.raises(AttributeError):
        record.moves = ()  # type: ignore[misc]


def test_a_set_up_start() -> None:
    record = Record(TICTACTOE, "b2", start="x2/3/3 o 1 a3")
    assert record.moves == (4,)
    assert (record.first, record.start, record.positions[0].last_move) == (1, "x2/3/3 o 1 a3", "a3")
    assert record == Record(TICTACTOE, "b2", start=Position.from_moves(TICTACTOE, "a3"), first=1)
    assert record != Record(TICTACTOE, "b2", first=1)
    assert eval(repr(record), {"games": games, "Record": Record}) == record
    assert pickle.loads(pickle.dumps(record)).positions == record.positions
    assert Record(TICTACTOE, start="3/3/3 o") == Record(TICTACTOE, first=1)  # the game's own start
    assert len(lists(record.html())[0]) == 2
    home = Position.from_moves(HALMA, "e3-f4")
    assert Record(HALMA, "k7-g7", start=home).positions[-1] == Position.from_moves(HALMA, "e3-f4 k7-g7")


@pytest.mark.plain
def test_impossible_starts() -> None:
    with pytest.raises(ValueError, match="first: seat 0 is not to move in x2/3/3 o 1 -"):
        Record(TICTACTOE, start="x2/3/3", first=0)
    with pytest.raises(ValueError, match="move 1: illegal move a3: the cell is taken"):
        Record(TICTACTOE, "a3", start="x2/3/3")
    with pytest.raises(ValueError, match=r"can start from Position\.from_text\(games\.make\('gomoku'"):
        Record(games.make("gomoku", size=6), start=Position.start(games.make("gomoku", size=6, rule="exact")))
    state = TICTACTOE.start()
    play.forfeit(TICTACTOE.rules, state, en.RESIGNED)
    with pytest.raises(ValueError, match=r"no game of .* can start from"):
        Record(TICTACTOE, start=Position(TICTACTOE, state))


# --- Pages ------------------------------------------------------------------------------------------------------


def lists(page: str) -> tuple[list[str], list[str], list[str]]:
    """The frames, captions and moves of a page."""
    found = re.search(r'<script type="application/json">(.*)</script>', page)
    assert found
    lists = json.loads(found[1])
    return lists["frames"], lists["captions"], lists["moves"]


def wrapped(frame: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg">{frame}</svg>'


@one_of_each
@pytest.mark.parametrize("theme", draw.THEMES)
def test_a_page_has_a_frame_for_every_position(game: Game, theme: str) -> None:
    record = played(game, 9)
    page = record.html(theme=theme)
    frames, captions, moves = lists(page)
    assert len(frames) == len(captions) == len(record.positions)
    assert moves == [move_text(game, move) for move in record.moves]
    for position, frame, caption in zip(record.positions, frames, captions, strict=True):
        assert caption.lower() == draw.status(game, position.state)
        alone = read(draw.svg(game, position.state, theme=theme))
        for seat in range(game.players):
            here = [circles(group) for group in of_class(read(wrapped(frame)), f"seat{seat}")]
            assert here == [circles(group) for group in of_class(alone, f"seat{seat}")]
    assert f'max="{len(record)}"' in page
    assert f'<g class="pieces">{frames[-1]}</g></svg>' in page  # readable where scripts are off


@one_of_each
def test_a_page_needs_nothing_else(game: Game) -> None:
    page = played(game, 5).html()
    assert re.findall(r"https?://[^\"' ]*", page.replace('xmlns="http://www.w3.org/2000/svg"', "")) == []
    assert not re.search(r"<link|<img|\bsrc=|@import|url\(|fetch\(|import\(", page)
    assert " id=" not in page  # several games stand in one page
    classes = set(re.findall(r'\bclass="([^"]*)"', page))
    assert set(re.findall(r'get\("\.(\w+)"\)', page)) <= classes


def test_numbers_on_a_page() -> None:
    frames, _, _ = lists(Record(TICTACTOE, "b2 a3").html())
    numbers = [of_class(read(wrapped(frame)), "numbers") for frame in frames]
    assert [written(found[0]) if found else {} for found in numbers] == [
        {},
        {(100, 100): "1"},
        {(100, 100): "1", (0, 0): "2"},
    ]


@pytest.mark.plain
def test_titles_are_text() -> None:
    page = Record(TICTACTOE, "b2").html(title="x < y & </title>")
    assert page.count("x &lt; y &amp; &lt;/title&gt;") == 2
    assert page.count("</title>") == 1
    assert "<h1>halma</h1>" in Record(HALMA).html()
    script = page.partition("<script>")[2]
    assert script.count("</") == script.count("</script>") + script.count("</body>") + script.count("</html>")


@pytest.mark.plain
def test_errors() -> None:
    with pytest.raises(ValueError, match="unknown theme 'pink'"):
        Record(TICTACTOE).html(theme="pink")
    with pytest.raises(ValueError, match="expected 2 positions for 1 moves, got 1"):
        draw.html(TICTACTOE, [TICTACTOE.start()], [4])
