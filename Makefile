# Everything that is done with this project, each as one command. The first target that needs
# it makes a virtual environment; stamp files in it make the next run quick.

VENV ?= .venv
# What is installed into it: the working tree, or a wheel (see .ci/run).
PACKAGE ?= .
EXTRAS ?= [cli,instrument,otlp]
EDITABLE := $(if $(filter .,$(PACKAGE)),--editable)
DIST ?= dist
# An interpreter to try before the usual names.
PYTHON ?=
PYTEST_ARGS ?=
# One process for each core; empty for one alone, as a debugger wants it.
IN_PARALLEL ?= --numprocesses auto --dist loadfile
# Such as --records 50000 --way files; see python -m tests.shipping --help.
SOAK_ARGS ?=
# Such as --minutes 2 --server wsgi; see python -m tests.service --help.
LOAD_ARGS ?=

python := $(VENV)/bin/python
install := $(python) -m pip install --quiet --disable-pip-version-check
package := $(EDITABLE) '$(PACKAGE)$(EXTRAS)'
usable := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

.PHONY: help demo test test-long test-servers test-all test-others test-core test-lowest servers soak soak-ship soak-load docs docs-test lint format bench bench-otlp bench-service build clean

help:
	@echo 'make demo          run the demonstration; its files are in demo-out/'
	@echo 'make test          run the test suite but for what takes long'
	@echo 'make test-long     run what takes long: planted defects, faults, whole libraries'
	@echo 'make test-all      run both on every interpreter from 3.11 to 3.14 that is installed'
	@echo 'make test-core     run what needs no other library, without any extra'
	@echo 'make test-lowest   run that on the oldest releases that pyproject.toml allows'
	@echo 'make test-servers  run the tests that start servers, after make servers'
	@echo 'make servers       build the servers that some tests start; needs Go 1.26'
	@echo 'make soak          both of these, which take most of an hour:'
	@echo 'make soak-ship     ship a million records while everything is killed, and count them'
	@echo 'make soak-load     ten minutes of steady load for each service, with an LLM that fails'
	@echo 'make docs          write what is made from contracts anew: reference, leak matrix, allow-lists'
	@echo 'make docs-test     check every code block of the documentation'
	@echo 'make lint          ruff and mypy'
	@echo 'make format        let ruff format and fix'
	@echo 'make bench         measure against other formatters'
	@echo 'make bench-otlp    measure sending over OTLP against the handler of OpenTelemetry'
	@echo 'make bench-service measure what a service costs more with all of it'
	@echo 'make build         build the wheel into dist/'
	@echo 'make clean         remove what the other targets made'

demo: $(VENV)/.demo
	@$(python) docs/examples/demo/run.py

test: $(VENV)/.test
	$(python) -m pytest -m 'not servers and not long' $(IN_PARALLEL) $(PYTEST_ARGS)

test-long: $(VENV)/.test
	$(python) -m pytest -m 'long and not servers' $(IN_PARALLEL) $(PYTEST_ARGS)

test-servers: $(VENV)/.test
	$(python) -m pytest -m servers $(PYTEST_ARGS)

test-all: test-others test-long test

test-others: $(VENV)/.made
	@others=$$($(python) tests/interpreters.py) && \
	printf '%s\n' "$$others" | while read -r version interpreter; do \
	    [ -n "$$version" ] || continue; \
	    echo "== Python $$version"; \
	    $(MAKE) --no-print-directory test-long test VENV='$(VENV)/others/'"$$version" \
	        PYTHON="$$interpreter" </dev/null || exit 1; \
	done

test-core:
	$(MAKE) --no-print-directory core-suite VENV='$(VENV)/core' EXTRAS=

test-lowest:
	$(MAKE) --no-print-directory lowest-suite VENV='$(VENV)/lowest'

.PHONY: core-suite lowest-suite
core-suite: $(VENV)/.core
	$(python) -m pytest -m 'not integration' $(IN_PARALLEL) $(PYTEST_ARGS)

lowest-suite: $(VENV)/.lowest
	$(python) -m pytest -m 'not integration' $(IN_PARALLEL) $(PYTEST_ARGS)

# Kept outside the clone, by version. They take minutes, so others come first.
servers: $(VENV)/.test
	nice -n 10 $(python) -m tests.servers build

soak: soak-ship soak-load

soak-ship: $(VENV)/.test
	$(python) -m tests.shipping $(SOAK_ARGS)

soak-load: $(VENV)/.test
	$(python) -m tests.service $(LOAD_ARGS)

docs: $(VENV)/.test
	$(python) -m tests.docs.reference
	$(python) -m tests.docs.leak_matrix
	$(python) -m discreet.cli.main contract allow-list >dashboards/collector/allow-list.yaml
	$(python) -m discreet.cli.main contract allow-list --format alloy >dashboards/alloy/allow-list.alloy
	$(python) -m discreet.cli.main dashboards render --out dashboards

docs-test: $(VENV)/.test
	$(python) -m pytest tests/docs $(PYTEST_ARGS)

lint: $(VENV)/.lint
	$(python) -m ruff check
	$(python) -m ruff format --check
	$(python) -m mypy

format: $(VENV)/.lint
	$(python) -m ruff format
	$(python) -m ruff check --fix

bench: $(VENV)/.bench
	$(python) benchmarks/run.py
	$(python) benchmarks/match.py

bench-otlp: $(VENV)/.bench
	$(python) benchmarks/otlp.py

bench-service: $(VENV)/.test
	$(python) benchmarks/service.py

build: $(VENV)/.made
	$(python) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir '$(DIST)' .

clean:
	rm -rf .venv build dist demo-out .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests docs benchmarks -name __pycache__ -type d -exec rm -rf {} +

# A name alone proves nothing: version managers leave shims for interpreters that they lack,
# and some systems ship a Python without ensurepip. So each candidate is run.
$(VENV)/.made:
	@found=; \
	for name in $(if $(PYTHON),'$(PYTHON)') python3.13 python3.12 python3.11 python3.14 python3; do \
	    if "$$name" -c '$(usable)' >/dev/null 2>&1; then found=$$name; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	    echo 'discreet needs Python 3.11 or newer with its venv module, and found none.' >&2; \
	    echo 'Install one, or say where it is: make PYTHON=/path/to/python3.11 ...' >&2; \
	    exit 1; \
	fi; \
	echo "Making $(VENV) with $$($$found --version); packages are installed once"; \
	"$$found" -m venv '$(VENV)'
	@$(install) --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.demo: $(VENV)/.made pyproject.toml
	@$(install) $(package) --group demo
	@touch $@

$(VENV)/.test: $(VENV)/.made pyproject.toml
	@$(install) $(package) --group integration
	@touch $@

$(VENV)/.core: $(VENV)/.made pyproject.toml
	@$(install) $(package) --group test
	@touch $@

$(VENV)/.lowest: $(VENV)/.made pyproject.toml tests/lowest.py
	@$(python) tests/lowest.py >'$(VENV)/lowest.txt'
	@$(install) $(package) --group test --constraint '$(VENV)/lowest.txt'
	@touch $@

$(VENV)/.lint: $(VENV)/.test
	@$(install) $(package) --group integration --group lint
	@touch $@

$(VENV)/.bench: $(VENV)/.made pyproject.toml
	@$(install) $(package) --group bench
	@touch $@
