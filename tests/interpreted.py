"""Run kernels as plain Python: for cases of a kind of which one is tested compiled.

Import the fixture where it is used: `from tests.interpreted import interpreted as interpreted`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
import pytest

from rogue_bandits.compile.kernel import Kernel
from rogue_bandits.compile.reach import classes_in
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.low_rank import fill_divergences
from rogue_bandits.model.rewards.quotients import fill_quotients
from rogue_bandits.online import engine
from rogue_bandits.policies import value_cdf, value_law, value_sweep, winning
from rogue_bandits.policies.bounded import BoundedState
from rogue_bandits.simulation import simulate
from rogue_bandits.simulation.kernels import decide
from rogue_bandits.types import Arm
from tests.matrix import FULL

# Many tests use the kernels for these: an exponential family, and an agent.
COMMON = [(ClippedAffine, family) for family in (BernoulliLogit, LaplaceAgent)]
typeof: Any = numba.typeof
ALWAYS_COMPILED: Any = fill_quotients, fill_divergences  # loops over nodes: a second to compile, minutes without


@pytest.fixture
def interpreted() -> Iterator[None]:
    """Every kernel of the package calls its Python function."""
    with interpreted_if(lambda _: True):
        yield


@pytest.fixture
def compiled_in_verify() -> Iterator[None]:
    """Every kernel of the package calls its Python function; none does in `make verify`."""
    with interpreted_if(lambda _: not FULL):
        yield


@pytest.fixture
def compiled_if_common() -> Iterator[None]:
    """Kernels for arms or policies that are not common call their Python functions; none does in `make verify`."""
    with interpreted_if(lambda args: not FULL and is_uncommon(types_of(args))):
        yield


def is_uncommon(types: list[Any]) -> bool:
    """Whether an arm is not `COMMON`, or a policy is bounded (tests/policies/test_bounded.py compiles one)."""
    bounded = any(BoundedState in classes_in(kind) for kind in types)
    return bounded or any(pair not in COMMON for pair in arms_in(types))


@pytest.fixture
def interpreted_decisions() -> Iterator[None]:
    """As `decisions_interpreted`, for one test."""
    with decisions_interpreted():
        yield


@contextmanager
def decisions_interpreted() -> Iterator[None]:
    """The loop of a simulation calls its Python function, tables are compiled; none is interpreted in `make verify`.

    For many policies at once: tests/policies compiles their laws, others the loop for one policy of each kind.
    """
    with pytest.MonkeyPatch.context() as patch:
        if not FULL:
            patch.setattr(simulate, "decide", decide.py_func)  # type: ignore[attr-defined]  # numba's
        yield


@pytest.fixture
def coarse_quadrature(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probabilities by a coarse quadrature, as it is slow when it is interpreted; not in `make verify`."""
    if not FULL:
        monkeypatch.setattr(winning, "TOLERANCE", 0.1)
        monkeypatch.setattr(winning, "SPARSE", 16)
        monkeypatch.setattr(value_law, "theta_breakpoints", lambda window, kinks: np.linspace(window[0], window[1], 6))
        monkeypatch.setattr(value_law, "x0_breakpoints", lambda lo, hi, line, kinks: np.linspace(lo, hi, 6))
        monkeypatch.setattr(value_sweep, "PARTIAL", np.ones((1, 2)))
        monkeypatch.setattr(value_sweep, "COARSE", 9)
        monkeypatch.setattr(value_sweep, "FINE", 33)
        for module in (value_law, value_cdf, value_sweep):
            monkeypatch.setattr(module, "POINTS", 1)
            monkeypatch.setattr(module, "NODES", np.zeros(1))
            monkeypatch.setattr(module, "WEIGHTS", np.full(1, 2.0))


@contextmanager
def interpreted_if(chosen: Callable[[Any], bool]) -> Iterator[None]:
    """Call the Python function of a kernel if its arguments, or their numba types, are `chosen`."""
    call, compile_ = Kernel.__call__, Kernel.compile

    def call_or_interpret(self: Any, *args: Any) -> Any:
        if self in ALWAYS_COMPILED:
            return call(self, *args)
        return as_compiled(self.py_func(*args)) if chosen(args) else call(self, *args)

    def compile_or_interpret(self: Any, signature: Any) -> Any:
        if self in ALWAYS_COMPILED:  # by its own `__call__`, which asks for machine code here
            return compile_(self, signature)
        return self.py_func if chosen(signature) else compile_(self, signature)

    engine._engine.cache_clear()  # holds kernels
    with pytest.MonkeyPatch.context() as patch, np.errstate(over="ignore"):  # generators of random bits wrap
        patch.setattr(Kernel, "__call__", call_or_interpret)
        patch.setattr(Kernel, "compile", compile_or_interpret)
        yield
    engine._engine.cache_clear()


def as_compiled(result: Any) -> Any:
    """Python's numbers in place of numpy's, as machine code returns them."""
    if type(result) is tuple:
        return tuple(as_compiled(part) for part in result)
    return result.item() if isinstance(result, np.generic) else result


def types_of(args: Any) -> list[Any]:
    """The numba types of arguments or signature; of the arguments, tuples alone can contain an arm."""
    types = numba.types.Type
    return [arg if isinstance(arg, types) else typeof(arg) for arg in args if isinstance(arg, types | tuple)]


def arms_in(types: Any) -> Iterator[tuple[type, type]]:
    """The classes (dynamics, rewards) of each Arm in a signature, however deep."""
    for kind in types:
        if getattr(kind, "instance_class", None) is Arm:
            inside = dict(zip(kind.fields, kind.types, strict=True))
            yield inside["dynamics"].instance_class, inside["rewards"].instance_class
        yield from arms_in(getattr(kind, "types", ()))
