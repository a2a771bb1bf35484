# Every target sets up what it needs on a machine with only Python 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# CPU-bound tests run best with one BLAS thread per worker.
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: help demo test lint types tests test-slow bench lock clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lowkey needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY)  ## design, simulate and estimate the example survey; write demo/index.html
	$(BIN)/python examples/demo.py --out demo

test: lint types tests  ## everything that CI checks

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

tests: $(READY)
	$(BIN)/python -m pytest -n 2

test-slow: $(READY)  ## the long tests, marked slow
	$(BIN)/python -m pytest -m slow

bench: $(READY)  ## every benchmark; results go to benchmarks/results
	OPENBLAS_NUM_THREADS= $(BIN)/python -m benchmarks.run

lock:  ## resolve the pinned versions again (needs uv)
	uv pip compile pyproject.toml --extra dev --extra report --python-version 3.11 --universal \
	  --generate-hashes --no-emit-index-url --custom-compile-command 'make lock' -o requirements.lock

clean:
	rm -rf $(VENV) demo dist build
