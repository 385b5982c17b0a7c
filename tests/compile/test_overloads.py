"""A function that kernels call is compiled once, whatever the options of its callers."""

from __future__ import annotations

from typing import Any

import numba
import pytest
from numba.core import compiler, event
from numba.core.registry import CPUDispatcher

from rogue_bandits.compile import kernel as kernels
from rogue_bandits.compile.laws import CALLED, INLINED, inlined, kernel, routine
from rogue_bandits.compile.overloads import INHERITED

untyped: Any = numba


@routine
def leaf(x: float) -> float:
    return x / 3.0


@inlined
def by_inlined(x: float) -> float:
    return leaf(x) + 1.0


@routine
def by_routine(x: float) -> float:
    return leaf(x) + 2.0


@pytest.fixture(autouse=True)
def _not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "cache_folder", lambda: None)


def compiled_names(call: Any) -> list[str]:
    """The functions that numba compiles during a call."""
    recorder: Any = event.install_recorder
    with recorder("numba:compile") as recorded:
        call()
    return [one.data["dispatcher"].py_func.__name__ for _, one in recorded.buffer if one.is_start]


def test_callers_with_other_options_share_what_is_compiled() -> None:
    compiled: Any = kernel(lambda x: leaf(x) + by_inlined(x) + by_routine(x))
    names = compiled_names(lambda: compiled(3.0))
    assert compiled(3.0) == 6.0
    assert sorted(name for name in names if name != "<lambda>") == ["by_inlined", "by_routine", "leaf"]


def test_a_caller_with_fast_math_has_a_version_of_its_own() -> None:
    """As numba would compile it: an option that is taken over."""
    kernel(lambda x: leaf(x))(3.0)
    fast: Any = untyped.njit(fastmath=True)(lambda x: leaf(x))
    assert compiled_names(lambda: fast(3.0)).count("leaf") == 1
    again: Any = untyped.njit(fastmath=True)(lambda x: leaf(x) + 1.0)
    assert compiled_names(lambda: again(3.0)).count("leaf") == 0


@pytest.mark.parametrize("options", [INLINED, CALLED])
def test_these_are_all_options_that_a_function_takes_over(options: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(compiler.Flags, "inherit_if_not_set", lambda self, name, **_: asked.append(name))
    flags: Any = compiler.Flags
    descriptor: Any = CPUDispatcher.targetdescr
    descriptor.options.parse_as_flags(flags(), options)
    assert sorted(asked) == sorted(INHERITED)
