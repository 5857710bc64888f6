"""Files that can run code when they are loaded. They are loaded only if a person has said so, in this process.

A .zip of Stable-Baselines3 is a pickle, and a .pt2 is a program of torch.export. Whoever made such a file decides what
runs when it is loaded. An .onnx holds a network and no code; a policy.pt of `amoba train` holds numbers alone.

Trust cannot be given by a text such as "trained:model.zip": recipes and folders of runs, which may come from others,
have such texts in them. It is given on the command line (`--trust`) or in Python (`trust`), for the content of a file,
and ends with the process. Workers of a Ray cluster get it with their task.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from amoba_agents.sources import digest_of_file

CODE = (".zip", ".pt2")
ALL = "all"  # in place of a digest

_trusted: set[str] = set()


def trust(*files: str | Path) -> None:
    """Let these files be loaded, as they are now, until this process ends; without a file, all files.

    Raises:
        OSError: no such file.
    """
    _trusted.update((digest_of_file(Path(file)) for file in files) if files else [ALL])


def given() -> frozenset[str]:
    """The trust that was given: digests of files, or ALL. For processes that work for this one."""
    return frozenset(_trusted)


def take(trusted: Iterable[str]) -> None:
    """Trust what another process trusts, see `given`."""
    _trusted.update(trusted)


def check(file: Path) -> None:
    """Raise ValueError if this file can run code and nobody has said that it may."""
    if file.suffix in CODE and ALL not in _trusted and digest_of_file(file) not in _trusted:
        raise ValueError(
            f"{file.name} can run code when it is loaded: add --trust (in Python: amoba_agents.trust) if you trust who "
            "made it, or ask for an .onnx, which cannot"
        )
