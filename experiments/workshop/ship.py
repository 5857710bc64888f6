"""Copy the policy of a run into the package: python -m workshop.ship RUN.

RUN is the folder of a run of `amoba train GAME` with a recipe of the package. Its network, log and card get the name of
the recipe's file: GAME.onnx, GAME.jsonl and GAME.md, or such as GAME-two.onnx of `--recipe two`.
"""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from amoba_agents.networks.trained import POLICIES
from amoba_env.files import write
from amoba_experiments.training import recipes

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
    new = {name: policies / f"{own[0].stem}{suffix}" for name, suffix in FILES.items()}
    for name in FILES:
        shutil.copyfile(run / name, new[name])
    card = new["card.md"]
    write(card, _card_of(own[0], game, card.read_text(encoding="utf-8")))
    return list(new.values())


def _card_of(recipe: Path, game: str, text: str) -> str:
    """A run's card with the package's names. The title is from the first line of the recipe's file."""
    title = recipe.read_text(encoding="utf-8").partition(":")[0].removeprefix("# ")
    name = recipe.stem.removeprefix(game).removeprefix("-")
    text = re.sub("^# .*", f"# {title}", text, count=1)
    text = re.sub(
        "`amoba train .*?`", f"`amoba train {game}{' --recipe ' if name else ''}{name} --out DIR`", text, count=1
    )
    for made, suffix in FILES.items():
        text = text.replace(f"[{made}]({made})", f"[{recipe.stem}{suffix}]({recipe.stem}{suffix})")
    return text


def _same(made: recipes.Recipe, recipe: recipes.Recipe) -> bool:
    return made == replace(recipe, seed=made.seed, threads=made.threads, device=made.device)


if __name__ == "__main__":
    print(*ship(Path(sys.argv[1])), sep="\n")
