"""numba's `overload`, with one compilation for all callers of a function.

numba compiles an overloaded function once for each set of its caller's options, whether or not it takes any of them
over: a law that is called by a kernel, by an inlined law and by a routine would be compiled three times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.targetconfig import ConfigStack
from numba.core.typing import templates

F = TypeVar("F", bound=Callable[..., Any])
INHERITED = ("nrt", "fastmath", "error_model", "forceinline")  # options that a function takes over from its caller

# numba has no types for these.
options_of_caller: Any = ConfigStack.top_or_none
make_template: Any = templates.make_overload_template
infer: Any = templates.infer
infer_global: Any = templates.infer_global
Function: Any = numba.types.Function


def overload(function: Any, options: dict[str, Any]) -> Callable[[F], F]:
    """Register what numba is to compile for calls of `function`; see `numba.extending.overload`."""
    inherited = tuple(name for name in INHERITED if name not in options)

    def implementation(self: Any, args: Any, kws: Any) -> Any:
        caller = options_of_caller()
        taken_over = tuple(str(getattr(caller, name, None)) for name in inherited)
        key = self.context, tuple(args), tuple(kws.items()), taken_over
        return self._impl_cache[key] if key in self._impl_cache else self._build_impl(key, args, kws)

    def register(overloaded: F) -> F:
        target_options = {"nopython": True, "no_cpython_wrapper": True, **options}
        # Strict would compare annotations too, which name different types.
        template = make_template(function, overloaded, target_options, strict=False, inline="never")
        template._get_impl = implementation
        infer(template)
        infer_global(function, Function(template))
        return overloaded

    return register
