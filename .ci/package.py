"""Build the sdist, and from it the wheel, in dist/; then try the wheel where nothing else is: `python .ci/package.py`.

A second argument is a file of constraints for what the wheel needs.
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
TRIES = (
    ("python", "-c", "import amoba_env; amoba_env.games.make('halma')"),
    ("amoba", "--help"),
    ("amoba", "games"),
    ("amoba", "match", "tictactoe", "greedy", "random", "--games", "10", "--quiet"),
)


def main(constraints: str | None = None) -> None:
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
        try_out(wheel, folder / "environment", constraints)
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


def try_out(wheel: Path, environment: Path, constraints: str | None) -> None:
    """Install the wheel into an empty environment and run some commands in an empty folder."""
    venv.create(environment, with_pip=True)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    given = ["-c", str(ROOT / constraints)] if constraints else []
    pip = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *given]
    subprocess.run([*pip, f"{wheel}[cli]"], check=True)
    work = environment / "work"
    work.mkdir()
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    for program, *arguments in TRIES:
        subprocess.run(
            [str(programs / program), *arguments], cwd=work, env=clean, check=True, stdout=subprocess.DEVNULL
        )


if __name__ == "__main__":
    main(*sys.argv[1:2])
