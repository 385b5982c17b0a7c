"""Kernels: functions that are compiled once for each signature and cached on disk."""

from __future__ import annotations

import builtins
import gc
import os
import secrets
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, count
from typing import Any

from numba import _dispatcher
from numba.core import bytecode, compiler_lock, registry, sigutils
from numba.core.typing import typeof as typing_of

from rogue_bandits.compile.cache import LOGGER, KernelFile, cache_folder
from rogue_bandits.compile.extensions import extensions
from rogue_bandits.compile.linking import callable_only, untimed
from rogue_bandits.compile.reach import UnfollowableError, classes_in, reached
from rogue_bandits.compile.references import counted_only

ANNOUNCED_AFTER = 1.0  # seconds
ANNOUNCED = threading.Event()  # one line for each process
KERNELS: weakref.WeakSet[Any] = weakref.WeakSet()
# What a kernel reaches is not the same while numba compiles in another thread: kernels had other keys at times, and
# were compiled anew.
ONE_AT_A_TIME = threading.RLock()
COMPILED_FOR: set[type] = set()  # the NamedTuple classes that kernels depend on

# numba has no types for these.
compute_fingerprint: Any = _dispatcher.compute_fingerprint
compiler: Any = compiler_lock.global_compiler_lock
normalize_signature: Any = sigutils.normalize_signature
typeof: Any = typing_of.typeof
CPUDispatcher: Any = registry.CPUDispatcher
FunctionIdentity: Any = bytecode.FunctionIdentity


class Kernel(CPUDispatcher):  # type: ignore[misc]  # it has no types
    """numba's dispatcher with another disk cache, and with NamedTuple classes distinguished by identity.

    numba recognises the NamedTuples of a call by the names of class and fields: a class that is defined again would
    run with the laws of the first.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._entries: dict[Any, Any] = {}
        self._arity = len(self._compiler.pysig.parameters)
        KERNELS.add(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the machine code for the types of the arguments."""
        if kwargs or len(args) != self._arity:
            bound = self._compiler.pysig.bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
        tuples = tuples_in(args)
        if len(tuples) == 1:  # no tuples but `args`
            return super().__call__(*args)
        try:
            key = compute_fingerprint(args), *map(type, tuples)
            if (entry := self._entries.get(key)) is None:
                types = tuple(typeof(arg) for arg in args)
        except (NotImplementedError, ValueError):  # a type that numba does not know: it raises an error
            return super().__call__(*args)
        if entry is None:
            entry = self._entries[key] = self.compile(types)
        return entry(*args)

    def compile(self, sig: Any) -> Any:
        """Return the machine code for a signature: from memory, from disk, or compiled now."""
        types = tuple(normalize_signature(sig)[0])
        with ExitStack() as scope:
            # Within another compilation no lock is taken, or two threads could wait for each other.
            outermost = not compiler.is_locked()
            if outermost:
                scope.enter_context(ONE_AT_A_TIME)
            if types in self.overloads:
                return self.overloads[types].entry_point
            file = self._file(types)
            scope.enter_context(announced(self, types, file is not None))
            if file is not None and outermost and not file.path.exists():
                scope.enter_context(file.locked())
            scope.enter_context(compiler)
            scope.enter_context(callable_only(self.targetctx.codegen()))
            scope.enter_context(untimed())
            scope.enter_context(counted_only())
            scope.enter_context(uncollected())
            return self._load(file, sig, types) or self._compile(file, sig, types)

    def _file(self, types: tuple[Any, ...]) -> KernelFile | None:
        """Return the file for a signature; None if the kernel cannot be cached."""
        target = self.targetctx.codegen().magic_tuple()
        try:
            depends_on = reached(self.py_func, self.targetoptions, types, target)
        except UnfollowableError as error:
            LOGGER.info("%s is not kept on disk: it reaches %s", self.py_func.__qualname__, error)
            COMPILED_FOR.update(one for kind in types for one in classes_in(kind))
            return None
        COMPILED_FOR.update(depends_on.classes)
        folder = cache_folder()
        return None if folder is None else KernelFile(folder, self.py_func.__name__, depends_on)

    def _load(self, file: KernelFile | None, sig: Any, types: tuple[Any, ...]) -> Any:
        """Return machine code from disk, as numba's `compile` does; None if there is none."""
        self.targetctx.refresh()
        if types in self.overloads:  # another thread was faster
            return self.overloads[types].entry_point
        result = None if file is None else file.load(self.targetctx)
        if result is None:
            return None
        LOGGER.debug("loaded %s for %s", self.py_func.__qualname__, purpose(types))
        self._cache_hits[sig] += 1
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.add_overload(result)
        return result.entry_point

    def _compile(self, file: KernelFile | None, sig: Any, types: tuple[Any, ...]) -> Any:
        """Return machine code that is compiled now, and write it to disk."""
        LOGGER.info("compiling %s for %s", self.py_func.__qualname__, purpose(types))
        renumber()
        entry_point = super().compile(sig)
        if file is not None:
            file.save(self.overloads[types])
        return entry_point

    def forget(self) -> None:
        """Drop the machine code in memory; references to it stay valid."""
        self._entries.clear()
        self._reset_overloads()


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage: compilation makes millions of objects that stay, and looking through them takes seconds."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def tuples_in(args: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Return a tuple and all tuples in it, however deep.

    >>> tuples_in((1, (2, (3,)), ()))
    [(1, (2, (3,)), ()), (2, (3,)), (), (3,)]
    """
    found = [args]
    for one in found:  # which grows meanwhile
        for arg in one:
            if isinstance(arg, tuple):
                found.append(arg)
    return found


def forget_compiled() -> None:
    """Drop all machine code in memory: a law was registered again for a type that kernels were compiled for."""
    for kernel in KERNELS:
        kernel.forget()
    for template in chain.from_iterable(extensions().values()):
        for cache in ("_impl_cache", "_compiled_overloads"):
            getattr(template, cache, {}).clear()


def purpose(types: tuple[Any, ...]) -> str:
    """Describe a signature by its innermost NamedTuples: a family, dynamics or a policy."""
    inner = [kind.__name__ for one in types for kind in innermost(one)]
    return ", ".join(dict.fromkeys(inner)) or ", ".join(map(str, types))


def innermost(kind: Any) -> list[type]:
    """Return the classes of NamedTuples in one of numba's types that contain no others."""
    inner = [found for part in getattr(kind, "types", ()) for found in innermost(part)]
    return inner or list(classes_in(kind))


@contextmanager
def announced(kernel: Kernel, types: tuple[Any, ...], kept: bool) -> Iterator[None]:
    """Print one line for each process, at a terminal or a prompt, if a compilation takes longer than a second."""

    def announce() -> None:
        if not ANNOUNCED.is_set():
            ANNOUNCED.set()
            after = "kept on disk" if kept else "for this process only"
            name, why = kernel.py_func.__name__, f" ({purpose(types)})" if types else ""
            sys.stderr.write(f"rogue-bandits: compiling {name}{why} for first use, {after} ...\n")

    timer = threading.Timer(ANNOUNCED_AFTER, announce)
    timer.daemon = True
    if not ANNOUNCED.is_set() and is_interactive():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def is_interactive() -> bool:
    """Return whether the process runs at a prompt, in a notebook or at a terminal."""
    if hasattr(sys, "ps1") or hasattr(builtins, "__IPYTHON__"):
        return True
    return sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()


def renumber() -> None:
    """Number the functions to be compiled from a random start.

    numba puts the number into symbol names and links equal names to one another. Kernels from two processes, whose
    numbers both began at 1, could call each other's laws.
    """
    FunctionIdentity._unique_ids = count(secrets.randbits(60))


renumber()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renumber)
