"""The files of a run that may be stopped at any moment: each is whole, or it is not there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def checkpoint(folder: Path, kind: str = "checkpoint") -> Path | None:
    """The last checkpoint of a run."""
    found = [each for each in folder.glob(f"{kind}-*") if each.suffix == ""]
    return max(found, key=lambda each: int(each.name.partition("-")[2]), default=None)


@contextmanager
def new_checkpoint(folder: Path, number: int, kind: str = "checkpoint") -> Iterator[Path]:
    """Where to write a checkpoint: it then moves to its place, and those before go. It is whole, or it is not there."""
    new, name = folder / f"{kind}-new.part", folder / f"{kind}-{number}"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    yield new
    new.rename(name)
    for other in folder.glob(f"{kind}-*"):
        if other != name:
            shutil.rmtree(other)


def save_model(model: Any, file: Path) -> None:
    """Save a model so that the file is whole at any moment."""
    part = file.with_suffix(".part.zip")
    model.save(part)
    os.replace(part, file)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file so that the copy is whole at any moment."""
    part = target.with_suffix(".part")
    shutil.copy(source, part)
    os.replace(part, target)


def write(file: Path, text: str) -> None:
    """Write a file so that it is whole at any moment."""
    part = file.with_suffix(".part")
    part.write_text(text)
    os.replace(part, file)
