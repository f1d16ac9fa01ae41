# What a newcomer and CI type. Everything is installed into .venv, by uv where it is present.

VENV := .venv
BIN := $(VENV)/bin
PIP_FLAGS := --quiet --disable-pip-version-check --no-input --no-compile

.PHONY: help demo test test-slow test-faults test-all check docs bench clean

help:
	@echo "make demo        check and correct the bundled message"
	@echo "make test        run the quick tests"
	@echo "make test-all    run the slow ones too: whole runs, every screen, many processes"
	@echo "make test-faults of these the longest: workers killed, servers that mean harm"
	@echo "make check       lint, format, types, import contracts"
	@echo "make docs        build the site of the documentation in build/docs"
	@echo "make bench       measure speed and growth; data sets: see docs/benchmarks.md"
	@echo "make clean       remove what make made"

demo: $(VENV)/base.stamp
	@$(BIN)/halubot demo

# $(call WORKERS,N): N workers a processor. A file of tests stays with one worker, which loads each
# heavy library once. Every worker takes 5 s of a processor to collect all tests, and quick ones wait
# a third of their time for processes and sockets; slow ones wait longer.
WORKERS = -n $(shell $(BIN)/python -c 'import os; print(min(8, int($(1) * (os.cpu_count() or 1))))') \
  --dist loadfile

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest $(call WORKERS,1.5) -m 'not slow'

test-slow: $(VENV)/dev.stamp
	$(BIN)/python -m pytest $(call WORKERS,2) -m 'slow and not faults'

test-faults: $(VENV)/dev.stamp
	$(BIN)/python -m pytest $(call WORKERS,2) -m faults

# Texts of any kind are tried in many more forms.
test-all: export HYPOTHESIS_PROFILE = thorough
test-all: test test-slow test-faults

check: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# A warning is an error: a link that leads nowhere, a name that the code does not have.
docs: $(VENV)/docs.stamp
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/docs
	@echo "build/docs/index.html"

bench: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks.speed

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The first Python of 3.11 or later that runs, whatever it is called. With the newest pip: that of an old
# Python takes twice as long to find the packages.
define PYTHON_FOUND
for name in python3.13 python3.12 python3.11 python3 python python3.14; do \
  if $$name -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
  then python=$$name; break; fi; \
done
endef

$(VENV)/made.stamp:
	@rm -rf $(VENV)
	@if command -v uv >/dev/null 2>&1; then \
	  echo "making $(VENV) with uv"; \
	  uv venv --quiet --python '>=3.11' $(VENV); \
	else \
	  $(PYTHON_FOUND); \
	  if [ -z "$$python" ]; then \
	    echo "halubot needs Python 3.11 or later with venv, or uv; found neither" >&2; exit 1; \
	  fi; \
	  echo "making $(VENV) with $$($$python --version)"; \
	  $$python -m venv --upgrade-deps $(VENV); \
	fi
	@touch $@

define INSTALL
@echo "installing $(1)"
@if [ -x $(BIN)/pip ]; then \
  $(BIN)/pip install $(PIP_FLAGS) -c constraints.txt -e '$(1)'; \
else \
  uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '$(1)'; \
fi
@touch $@
endef

$(VENV)/base.stamp: $(VENV)/made.stamp pyproject.toml constraints.txt
	$(call INSTALL,.)

$(VENV)/dev.stamp: $(VENV)/base.stamp
	$(call INSTALL,.[dev])

$(VENV)/docs.stamp: $(VENV)/base.stamp
	$(call INSTALL,.[docs])
