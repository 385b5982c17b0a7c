"""Numbers as users write them: converted to floats, with errors that name the field, the value and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeGuard

import numpy as np

from rogue_bandits.types import Matrix, Range, Vector

LARGEST = 1e50  # products of three such numbers are finite


def number(value: Any, name: str, where: str) -> float:
    """Return a finite float."""
    try:
        result = float(value + 0.0)  # a text would turn into a number without it
    except OverflowError:
        raise ValueError(f"{where}, {name} must be from {-LARGEST:g} to {LARGEST:g}, and is larger by far") from None
    except (TypeError, ValueError):
        raise TypeError(f"{where}, {name} {value!r} must be a number") from None
    if not math.isfinite(result):
        raise ValueError(f"{where}, {name} {result} must be finite")
    if abs(result) > LARGEST:
        raise ValueError(f"{where}, {name} {result} must be from {-LARGEST:g} to {LARGEST:g}")
    return result


def positive(value: Any, name: str, where: str) -> float:
    """Return a finite float above 0."""
    result = number(value, name, where)
    if result <= 0.0:
        raise ValueError(f"{where}, {name} {result} must be above 0")
    return result


def checked_alpha(alpha: Any, where: str) -> float:
    """Return a failure probability above 0 and below 1."""
    result = number(alpha, "alpha", where)
    if not 0.0 < result < 1.0:
        raise ValueError(f"{where}, alpha {result} must be above 0 and below 1")
    return result


def checked_whole(value: Any, what: str, least: int) -> int:
    """Return a whole number of at least `least`."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise ValueError(f"{what} {value!r} must be a whole number, {least} or more")
    return int(value)


def checked_workers(value: Any, what: str) -> int:
    """Return a number of workers, −1 for as many as there are cores.

    >>> checked_workers(-2, "simulate, workers")
    Traceback (most recent call last):
    ValueError: simulate, workers -2 must be 1 or more, or -1 for all cores
    """
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or (value < 1 and value != -1):
        raise ValueError(f"{what} {value!r} must be 1 or more, or -1 for all cores")
    return int(value)


def is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """Return whether a value is a sequence or an array, and no text."""
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)


def number_or_vector(value: Any, name: str, where: str) -> Any:
    """Return a finite float, or a vector of them."""
    return vector(value, name, where) if is_list(value) else number(value, name, where)


def vector(values: Any, name: str, where: str) -> Vector:
    """Return finite floats, at least one."""
    if not is_list(values):
        raise TypeError(f"{where}, {name} {values!r} must be a list of numbers")
    if len(values) == 0:
        raise ValueError(f"{where}, {name} is empty: it must have at least one number")
    return tuple(number(value, f"{name}[{i}]", where) for i, value in enumerate(values))


def _range(ends: Any, name: str, where: str) -> Range:
    """Return two finite floats."""
    if not is_list(ends) or len(ends) != 2:
        error = ValueError if is_list(ends) else TypeError
        raise error(f"{where}, {name} {ends!r} must be two numbers, from low to high")
    return vector(ends, name, where)


def _matrix(rows: Any, name: str, where: str) -> Matrix:
    """Return vectors, at least one."""
    if not is_list(rows) or len(rows) == 0:
        raise TypeError(f"{where}, {name} {rows!r} must be a list of rows of numbers")
    return tuple(vector(row, f"{name}[{i}]", where) for i, row in enumerate(rows))


def with_floats(part: Any, name: str, where: str) -> Any:
    """Return a part of an arm with its fields as floats."""
    if not (isinstance(part, tuple) and hasattr(part, "_fields")):
        example = {"dynamics": "ClippedAffine(decay, pull, drift)", "rewards": "BernoulliLogit(0.4, 0.6)"}[name]
        raise TypeError(f"{where}, {name} {part!r} must be a NamedTuple of numbers, such as {example}")
    kind: Any = type(part)
    fields = zip(_converters(kind), part._fields, part, strict=True)
    return kind(*(converted(value, field, where) for converted, field, value in fields))


@lru_cache(maxsize=256)
def _converters(kind: Any) -> tuple[Any, ...]:
    """Return a function for each field of a part of an arm, which checks its value."""
    return tuple(_CONVERTERS.get(_annotation(kind, field), number) for field in kind._fields)


def _annotation(kind: Any, field: str) -> str:
    """Return the annotation of a field as text; a NamedTuple with defaults that are worked out is a subclass of one."""
    annotated = [getattr(one, "__annotations__", {}) for one in kind.__mro__]
    written = next((names[field] for names in annotated if field in names), None)
    return str(getattr(written, "__forward_arg__", written))


def _inner(value: Any, name: str, where: str) -> Any:
    """Return a reward family, or a prior, inside of a part of an arm."""
    if not (isinstance(value, tuple) and hasattr(value, "_fields")):
        kind = (
            "a prior, such as SquaredExponential(5.0)"
            if name == "prior"
            else "a reward family, such as BernoulliLogit(1.0, 1.0)"
        )
        raise TypeError(f"{where}, {name} {value!r} must be {kind}")
    return with_floats(value, "rewards", where)


_CONVERTERS: dict[str, Any] = {
    **dict.fromkeys(("Any", "typing.Any"), _inner),
    **dict.fromkeys(("Vector", str(Vector)), vector),
    "Range": _range,
    **dict.fromkeys(("Matrix", str(Matrix)), _matrix),
}
