"""Doctests compile the kernels that other tests compile too, and interpret the others; who runs what, and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.interpreted import compiled_if_common as compiled_if_common


@pytest.fixture(autouse=True)
def doctests_compile_what_is_common(request: pytest.FixtureRequest) -> None:
    """In `make verify` they compile everything."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("compiled_if_common")


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Let one worker run all tests of a file, which share kernels: a second one would wait until they are compiled.

    Pages of documentation are long tests and come first: at the end, the other worker would be idle. One worker runs
    them all, as their kernels share most laws, and a process compiles a law once.
    """
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            group = "pages" if item.path.suffix == ".md" else item.nodeid.partition("::")[0]
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: item.path.suffix != ".md")
    yield  # pytest-xdist appends the group to the name of a test, by which it is then scheduled
    for item in items:
        name_for_xdist(item)


def name_for_xdist(item: Any) -> None:
    """Set the name that pytest-xdist 3.8 has given: pytest 9.2 keeps it elsewhere, and no group would hold."""
    named = getattr(item, "_nodeid", item.nodeid)
    if named != item.nodeid:
        item._id = type(item._id).parse(named)
