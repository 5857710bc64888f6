"""Write what the site is built from: `python docs/build.py FOLDER`. Pages are made, so that nothing is written twice.

The home page is the README. environment_pages.py makes the pages of environments. A page of the reference has
a module's docstrings. The page of the command line has the help of each command. The cards of the trained policies have
pages too. Of each picture in docs/pictures there is a dark copy, for dark pages.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import click
from environment_pages import environment, style, table

from amoba_env import ENVIRONMENTS
from amoba_env.draw.ground import GOAL_TINT
from amoba_env.draw.palette import STONES, THEMES, mix
from amoba_env.games import GAMES
from amoba_experiments.cli.run import app

ROOT = Path(__file__).parent.parent
REFERENCE = {
    "Games and positions": """
        amoba_env.games amoba_env.games.game amoba_env.registry amoba_env.position amoba_env.border amoba_env.notation
        amoba_env.symmetry amoba_env.explain amoba_env.record amoba_env.records amoba_env.records.sgf
        amoba_env.records.psq amoba_env.records.jsonl amoba_env.draw.picture amoba_env.draw.page amoba_env.draw.letters
        amoba_env.draw.screen amoba_env.draw.raster
    """,
    "Environments": """
        amoba_env.environments amoba_env.aec amoba_env.single amoba_env.vector amoba_env.sb3 amoba_env.batch
        amoba_env.wrappers amoba_env.openspiel
        amoba_env.threads amoba_env.begin amoba_env.spaces
    """,
    "Rules core": """
        amoba_env.core.play amoba_env.core.state amoba_env.core.rules amoba_env.core.lookup amoba_env.core.rng
        amoba_env.core.board amoba_env.core.patterns amoba_env.core.opening_rules amoba_env.core.phases
        amoba_env.core.batch amoba_env.core.check amoba_env.core.planes
    """,
    "Players": """
        amoba_env.agent amoba_agents.registry amoba_agents.seat amoba_agents.values.exact
        amoba_agents.halma.halma_players amoba_agents.players.lookahead_tree amoba_agents.alphabeta.alphabeta_player
        amoba_agents.mcts.mcts_player amoba_agents.mcts.tree_search amoba_agents.mcts.leaves
        amoba_agents.networks.trained amoba_agents.networks.inference amoba_agents.networks.board_policy
        amoba_agents.networks.line_patterns amoba_agents.gomocup.agent amoba_agents.players.endgame_player
        amoba_agents.players.levels amoba_agents.players.mistakes
    """,
    "Experiments": """
        amoba_experiments.arena.match amoba_experiments.runs.play_match amoba_experiments.arena.games
        amoba_experiments.arena.openings amoba_experiments.analysis.summary amoba_experiments.analysis.regret
        amoba_experiments.runs.store amoba_experiments.arena.workers amoba_experiments.arena.cluster
        amoba_experiments.analysis.queries amoba_experiments.runs.replay amoba_experiments.analysis.page
        amoba_experiments.statistics.sequential amoba_experiments.analysis.tournament.play_tournament
        amoba_experiments.analysis.tournament.ratings amoba_experiments.analysis.tournament.summary
        amoba_experiments.analysis.tournament.ladder
        amoba_experiments.studies.section amoba_experiments.gomocup.brain
    """,
}
ENVIRONMENTS_TABLE = "<!-- docs/build.py puts the table of environments here -->"
DOCUMENTS = ("CHANGELOG", "CONTRIBUTING", "SECURITY")  # pages beside the home page, which is the README
CLIENTS = ROOT / "experiments/clients"
CARDS = sorted((ROOT / "agents/amoba_agents/policies").glob("*.md"))  # of the trained policies
NAVIGATION = {  # by task; pages without .md
    "Get started": "start/install start/first-game start/train-a-policy",
    "Environments": " ".join(
        ["environments/index", "environments/gymnasium", *(f"environments/{name}" for name in ENVIRONMENTS), "clients"]
    ),
    "Training": " ".join(
        ["training/self-play training/command training/settings training/networks policies"]
        + [f"policies/{card.stem}" for card in CARDS]
    ),
    "Statistics": """
        statistics/matches statistics/runs statistics/tournaments statistics/stopping statistics/scripts
    """,
    "Players": "players/index players/search players/write-an-agent players/engines",
    "Boards and rules": """
        boards/any-board boards/halma boards/renju boards/openings boards/solved boards/positions
    """,
    "Play and look": """
        people/browser people/play people/serve people/studies protocol people/drawings people/records people/analyse
    """,
    "Results": """
        results/panel results/ladders results/search results/policies results/learning results/growth results/studies
        results/thesis results/coverage results/speed
    """,
    "Internals": "internals/core internals/add-a-game internals/layout",
}


def navigation() -> list[dict[str, Any]]:
    """What stands in the margin."""
    return [
        {"Home": "index.md"},
        *({section: [f"{name}.md" for name in names.split()]} for section, names in NAVIGATION.items()),
        {"Command line": "command-line.md"},
        {"Glossary": "glossary.md"},
        *({name.capitalize(): f"{name}.md"} for name in DOCUMENTS),
        {"Reference": [{section: [page(name) for name in names.split()]} for section, names in REFERENCE.items()]},
    ]


def write(folder: Path) -> None:
    """Write the sources of the site: settings, the pages that are here, the pages that are made."""
    pages = folder / "pages"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(Path(__file__).parent, pages, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    made = {"../mkdocs.yml": f"{settings}\nnav: {json.dumps(navigation())}\n"}
    made |= {f"{name}.md": document(name) for name in DOCUMENTS}
    made["CHANGELOG.md"] = "---\nsearch:\n  exclude: true\n---\n\n" + made["CHANGELOG.md"]  # guides come first
    made |= {
        "index.md": document("README"),
        "clients.md": clients(),
        "command-line.md": command_line(),
        "extra.css": (ROOT / "docs/extra.css").read_text(encoding="utf-8") + style(),
        "CITATION.cff": (ROOT / "CITATION.cff").read_text(encoding="utf-8"),
    }
    made |= {f"environments/{name}.md": environment(name) for name in ENVIRONMENTS}
    made |= {f"policies/{card.stem}.md": policy(card) for card in CARDS}
    made |= {page(name): reference(name) for names in REFERENCE.values() for name in names.split()}
    for path, text in made.items():
        (pages / path).parent.mkdir(exist_ok=True)
        (pages / path).write_text(text, encoding="utf-8")
    for path in pages.glob("pictures/*.svg"):
        path.with_stem(f"{path.stem}-dark").write_text(dark(path.read_text(encoding="utf-8")), encoding="utf-8")
    for path in pages.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        if (ROOT / "docs" / path.relative_to(pages)).exists():
            text = with_links_of_the_site(text, ROOT / "docs" / path.relative_to(pages))
        text = in_both_themes(text.replace(ENVIRONMENTS_TABLE, table()))
        path.write_text(text, encoding="utf-8")
        for picture in re.findall(r'!\[[^]]*\]\(([^)#]*)|src="([^"#]*)', text):
            if not (path.parent / "".join(picture)).exists():  # Zensical looks at links to pages alone
                raise FileNotFoundError(f"{path}: no picture {''.join(picture)}")


def dark(picture: str) -> str:
    """An SVG of ours with the colours of the dark theme; white is the page only where it comes first.

    There it is left out: the site's own page is seen.
    """
    light, night = THEMES["light"], THEMES["dark"]
    picture = picture.replace(light.page, "none", 1)
    goals = [tuple(mix(look.board, color, GOAL_TINT) for look in (light, night)) for color in STONES.values()]
    for before, after in [*zip(light[1:], night[1:], strict=True), *goals]:
        picture = picture.replace(before, after)
    return picture


def in_both_themes(text: str) -> str:
    """A page whose pictures of docs/pictures are light on light pages and dark on dark ones."""
    both = r"\1.svg#only-light\2\1-dark.svg#only-dark\2"
    text = re.sub(r"(!\[[^]]*\]\([^)]*pictures/[^)]*)\.svg(\))", both, text)
    return re.sub(r'(<img src="[^"]*pictures/[^"]*)\.svg("[^>]*>)', both, text)


COMMAND_LINE = """# Command line

`amoba COMMAND --help` prints what stands here. Without a subcommand, `amoba` lists all commands.

- Results go to the standard output; messages, progress and the names of written files to the standard error.
- `--json FILE` writes all results as JSON; `--json` without a file prints them.
- Bad input ends with one line that says what is possible, and exit code 2. After Ctrl-C the exit code is 130.
- `eval "$(_AMOBA_COMPLETE=bash_source amoba)"` in `~/.bashrc` lets bash complete the names of commands, options, games
  and players; there are `zsh_source` and `fish_source` too.
"""


def command_line() -> str:
    """The help of all commands."""
    parts = [COMMAND_LINE]
    for name in sorted(app.functions):
        command: Any = app.get_command(click.Context(app), name)
        context = command.make_context(f"amoba {name}", [], resilient_parsing=True, terminal_width=90)
        parts.append(f"## amoba {name}\n\n```text\n{command.get_help(context).strip()}\n```\n")
    return "\n".join(parts)


def place(path: Path) -> Path | None:
    """Where a file of the repository is in the site, seen from its top; None if it is not there."""
    if path.is_relative_to(ROOT / "docs"):
        return path.relative_to(ROOT / "docs")
    if path.parent == ROOT / "amoba_env/games" and path.stem in GAMES:
        return Path("environments", f"{path.stem}_v0.md")
    if path == CLIENTS / "README.md":
        return Path("clients.md")
    if path in CARDS:
        return Path("policies", path.name)
    if path == ROOT / "README.md":
        return Path("index.md")
    return Path(path.name) if path.stem in DOCUMENTS or path.name == "CITATION.cff" else None


def with_links_of_the_site(text: str, file: Path) -> str:
    """A page with links to pages of the site, made from its links to files of the repository, which work on a forge."""
    here = place(file)
    assert here is not None

    def there(match: re.Match[str]) -> str:
        found = None if "://" in match[2] else place((file.parent / match[2]).resolve())
        return match[1] + (match[2] if found is None else Path(os.path.relpath(found, here.parent)).as_posix())

    return re.sub(r"""(\]\(|src=")([^)#\s"]+)""", there, text)


def document(name: str) -> str:
    """A document of the root folder, with its links as they are in the site."""
    file = ROOT / f"{name}.md"
    return with_links_of_the_site(file.read_text(encoding="utf-8"), file)


def clients() -> str:
    """What was tried in other libraries, and the programs."""
    file = CLIENTS / "README.md"
    text = with_links_of_the_site(file.read_text(encoding="utf-8"), file)
    for program in sorted(CLIENTS.glob("with_*.py")):
        code = program.read_text(encoding="utf-8")
        text += f"\n## {program.stem}\n\n```python\n{code}```\n"
    return text


def policy(card: Path) -> str:
    """The card of a trained policy, without links to the files beside it."""
    text = card.read_text(encoding="utf-8").replace("# ", "# Policy card: ", 1)
    return re.sub(r"\[([^]]+)\]\([^/)]+\)", r"`\1`", text)


def page(name: str) -> str:
    """Where the page of a module is."""
    return f"reference/{name}.md"


def reference(name: str) -> str:
    """The page of a module."""
    return f"# {name}\n\n::: {name}\n    options: {{show_root_heading: false}}\n"


if __name__ == "__main__":
    write(Path(sys.argv[1]))
