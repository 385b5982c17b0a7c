"""Code that counts references, only for what can have any.

numba looks for references to count in every part of a tuple, down to its numbers, and writes code that extracts each
part. LLVM removes that code again; for states of a hundred parts that is a good share of the time to compile.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.runtime import context as runtime

NRTContext: Any = runtime.NRTContext


@contextmanager
def counted_only() -> Iterator[None]:
    """Write code for parts that have references. numba's compiler lock must be held."""
    before = NRTContext.get_meminfos
    has_any: dict[Any, bool] = {}

    def get_meminfos(self: Any, builder: Any, kind: Any, value: Any) -> Any:
        if kind not in has_any:
            has_any[kind] = self._context.data_model_manager[kind].contains_nrt_meminfo()
        return before(self, builder, kind, value) if has_any[kind] else []

    NRTContext.get_meminfos = get_meminfos
    try:
        yield
    finally:
        NRTContext.get_meminfos = before
