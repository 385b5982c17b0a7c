"""What kernels call is linked into them without machine code of its own, and is made where somebody asks for it."""

from __future__ import annotations

from typing import Any

import numba
import pytest

from rogue_bandits.compile import kernel as kernels
from rogue_bandits.compile.kernel import forget_compiled
from rogue_bandits.compile.laws import inlined, kernel, routine
from rogue_bandits.compile.linking import LinkedLibrary


@routine
def checked_sum(n: int, x: float) -> float:
    """A loop that may raise: the words of the error are put together at run time."""
    total = 0.0
    for i in range(n):
        if x < 0.0:
            raise ValueError("x is negative", x)
        total += x * i
    return total


@routine
def twice(n: int, x: float) -> float:
    return 2.0 * checked_sum(n, x)


@inlined
def and_two(x: float) -> float:
    return x + 2.0


def summed(n: int, x: float) -> float:
    return checked_sum(n, x) + 1.0


@pytest.fixture(autouse=True)
def _not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "cache_folder", lambda: None)


def test_a_kernel_runs_what_is_linked_into_it_and_raises_its_errors() -> None:
    compiled: Any = kernel(summed)
    assert compiled(4, 0.5) == summed(4, 0.5) == 4.0
    with pytest.raises(ValueError, match="x is negative") as raised:
        compiled(4, -0.5)
    assert raised.value.args == ("x is negative", -0.5)


def test_machine_code_is_made_for_the_kernel_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bool] = []
    make = LinkedLibrary._make

    def noting(self: Any) -> None:
        made.append(self._is_internal())
        make(self)

    monkeypatch.setattr(LinkedLibrary, "_make", noting)
    kernel(lambda x: checked_sum(3, x + 0.25))(0.5)
    assert made == [False]


def test_a_routine_is_optimised_without_the_routines_that_it_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one at the end of a chain of calls is optimised once for each."""
    seen: dict[str, set[str]] = {}
    optimise = LinkedLibrary._optimize_final_module

    def noting(self: Any) -> None:
        bodies = {name for name in ("checked_sum", "twice", "and_two") if any(name in f for f in names(self))}
        seen[self.name] = bodies
        optimise(self)

    def names(library: Any) -> list[str]:
        return [str(function.name) for function in library.get_defined_functions()]

    monkeypatch.setattr(LinkedLibrary, "_optimize_final_module", noting)
    compiled: Any = kernel(lambda n, x: and_two(twice(n, x)))
    forget_compiled()
    assert compiled(4, 0.5) == 8.0
    kernel_of = next(name for name in seen if "lambda" in name)
    assert {name: seen[name] for name in ("checked_sum", "twice", "and_two")} == {
        "checked_sum": {"checked_sum"},
        "twice": {"twice"},
        "and_two": {"and_two"},
    }
    assert seen[kernel_of] == {"checked_sum", "twice", "and_two"}


def test_a_function_of_numbas_may_call_a_routine_that_calls_another() -> None:
    """What the routine calls is linked to it at last."""
    compiled: Any = kernel(lambda n, x: and_two(twice(n, x)))
    assert compiled(4, 0.5) == 8.0
    outside: Any = numba.njit(lambda n, x: twice(n, x))
    assert outside(4, 0.5) == 6.0
    with pytest.raises(ValueError, match="x is negative"):
        outside(4, -0.5)
    again: Any = kernel(lambda n, x: and_two(twice(n, x)) + 1.0)
    assert again(4, 0.5) == 9.0


def test_a_function_of_numbas_may_call_what_a_kernel_has_compiled() -> None:
    """Its library is numba's own, where ours has no machine code yet."""
    compiled: Any = kernel(summed)
    assert compiled(2, 0.5) == 1.5
    outside: Any = numba.njit(lambda n, x: checked_sum(n, x) + 2.0)
    assert outside(2, 0.5) == 2.5
    with pytest.raises(ValueError, match="x is negative"):
        outside(2, -0.5)


def test_a_compiled_function_that_a_kernel_calls_can_be_called_from_python() -> None:
    helper: Any = numba.njit(lambda x: x + 0.125)
    compiled: Any = kernel(lambda x: helper(x) * 2.0)
    assert compiled(1.0) == 2.25
    assert helper(1.0) == 1.125


def test_numbas_way_is_restored_when_a_compilation_fails() -> None:
    compiled: Any = kernel(lambda x: x.nothing_like_that)
    codegen = compiled.targetctx.codegen()
    before = codegen._library_class
    with pytest.raises(Exception, match="nothing_like_that"):
        compiled(1.0)
    assert codegen._library_class is before
    assert before is not LinkedLibrary
