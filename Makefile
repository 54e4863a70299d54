# The four commands of README, each doing its own set-up on a fresh machine.
PYTHON ?= $(shell for name in python3.12 python3.11 python3; do \
	$$name -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 13))' 2>/dev/null && echo $$name && break; done)
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
ARGS ?=
HOMES := $(or $(CITEWELL_HOME),var) $(or $(CITEWELL_HOME),var)/test

.PHONY: setup run test check bench messages clean

run: $(VENV)/ready
	$(BIN)/python manage.py up --port $(PORT) $(if $(ONCE),--once) $(ARGS)

test: $(VENV)/ready-dev
	@.ci/packages
	$(BIN)/python -m pytest $(ARGS)

check: $(VENV)/ready-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy accounts knowledge agents config manage.py
	$(BIN)/lint-imports
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/python manage.py makemigrations --check --dry-run accounts knowledge agents
	$(BIN)/python -m pytest -q tests/test_messages.py

bench: $(VENV)/ready-dev
	$(BIN)/python manage.py bench $(ARGS)

setup: $(VENV)/ready-dev

# Words for translation: needs gettext. The compiled messages are kept in the repository.
messages: $(VENV)/ready-dev
	$(BIN)/python manage.py makemessages --locale ko --no-location --ignore $(VENV) --ignore var --ignore tests --ignore demo
	$(BIN)/python manage.py compilemessages --locale ko --ignore $(VENV)

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or 3.12 is needed; make PYTHON=/path/to/python3.11 names one"; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "$(PYTHON) cannot make a virtual environment; Debian: apt-get install python3-venv, then make again"; exit 1; }

$(VENV)/ready: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check .
	@touch $@

$(VENV)/ready-dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ".[dev]"
	@touch $(VENV)/ready $@

# What was stored under CITEWELL_HOME stays; the services there are stopped, since their programs go.
clean:
	-@test ! -x $(BIN)/python || $(BIN)/python -m config.embedded.services $(HOMES)
	rm -rf $(VENV) build citewell.egg-info artefacts .mypy_cache .ruff_cache .pytest_cache
