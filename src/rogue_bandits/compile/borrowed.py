"""Borrowed references: arrays of the caller whose references a kernel does not count.

numba counts a reference, atomically, for each array that is passed on, and laws pass on a dozen at each call: a third
of the time of a decision. The caller of a kernel holds its arrays while the kernel runs, so that the count is not
needed. A borrowed array has a type of its own, for which no counting is compiled, and so have views of it; what is
computed from it, such as a copy, is an array as any other. A borrowed array must not be returned to Python: its memory
would not be kept alive.
"""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any, TypeVar

import numba
from numba.core.datamodel import models
from numba.core.typing import arraydecl, templates
from numba.extending import lower_builtin, lower_cast, register_model, type_callable
from numba.np import numpy_support

types: Any = numba.types  # typed in part
signature: Any = templates.signature
infer_global: Any = templates.infer_global
AbstractTemplate: Any = templates.AbstractTemplate
ArrayModel: Any = models.ArrayModel
StructModel: Any = models.StructModel
as_dtype: Any = numpy_support.as_dtype
T = TypeVar("T")


def borrowed(held: T) -> T:
    """Return the same arrays, however deep in tuples, without an owner.

    >>> from rogue_bandits.compile.laws import kernel
    >>> import numpy as np
    >>> kernel(lambda held: borrowed(held)[0][1])((np.array([3.0, 4.0]), 1.0))
    4.0
    """
    return held


def hold(owner: object) -> None:
    """Do nothing: an array that is borrowed inside a kernel lives until here, the last use of its owner."""


@type_callable(hold)
def _hold_type(context: Any) -> Any:
    return lambda owner: types.none


@lower_builtin(hold, types.Any)  # type: ignore[no-untyped-call, untyped-decorator]  # numba's
def _hold_compiled(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return context.get_dummy_value()


class BorrowedArray(types.Array):  # type: ignore[misc]  # it has no types
    """The type of an array without an owner."""

    def __init__(self, array: Any) -> None:
        super().__init__(
            array.dtype, array.ndim, array.layout, not array.mutable, name=f"borrowed {array}", aligned=array.aligned
        )


@register_model(BorrowedArray)
class BorrowedArrayModel(StructModel):  # type: ignore[misc]  # it has no types
    """As numba's model of arrays, with a pointer in place of the owner, which is null.

    Laws hand each other states of dozens of arrays: more than half of the code that LLVM got took them apart and put
    them together. As an argument an array is its data and shape alone, and strides if it is not contiguous. The rest
    follows from these.
    """

    def __init__(self, manager: Any, kind: Any) -> None:
        members = ArrayModel(manager, kind)
        fields = [(name, members.get_type(name)) for name in members._fields]
        super().__init__(manager, kind, [(n, types.voidptr if n == "meminfo" else kind) for n, kind in fields])
        self._shape, self._strides = (
            [self._at(field, axis) for axis in range(kind.ndim)] for field in ("shape", "strides")
        )
        self._passed_on = [self._at("data"), *self._shape, *(self._strides if kind.layout != "C" else [])]

    def _at(self, field: str, *axis: int) -> tuple[int, ...]:
        return self.get_field_position(field), *axis

    def get_argument_type(self) -> Any:
        """Return the types of what is passed on."""
        members = self.get_value_type()
        return tuple(
            members.elements[field].element if axis else members.elements[field] for field, *axis in self._passed_on
        )

    def as_argument(self, builder: Any, value: Any) -> Any:
        """Return what is passed on of an array."""
        return tuple(builder.extract_value(value, place) for place in self._passed_on)

    def from_argument(self, builder: Any, value: Any) -> Any:
        """Return the array of which this was passed on."""
        parts = dict(zip(self._passed_on, value, strict=True))
        word = self.get_value_type().elements[self.get_field_position("nitems")]
        parts[self._at("itemsize")] = step = word(as_dtype(self._fe_type.dtype).itemsize)
        if self._fe_type.layout == "C":
            for length, stride in reversed([*zip(self._shape, self._strides, strict=True)]):
                parts[stride] = step
                step = builder.mul(step, parts[length])  # LLVM drops the last one
        parts[self._at("nitems")] = reduce(builder.mul, [parts[length] for length in self._shape], word(1))
        array = self.get_value_type()(None)  # no owner, all zero
        for place, part in parts.items():
            array = builder.insert_value(array, part, place)
        return array


def lent(kind: Any) -> Any:
    """Return the type of what is borrowed of a type."""
    if isinstance(kind, types.Array):
        return BorrowedArray(kind)
    if isinstance(kind, types.BaseTuple):
        parts, made = [lent(part) for part in kind], getattr(kind, "instance_class", None)
        return types.BaseTuple.from_types(parts, made) if parts else kind
    return kind


@type_callable(borrowed)
def _type(context: Any) -> Any:
    return lent


@lower_builtin(borrowed, types.Any)  # type: ignore[no-untyped-call, untyped-decorator]  # numba's
def _compiled(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return disowned(context, builder, signature.args[0], args[0])


def disowned(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return a value whose arrays have no owner, which numba calls `meminfo`."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo, array.parent = array.meminfo.type(None), array.parent.type(None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts = [disowned(context, builder, part, builder.extract_value(value, i)) for i, part in enumerate(kind)]
        return context.make_tuple(builder, lent(kind), parts)
    return value


@infer_global(operator.getitem)
class ViewOfBorrowed(AbstractTemplate):  # type: ignore[misc]  # it has no types
    """A view of a borrowed array is borrowed."""

    metadata = {"target": "cpu"}  # comes before numba's, which is for all targets  # noqa: RUF012

    def generic(self, args: Any, kws: Any) -> Any:
        """Return the signature of array[index]; None if numba's own applies."""
        array, index = args
        if not isinstance(array, BorrowedArray):
            return None
        found = arraydecl.get_array_index_type(array, index)  # type: ignore[no-untyped-call]
        if found is None or found.advanced or not isinstance(found.result, types.Array):
            return None
        return signature(BorrowedArray(found.result), array, found.index)


@lower_cast(BorrowedArray, types.Array)  # type: ignore[no-untyped-call, untyped-decorator]  # numba's
def _as_array(context: Any, builder: Any, borrowed_kind: Any, kind: Any, value: Any) -> Any:
    """Return the value unchanged where a variable may be of either type: without an owner, nothing is counted."""
    return value
