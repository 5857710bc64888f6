"""`amoba convert`: read games from files of records, or from runs, and write them to another file."""

from collections.abc import Sequence
from pathlib import Path

from amoba_env import games, records
from amoba_env.files import write
from amoba_env.records import Record, sgf
from amoba_experiments.runs.replay import records_of


def convert_files(files: Sequence[Path], game: str | None, options: Sequence[str], skip_bad: bool = False) -> str:
    """Read all files and runs but the last, and write their games to the last. Returns lines that report it.

    The trees of .lib files become one game with variations in .sgf. A .psq file holds one game only, so several games
    go to numbered files: games-1.psq, games-2.psq.

    Args:
        files: the files.
        game: the name of the game, if the files do not name it.
        options: of that game, each as "size=15".
        skip_bad: leave out bad games, and report where and why they are bad; otherwise a bad game is an error.

    Raises:
        ValueError: fewer than two files, an unknown format, options without a game, a bad record, or only bad ones.
        OSError: a file cannot be read or written.
    """
    if len(files) < 2:
        raise ValueError(f"expected files to read and a file to write, got {len(files)} file")
    if options and game is None:
        raise ValueError("--option: expected --game too")
    *sources, target = files
    if game is not None and all(source.is_dir() for source in sources):
        raise ValueError("--game: expected a file of records; runs name their game themselves")
    kind = records.format_of(target, records.WRITTEN)
    chosen = {} if game is None else games.options_from_text(game, options)
    read: list[Record | ValueError] = []
    for source in sources:
        read += records_of(source) if source.is_dir() else records.read_each(source, None, game, **chosen)
    found = [each for each in read if isinstance(each, Record)]
    bad = [str(each) for each in read if isinstance(each, ValueError)]
    if bad and not (skip_bad and found):
        raise ValueError(f"{bad[0]}; --skip-bad leaves out bad games" if found else bad[0])
    variations = kind == "sgf" and all(source.suffix.lower() == ".lib" for source in sources)
    done = _write_tree(found, target) if variations else _write(found, target, kind)
    return "\n".join([*(f"left out: {error}" for error in bad), done])


def _write_tree(found: Sequence[Record], target: Path) -> str:
    write(target, sgf.tree(found))
    return f"{len(found)} variation{'s' * (len(found) > 1)} written: {target}"


def _write(found: Sequence[Record], target: Path, kind: str) -> str:
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
