"""`amoba convert`: read games from files of records, or from runs, and write them to another file."""

from collections.abc import Sequence
from pathlib import Path

from amoba_env import games, records
from amoba_env.files import write
from amoba_experiments.runs.replay import records_of


def convert_files(files: Sequence[Path], game: str | None, options: Sequence[str]) -> str:
    """Read all files and runs but the last, and write their games to the last. Returns a line that reports it.

    A .psq file holds one game only, so several games go to numbered files: games-1.psq, games-2.psq.

    Raises:
        ValueError: fewer than two files, an unknown format, options without a game, or a bad record.
        OSError: a file cannot be read or written.
    """
    if len(files) < 2:
        raise ValueError(f"expected files to read and a file to write, got {len(files)} file")
    if options and game is None:
        raise ValueError("--option: expected --game too")
    *sources, target = files
    kind = records.format_of(target)
    chosen = {} if game is None else games.options_from_text(game, options)
    found = [
        record
        for source in sources
        for record in (records_of(source) if source.is_dir() else records.read(source, None, game, **chosen))
    ]
    if kind != "psq" or len(found) == 1:
        records.write(found, target)
        return f"{len(found)} game{'s' * (len(found) > 1)} written: {target}"
    texts = {}
    for number, record in enumerate(found, start=1):
        path = target.with_stem(f"{target.stem}-{number:0{len(str(len(found)))}}")
        try:
            texts[path] = records.to_text([record], kind)
        except ValueError as error:
            raise ValueError(f"{target}: game {number}: {error}") from None
    for path, text in texts.items():
        write(path, text)
    first, *_, last = texts
    return f"{len(found)} games written: {first} to {last}"
