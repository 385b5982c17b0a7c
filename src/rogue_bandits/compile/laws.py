"""Functions that are defined once and run both interpreted and compiled.

A *law* is a small function dispatched on the type of its first argument, a NamedTuple. It is declared in `types.py`
and registered once for each type. Called from Python it is plain Python; called inside a `kernel` it is compiled. A
*kernel* is a loop over laws, compiled on first use and cached on disk.
"""

from __future__ import annotations

import inspect
from abc import get_cache_token
from collections.abc import Callable
from functools import _lru_cache_wrapper, lru_cache, singledispatch
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numba
import numpy as np

from rogue_bandits.compile.kernel import COMPILED_FOR, Kernel, forget_compiled
from rogue_bandits.compile.overloads import overload

# Division follows IEEE 754 instead of raising. No fast-math: what cancels exactly in Python must cancel compiled.
COMPILED: Any = {"error_model": "numpy"}
# Functions that only kernels call. Without forceinline=False a function inherits the setting of its caller, down to
# the leaves, and compilation takes minutes.
CALLED: Any = {**COMPILED, "no_cfunc_wrapper": True, "forceinline": False}
# A call that hands over a dozen arrays costs more than most laws do.
INLINED: Any = {**CALLED, "forceinline": True}

LAWS: list[Any] = []  # all declared laws
REMEMBERED: list[_lru_cache_wrapper[Any]] = []  # results of functions that call laws
NOT_STACKED: dict[type, tuple[str, ...]] = {}  # fields that kernels do not read: `stack` leaves them out

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class Law(Protocol[P, R]):
    """A declared law: call it, or `register` an implementation for a type (or a kind, see `abc.ABCMeta.register`)."""

    __name__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the implementation for the type of the first argument."""

    def register(self, kind: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Register a function of the declared arguments and result for a type or a kind."""


def law(declared: Callable[P, R]) -> Law[P, R]:
    """Declare a law. Its implementations must use the argument names of the declaration.

    >>> from typing import NamedTuple
    >>> class Square(NamedTuple):
    ...     side: float
    >>> @law
    ... def area(shape: Any) -> float: ...
    >>> @area.register(Square)
    ... def square_area(shape: Square) -> float:
    ...     return shape.side ** 2
    >>> area(Square(3.0)), kernel(lambda shape: area(shape))(Square(3.0))
    (9.0, 9.0)
    """

    def unknown(*args: Any, **_: Any) -> Any:
        raise TypeError(f"there is no law '{declared.__name__}' for {type(args[0]).__name__}")

    implementations: Any = singledispatch(unknown)
    signature = inspect.signature(declared)
    table: Any = quickly(implementations, signature)

    def compiled(*args: Any, **kwargs: Any) -> Any:
        first = next(iter(signature.bind(*args, **kwargs).arguments.values()))
        implementation = table.dispatch(getattr(first, "instance_class", object))
        return None if implementation is unknown else implementation

    compiled.__signature__ = signature  # type: ignore[attr-defined]  # numba reads the argument names from here
    table.__name__, table.__doc__, table.__signature__ = declared.__name__, declared.__doc__, signature
    table.__module__ = declared.__module__
    table.register = registering(table)
    overload(table, INLINED)(compiled)
    LAWS.append(table)
    return cast("Law[P, R]", table)


def quickly(implementations: Any, signature: inspect.Signature) -> Any:
    """Return the same single-dispatch function with a plain dictionary from type to implementation.

    A law is a few operations on numbers, and looking it up took Python longer than those.
    """
    chosen: dict[type, Any] = {}
    valid = [get_cache_token()]

    def renew() -> None:
        """Forget what was chosen before a type was registered with a kind."""
        chosen.clear()
        valid[0] = get_cache_token()

    def find(kind: type) -> Any:
        implementation = chosen[kind] = implementations.dispatch(kind)
        return implementation

    first, names = next(iter(signature.parameters)), ", ".join(signature.parameters)
    made: dict[str, Any] = {
        "_token": get_cache_token,
        "_valid": valid,
        "_renew": renew,
        "_get": chosen.get,
        "_find": find,
    }
    # The declared arguments, not *args: Python calls such a function without packing and unpacking them.
    text = f"""
def law_of({names}):
    if _token() != _valid[0]:
        _renew()
    _kind = {first}.__class__
    return (_get(_kind) or _find(_kind))({names})
"""
    exec(text, made)

    def register(kind: type, function: Any) -> None:
        implementations.register(kind, function)
        chosen.clear()

    table: Any = made["law_of"]
    table.dispatch, table.registry, table.register = implementations.dispatch, implementations.registry, register
    return table


def remembered(most: int, typed: bool = False) -> Callable[[Callable[P, R]], _lru_cache_wrapper[R]]:
    """Keep up to `most` results of a function, as `functools.lru_cache`, until a law that they may rest on changes."""

    def remember(function: Callable[P, R]) -> _lru_cache_wrapper[R]:
        REMEMBERED.append(lru_cache(maxsize=most, typed=typed)(function))
        return cast("_lru_cache_wrapper[R]", REMEMBERED[-1])

    return remember


def registering(table: Any) -> Any:
    """Return the `register` of a law; what was compiled for or computed by the law that it replaces is forgotten."""
    register, unknown = table.register, table.dispatch(object)

    def register_for(kind: type) -> Callable[[F], F]:
        def add(function: F) -> F:
            before, replaced = [(known, table.dispatch(known)) for known in COMPILED_FOR], table.dispatch(kind)
            register(kind, function)
            if any(table.dispatch(known) is not implementation for known, implementation in before):
                forget_compiled()
            if replaced is not unknown:
                for results in REMEMBERED:
                    results.cache_clear()
            return function

        return add

    return register_for


def inlined(function: F) -> F:
    """Mark a small function to be inlined where kernels and laws call it; from Python it is unchanged."""
    overload(function, INLINED)(lambda *args, **kwargs: function)
    return function


def routine(function: F) -> F:
    """Mark a larger function that kernels and laws call, not inlined so that callers compile in reasonable time."""
    overload(function, CALLED)(lambda *args, **kwargs: function)
    return function


@inlined
def overwrite(to: Any, by: Any) -> None:
    """Set to[:] = by, of the same length, by a loop: numba's assignment compiles its error messages too."""
    for j in range(len(to)):
        to[j] = by[j]


def kernel(function: F) -> F:
    """Compile a loop over laws on first use; it releases the GIL and is cached on disk."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set at run time
        return function
    options = {"nopython": True, "nogil": True, "boundscheck": None, **COMPILED}
    return cast("F", Kernel(py_func=function, targetoptions=options))


def specialised(compiled: Any, *args: Any) -> Any:
    """Return `compiled` for exactly these argument types, without the 60 µs of numba's dispatch on NamedTuples."""
    if not hasattr(compiled, "overloads"):  # NUMBA_DISABLE_JIT leaves a plain function
        return compiled
    typeof: Callable[[Any], Any] = numba.typeof
    return compiled.compile(tuple(typeof(arg) for arg in args))


def stack(items: list[T]) -> T:
    """Return one NamedTuple whose leaves are arrays over `items`: the form in which arms enter a kernel.

    >>> from typing import NamedTuple
    >>> class Square(NamedTuple):
    ...     side: float
    >>> stack([Square(1.0), Square(2.0)])
    Square(side=array([1., 2.]))
    """
    first = items[0]
    if isinstance(first, str) or first is None:
        return cast("T", None)  # names are left out: numba would count references to them
    if hasattr(first, "_fields"):
        left_out = NOT_STACKED.get(type(first), ())
        leaves = zip(first._fields, zip(*cast("Any", items), strict=True), strict=True)
        return type(first)(*(None if field in left_out else stack(list(leaf)) for field, leaf in leaves))
    return cast("T", np.array(items, dtype=np.float64))  # a field of several numbers has a row for each item


def pick(stacked: T, k: int | tuple[int, ...]) -> T:
    """Return the k-th item of a stack; of stacks of stacks, k has an index for each."""
    if stacked is None:
        return stacked
    if isinstance(stacked, tuple):  # without a call for each leaf and the checks of a constructor: laws pick often
        leaves = [leaf[k] if type(leaf) is np.ndarray else pick(leaf, k) for leaf in stacked]
        return cast("T", tuple.__new__(type(stacked), leaves))
    return cast("T", stacked[k])  # type: ignore[index]  # a leaf is an array


@overload(pick, INLINED)
def _pick(stacked: Any, k: Any) -> Any:
    # numba cannot loop over a tuple of mixed types, so the expression is written out, once for each type.
    leaves = ", ".join(
        f"stacked[{i}][k]" if isinstance(leaf, numba.types.Array)
        else f"pick(stacked[{i}], k)" if isinstance(leaf, numba.types.BaseTuple)
        else f"stacked[{i}]"
        for i, leaf in enumerate(stacked.types)
    )  # fmt: skip
    names: dict[str, Any] = {"make": stacked.instance_class, "pick": pick}
    exec(f"def picked(stacked, k): return make({leaves})", names)  # the text is built two lines above
    return names["picked"]
