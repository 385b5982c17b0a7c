"""Maps name what is there: the files of a package, the folders of the repository, the targets of make."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import rogue_bandits as rb
from rogue_bandits.policies.registry import NEIGHBOURS, POLICIES

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "rogue_bandits"
MAPPED = [
    "belief", "belief/bank", "belief/play_log", "compile", "estimate", "estimate/ladder", "online", "planning",
    "policies", "report/cohort", "simulation", "study",
]  # fmt: skip


@pytest.mark.parametrize("package", MAPPED)
def test_the_docstring_of_a_package_names_its_files(package: str) -> None:
    folder = SOURCES / package
    words = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    named = set(re.findall(r"\b\w+\.py\b", words)) - {"__init__.py"}
    listed = files_of_policies() if package == "policies" else set()
    assert named == {file.name for file in folder.glob("*.py")} - {"__init__.py"} - listed


def files_of_policies() -> set[str]:
    """Return the files of the policies: the registry lists them, so that a new one needs no line in the map."""
    specs = [*POLICIES.values(), *NEIGHBOURS.values()]
    return {f"{spec.policy_class.__module__.rpartition('.')[2]}.py" for spec in specs}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_map_of_a_page_names_every_folder(page: str) -> None:
    tree = (ROOT / page).read_text(encoding="utf-8").partition("## Where things are")[2].split("```")[1]
    folders = [file.parent.name for file in SOURCES.glob("*/__init__.py")]
    folders += ["src", "tests", "benchmarks", "verification", "docs", "tools", ".ci"]
    assert not [name for name in folders if f"{name}/" not in tree]


def test_contributing_names_every_file_beside_the_folders() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    files = {file.name for file in SOURCES.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert not [name for name in files if name not in text]


def test_contributing_names_every_target_of_make() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert phony is not None
    assert re.findall(r"^\| `make (\w+)`", text, re.MULTILINE) == phony.group(1).split()


def test_public_names_are_imported_from_where_they_are_listed() -> None:
    """The imports are for type checkers, `NAMES` is for Python."""
    tree = ast.parse((SOURCES / "__init__.py").read_text(encoding="utf-8"))
    imported = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name and alias.name not in rb.ROOMS
    }
    assert imported == {name: f"rogue_bandits.{module}" for name, module in rb.HOMES.items()}
