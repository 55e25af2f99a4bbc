# `make demo` and `make test` are all that a newcomer needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NODE := scripts/judges

# With LC_ALL=C Python 3.11 and 3.12 cannot read the path of this folder from .venv where it is not plain ASCII.
ifneq ($(filter C POSIX,$(LC_ALL)),)
export LC_ALL := C.UTF-8
endif

.DEFAULT_GOAL := help
.PHONY: help setup demo check test test-all test-corpus test-phone fuzz mutations judges peers lint-js node-tools bench docs format clean helper helper-compat

# The tests that need nothing but Python, in one process more than there are cores, since some wait for programs that
# they start; each takes over tests that the others have not begun.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(8, 1 + (os.cpu_count() or 1)))')
# Without bytecode files every process would rewrite the assertions of all tests again.
# A text file that is opened without an encoding is read differently elsewhere: here it is an error.
PYTEST := PYTHONDONTWRITEBYTECODE= PYTHONWARNDEFAULTENCODING=1 $(BIN)/python -m pytest -qq --numprocesses $(WORKERS) --dist worksteal

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

# The stamp is newer than pyproject.toml exactly when the environment is what it asks for.
$(VENV)/.ready: pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here. Install Python 3.11 or newer, or name one: make setup PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit("Handheld needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make setup PYTHON=python3.12") if sys.version_info < (3, 11) else None'
# Debian's Python without python3-venv leaves half an environment behind: one without pip is made anew.
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV) || { echo "Could not make $(VENV). On Debian: apt-get install python3-venv"; exit 1; }
	@echo "Installing into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fonts]' --group dev
	@touch $@

# pytest rewrites the assertions of all tests: once here, instead of in each of its processes at the first run.
$(VENV)/.compiled: $(VENV)/.ready
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m compileall -q src || true
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --collect-only -qq >/dev/null || true
	@touch $@

setup: $(VENV)/.ready $(VENV)/.compiled ## Make .venv with everything in it

demo: $(VENV)/.ready ## Start a virtual phone and the server, and say how to connect
	@$(BIN)/handheld demo

check: setup ## Format, lint, types, layers, generated docs
	@$(BIN)/ruff format --check src tests bench scripts examples
	@$(BIN)/ruff check src tests bench scripts examples
	@$(BIN)/pyright
	@$(BIN)/python scripts/helper_jar.py check
	@$(BIN)/python -m pytest -q tests/test_layers.py tests/test_docs.py

test: setup ## Run the tests that need nothing but Python; SHUFFLE=7 in another order
	@$(PYTEST) $(if $(SHUFFLE),--shuffle=$(SHUFFLE))

test-all: test ## The same, then on every Android release and without the helper, with more examples
	@$(PYTEST) -m 'matrix or (hypothesis and not needs_java and not needs_aapt)' --hypothesis-profile=all tests

test-corpus: setup ## Run the tests on captured screens and documents: HANDHELD_CORPUS=folder make test-corpus
	@$(PYTEST) tests/corpus

fuzz: setup ## Look for new examples that break something, for FOR=300 seconds
	@$(BIN)/python scripts/fuzz.py $(or $(FOR),300)

mutations: setup ## Break the product in 20 places, one at a time, and see that the tests notice: SEED=1
	@$(BIN)/python scripts/mutations.py $(or $(SEED),1) $(or $(COUNT),20)

test-phone: setup ## Try the tools on a real phone: ANDROID_SERIAL=R58M123ABC make test-phone
	@$(BIN)/python scripts/test_phone.py

helper: setup ## Build the helper for real phones from helper/; needs JDK 17 and Maven
	@$(BIN)/python scripts/helper_jar.py build

# A copy of the lock file distinguishes a finished install of exactly these packages from any other state.
node-tools: ## Install Node 22 and the npm packages that the checks use; needs npm
	@cmp -s $(NODE)/package-lock.json $(NODE)/node_modules/.installed || { \
		npm ci --prefix $(NODE) --ignore-scripts --no-audit --no-fund --loglevel=error && \
		cp $(NODE)/package-lock.json $(NODE)/node_modules/.installed; }

lint-js: node-tools ## Lint the JavaScript with ESLint; needs npm
	@$(NODE)/node_modules/.bin/node $(NODE)/node_modules/eslint/bin/eslint.js \
		--config $(NODE)/eslint.config.mjs --max-warnings 0 src tests scripts

# One at a time: they are other people's programs, and some of them want a whole machine.
judges: setup ## Let adb, aapt, Node, Chromium and Java judge: bash .ci/run installs these
	@$(BIN)/python -m pytest -q --durations=5 tests \
		-m 'needs_adb or needs_aapt or needs_node or needs_browser or needs_java'

# From their registries into build/peers; on the phone they then have loopback alone.
peers: setup ## Let other people's adb clients and MCP servers judge the virtual phone
	@bash scripts/peers/install "$(CURDIR)/$(BIN)/python"
	@$(BIN)/python -m pytest -q -m needs_peers tests/peers

bench: setup ## Measure speed and size; prints a table and writes build/bench.json
	@$(BIN)/python -m bench

docs: setup ## Write the generated docs anew
	@$(BIN)/python scripts/docs.py

format: setup ## Format the code
	@$(BIN)/ruff format src tests bench scripts examples
	@$(BIN)/ruff check --fix --quiet src tests bench scripts examples

clean: ## Remove what was built
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis

helper-compat: setup ## Look in every version of Android for what the helper calls there
	@mvn -q -B -f helper/pom.xml test-compile </dev/null
	@$(BIN)/python scripts/helper_compat.py --write
