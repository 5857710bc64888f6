"""Play a match, in memory or into a folder, where it can continue after an interruption."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from amoba_experiments.arena import own_bar
from amoba_experiments.arena.fingerprints import Fingerprints, fingerprints, unchanged_files
from amoba_experiments.arena.games import Ended, Games, joined
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.shard import Watch, batch_of, play_shard
from amoba_experiments.arena.stopping import rule_is_met
from amoba_experiments.arena.workers import Progress, Shard, T, Workers, growing, workers_of
from amoba_experiments.runs.files import check_folder, locked

if TYPE_CHECKING:
    from amoba_experiments.runs.store import Tables


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a match.

    Attributes:
        games: those of the batches before the first unfinished one; None: no games.
        kept: the number of games in all finished batches.
    """

    def __init__(self, parts: Sequence[Games], shards: Sequence[Shard], found: Mapping[Shard, Games]) -> None:
        super().__init__()
        first = [*parts, *(found[each] for each in takewhile(found.__contains__, shards))]
        self.games = joined(first) if first else None
        self.kept = sum(len(each.index) for each in [*parts, *found.values()])


def play_match(
    match: Match,
    folder: Path | str | None = None,
    *,
    jobs: int | Workers | None = None,
    batch: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Games:
    """Play all games of a match. Ctrl-C stops it at once.

    Args:
        match: what to play.
        folder: store all games with their moves here (see store.py). Games that are there already are not played
            again. The folder is made if it does not exist.
        jobs: a number of threads (default: one for each core), or a Ray cluster (see arena/cluster.py).
        batch: the most games to play in lockstep and to write into a file; the first batches are smaller. The games do
            not depend on it. A folder that has games keeps its own number.
        progress: called with the number of games in the folder, then with numbers of games that have just ended.
            Default: a bar, see arena/own_bar.py.
        watch: called with all moves; not possible with a cluster or a folder.

    Raises:
        ValueError: an impossible `jobs` or `batch`; the folder has another match (the message says what differs) or a
            damaged file; a file that an agent reads has changed since the match began, or differs on a node of the
            cluster.
        OSError: the disk is full, or the folder cannot be written; complete files stay.
        ImportError: a folder needs pyarrow, which is not installed.
        Interrupted: Ctrl-C was pressed; the exception has the games that were played.
    """
    workers = workers_of(jobs)
    size, folder = batch_of(match, workers, batch), None if folder is None else Path(folder)
    if folder is not None:
        if watch is not None:
            raise ValueError("watch: expected no folder, since games that are there already are not played")
        from amoba_experiments.runs import store  # imported late: a match in memory starts sooner

        store.need_pyarrow()
        check_folder(folder, store.MANIFEST)
    parts: list[Games] = []
    with ExitStack() as held:
        held.enter_context(nullcontext() if folder is None else _in_folder(folder))
        if progress is None:
            progress = held.enter_context(own_bar.games(" - ".join(match.agents), match.games))
        size, begun, made = _begin(match, folder, size)
        work = partial(_play, match, begun, watch, made)
        for block in match.blocks:
            shards = growing(block, size)
            found = {} if folder is None else store.shards_there(folder, shards)
            if progress is not None and found:
                progress(sum(count for _, count in found))
            missing = [each for each in shards if each not in found]
            try:
                workers.run(work, missing, partial(_keep, folder, found), progress)
            except KeyboardInterrupt as stop:
                raise Interrupted(parts, shards, found) from stop
            parts += [found[each] for each in shards]
            if rule_is_met(match, parts):
                break
    return joined(parts)


@contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    """Lock the folder of a run, and tidy its checksums when the run is whole."""
    from amoba_experiments.runs.checksums import drop_old_lines

    with locked(folder):
        yield
        drop_old_lines(folder)


def _begin(
    match: Match, folder: Path | None, size: int
) -> tuple[int, Fingerprints, Callable[[Ended], Games] | Callable[[Ended], Tables]]:
    """The size of shards, the players' files at the start of the match, and the function for a shard's games."""
    if folder is None:
        return size, fingerprints(match), Games.of
    from amoba_experiments.runs import store

    manifest = store.begin_run(folder, match, size)
    return manifest["shard"], manifest["fingerprints"], store.tables_of


def _play(
    match: Match,
    begun: Fingerprints,
    watch: Watch | None,
    made: Callable[[Ended], T],
    first: int,
    count: int,
    progress: Progress | None,
    cancel: threading.Event | None,
) -> T:
    """Play a shard; return the result of the function for its games."""
    with unchanged_files(match, begun):
        ended = play_shard(match, first, count, progress, cancel, watch)
    return made(ended)


def _keep(folder: Path | None, found: dict[Shard, Games], shard: Shard, played: Games | Tables) -> None:
    if folder is not None and not isinstance(played, Games):
        from amoba_experiments.runs import store

        store.write_shard(folder, shard[0], played)
        played = store.games_of(**played)
    found[shard] = played  # type: ignore[assignment]
