"""Borrowed references: arrays of the caller whose references a kernel does not count.

numba counts a reference, atomically, for each array that is passed on, and laws pass on a dozen at each call: a third
of the time of a decision. The caller of a kernel holds its arrays while the kernel runs, so that the count is not
needed. A borrowed array must not be returned to Python: its memory would not be kept alive.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numba
from numba.extending import lower_builtin, type_callable

types: Any = numba.types  # typed in part
T = TypeVar("T")


def borrowed(held: T) -> T:
    """Return the same arrays, however deep in tuples, without an owner.

    >>> from rogue_bandits.compile.laws import kernel
    >>> import numpy as np
    >>> kernel(lambda held: borrowed(held)[0][1])((np.array([3.0, 4.0]), 1.0))
    4.0
    """
    return held


@type_callable(borrowed)
def _type(context: Any) -> Any:
    return lambda held: held


@lower_builtin(borrowed, types.Any)  # type: ignore[no-untyped-call, untyped-decorator]  # numba's
def _compiled(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return disowned(context, builder, signature.return_type, args[0])


def disowned(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return a value whose arrays have no owner, which numba calls `meminfo`: no references are counted."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo, array.parent = array.meminfo.type(None), array.parent.type(None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts = [disowned(context, builder, part, builder.extract_value(value, i)) for i, part in enumerate(kind)]
        return context.make_tuple(builder, kind, parts)
    return value
