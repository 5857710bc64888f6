# Two commands: `make demo` and `make test`. Both make .venv the first time and are quick after that.
PYTHON ?= $(if $(filter Windows_NT,$(OS)),python,python3)
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
# Which versions; `make build CONSTRAINTS=` takes what pip finds, on a Python that the pins do not know.
CONSTRAINTS ?= constraints.txt
# Without byte code of what is never imported, which takes a minute.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile $(if $(CONSTRAINTS),-c $(CONSTRAINTS))

# Byte code is kept, whatever the shell says: without it each worker and each command of the tests compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo play test docs lint js types imports tests browser border coverage bounds next lowest newest wins scale build tables golden bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv/cli ## ten thousand games a row of three-player halma, beside the thesis's figures
	$(BIN)/amoba reproduce halma

play: .venv/web ## boards in the browser: play against machines and people
	$(BIN)/amoba serve

# What has one thread runs in pairs: what needs no package runs beside pip. mypy and the suite have two workers each.
test: ## lint, js, types, imports, tests and docs
	$(MAKE) -j 2 .venv/dev browser js
	$(MAKE) -j 2 types docs lint imports
	$(MAKE) tests

lint: .venv/dev ## ruff: rules and format; the lengths of files and functions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python .ci/limits.py

js: ## the pages' JavaScript: rules, format, types (where Node is installed)
	@.ci/javascript

types: .venv/dev ## mypy, strict
	$(BIN)/mypy

imports: .venv/dev ## arrows point one way
	$(BIN)/lint-imports

# Contiguous halves: two workers that take tests in turn would both compile what a file needs.
tests: .venv/dev browser ## the test suite
	$(BIN)/pytest -n 2 --dist worksteal

browser: ## Chromium, which the tests of pages need (skipped without it); installed here if apt-get can
	@.ci/chromium

border: .venv/dev ## random arrays passed as positions, with bounds checks
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest -n 2 tests/core/test_border.py

bounds: .venv/dev ## the whole suite with bounds checks (not in `make test`: compiles everything again, and takes twice as long)
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest -n 2 --dist worksteal

next: .venv/dev ## what is compiled, with the newest Numba, released or not (which then stays in .venv)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --pre --upgrade numba
	$(BIN)/pytest -n 2 --dist worksteal tests/core tests/games tests/envs tests/agents

define try_versions
$(PYTHON) -m venv build/$@
build/$@/$(notdir $(BIN))/python -m pip install --quiet --disable-pip-version-check uv
build/$@/$(notdir $(BIN))/uv pip install --quiet --python build/$@ $(1) '.[train,render,openspiel]'
build/$@/$(notdir $(BIN))/uv pip install --quiet --python build/$@ pytest hypothesis moviepy
PYTHONPATH=.:agents:experiments build/$@/$(notdir $(BIN))/python -m pytest --ignore tests/envs/test_clients.py tests/envs tests/training/test_train.py tests/runs/test_windows.py
endef

lowest: ## environments, training and export with the lowest versions that pyproject.toml allows
	$(call try_versions,--resolution lowest-direct)

newest: ## the same with the newest ones
	$(call try_versions,)

coverage: .venv/dev ## tests marked `plain` without the compiler, with line coverage
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest $$(grep -rl mark.plain tests --include='*.py') -n 2 -m plain --cov

docs: .venv/docs ## the documentation, in site/
	$(BIN)/python docs/build.py build/docs
	$(BIN)/zensical build --strict --clean --config-file build/docs/mkdocs.yml
	rm -rf site && mv build/docs/site site

# The extras of which each is tried in an empty environment of its own; `make build EXTRAS=cli` tries one.
EXTRAS ?=
build: .venv/build ## sdist and wheel, in dist/, tried in empty environments with each extra
	$(BIN)/python .ci/package.py "$(CONSTRAINTS)" $(EXTRAS)
	$(BIN)/twine check --strict dist/*

wins: .venv/dev ## wins by fours and threes that alphabeta must not miss: a thousand of each kind in each rule (hours)
	AMOBA_SCALE=$${AMOBA_SCALE:-1} $(BIN)/pytest tests/agents/test_no_win_is_missed.py

scale: .venv/dev browser ## the tests of the server at full scale: 10,500 positions, 10,000 games, 100 kills, 100,000 messages (an hour)
	AMOBA_SCALE=$${AMOBA_SCALE:-1} $(BIN)/pytest -s tests/web/test_room_commands.py tests/web/test_faults.py tests/web/test_killed.py \
		tests/web/test_strangers.py -k "targets or networks or kill or nonsense"

tables: .venv/dev ## rewrite the tables of options in the pages
	$(BIN)/python docs/option_tables.py

golden: .venv/dev ## after a change of rules or a new game: golden playthroughs, move counts where there are none, stubs
	$(BIN)/python .ci/stubs.py
	$(BIN)/python tests/helpers/playthroughs.py
	$(BIN)/python tests/helpers/perft_files.py

bench: .venv/bench ## speed, side by side with peers
	$(BIN)/amoba bench

clean: ## remove what the targets made
	rm -rf .venv build dist site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage .ci/js/node_modules

# The pip that comes with Python 3.11 needs twice the processor time.
.venv/pyvenv.cfg:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

.venv/cli: pyproject.toml constraints.txt | .venv/pyvenv.cfg
	$(PIP) -e '.[cli]'
	@touch $@

.venv/web: pyproject.toml constraints.txt | .venv/pyvenv.cfg
	$(PIP) -e '.[web]'
	@touch $@ .venv/cli

.venv/dev: pyproject.toml constraints.txt | .venv/pyvenv.cfg
	$(PIP) -e '.[dev,docs]'
	@touch $@ .venv/cli .venv/web .venv/docs

.venv/build: pyproject.toml constraints.txt | .venv/pyvenv.cfg
	$(PIP) hatchling twine
	@touch $@

.venv/bench: pyproject.toml constraints.txt | .venv/pyvenv.cfg
	$(PIP) -e '.[bench]'
	@touch $@

.venv/docs: pyproject.toml constraints.txt | .venv/pyvenv.cfg
	$(PIP) -e '.[docs]'
	@touch $@
