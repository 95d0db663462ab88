# make run: set up everything, build the sample, print figures. make test: set up, test.
# Both work on a fresh machine with Python 3.11+ and a package index.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SETUP := $(VENV)/.installed

.PHONY: run test lint format schema bench clean help

run: $(SETUP)
	@$(BIN)/skillmill run

test: $(SETUP)
	@$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(SETUP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/mypy
	$(BIN)/snakemake --lint

format: $(SETUP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile rules

schema: $(SETUP)
	$(BIN)/python -m skillmill.config

clean:
	rm -rf results logs

help:
	@echo "run  test  lint  format  schema  clean"

# pip's own version is left alone: the lock pins what matters. The stamp is written last,
# so an interrupted set-up starts again.
$(SETUP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "skillmill needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; name another: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) (a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[workflow,test,lint]'
	@touch $@
