"""Machine code for kernels alone, not for the functions that are linked into them.

numba generates machine code for each function that it compiles, also for those that Python cannot call. It links into
each function all that it calls, however deep, and optimises the whole: a function at the end of a chain of ten calls is
optimised ten times. Here a function is optimised once, with what is inlined in it; what it calls is linked into
the kernel alone, which is optimised as a whole (decision 0024).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba.core import codegen as numbas
from numba.core import config
from numba.core.environment import lookup_environment

# How functions are optimised before they are linked into a kernel; a part of every kernel's key.
PIPELINE: dict[str, Any] = {"speed_level": 1}
# Loops are left as they are: the vectoriser, which runs on the kernel, fails on most that were unrolled before.
PIPELINE |= dict.fromkeys(("loop_unrolling", "loop_vectorization", "slp_vectorization"), False)

JITCodeLibrary: Any = numbas.JITCodeLibrary
refprune_flags: Any = numbas._parse_refprune_flags  # has no public name
environment: Any = lookup_environment


@contextmanager
def untimed() -> Iterator[None]:
    """Disable numba's callbacks on calls of LLVM: each call would notify the timers of all functions being compiled."""
    lock = llvm.ffi.lib._lock
    callbacks, lock._cblist = lock._cblist, []
    try:
        yield
    finally:
        lock._cblist = callbacks


@contextmanager
def callable_only(codegen: Any) -> Iterator[None]:
    """Generate machine code only for functions that Python can call. numba's compiler lock must be held."""
    before = codegen._library_class
    codegen._library_class = LinkedLibrary
    try:
        yield
    finally:
        codegen._library_class = before


class LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]  # it has no types
    """The code of a function. Without a wrapper for Python, machine code is generated when its address is needed."""

    _deferred = False
    _linking_libraries: list[Any]
    _is_inlined = False
    _apart: tuple[Any, ...] = ()  # libraries that this one calls and that are not yet linked into it

    @property
    def codegen(self) -> Any:
        """Return the code generator, which sets environments; a dummy if there is no machine code yet."""
        return NoEnvironments() if self._deferred else self._codegen

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function, 0 if it is not in the library."""
        self._ensure_finalized()
        if self._deferred:
            if name not in {function.name for function in self.get_defined_functions()}:
                return 0
            self._make()
        return int(super().get_pointer_to_function(name))

    def finalize(self) -> None:
        """Link what is to be inlined and optimise; a kernel links all that it calls, however deep."""
        called: dict[Any, None] = dict.fromkeys(self._linking_libraries)
        for library in tuple(called):
            called.update(dict.fromkeys(getattr(library, "_apart", ())))
            self._reload_init.update(library._reload_init)
        if self._is_internal():
            self._apart = tuple(library for library in called if is_apart(library))
            called = dict.fromkeys(library for library in called if not is_apart(library))
        self._linking_libraries = callers_first(called)
        super().finalize()

    def _optimize_functions(self, ll_module: Any) -> None:
        """Leave it to the passes over the module, which do the same and come next."""
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Simplify what a kernel will be made of; the kernel is optimised as a whole, at numba's level."""
        if not self._is_internal() or self._deferred:
            super()._optimize_final_module()
            return
        settings = llvm.create_pipeline_tuning_options()
        for name, value in PIPELINE.items():
            setattr(settings, name, value)
        builder = llvm.create_pass_builder(self._codegen._tm, settings)
        passes = builder.getModulePassManager()
        if config.LLVM_REFPRUNE_PASS:  # type: ignore[attr-defined]  # set at run time
            passes.add_refprune_pass(refprune_flags())
        passes.run(self._final_module, builder)

    def _is_internal(self) -> bool:
        """Return whether this was compiled in this process, from a function without a wrapper for Python."""
        if not self._object_caching_enabled or self._compiled_object is not None:
            return False
        return not any(function.name.startswith("_ZN7cpython") for function in self.get_defined_functions())

    def _finalize_final_module(self) -> None:
        if self._is_internal():
            self._finalize_dynamic_globals()
            defined = self.get_defined_functions()
            self._is_inlined = any(b"alwaysinline" in one for function in defined for one in function.attributes)
            self._finalized = self._deferred = True
        else:
            self._make()

    def _get_module_for_linking(self) -> Any:
        # A function of another library expects that this one has its environment.
        if self._deferred and self._codegen._library_class is not LinkedLibrary:
            self._make()
        return super()._get_module_for_linking()

    def _make(self) -> None:
        """Generate machine code, and set the environments of all functions in it."""
        if self._deferred:
            for library in callers_first(self._apart):
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            self._apart, self._shared_module = (), None
            self._optimize_final_module()
        self._deferred = self._finalized = False
        self._dynamic_globals.clear()
        super()._finalize_final_module()
        for variable in self._final_module.global_variables:
            held = environment(variable.name) if variable.name.startswith("_ZN08NumbaEnv") else None
            if held is not None:
                self._codegen.set_env(variable.name, held)


def is_apart(library: Any) -> bool:
    """Return whether a function is called rather than inlined, and has no machine code."""
    return getattr(library, "_deferred", False) and not library._is_inlined


def callers_first(libraries: Iterable[Any]) -> list[Any]:
    """Return libraries in an order in which LLVM can link them: it drops a function that nothing refers to as yet.

    What a library calls apart, however deep, is more than what any of these calls.
    """
    return sorted(libraries, key=lambda library: -len(getattr(library, "_apart", ())))


class NoEnvironments:
    """Stand-in for a code generator whose library has no machine code yet."""

    def set_env(self, name: str, held: Any) -> None:
        """Do nothing: `_make` sets the environments."""
