# Two commands: `make demo` and `make test`. Both make .venv the first time and are quick after that.
PYTHON ?= python3
# Without byte code of what is never imported, which takes a minute.
PIP := .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test docs lint types imports tests border coverage bounds golden bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv/cli ## ten thousand games a row of three-player halma, beside the thesis's figures
	.venv/bin/amoba reproduce halma

test: lint types imports tests border coverage docs ## every check

lint: .venv/dev ## ruff: rules and format
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

types: .venv/dev ## mypy, strict
	.venv/bin/mypy

imports: .venv/dev ## arrows point one way
	.venv/bin/lint-imports

tests: .venv/dev ## the test suite
	.venv/bin/pytest -n 2

border: .venv/dev ## rows of any numbers; compiled code stops at an index out of bounds
	NUMBA_BOUNDSCHECK=1 .venv/bin/pytest -n 2 tests/test_border.py

bounds: .venv/dev ## the whole test suite so (not in `make test`: compiles all anew, and takes twice as long)
	NUMBA_BOUNDSCHECK=1 .venv/bin/pytest -n 2

coverage: .venv/dev ## the rules in plain Python (no compiler), with line coverage
	NUMBA_DISABLE_JIT=1 .venv/bin/pytest -n 2 -m "not compiled" --cov

docs: .venv/docs ## the documentation, in site/
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --quiet

golden: .venv/dev ## write the golden playthroughs anew
	.venv/bin/python tests/playthroughs.py

bench: .venv/bench ## speed, side by side with peers
	.venv/bin/amoba bench

clean: ## remove what the targets made
	rm -rf .venv site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/cli: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) -e '.[cli]'
	@touch $@

.venv/dev: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) -e '.[dev]'
	@touch $@ .venv/cli

.venv/bench: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) -e '.[bench]'
	@touch $@

.venv/docs: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) -e '.[docs]'
	@touch $@
