# Start with `make demo` and `make test`; `make help` lists the rest. WHAT= chooses among the things
# that a target can do, each with a recipe below: `make test WHAT=fleet` runs `test.fleet`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NODE := scripts/judges

# With LC_ALL=C, Python 3.11 and 3.12 cannot read a non-ASCII path of this folder from .venv.
ifneq ($(filter C POSIX,$(LC_ALL)),)
export LC_ALL := C.UTF-8
endif

.DEFAULT_GOAL := help
.PHONY: help setup demo check format test coverage judges bench fuzz chaos docs tables pictures site lock helper app-tools node-tools mcpb release container clean

# One worker more than there are cores, because some tests wait for the programs they start.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(8, 1 + (os.cpu_count() or 1)))')
# Bytecode files are on: without them every worker would rewrite the assertions of all tests.
# Opening a text file without an encoding is an error, because the default differs between machines.
PYTEST_ENV := PYTHONDONTWRITEBYTECODE= PYTHONWARNDEFAULTENCODING=1
PYTEST_ARGS := -m pytest -qq --numprocesses $(WORKERS) --dist worksteal
PYTEST := $(PYTEST_ENV) $(BIN)/python $(PYTEST_ARGS)
# What imports from tests/ or from folders at the top.
HERE := PYTHONPATH=tests:. $(BIN)/python

# What a target needs and does for its WHAT. Both are empty for a word that it does not have.
needs = $(needs.$@.$(WHAT))
does = $(or $($@.$(or $(WHAT),usual)),$(error make $@ has no WHAT=$(WHAT): $(sort $(patsubst $@.%,%,$(filter $@.%,$(.VARIABLES))))))
.SECONDEXPANSION:
# A program that is started here may run make again, for another target.
MAKEOVERRIDES =
unexport WHAT ONLY

help: ## List the targets, and what WHAT= can be
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'
	@grep -hE '^define [a-z]+\.[a-z-]+ ## ' $(MAKEFILE_LIST) | grep -v usual | sed -E 's/define ([a-z]+)\.([a-z-]+) ## /  make \1 WHAT=\2: /'

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

# pytest rewrites the assertions of all tests: do it once here, not in every worker of the first run.
$(VENV)/.compiled: $(VENV)/.ready
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m compileall -q src || true
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --collect-only -qq >/dev/null || true
	@touch $@

setup: $(VENV)/.ready $(VENV)/.compiled ## Create .venv with all dependencies

# Programs of others that our own dependencies may not meet: uv, pipx, mkdocs, nats-server, validators.
TOOLS := build/tools/bin
$(TOOLS)/.ready: requirements-tools.lock
	@$(PYTHON) -m venv build/tools
	@$(TOOLS)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	@touch $@

# `uv` resolves for all machines at once, which pip cannot. What is locked already stays unless NEW=1.
COMPILE = $(TOOLS)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-annotate --custom-compile-command 'make lock' $(if $(NEW),--upgrade)

lock: $(TOOLS)/.ready ## Renew the lock files after a change of pyproject.toml; NEW=1 for the newest versions
	@$(COMPILE) --extra fonts --extra fleet --group dev -o requirements-dev.lock pyproject.toml
# What a container installs and a release lists, with who requires each: the same versions as above.
	@$(subst --no-annotate,--annotation-style line,$(COMPILE)) --extra fleet -c requirements-dev.lock -o requirements.lock pyproject.toml
	@$(COMPILE) --group build -c requirements-dev.lock -o requirements-build.lock
	@$(COMPILE) --group tools -o requirements-tools.lock
	@$(COMPILE) --group fuzz -o requirements-fuzz.lock

demo: $(VENV)/.ready $$(needs) ## Start a virtual phone and the server, and print how to connect
	@$(does)
define demo.usual
$(BIN)/handheld demo
endef
define demo.fleet ## start an engine, two hosts of 10 virtual phones each and a gateway
$(BIN)/python scripts/demo_fleet.py
endef
needs.demo.fleet := $(TOOLS)/.ready

check: setup ## Check format, lint, types, layers, patterns, the helper's jar and the generated docs
	@$(BIN)/ruff format --check src tests bench chaos scripts examples
	@$(BIN)/ruff check src tests bench chaos scripts examples
	@$(BIN)/pyright
	@$(BIN)/python scripts/helper_jar.py check
	@$(BIN)/python -m pytest -q tests/test_layers.py tests/test_docs.py tests/regexes/test_patterns.py

format: setup ## Format the code
	@$(BIN)/ruff format src tests bench chaos scripts examples
	@$(BIN)/ruff check --fix --quiet src tests bench chaos scripts examples

test: setup $$(needs) ## Run the tests that need only Python; ONLY=tests/screen for a part, SHUFFLE=7 for another order
	@$(does)
define test.usual
$(PYTEST) $(if $(SHUFFLE),--shuffle=$(SHUFFLE)) $(ONLY)
endef
define test.all ## these, then every Android release and the shell driver, with more examples
$(test.usual)
@$(PYTEST) -m 'matrix or (hypothesis and not needs_java and not needs_java21 and not needs_aapt and not needs_framework)' --hypothesis-profile=all $(or $(ONLY),tests)
endef
define test.attacks ## every attack, with the helper and by adb alone; prints a line for each class
PYTHONPATH=tests $(PYTEST) -p attacks.report -m '' tests/attacks
endef
define test.corpus ## captured screens and documents: CORPUS=folder
$(PYTEST) tests/corpus
endef
# Of the tests that need a server, and of those that serve a phone: these run on one machine in `make
# test`, and here through a gateway and a host.
ENGINE := $(if $(SHORT),tests/fleet/nats/test_calls.py tests/fleet/nats/test_fleet.py tests/fleet/nats/test_hostile_host.py,tests/fleet/nats)
ENGINE += tests/cli/test_guides.py
SERVING := $(if $(SHORT),tests/tools/main/test_touch.py tests/tools/main/test_app_tools.py tests/tools/agent/test_actions.py,tests/tools tests/server)
SERVING += $(wildcard tests/fleet/test_*.py) tests/access tests/devices/test_several.py
define test.fleet ## the engine with real NATS servers, and every tool through a gateway; SHORT=1 for a selection
$(PYTEST) -m needs_nats $(ENGINE)
@$(PYTEST) --through engine $(SERVING)
endef
needs.test.fleet := $(TOOLS)/.ready
define test.leases ## every course of events of small fleets, against the rules of leases, 2 minutes; SIZES=4 for the smallest
PYTHONPATH=tests $(BIN)/python -m fleet.search $(SIZES)
endef
define test.framework ## on Android's own framework classes of Android 9, 11, 13, 14 and 15; needs JDK 17 and Maven
$(ROBOLECTRIC)
@$(BIN)/python -m pytest -q --durations=5 -m needs_framework tests/framework
endef
needs.test.framework := app-tools
define test.app-functions ## Android 17's own app-function command, compared with our table; needs JDK 21 and Maven
$(BIN)/python -m pytest -q -m needs_java21 tests/framework/test_app_functions.py
endef
# By pip on every Python that is there, or those of PYTHONS, by pipx and by uvx.
define test.install ## wheel and sdist, installed without this repository and used; PYTHONS="python3.13" chooses, SHORT=1 is a selection
PYTHONS="$(PYTHONS)" $(BIN)/python -m pytest -q --durations=0 -m needs_network $(if $(SHORT),-k 'same or uvx') tests/install
endef
needs.test.install := $(TOOLS)/.ready
define test.phone ## the tools on a real phone: ANDROID_SERIAL=R58M123ABC
$(BIN)/python scripts/test_phone.py
endef
define test.release ## make a release of a copy with its own key, verify it and build it again; needs git and ssh-keygen
$(BIN)/python -m pytest -q -m needs_git tests/release
endef

# Workers and the programs that tests start are measured too; a program that is killed leaves no data.
coverage: setup ## Measure test coverage, print the least covered modules: ONLY=tests/tools/main
	@$(BIN)/coverage erase
	@$(PYTEST_ENV) $(BIN)/coverage run $(PYTEST_ARGS) $(ONLY)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage html --quiet
	@$(BIN)/coverage report --sort=cover --skip-covered | awk 'NR <= $(or $(LEAST),30) + 2 || /^TOTAL/'
	@echo "Every line: build/coverage/index.html"

# One at a time: they are other people's programs, and some of them want a whole machine.
judges: setup $$(needs) ## Let adb, aapt, Node, Chromium, Java, ffmpeg and other shells judge: bash .ci/run installs these
	@$(does)
define judges.usual
$(BIN)/python -m pytest -q --numprocesses 2 --dist loadfile --durations=5 tests \
	-m 'needs_adb or needs_aapt or needs_node or needs_browser or needs_java or needs_ffmpeg or needs_shells'
endef
needs.judges. := $(TOOLS)/.ready
# Large, and of others: not a part of node-tools, so CI does not fetch them. `npm ci` would refuse a lock
# file without the programs for other systems, as it is made where the registry has only ours.
define judges.clients ## Codex, Gemini CLI and OpenCode read what handheld install writes; installs them with npm, 1 GB
npm install --prefix scripts/clients --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
@$(BIN)/python -m pytest -q -m needs_clients tests/judges
endef
needs.judges.clients := node-tools
define judges.files ## hadolint and the schemas of Compose and CycloneDX: Dockerfile, compose.yaml, bill of materials
$(TOOLS)/hadolint Dockerfile
@$(TOOLS)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
@$(BIN)/python -m scripts.sbom | $(TOOLS)/python -c "$$VALIDATE_SBOM"
endef
needs.judges.files := $(TOOLS)/.ready
define VALIDATE_SBOM
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
sys.exit(JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read()))
endef
export VALIDATE_SBOM
define judges.js ## ESLint: the JavaScript
$(NODE)/node_modules/.bin/node $(NODE)/node_modules/eslint/bin/eslint.js \
	--config $(NODE)/eslint.config.mjs --max-warnings 0 src tests scripts
endef
needs.judges.js := node-tools
# Installed from their registries into build/peers; they run with loopback as their only network.
define judges.peers ## third-party adb clients and MCP servers on the virtual phone, their pace and tokens; WRITE=1 for docs/comparison.md
bash scripts/peers/install "$(CURDIR)/$(BIN)/python"
@$(BIN)/python -m pytest -q -m needs_peers tests/peers
@$(HERE) tests/peers/pace.py $(ONLY)
@$(HERE) tests/peers/cost.py $(if $(WRITE),--write)
endef

bench: setup $$(needs) ## Measure speed and size; print a table and write build/bench.json; ONLY="typing adb" for parts
	@$(does)
define bench.usual
PYTHONDONTWRITEBYTECODE= $(HERE) -m bench $(ONLY)
endef
define bench.first ## the first minutes of a new user, from git clone, pip install and uvx to a tool call; needs a network
$(BIN)/python -m bench.first
endef
needs.bench.first := $(TOOLS)/.ready
define bench.fleet ## a fleet: the directory of ROWS=10000 phones, calls, faults, up to PHONES=1000 virtual phones for FOR=30 seconds
$(HERE) -m bench.fleet $(or $(ROWS),10000) $(or $(FOR),30) $(or $(PHONES),1000)
endef
needs.bench.fleet := $(TOOLS)/.ready

fuzz: setup ## Search for new failing examples for FOR=300 seconds
	@$(does)
define fuzz.usual
$(BIN)/python scripts/fuzz.py $(or $(FOR),300)
endef
define fuzz.parsers ## every parser reads COUNT=100000 changed inputs, drawn from SEED=1; ONLY='apk logcat'
PYTHONPATH=tests $(BIN)/python -m fuzzing $(or $(COUNT),100000) $(or $(SEED),1) $(ONLY)
endef
define fuzz.guided ## atheris, where it installs, searches for inputs that break a parser: ONLY=apk, for FOR=60 seconds
test -d build/atheris/atheris || $(PIP) --require-hashes --target build/atheris -r requirements-fuzz.lock
@PYTHONPATH=tests:build/atheris $(BIN)/python -m fuzzing.guided $(or $(ONLY),apk) $(or $(FOR),60)
endef
define fuzz.helper ## the Java helper reads COUNT=1000000 changed frames, drawn from SEED=1; needs JDK 17 and Maven
mvn --batch-mode --quiet -Dstyle.color=never -f helper/pom.xml test -Dtest=FrameFuzzTest \
	-Dfuzz.cases=$(or $(COUNT),1000000) -Dfuzz.seed=$(or $(SEED),1) </dev/null
endef
define fuzz.framework ## differences between Android's widgets and the virtual phone's, for FOR=300 seconds
$(ROBOLECTRIC)
@$(BIN)/python scripts/fuzz.py $(or $(FOR),300) framework
endef
define fuzz.both-ways ## our answers and the SDK's: COUNT=100000 requests, drawn from SEED=1; ONLY=stdio or http
PYTHONPATH=tests $(BIN)/python -m server.many_requests $(or $(COUNT),100000) $(or $(SEED),1) $(ONLY)
endef
define fuzz.mutations ## break the code in COUNT=20 places, one at a time, and check that a test fails: SEED=1
$(BIN)/python scripts/mutations.py $(or $(SEED),1) $(or $(COUNT),20)
endef

chaos: setup $$(needs) ## Let clients call while links, helpers, phones and disks fail, and check every reply: MINUTES=10 CALLS=1000000 SEED=1
	@$(does)
define chaos.usual
$(HERE) -m chaos --minutes $(or $(MINUTES),10) --calls $(or $(CALLS),1000000) --seed $(or $(SEED),1)
endef
define chaos.fleet ## the same of a fleet, hosts, gateways and engine nodes too; CLIENTS=8, PHONES=4 of a host, QUIET=200 calls between faults, TOTAL=1000000 for run after run
$(HERE) -m chaos.fleet --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1) --clients $(or $(CLIENTS),8) --phones $(or $(PHONES),4) --quiet $(or $(QUIET),200) --total $(or $(TOTAL),0)
endef
needs.chaos.fleet := $(TOOLS)/.ready

docs: setup ## Regenerate the generated docs, the manual page and the methods of the Python library
	@$(BIN)/python scripts/docs.py
	@$(BIN)/python scripts/library.py

ROBOLECTRIC = mvn -q -B -f helper/robolectric/pom.xml test-compile </dev/null
tables: setup $$(needs) ## Measure again what a table of the repository holds, and rewrite it: WHAT= chooses the table
	@$(does)
define tables.app-functions ## what Android 17's own app-function command does, tests/app_formats/app_functions
$(BIN)/python scripts/app_function_words.py --write
endef
define tables.fleet ## docs/fleet-growth.svg, of what make bench WHAT=fleet measured
test -f build/bench-fleet.json || { echo "Nothing was measured yet: make bench WHAT=fleet"; exit 1; }
@$(HERE) -m bench.growth_plot
endef
define tables.helper-compat ## docs/helper-compat.md: whether every Android release has what the helper calls
mvn -q -B -f helper/pom.xml test-compile </dev/null
@$(BIN)/python scripts/helper_compat.py --write
endef
define tables.pace ## the table of docs/paces.md that make judges WHAT=peers measured
test -f build/peers.json || { echo "Nothing was measured yet: make judges WHAT=peers"; exit 1; }
@$(HERE) tests/peers/pace.py --write
endef
define tables.tasks ## what every task costs, in tests/tasks/costs.json and docs/tasks.md
$(BIN)/python scripts/task_table.py
endef
define tables.tokens ## the tokens of the texts that models read, for the bench and the tests; needs npm
$(BIN)/python -m bench.recount
endef
needs.tables.tokens := node-tools
define tables.widgets ## tests/fixtures: what Android's own widgets do; needs JDK 17 and Maven
$(ROBOLECTRIC)
@cd tests && ../$(BIN)/python -m framework.write_tables
endef
define tables.words ## tests/fixtures: what Android's own shell commands print; needs JDK 17 and Maven
$(ROBOLECTRIC)
@$(BIN)/python scripts/android_words.py --write
endef

pictures: setup $(if $(CONSOLE),$(TOOLS)/.ready node-tools) ## Draw docs/phone.png and docs/demo.webp again; CONSOLE=1 also those of the console, with Chromium and npm
	@$(BIN)/python scripts/pictures.py
	@$(BIN)/python scripts/moving_picture.py
	@$(if $(CONSOLE),$(BIN)/python scripts/console_pictures.py,:)

# With --quiet, mkdocs would overlook warnings.
site: $(VENV)/.ready $(TOOLS)/.ready ## Build the docs as a site into build/site, which needs no server; SERVE=1 serves it and builds at each change
	@NO_MKDOCS_2_WARNING=1 $(TOOLS)/python -m mkdocs $(if $(SERVE),serve,build) --strict
	@$(if $(SERVE),:,echo "The site begins at build/site/index.html")

helper: setup ## Build the helper for real phones from helper/; needs JDK 17 and Maven
	@$(BIN)/python scripts/helper_jar.py build

app-tools: setup ## Build the library for apps, and an APK of each sample, into build/app-tools; needs JDK 17, Maven and Debian's Android tools
	@$(BIN)/python scripts/app_tools.py build

# A copy of the lock file distinguishes a finished install of exactly these packages from any other state.
node-tools: ## Install Node 22 and the npm packages that the checks use; needs npm
	@cmp -s $(NODE)/package-lock.json $(NODE)/node_modules/.installed || { \
		npm ci --prefix $(NODE) --ignore-scripts --no-audit --no-fund --loglevel=error && \
		cp $(NODE)/package-lock.json $(NODE)/node_modules/.installed; }

mcpb: setup ## Make the bundle for Claude Desktop, dist/handheld-VERSION.mcpb
	@$(BIN)/python scripts/mcpb.py

# The key is for what signs alone, and not for pip and what pip starts.
WITHOUT_KEY := env -u HANDHELD_RELEASE_KEY $(MAKE) --silent --no-print-directory
release: ## Check, make and sign the files of a release in dist/, and publish nothing: VERSION=1.2.3; DRY_RUN=1 says what would be made
	@$(WITHOUT_KEY) setup
	@$(BIN)/python -m scripts.release "$(VERSION)" --dry-run
	@$(if $(DRY_RUN),:,$(WITHOUT_KEY) check && $(BIN)/python -m scripts.release "$(VERSION)")

# Debian's Python, whatever else is in PATH: it takes the place of the base image's.
container: ## Build and start the image and ask it; without Docker its steps are run, which needs root
	@/usr/bin/python3 -m scripts.container $(if $(STEPS),--steps)

clean: ## Remove everything that was built
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
