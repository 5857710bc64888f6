"""Files are written whole or not at all: under another name first, then renamed. Texts may have a byte order mark."""

from __future__ import annotations

import codecs
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FOLDERS_OPEN = sys.platform != "win32"  # Windows cannot open folders, and fsync there needs a file opened for writing
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
NAME = 100  # bytes of a file's name kept in its temporary name: a name may have at most 255


def ending(file: Path, *among: str) -> str:
    """The suffix of a file in small letters, such as ".svg". ValueError if it is not `among` the possible ones."""
    if file.suffix.lower() not in among:
        raise ValueError(f"{str(file)!r}: expected a file that ends in {', '.join(among)}")
    return file.suffix.lower()


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to, then rename the file to `path`. After an error the old file is unchanged.

    A link at `path` is followed, and the file keeps its permissions. What is not a regular file, such as /dev/stdout
    or a pipe, is written directly.

    Raises:
        OSError: the file cannot be written; `filename` is the path that was given.
    """
    given = Path(path)
    if given.exists() and not given.is_file() and not given.is_dir():
        yield given
        return
    file = Path(os.path.realpath(path))
    temporary = _temporary(file)
    try:
        yield temporary
        _sync(temporary)
        with suppress(FileNotFoundError):
            temporary.chmod(file.stat().st_mode)
        os.replace(temporary, file)
        if FOLDERS_OPEN:
            _sync(file.parent, os.O_RDONLY)  # or a power failure could undo the renaming
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


def check_writable(path: str | Path) -> None:
    """Raise OSError if `written_whole` could not write this file. A new file is not left behind."""
    given, file = Path(path), Path(os.path.realpath(path))
    there = given.exists()
    with open(given, "ab"):
        pass
    if not there:
        file.unlink()  # a link to it stays
    if not there or given.is_file():
        temporary = _temporary(file)
        with open(temporary, "wb"):
            pass
        temporary.unlink()


def _temporary(file: Path) -> Path:
    start = os.fsencode(file.name)[:NAME].decode(errors="ignore")
    return file.with_name(f".{start}.{os.getpid()}-{threading.get_ident()}.tmp")


def decoded(data: bytes, encoding: str = "utf-8") -> str:
    """The text of a file, in this encoding unless a byte order mark at its start names another one.

    Raises:
        UnicodeDecodeError: the bytes are not text in the encoding.
        LookupError: an unknown encoding.
    """
    return data.decode(next((own for mark, own in MARKS.items() if data.startswith(mark)), encoding))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Create this file and hold a lock on it. Raises BlockingIOError if another process holds the lock."""
    with open(path, "ab") as file:
        if sys.platform == "win32":
            import msvcrt

            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            except PermissionError as error:
                raise BlockingIOError(*error.args) from None
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def _sync(path: Path, how: int = os.O_RDWR) -> None:
    """Wait until a file, or the entries of a folder, are on the disk."""
    number = os.open(path, how)
    try:
        os.fsync(number)
    finally:
        os.close(number)
