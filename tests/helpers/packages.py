"""Packages that are installed beside the project: entry points, pip, and a process that sees them."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]


def entry_points(folder: Path, package: str, group: str, points: Mapping[str, str]) -> None:
    """Install a package that has nothing but entry points, as pip leaves it."""
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"  # a hyphen ends the name
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {value}\n" for name, value in points.items()]
    (info / "entry_points.txt").write_text("".join([f"[{group}]\n", *lines]))


def pip_install(source: Path, site: Path) -> None:
    """Build a package and install it into a folder."""
    pip = ["pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(site)]
    subprocess.run([sys.executable, "-m", *pip, str(source)], check=True, timeout=300)


def output_of(site: Path, code: str, *arguments: str) -> str:
    """What a process prints that has this folder on its path."""
    path = os.pathsep.join([str(site), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
