"""The options that match, tournament and ladder share: each is declared once, as a field of `Playing`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, get_type_hints

from amoba_experiments.arena.options import Seed, Seeds
from amoba_experiments.cli.shared import (
    GameOptions,
    Jobs,
    Json,
    OutFolder,
    Quiet,
    RayAddress,
    check_folder,
    check_writable,
)

if TYPE_CHECKING:
    from amoba_experiments.arena.workers import Workers


@dataclass(frozen=True)
class Playing:
    """How games are played, and where the results go."""

    seed: Seed = 0
    seeds: Seeds = 1
    jobs: Jobs = None
    folder: OutFolder = None
    ray: RayAddress = None
    quiet: Quiet = False
    option: GameOptions = None
    json_file: Json = None

    def check_files(self) -> None:
        """Raise OSError if the files and the folder cannot be written."""
        check_writable(self.json_file)
        check_folder(self.folder)

    @contextmanager
    def workers(self) -> Iterator[Workers]:
        """The workers: threads of this process, or a Ray cluster."""
        if self.ray is None:
            from amoba_experiments.arena.workers import workers_of

            yield workers_of(self.jobs)
            return
        from amoba_experiments.arena.cluster import Ray

        if self.jobs is not None:
            raise ValueError("--jobs: expected no --ray, which uses all cores of the cluster")
        with Ray(self.ray) as cluster:
            yield cluster


def takes_playing(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each field of `Playing` in place of the parameter `playing`."""
    hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=hints[name])
        for name, parameter in inspect.signature(command).parameters.items()
        if name != "playing"
    ]
    hints = get_type_hints(Playing, include_extras=True)
    shared = [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=hints[each.name])
        for each in fields(Playing)
    ]

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        playing = Playing(**{each.name: given.pop(each.name) for each in fields(Playing)})
        command(**given, playing=playing)

    with_options.__annotations__ = {each.name: each.annotation for each in (*own, *shared)}
    with_options.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
    return with_options
