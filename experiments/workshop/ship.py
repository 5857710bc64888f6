"""Copy the policy of a run into the package: python -m workshop.ship RUN.

RUN is the folder of a run of `amoba train GAME` with a recipe of the package. Its network, log and card get the name of
the recipe's file: GAME.onnx, GAME.jsonl and GAME.md, or such as GAME-two.onnx of `--recipe two`.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

from amoba_agents.networks.trained import POLICIES
from amoba_experiments.cli.errors import exit_code
from amoba_experiments.runs.files import replace as replace_file
from amoba_experiments.training import recipes
from amoba_experiments.training.job import DONE

FILES = {"policy.onnx": ".onnx", "evaluations.jsonl": ".jsonl", "card.md": ".md"}


def recipe_of(run: Path) -> recipes.Recipe:
    """The recipe of a run. ValueError if it cannot be read; OSError if there is none."""
    game = (run / recipes.FILE).read_text(encoding="utf-8").partition("\n")[0].removeprefix("game: ")
    return recipes.load(run / recipes.FILE, game)


def ship(run: Path, policies: Path = POLICIES) -> list[Path]:
    """Copy the files; return the new ones.

    Raises:
        ValueError: the run has another recipe than those of the package, or a quick one. Seed, threads and device may
            differ.
        OSError: the run has not ended.
    """
    made = recipe_of(run)
    game = made.game
    files = [recipes.find(game, name) for name in recipes.names(game) if name != "quick"]
    own = [file for file in files if _same(made, recipes.load(file, game))]
    if not own:
        raise ValueError(f"{run}: expected a run by one of the recipes {', '.join(map(str, files))}")
    for number in range(len(made.stages)):
        os.stat(run / made.folders[number] / DONE)
    made_files = {name: (run / name).read_bytes() for name in FILES}  # all are there before the first is copied
    made_files["card.md"] = _card_of(own[0], game, made_files["card.md"].decode()).encode()
    new = {policies / f"{own[0].stem}{suffix}": made_files[name] for name, suffix in FILES.items()}
    for file, content in new.items():
        replace_file(file, content)
    return list(new)


def _card_of(recipe: Path, game: str, text: str) -> str:
    """A run's card with the package's names. The title is from the first line of the recipe's file."""
    title = recipe.read_text(encoding="utf-8").partition(":")[0].removeprefix("# ")
    name = recipe.stem.removeprefix(game).removeprefix("-")
    text = re.sub("^# .*", f"# {title}", text, count=1)
    text = re.sub(
        "`amoba train .*?`", f"`amoba train {game}{' --recipe ' if name else ''}{name} --out DIR`", text, count=1
    )
    for made, suffix in {**FILES, recipes.FILE: recipe.suffix}.items():
        text = text.replace(f"[{made}]({made})", f"[{recipe.stem}{suffix}]({recipe.stem}{suffix})")
    return text


def _same(made: recipes.Recipe, recipe: recipes.Recipe) -> bool:
    return made == replace(recipe, seed=made.seed, threads=made.threads, device=made.device)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path, metavar="RUN")
    print(*ship(parser.parse_args().run), sep="\n")


if __name__ == "__main__":
    sys.exit(exit_code(main))
