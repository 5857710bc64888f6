"""The command that repeats studies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from amoba_experiments.arena.options import MOST_GAMES, Seed
from amoba_experiments.cli.command import Argument, Flag
from amoba_experiments.cli.progress import progress_bar
from amoba_experiments.cli.shared import (
    Jobs,
    app,
    check_folder,
    err,
    example,
    out,
    refuse,
    write_json,
    write_text,
)

if TYPE_CHECKING:
    from amoba_agents.players.lookahead import Ties
    from amoba_experiments.arena.match import Match
    from amoba_experiments.arena.workers import Progress
    from amoba_experiments.studies.section import Section


GAMES = 10_000
SECTIONS = {"halma": ["table"]}  # without those of the class section.Section


Study = Annotated[str, Argument(metavar="STUDY", help="halma, gomoku or renju.")]
Part = Annotated[
    str | None,
    Flag(
        "--what",
        metavar="SECTION",
        help="halma: table, conclusion, seats, ties, star or all; gomoku: first-move; renju: forbidden.",
    ),
]
Games = Annotated[int, Flag("--games", "-n", min=1, help="Number of games.")]
Document = Annotated[
    Path | None,
    Flag(
        "--into",
        metavar="FILE",
        help="Replace this file's tables, between its HTML comments.",
    ),
]


@app.command(epilog=example("amoba reproduce halma --what table"))
def reproduce(
    what: Study,
    section: Part = None,
    games: Games = GAMES,
    seed: Seed = 0,
    seeds: Annotated[int | None, Flag(min=1, help="Divide the games among this many seeds.", show_default="3")] = None,
    ties: Annotated[
        Literal["thesis", "uniform"], Flag(help="How players of halma's table choose among equal moves.")
    ] = "thesis",
    jobs: Jobs = None,
    folder: Annotated[
        Path,
        Flag("--out", metavar="DIR", help="Folder for tables (Markdown and JSON)."),
    ] = Path("runs"),
    into: Document = None,
) -> None:
    """Repeat a study, and write its tables as Markdown and JSON.

    `halma` compares with the figures of the thesis.
    """
    from amoba_env import checks
    from amoba_experiments.studies.section import SEEDS

    chosen = _sections(what, section)
    if what != "halma" or "table" not in chosen:
        refuse("except in the table of halma", "ties")
    seeds = checks.whole("seeds", SEEDS if seeds is None else seeds, 1, MOST_GAMES)
    files = {name: f"halma-{ties}" if (what, name) == ("halma", "table") else f"{what}-{name}" for name in chosen}
    if into is not None:
        for file in files.values():
            check_marks(into, file)
    check_folder(folder)
    for name in chosen:
        result, text = _play(what, name, games, seed, ties, jobs, seeds)
        write_tables(folder / files[name], result, text)
        if into is not None:
            put_into(into, files[name], text)


def write_tables(file: Path, result: dict[str, Any], text: str) -> None:
    """Write a study's tables as FILE.md and FILE.json."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file.with_name(f"{file.name}.md"), text)
    write_json(result, str(file.with_name(f"{file.name}.json")))


def check_marks(document: Path, name: str) -> None:
    """Raise ValueError if a document has no marks of this name: before hours of games, not after them."""
    from amoba_experiments.studies.section import put

    put(document.read_text(encoding="utf-8"), name, "")


def put_into(document: Path, name: str, text: str) -> None:
    """Put tables between a document's marks of this name. Raises ValueError if it has no such marks."""
    from amoba_experiments.studies.section import put

    write_text(document, put(document.read_text(encoding="utf-8"), name, text))


def _sections(study: str, section: str | None) -> list[str]:
    """The sections to play: all, the named one, or the first. Raises ValueError for an unknown one."""
    from amoba_experiments.studies import STUDIES

    studies = {name: [*SECTIONS.get(name, ()), *sections] for name, sections in STUDIES.items()}
    if study not in studies:
        raise ValueError(f"unknown study {study!r}; the studies: {', '.join(studies)}")
    sections = studies[study]
    if section not in (None, "all", *sections):
        raise ValueError(f"unknown section {section!r} of {study}; its sections: {', '.join(sections)}, all")
    return sections if section == "all" else [section or sections[0]]


def _play(
    study: str, section: str, games: int, seed: int, ties: Ties, jobs: int | None, seeds: int
) -> tuple[dict[str, Any], str]:
    """Play a section and print its result; return the result and its tables in Markdown."""
    from amoba_experiments.studies import STUDIES

    if section == "table":
        return _thesis(games, seed, ties, jobs, seeds)
    return _section(STUDIES[study][section], games, seed, jobs, seeds)


def _thesis(games: int, seed: int, ties: Ties, jobs: int | None, seeds: int) -> tuple[dict[str, Any], str]:
    from amoba_experiments.studies import thesis

    with _study_bar(thesis.halma_matches(games, seed, ties)) as advance:
        result = thesis.reproduce_halma(games, seed, ties, jobs, advance, seeds)
    thesis.print_result(result, out)
    return result, thesis.markdown(result)


def _section(section: Section, games: int, seed: int, jobs: int | None, seeds: int) -> tuple[dict[str, Any], str]:
    from amoba_experiments.studies.section import markdown, matches_of, play_section, print_section

    with _study_bar(list(matches_of(section, games, seed, seeds).values())) as advance:
        result = play_section(section, games, seed, jobs, advance, seeds)
    print_section(result, out)
    return result, markdown(result)


@contextmanager
def _study_bar(matches: Sequence[Match]) -> Iterator[Callable[[Match], Progress]]:
    """A bar for all these matches, shown after their players are compiled."""
    from amoba_experiments.arena.shard import compile_for

    with progress_bar(err, "games") as bar:
        task = bar.add_task("starting", total=sum(match.games for match in matches))
        for match in matches:
            compile_for(match)

        def advance(match: Match) -> Progress:
            bar.update(task, description=" ".join(match.agents))
            return lambda count: bar.advance(task, count)

        yield advance
