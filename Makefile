# Every target sets up what it needs in .venv, once, and again when pyproject.toml or constraints.txt change.
#   PYTHON=python3.12   another Python (the default: that of .venv if there is one, else python3)
#   UV=                 set up with pip even where uv is present

PYTHON ?= $(or $(wildcard .venv/bin/python),python3)
UV ?= $(shell command -v uv)
VERSION := $(shell "$(PYTHON)" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
# The version is in the stamp's name, so that another PYTHON makes another .venv.
READY := .venv/.ready-$(VERSION)
CODE := $(wildcard src tests benchmarks verification)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help reproduce test verify bench format clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 20

reproduce: $(READY)-runtime  ## run the paper's two experiments; figures, tables and one report in results
	.venv/bin/rogue reproduce all --out results

test: $(READY)-dev  ## check style, types and the direction of imports; run the tests and doctests
	.venv/bin/ruff check $(CODE)
	.venv/bin/ruff format --check $(CODE)
	.venv/bin/mypy --strict $(CODE)
	.venv/bin/lint-imports --no-logo
	.venv/bin/pytest -n auto --dist loadgroup

verify: $(READY)-dev  ## ask by simulation what theory says of the software; the report is in results/verification
	.venv/bin/python -m verification --out results/verification

bench: $(READY)-bench  ## measure against the naive method and other libraries; numbers in results/bench.json
	mkdir -p results
	.venv/bin/python -m benchmarks --out results/bench.json

format: $(READY)-dev  ## put the code in the house format and mend what ruff can
	.venv/bin/ruff check --fix $(CODE)
	.venv/bin/ruff format $(CODE)

clean:  ## remove .venv, caches and build output; results/ stays
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY)-%: pyproject.toml constraints.txt tools/setup
	@UV="$(UV)" sh tools/setup "$(PYTHON)" $* $@
