"""The commands that train policies."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from amoba_experiments.cli.command import Argument, Flag
from amoba_experiments.cli.interrupted import after_interrupt
from amoba_experiments.cli.progress import line_of, progress_bar
from amoba_experiments.cli.shared import (
    GameName,
    GameOptions,
    RayAddress,
    app,
    err,
    example,
    out,
    refuse,
)

if TYPE_CHECKING:
    from amoba_experiments.arena.workers import Workers


@app.command(epilog=example("amoba train tictactoe --out runs/tictactoe"))
def train(
    game: GameName,
    folder: Annotated[
        Path | None,
        Flag("--out", metavar="DIR", help="Folder of the run; --dry-run needs none."),
    ] = None,
    recipe: Annotated[
        str | None,
        Flag(
            "--recipe",
            metavar="NAME|FILE",
            help="A recipe: quick, own-play (for every game), or another name or YAML file.",
            show_default="GAME's own",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        Flag("--set", metavar="STAGE.SETTING=VALUE", help="Change a setting; may be repeated."),
    ] = None,
    resume: Annotated[bool, Flag("--resume", help="Continue the run in DIR, if there is one.")] = False,
    dry_run: Annotated[bool, Flag("--dry-run", help="Only print the stages.")] = False,
    ray: RayAddress = None,
    option: GameOptions = None,
) -> None:
    """Train a policy by a recipe. The result plays as trained:DIR/policy.onnx. Needs the extra "train"."""
    from amoba_experiments.analysis.text_tables import print_table
    from amoba_experiments.training import recipes

    if folder is None and not dry_run:
        raise ValueError("expected --out DIR, the folder of the run (only --dry-run needs none)")
    if folder is None:
        refuse("without --out", "resume")
    if dry_run:
        refuse("with --dry-run", "ray")
    mine = None if folder is None or recipe is not None or not resume else folder / recipes.FILE
    file = mine if mine is not None and mine.exists() else recipes.find(game, recipe or "")
    what = recipes.load(file, game, option or (), changes or ())
    from amoba_experiments.training.train import check

    check(what, folder, resume or dry_run)
    if folder is None or dry_run:
        from amoba_experiments.training.outline import outline

        print_table(outline(what, folder), out)
        return
    from amoba_experiments.analysis.match_text import print_evaluation
    from amoba_experiments.training.card import played, table
    from amoba_experiments.training.train import ONNX
    from amoba_experiments.training.train import train as body

    hint = f"amoba train {game} --out {shlex.quote(str(folder))} --resume continues it"
    with after_interrupt(hint), _watched() as progress, _cluster(ray) as workers:
        lines = body(what, folder, resume, progress, lambda line: print_evaluation(line, out), workers)
    out.say(played(what))
    print_table(table(lines), out)
    out.say(f"The player is trained:{folder / ONNX}")


@app.command(epilog=example("amoba export model.zip -o tictactoe.onnx --trust"))
def export(
    model: Annotated[
        Path, Argument(metavar="MODEL", help="A .pt of `amoba train`, or a .zip of your own MaskablePPO.")
    ],
    file: Annotated[Path, Flag("-o", "--out", metavar="FILE", help="A file that ends in .onnx.")],
    trust: Annotated[bool, Flag("--trust", help="Load a .zip, which can run code.")] = False,
) -> None:
    """Write a trained policy as ONNX: it plays as trained:FILE without torch. Needs the extra "train"."""
    from amoba_experiments.training.network_files import export as write

    write(model, file, trust)


def _cluster(ray: str | None) -> AbstractContextManager[Workers | None]:
    if ray is None:
        return nullcontext()
    from amoba_experiments.arena.cluster import Ray

    return Ray(ray)


@contextmanager
def _watched() -> Iterator[Callable[[str, int, int], None]]:
    """The function to call with the progress. Without a terminal it writes a line when a step begins."""
    with progress_bar(err, "") as bar:
        task = bar.add_task("starting", total=None)

        def progress(what: str, done: int, total: int) -> None:
            if bar.tasks[0].description != what:
                bar.reset(task, description=what, total=total, completed=done)
                if not err.is_terminal:
                    err.say(line_of(bar.tasks[0], ""))
            bar.update(task, completed=done)

        yield progress
