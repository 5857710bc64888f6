"""Reports: their figures are those of the games, they need nothing else, and text is text."""

import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from browser import Chromium, check_accessible
from commands import Run, refused
from simple_players import Careless, Silent

from amoba_agents import AGENTS
from amoba_agents.players.random import Random
from amoba_env import games
from amoba_env.core import rules as ru
from amoba_env.core.rules import table
from amoba_env.draw import palette
from amoba_experiments import load
from amoba_experiments.analysis.page import charts, content, report
from amoba_experiments.analysis.page.content import LONGEST, content_of
from amoba_experiments.analysis.summary import share_cells, shown
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.replay import first_choices, positions_of
from amoba_experiments.runs.store import runs_in

RING = {"board": "ring", "players": 3, "patterns": "4"}
MATCHES = {
    "halma": Match("halma", ("lookahead:1", "greedy", "lookahead:2"), 30, 1, rotate=True),
    "pairs": Match("gomoku", ("greedy", "random"), 40, 2, options={"size": 7}, openings=("random:3",), paired=True),
    "renju": Match("renju", ("random", "greedy"), 12, 3, options={"size": 9, "opening": "soosyrv8"}),
    "drawn": Match("amoba", ("random", "greedy", "random"), 20, 4, options=RING),
    "perfect": Match("tictactoe", ("perfect", "perfect"), 20, 5),
    "endless": Match("halma", ("random",) * 3, 3, 6, options={"max_plies": LONGEST + 50}),
}
VOID = {"meta", "input", "br", "circle", "rect", "path"}


def test_sample_games_of_a_run_with_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted run may lack games in the middle. Only files with a sample game are read for its moves."""
    play_match(MATCHES["pairs"], tmp_path / "run", batch=4, jobs=1)
    (tmp_path / "run" / "games" / "000000000004.parquet").unlink()
    files = []
    read = content.read_shard
    monkeypatch.setattr(content, "read_shard", lambda file, *rest: files.append(file) or read(file, *rest))
    (run,) = content_of([tmp_path / "run"]).runs
    assert len(files) <= 3
    plies = dict(zip(run.played.index.tolist(), run.played.plies.tolist(), strict=True))
    shown = {sample.title.split(",")[1].strip().split(" (")[0]: sample for sample in run.samples}
    found = {name: int(sample.title.split(",")[0].removeprefix("Game ")) for name, sample in shown.items()}
    for name, number in found.items():
        assert len(shown[name].moves) == plies[number]
    assert plies[found["the shortest"]] == min(plies.values())
    assert plies[found["the longest"]] == max(plies.values())


def test_sample_games_say_who_has_which_colour(tmp_path: Path) -> None:
    match = Match("renju", ("greedy", "random"), 12, 3, start="rotate", options={"size": 9})
    black = dict(enumerate(play_match(match, tmp_path, jobs=1).black.tolist()))
    (run,) = content_of([tmp_path, tmp_path / ".." / tmp_path.name]).runs  # the same run twice
    assert run.samples
    for sample in run.samples:
        number = int(sample.title.split(",")[0].removeprefix("Game "))
        assert f"{('black', 'white')[black[number]]}: greedy" in sample.title


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name, match in MATCHES.items():
        play_match(match, folder / name, jobs=1)
    return folder


class Balanced(HTMLParser):
    """Every tag is closed, and classes of the text are noted."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def check_page(page: str) -> Balanced:
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert re.findall(r"https?://[^\"' ]*", page.replace('xmlns="http://www.w3.org/2000/svg"', "")) == []
    assert not re.search(r"<link|<img|\bsrc=|@import|url\(|fetch\(|import\(", page)
    used = set(re.findall(r"var\(--(\w+)\)", page))
    assert used <= set(re.findall(r"--(\w+):", page))
    return parser


@pytest.mark.parametrize("name", MATCHES)
def test_a_report_says_what_the_games_say(name: str, runs: Path, tmp_path: Path) -> None:
    report([runs / name], tmp_path / "a.html")
    report([runs / name], tmp_path / "a.md")
    page, text = (tmp_path / "a.html").read_text(), (tmp_path / "a.md").read_text()
    check_page(page)
    (run,) = content_of([runs / name]).runs
    rows = load(runs / name).to_pylist()
    found = run.stats["match"]
    for row in found["players"]:
        share, bounds = share_cells(shown(row))
        assert f'<td class="n">{share}</td><td class="n">{bounds}</td>' in page
        assert re.search(rf"^\| {row['agent']} \| {row['wins']:,} \| .*{share} \|", text, re.M)
    bars = re.findall(r"<title>(\d+)(?: to (\d+))? moves: ([\d,]+)</title>", page)
    assert sum(int(count.replace(",", "")) for *_, count in bars) == len(rows)
    for low, high, _ in bars:
        assert any(int(low) <= row["plies"] <= int(high or low) for row in rows)
    for agent, counts in run.lengths.counts.items():
        wins = sum(row["winner"] is not None and row["seats"][row["winner"]] == agent for row in rows)
        assert counts.sum() == (wins if agent else sum(row["winner"] is None for row in rows))
    assert page.count('class="game"') == len(run.samples) >= 1
    assert page.count('class="heat"') == len(run.first_moves)
    if run.stats["match"]["warnings"]:
        assert all(line.split(":")[0] in page and line.split(":")[0] in text for line in found["warnings"])


@pytest.mark.parametrize("name", MATCHES)
def test_first_moves(name: str, runs: Path) -> None:
    (run,) = content_of([runs / name]).runs
    rows, (agents, seats, actions) = load(runs / name).to_pylist(), first_choices(runs / name)
    assert agents.tolist() == [row["seats"][seat] for row, seat in zip(rows, seats.tolist(), strict=True)]
    heat: dict[str, np.ndarray] = {}
    for row, seat, action in zip(rows, seats.tolist(), actions.tolist(), strict=True):
        before = positions_of(run.game, {**row, "moves": row["moves"][: row["opening_plies"]]})[-1]
        assert (before.to_move, row["moves"][row["opening_plies"]]) == (seat, action)
        cells = heat.setdefault(row["seats"][seat], np.zeros(run.game.n_cells))
        to = table(run.game.rules, ru.VIEW)[seat][action % run.game.n_cells] if run.game.moves_men else action
        if to < run.game.n_cells:
            cells[to] += 1
    assert {first.agent for first in run.first_moves} == set(heat)
    for first in run.first_moves:
        np.testing.assert_allclose(np.nan_to_num(first.heat) * first.games, heat[first.agent])
        assert first.top[0][1] == max(part for _, part in first.top)


def test_a_cross_table_of_several_runs(tmp_path: Path) -> None:
    agents = ("greedy", "lookahead:2", "random")
    pairs = [(one, other) for one in agents for other in agents if one < other]
    for one, other in pairs:
        play_match(Match("gomoku", (one, other), 20, 1, rotate=True), tmp_path / "all" / f"{one}-{other}", jobs=1)
    assert [folder.name for folder in runs_in(tmp_path / "all")] == [f"{one}-{other}" for one, other in pairs]
    content = content_of(runs_in(tmp_path / "all"))
    (cross,) = content.tables
    names = [each.agent for each in cross.standings]
    assert names[-1] == "random"
    for (one, other), run in zip(pairs, content.runs, strict=True):
        wins = {row["agent"]: row for row in run.stats["match"]["players"]}
        for a, b in ((one, other), (other, one)):
            cell = cross.standings[names.index(a)].against[names.index(b)]
            assert cell is not None
            points = wins[a]["points"]
            assert (cell["points"], cell["games"]) == (points["points"], 20)
            assert (cell["share"], cell["ci95"]) == (pytest.approx(points["share"]), pytest.approx(points["ci95"]))
    elo = [row.elo for row in cross.standings]
    assert elo == sorted(elo, reverse=True)
    assert sum(elo[:2]) == pytest.approx(0, abs=1e-6)  # the two that can be compared
    for row in cross.standings[:2]:  # random never won: of it nothing is known but that it is weaker
        assert row.elo_ci95 is None or row.elo_ci95[0] <= row.elo <= row.elo_ci95[1]
    assert cross.standings[-1].elo_ci95 is None
    report([tmp_path / "all"], tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    check_page(page)
    assert page.count("<section>") == page.count('class="game"') == 3
    assert page.index("points against each other") < page.index("<section>")


def test_who_finished_ahead_in_games_of_three(runs: Path) -> None:
    (cross,) = content_of([runs / "halma"]).tables
    rows, names = load(runs / "halma").to_pylist(), [each.agent for each in cross.standings]
    for standing in cross.standings:
        for other, cell in zip(names, standing.against, strict=True):
            if cell is not None:
                at = [(row["places"], row["seats"].index(standing.agent), row["seats"].index(other)) for row in rows]
                scores = [(p[one] < p[two]) + (p[one] == p[two]) / 2 for p, one, two in at]
                assert cell["points"] == pytest.approx(sum(scores))
    assert content_of([runs / "perfect"]).tables == []


def test_text_is_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "<b>x|y</b>", Random)
    monkeypatch.setitem(AGENTS, "careless", Careless)
    play_match(Match("tictactoe", ("<b>x|y</b>", "careless"), 10, 1), tmp_path / "run", jobs=1)
    report([tmp_path / "run"], tmp_path / "a.html", "a < b & </title><script>")
    page = (tmp_path / "a.html").read_text()
    assert "b" not in check_page(page).seen
    assert "<title>a &lt; b &amp; &lt;/title&gt;&lt;script&gt;</title>" in page
    assert "illegal" in page  # a move that was not legal can be stepped to
    report([tmp_path / "run"], tmp_path / "a.md")
    for line in (tmp_path / "a.md").read_text().splitlines():
        assert "<b>" not in line
        if line.startswith("| &lt;b>"):
            assert line.startswith("| &lt;b>x\\|y&lt;/b> |")
            assert len(re.findall(r"(?<!\\)\|", line)) == 8


def test_a_game_that_ends_without_a_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "silent", Silent)
    play_match(Match("gomoku", ("random", "silent"), 10, 1), tmp_path / "run", jobs=1)
    report([tmp_path / "run"], tmp_path / "a.html")
    assert '"none"]' in (tmp_path / "a.html").read_text()


def test_agents_that_never_met(tmp_path: Path) -> None:
    """Their ratings say nothing about each other, and the note under the table says so."""
    for agents in (("greedy", "random"), ("perfect", "lookahead:2")):
        play_match(Match("tictactoe", agents, 20, 1, rotate=True), tmp_path / agents[0], jobs=1)
    report([tmp_path], tmp_path / "a.md")
    text = (tmp_path / "a.md").read_text()
    assert "Elo is a guess: no agent of a group beat any of a group before it" in text


def test_seeds_and_rules_of_a_match_are_named(tmp_path: Path) -> None:
    match = Match("tictactoe", ("greedy", "random"), 30, 7, seeds=3, adjudicate="length 8")
    play_match(match, tmp_path / "run", jobs=1)
    report([tmp_path / "run"], tmp_path / "a.md")
    text = (tmp_path / "a.md").read_text()
    for words in ("30 games, seeds 7 to 9", "seed: 7 to 9;", "adjudicate: length 8;"):
        assert words in text


def test_a_run_that_goes_on(runs: Path, tmp_path: Path) -> None:
    play_match(MATCHES["perfect"], tmp_path / "run", jobs=1, batch=10)
    (tmp_path / "run" / "games" / "000000000010.parquet").unlink()
    report([tmp_path / "run"], tmp_path / "a.html")
    assert "10 of 20 games are played" in (tmp_path / "a.html").read_text()
    shutil.rmtree(tmp_path / "run" / "games")
    with pytest.raises(ValueError, match="has no games yet"):
        report([tmp_path / "run"], tmp_path / "a.html")


def test_a_run_that_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = Match("tictactoe", ("perfect", "random"), 20)
    before = play_match(match, tmp_path / "run", jobs=1)
    play_match(replace(match, games=40), tmp_path / "run", jobs=1)
    monkeypatch.setattr(content, "load_games", lambda _: before)
    report([tmp_path / "run"], tmp_path / "a.md")
    assert "tictactoe, 40 games, seed 0" in (tmp_path / "a.md").read_text()


def test_a_match_that_a_rule_ended(tmp_path: Path) -> None:
    match = Match("gomoku", ("greedy", "random"), 400, 1, options={"size": 7}, until="sprt 0 50")
    play_match(match, tmp_path / "run")
    report([tmp_path / "run"], tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert "unfinished" not in page
    for words in ("sprt 0 50: stopped after 100", "log likelihood ratio", "50 Elo is accepted", "Elo difference"):
        assert words in page


def test_reports_in_a_browser(runs: Path, tmp_path: Path, chromium: Chromium) -> None:
    """On a phone nothing is wider than the screen but tables and charts, which scroll; all is accessible."""
    for name, folders in (("one", [runs / "pairs"]), ("all", [runs / "drawn", runs / "perfect", runs / "pairs"])):
        report(folders, tmp_path / f"{name}.html")
        with chromium.tab(viewport={"width": 360, "height": 740}, color_scheme="light") as page:
            page.goto((tmp_path / f"{name}.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            links = page.locator("nav a").all()
            assert links
            for link in links:
                assert page.locator(str(link.get_attribute("href"))).count() == 1
            check_accessible(page)


@pytest.mark.parametrize(("low", "high"), [(5, 5), (5, 9), (0, 29), (10, 600), (100, 32767)])
def test_bars(low: int, high: int) -> None:
    from amoba_experiments.analysis.page.content import BINS, _histogram

    plies = np.array([low, (low + high) // 2, high, high])
    found = _histogram(MATCHES["perfect"], plies, np.array([0, 1, -2, 0]))
    assert len(found.edges) <= BINS + 2
    assert found.edges[0] <= low
    assert sum(count.sum() for count in found.counts.values()) == 4
    bars = re.findall(r"moves: (\d+)<", charts.histogram(found))
    assert sum(map(int, bars)) == 4
    assert len(bars) == sum(np.count_nonzero(count) for count in found.counts.values())


def test_colours_of_a_page() -> None:
    assert palette.mix("#000000", "#ffffff", 0.5) == "#808080"
    assert palette.mix("var(--a)", "#ffffff", 0.25) == "color-mix(in srgb, #ffffff 25%, var(--a))"
    assert f"--board:{palette.THEMES['light'].board}" in palette.variables("light")
    svg = games.make("halma")._repr_svg_()
    assert "var(" not in svg


def test_the_command_stats(runs: Path, run: Run) -> None:
    code, _, _ = run(f"stats {runs / 'pairs'} --sql 'SELECT index FROM games ORDER BY 1' --csv a.csv")
    assert (code, Path("a.csv").read_text().splitlines()[:2]) == (0, ["index", "0"])
    assert run(f"stats {runs / 'pairs'} --sql 'SELECT index FROM games LIMIT 0' --csv -")[1] == "index\n"
    assert run(f"stats {runs / 'pairs'} --csv -")[1].count("\n") == 41
    refused(run, f"stats {runs / 'pairs'} {runs / 'renju'}", "expected runs of the same game, got gomoku (")
    assert "drawn" in run(f"stats {runs}")[1]
    refused(run, f"stats {runs / 'pairs'} --csv - --json -", "expected one of --csv and --json on stdout, got both")


@pytest.mark.parametrize(("names", "lines"), [(3, 1), (4, 2), (5, 3)])
def test_long_names_of_curves_stand_below_the_title(names: int, lines: int) -> None:
    """Names that do not fit beside the title get lines of their own, four in each."""
    curve = charts.Curve([0, 1], [0.2, 0.4], [[0.1, 0.3], [0.3, 0.5]])
    panel = charts.Axes("minutes", {f"search, seed {number}": curve for number in range(names)})
    picture = ElementTree.fromstring(charts.curves("<a> & b: points against the panel", [panel], 0.5))
    assert picture.get("aria-label") == "<a> & b: points against the panel"
    texts = [each for each in picture if each.get("class") == "left"]
    assert len({each.get("y") for each in texts}) == lines
    assert len([mark for each in texts for mark in each]) == names
