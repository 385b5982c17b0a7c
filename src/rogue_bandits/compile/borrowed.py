"""Arrays that a kernel borrows from its caller, so that it need not count references to them.

For every array that is handed on numba counts a reference, in atomic steps, and our laws hand on a dozen at each call.
The caller of a kernel holds its arrays for as long as the kernel runs: nothing depends on that count, which took a
third of a decision. What is borrowed must not be returned to Python: it would not keep its memory.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numba
from numba.extending import lower_builtin, type_callable

types: Any = numba.types  # typed in part
T = TypeVar("T")


def borrowed(held: T) -> T:
    """The same arrays, however deep in tuples, without an owner.

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
    """The value, with no owner in any of its arrays. numba calls an owner `meminfo`, and counts nothing for none."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo, array.parent = array.meminfo.type(None), array.parent.type(None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts = [disowned(context, builder, part, builder.extract_value(value, i)) for i, part in enumerate(kind)]
        return context.make_tuple(builder, kind, parts)
    return value
