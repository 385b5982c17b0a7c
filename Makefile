# Every target sets up what it needs in .venv, once, and again when pyproject.toml or constraints.txt change.
#   PYTHON=python3.12   another Python (the default: that of .venv if there is one, else python3)
#   VENV=.venv-3.12     another folder for the environment, so that several Pythons can be kept
#   UV=                 set up with pip, not with uv

VENV ?= .venv
PYTHON ?= $(or $(wildcard $(VENV)/bin/python),python3)
UV ?= $(or $(shell command -v uv),$(VENV)/bin/uv)
VERSION := $(shell "$(PYTHON)" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
# The version is in the stamp's name, so that another PYTHON makes another .venv.
READY := $(VENV)/.ready-$(VERSION)
# Bytecode is written whatever the user's settings: the tests start a hundred processes, each of which would compile anew.
export PYTHONDONTWRITEBYTECODE :=
CODE := $(wildcard conftest.py src tests benchmarks verification)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help reproduce demo test coverage verify bench format clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 20

reproduce: $(READY)-runtime  ## run the paper's two experiments; figures, tables and one report in results
	$(VENV)/bin/rogue reproduce all --out results

demo: $(READY)-serve  ## serve a demonstration study with simulated people; prints the address of its page
	$(VENV)/bin/rogue study demo results/demo/$$(date +%Y%m%d-%H%M%S)

# mypy runs beside the tests, as it uses one core for most of a minute; what it says comes last. Where there is no
# bytecode, one process writes it first: the workers, which import the same files at the same time, would each do so.
test: $(READY)-dev  ## check style, types and the direction of imports; run the tests and doctests
	$(VENV)/bin/ruff check $(CODE)
	$(VENV)/bin/ruff format --check $(CODE)
	$(VENV)/bin/lint-imports --no-logo
	@mkdir -p .mypy_cache
	$(VENV)/bin/mypy --strict $(CODE) > .mypy_cache/said 2>&1 & types=$$!; \
	ls tests/__pycache__/*.pyc > /dev/null 2>&1 || $(VENV)/bin/pytest --collect-only -qq > /dev/null 2>&1; \
	$(VENV)/bin/pytest -n auto --dist loadgroup --no-loadscope-reorder; tests=$$?; \
	wait $$types; types=$$?; cat .mypy_cache/said; exit $$((tests | types))

# Coverage holds a lock that a signal in the midst of a test of interruptions never releases: those tests are left out.
coverage: $(READY)-dev  ## run the tests and print which share of the lines ran as Python; compiled ones are not counted
	$(VENV)/bin/pytest -n auto --dist loadgroup --no-loadscope-reorder --cov=rogue_bandits --cov-report= -k "not interruption"
	$(VENV)/bin/coverage report --format=total

verify: $(READY)-dev  ## run all cases of all tests, compiled, then check theory by simulation; report in results/verification
	ROGUE_TESTS=full $(VENV)/bin/pytest -n auto --dist loadgroup --no-loadscope-reorder
	$(VENV)/bin/python -m verification --out results/verification

bench: $(READY)-bench  ## measure against the naive method and other libraries; numbers in results/bench.json
	mkdir -p results
	$(VENV)/bin/python -m benchmarks --out results/bench.json

format: $(READY)-dev  ## format the code and apply the fixes that ruff can make
	$(VENV)/bin/ruff check --fix $(CODE)
	$(VENV)/bin/ruff format $(CODE)

clean:  ## remove .venv, caches and build output; results/ stays
	rm -rf .venv .venv-* .coverage build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY)-%: pyproject.toml constraints.txt tools/setup
	@UV="$(UV)" VENV="$(VENV)" sh tools/setup "$(PYTHON)" $* $@
