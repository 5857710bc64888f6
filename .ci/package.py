"""Build the sdist, and from it the wheel, in dist/; then try the wheel where nothing else is.

    python .ci/package.py CONSTRAINTS EXTRA...

CONSTRAINTS is a file of constraints for what the wheel needs, or empty. Each extra is installed into an empty
environment of its own and tried there; without names, all in TRIES are.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("amoba_env", "agents/amoba_agents", "experiments/amoba_experiments")
MATCH = ("amoba", "match", "tictactoe", "greedy", "random", "--games", "10", "--quiet")
TRAIN = (  # the quick recipe, with a hundredth of its steps
    *("amoba", "train", "tictactoe", "--recipe", "quick", "--out", "run"),
    *("--set", "play.steps=2048", "--set", "evaluation.games=12", "--set", "evaluation.final_games=12"),
)
WITHOUT_CLI = "amoba: the command line needs "  # in one line, and what to install
TRIES: dict[str, tuple[tuple[str, ...], ...]] = {  # by extra; "" is the package alone
    "": (("python", "-c", "import gymnasium, amoba_env; gymnasium.make('amoba/Halma-v0', opponent='greedy').reset()"),),
    "cli": (("amoba", "--help"), ("amoba", "games"), MATCH),
    "stats": ((*MATCH, "--out", "run"), ("amoba", "stats", "run"), ("amoba", "report", "run", "-o", "run.html")),
    "ray": ((*MATCH, "--ray", "local"),),
    "trained": (
        (
            "python",
            "-c",
            "from amoba_experiments import Match, play_match; play_match(Match('tictactoe', ('trained', 'random'), 4))",
        ),
    ),
    "train": (TRAIN, ("amoba", "match", "tictactoe", "trained:run/policy.onnx", "random", "--games", "10", "--quiet")),
    "render": (
        (
            "python",
            "-c",
            "from amoba_env import draw, games; g = games.make('halma'); draw.png(draw.svg(g, g.start()))",
        ),
    ),
    "openspiel": (("python", "-c", "import pyspiel, amoba_env.openspiel; pyspiel.load_game('amoba_gomoku(size=9)')"),),
    "web": (("python", "-c", "import amoba_experiments.web.serve"), ("amoba", "serve", "--help")),
}


def main(constraints: str = "", *extras: str) -> None:
    """All of it. Raises CalledProcessError or AssertionError where something is amiss."""
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build("sdist", ROOT, dist)
        (sdist,) = dist.glob("*.tar.gz")
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(folder)
        (source,) = folder.iterdir()
        build("wheel", source, dist)
        (wheel,) = dist.glob("*.whl")
        check_files(source, wheel)
        for extra in extras or TRIES:
            print(f"trying {wheel.name}[{extra}]", flush=True)
            try_out(wheel, extra, folder / f"environment-{extra}", constraints)
    print(f"{sdist.name} and {wheel.name} are in dist/: installed and tried")


def build(target: str, source: Path, dist: Path) -> None:
    """Hatchling's own command."""
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(dist)], cwd=source, check=True)


def check_files(source: Path, wheel: Path) -> None:
    """Is every file of the packages in the wheel, policies and templates too, and are the tests not?"""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    wanted = {path.relative_to(source).as_posix() for each in PACKAGES for path in (source / each).rglob("*.*")}
    missing = sorted(path for path in wanted if not any(f"/{path}".endswith(f"/{name}") for name in names))
    assert not missing, f"not in the wheel: {missing}"
    assert len(names) < len(wanted) + 10, "more in the wheel than in the packages"


def try_out(wheel: Path, extra: str, environment: Path, constraints: str) -> None:
    """Install the wheel with an extra into an empty environment, run its commands in an empty folder, and clean up."""
    venv.create(environment, with_pip=True)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    given = ["-c", str(ROOT / constraints)] if constraints else []
    pip = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *given]
    subprocess.run([*pip, f"{wheel}[{extra}]" if extra else str(wheel)], check=True)
    work = environment / "work"
    work.mkdir()
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    for program, *arguments in TRIES[extra]:
        subprocess.run(
            [str(programs / program), *arguments], cwd=work, env=clean, check=True, stdout=subprocess.DEVNULL
        )
    if not extra:
        done = subprocess.run([str(programs / "amoba")], cwd=work, env=clean, capture_output=True, text=True)
        assert done.returncode == 2, done.returncode
        assert done.stderr.startswith(WITHOUT_CLI), done.stderr
        assert len(done.stderr.splitlines()) == 1, done.stderr
    shutil.rmtree(environment)


if __name__ == "__main__":
    main(*sys.argv[1:])
