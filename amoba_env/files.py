"""Files are written whole or not at all: under another name first, then renamed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = 100  # characters of a file's name that its temporary name has: names have at most 255 bytes


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to, then rename the file to `path`. After an error the old file is unchanged.

    A link at `path` is followed, and the file keeps its permissions. What is not a regular file, such as /dev/stdout
    or a pipe, is written directly.

    Raises:
        OSError: the file cannot be written; `filename` is the path that was given.
    """
    file = Path(os.path.realpath(path))
    if file.exists() and not file.is_file() and not file.is_dir():
        yield file
        return
    temporary = file.with_name(f".{file.name[:NAME]}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        yield temporary
        _sync(temporary)
        with suppress(FileNotFoundError):
            temporary.chmod(file.stat().st_mode)
        os.replace(temporary, file)
        _sync(file.parent)  # or a power failure could undo the renaming
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(temporary)):
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write(path: str | Path, data: str | bytes | memoryview) -> None:
    """Write a file whole or not at all; text as UTF-8. Raises OSError as written_whole."""
    with written_whole(path) as temporary, open(temporary, "wb") as out:
        out.write(data.encode() if isinstance(data, str) else data)


def _sync(path: Path) -> None:
    """Wait until a file, or the entries of a folder, are on the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
