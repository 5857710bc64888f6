"""The options that match, tournament and ladder share: each is declared once, as a field of `Playing`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from amoba_env.options import option_of, parameters
from amoba_experiments.arena.options import Seed, Seeds
from amoba_experiments.cli.command import Flag
from amoba_experiments.cli.shared import (
    GameOptions,
    Jobs,
    Json,
    OutFolder,
    Quiet,
    RayAddress,
    check_folder,
    check_writable,
    refuse_own_files,
)

if TYPE_CHECKING:
    from amoba_experiments.arena.workers import Workers

SHOWN = {  # names of options, and of their values, where they are not those of fields
    "games": Flag("--games", "-n"),
    "rotate": Flag("--agents-rotate"),
    "until": Flag(metavar="RULE"),
    "adjudicate": Flag(metavar="RULES"),
}


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
        """Raise OSError if the files and the folder cannot be written, ValueError if one is the run's own."""
        if self.json_file is not None and self.folder is not None:
            refuse_own_files(self.json_file, self.folder)
        check_writable(self.json_file)
        check_folder(self.folder)

    def fields_for(self, game: str) -> dict[str, Any]:
        """The fields of a match or a tournament of this game that are given here."""
        from amoba_env.games import options_from_text

        return {"options": options_from_text(game, self.option or ()), "seed": self.seed, "seeds": self.seeds}

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


def takes_playing(command: Callable[..., None], settings: type[Any] | None = None) -> Callable[..., None]:
    """The command with an option for each field of `Playing` in place of the parameter `playing`.

    In place of `**settings` it has the options that the fields of `settings` declare.
    """
    declared = {key: each for key, each in parameters(settings or object).items() if option_of(each).means}
    for key in declared.keys() & SHOWN:
        declared[key] = declared[key].replace(annotation=Annotated[declared[key].annotation, SHOWN[key]])
    known = {**declared, **parameters(command), **parameters(Playing)}
    del known["playing"]

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        playing = Playing(**{each.name: given.pop(each.name) for each in fields(Playing)})
        command(**given, playing=playing)

    with_options.__annotations__ = {key: each.annotation for key, each in known.items()}
    with_options.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in known.values()]
    )
    return with_options
