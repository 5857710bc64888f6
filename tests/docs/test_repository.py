"""What stands around the code agrees with it: versions, links, workflows."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import amoba_env

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README", "CHANGELOG", "CONTRIBUTING", "SECURITY", ".github/pull_request_template"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version() -> None:
    version = amoba_env.__version__  # where pyproject.toml takes it from
    assert re.findall(r"^version: (.*)$", text("CITATION.cff"), re.MULTILINE) == [version]
    assert re.findall(r"^## (\S+)", text("CHANGELOG.md"), re.MULTILINE)[0] == version


PAGES = sorted(str(path.relative_to(ROOT)) for part in ("docs", "experiments") for path in (ROOT / part).rglob("*.md"))


@pytest.mark.parametrize("page", [*(f"{name}.md" for name in DOCUMENTS), *PAGES])
def test_links_lead_somewhere(page: str) -> None:
    """Links lead to files of the repository, for readers on a forge; docs/build.py makes them links of the site."""
    folder = (ROOT / page).parent
    for link in re.findall(r"\]\(([^)#\s]+)", text(page)):
        assert link.startswith("https://") or (folder / link).exists(), link


def test_the_environments_name_no_package_above_them() -> None:
    """Not even as a text to import: import-linter sees import statements alone."""
    for file in sorted((ROOT / "amoba_env").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.match(r"(amoba_agents|amoba_experiments)\b", node.value), (file, node.lineno)


def test_targets() -> None:
    workflows = [path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")]
    ran = re.findall(r"(?:- run: make|checks:) ([a-z ]*[a-z])", "\n".join(workflows))
    told = re.findall(r"`make ([a-z ]*[a-z])", "\n".join(text(f"{name}.md") for name in DOCUMENTS))
    assert {"test coverage border", "build demo"} <= set(ran)
    assert {target for line in [*ran, *told] for target in line.split()} <= TARGETS
    phony = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split()
    assert set(phony) == TARGETS


def test_the_wheel_has_the_three_packages_alone() -> None:
    """The workshop is for the makers of the package: it runs from a checkout, and the sdist has it for its tests."""
    built = tomllib.loads(text("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert built == ["amoba_env", "agents/amoba_agents", "experiments/amoba_experiments"]
    assert (ROOT / "experiments" / "workshop" / "__init__.py").exists()
