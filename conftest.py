"""Settings of all tests: what doctests compile, what `make test` leaves out, which worker runs a test, and when."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from typing import Any

import hypothesis
import pytest

from tests.interpreted import compiled_if_common as compiled_if_common
from tests.matrix import FULL

if not FULL:
    hypothesis.settings.register_profile("some", max_examples=30)
    hypothesis.settings.load_profile("some")

# Their kernels, and those of the pages of documentation, are made of the laws of the same beliefs. A process compiles a
# law once: two would do it twice.
SHARE_LAWS = (
    "tests/belief/test_against_brute_force.py",
    "tests/belief/test_compact.py",
    "tests/belief/test_evidence.py",
    "tests/belief/test_history.py",
    "tests/belief/test_known_x0.py",
    "tests/belief/test_many_kinks.py",
    "tests/belief/test_numeric.py",
    "tests/belief/test_pool.py",
    "tests/belief/test_strip_groups.py",
    "tests/benchmarks/test_naive.py",
    "tests/cli/test_health.py",
    "tests/experiments/test_deployment.py",
    "tests/experiments/test_health.py",
    "tests/online/",
    "tests/partitions/test_migration.py",
    "tests/partitions/test_run.py",
    "tests/policies/test_conformance.py",
    "tests/simulation/",
    "tests/theory/test_adaptive.py",
)
BANKS = ("tests/belief/test_bank", "tests/verification/test_calibration.py")  # share those of a bank of hypotheses
# They wait for a disk, a server or a browser for half of their time. One worker starts one database for all of them,
# another one browser.
WAIT = ("tests/study/", "tests/partitions/")
PAGE = "tests/study/page/"
REGISTER_AGAIN = ("docs/policies.md", "docs/using.md")  # a law of a type: all laws are compiled anew after them
# Studies load from disk what the beliefs compile in these, in a third of the time that another process would take.
FOR_STUDIES = ("README.md", "tests/online/test_bandit.py")
LONGEST = "beliefs"  # the group that takes longest when kernels are compiled
YIELDS = 5  # by how much the others are nicer


@pytest.fixture(autouse=True)
def doctests_compile_what_is_common(request: pytest.FixtureRequest) -> None:
    """In doctests, compile the kernels of common models and run the others as Python; compile all in `make verify`."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("compiled_if_common")


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """Start a worker more than there are cores, which computes while another one waits."""
    return (yield) + 1


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the longest group have a core: with more workers than cores it would be left alone at the end."""
    if group_of(item) != LONGEST and "PYTEST_XDIST_WORKER" in os.environ and os.nice(0) < YIELDS:
        os.nice(YIELDS - os.nice(0))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Do not look for garbage among modules and tests, of which nearly everything stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Let one worker run all tests of a file, which share kernels: a second one would wait until they are compiled.

    The group of beliefs takes longest and comes first, or the other workers would be idle at the end. Beside it run
    banks and fits, until beliefs have compiled what studies load; then those that wait, beside which others compute.
    """
    leave_to_verify(config, items)
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(group_of(item)))
    items.sort(key=turn_of)
    yield  # pytest-xdist appends the group to the name of a test, by which it is then scheduled
    for item in items:
        name_for_xdist(item)


def leave_to_verify(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that `make verify` alone runs."""
    later = [] if FULL else [item for item in items if item.get_closest_marker("verify")]
    config.hook.pytest_deselected(items=later)
    items[:] = [item for item in items if item not in later]


def group_of(item: pytest.Item) -> str:
    """Name the group of tests that one worker runs."""
    if item.path.suffix == ".md" or item.nodeid.startswith(SHARE_LAWS):
        return LONGEST
    if item.nodeid.startswith(BANKS):
        return "banks"
    if item.nodeid.startswith(PAGE):
        return "page"
    return "waiting" if item.nodeid.startswith(WAIT) else item.nodeid.partition("::")[0]


def turn_of(item: pytest.Item) -> tuple[int, bool, bool, bool, bool]:
    """Return what to sort by: the group; among the beliefs what studies need comes first, then pages."""
    name, group = item.nodeid, {LONGEST: 0, "banks": 1, "waiting": 3}.get(group_of(item), 4)
    group = 2 if name.startswith("tests/estimate/") else group
    last = name.startswith(REGISTER_AGAIN)
    return group, last, not name.startswith(FOR_STUDIES), item.path.suffix != ".md", name.startswith("tests/study/")


def name_for_xdist(item: Any) -> None:
    """Set the name that pytest-xdist 3.8 has given: pytest 9.2 keeps it elsewhere, and no group would hold."""
    named = getattr(item, "_nodeid", item.nodeid)
    if named != item.nodeid:
        item._id = type(item._id).parse(named)
