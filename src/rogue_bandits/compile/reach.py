"""The key of a compiled kernel: a hash of all that is compiled into it.

Machine code depends on the kernel's code and on all that it can reach: the functions and constants that it reads, what
these read in turn, and the laws of every type that occurs. The transitive closure is hashed as it is in memory, without
line numbers, file names and docstrings. A changed comment keeps the key. A changed law, constant or field changes it,
be it the package's or a user's, in a file or typed at a prompt.
"""

from __future__ import annotations

import dis
import hashlib
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from inspect import signature
from itertools import chain, product
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import llvmlite
import numba
import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.typing import templates

from rogue_bandits.compile.extensions import content, extensions, is_versioned
from rogue_bandits.compile.linking import PIPELINE

READ_GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")  # operations
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "FULL_TRACEBACKS", "CPU_NAME",
            "CPU_FEATURES", "ENABLE_AVX", "DISABLE_INTEL_SVML", "LLVM_REFPRUNE_PASS",
            "LLVM_REFPRUNE_FLAGS")  # fmt: skip


class UnfollowableError(Exception):
    """A kernel reaches something whose content cannot be hashed: it is compiled in each process."""


class Reached(NamedTuple):
    """What a kernel depends on."""

    key: str
    classes: tuple[type, ...]  # all NamedTuple classes, in an order that depends on the key alone


def reached(function: Any, options: dict[str, Any], signature: Iterable[Any], target: tuple[Any, ...]) -> Reached:
    """Return the key of a function compiled with these options, for these argument types and this processor."""
    reach = Reach()
    reach.add(sys.version, numba.__version__, llvmlite.__version__, np.__version__, target)
    reach.add(*(getattr(numba.config, name, None) for name in SETTINGS), sorted(options.items(), key=repr))
    reach.add(sorted(PIPELINE.items()))
    for kind in signature:
        reach.add(str(kind))
        for occurring in classes_in(kind):
            reach.visit(occurring)
    for extension in extensions()[""]:
        reach.visit(extension)
    reach.visit(function)
    reach.close()
    return Reached(reach.digest.hexdigest()[:32], tuple(reach.classes))


def classes_in(kind: Any) -> Iterator[type]:
    """Yield the classes of all NamedTuples in one of numba's types, however deep."""
    if hasattr(kind, "instance_class"):
        yield kind.instance_class
    for inner in getattr(kind, "types", ()):
        yield from classes_in(inner)


class Reach:
    """Hash of a transitive closure. Each law, function and class gets a number when it is first met."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.classes: dict[type, int] = {}
        self._laws: dict[Any, int] = {}
        self._functions: dict[FunctionType, int] = {}
        self._waiting: deque[FunctionType] = deque()

    def add(self, *words: Any) -> None:
        """Add to the hash."""
        self.digest.update(repr(words).encode())

    def close(self) -> None:
        """Visit the functions that wait, and the laws of all classes, until nothing new is met."""
        done: set[tuple[Any, type]] = set()
        while self._waiting or len(done) < len(self._laws) * len(self.classes):
            while self._waiting:
                self._visit_code(self._waiting.popleft())
            for law, kind in product(list(self._laws), list(self.classes)):
                if (law, kind) not in done:
                    done.add((law, kind))
                    self._visit_law(law, kind)

    def visit(self, value: Any) -> None:
        """Add a value that is compiled in; a function is visited later."""
        kind = type(value)
        if kind in PLAIN:
            self.add(kind.__name__, value)
        elif isinstance(value, FunctionType):
            self._visit_function(value)
        elif isinstance(value, type):
            self._visit_class(value)
        elif isinstance(value, Dispatcher):
            self.add("compiled", sorted(value.targetoptions.items(), key=repr))
            self.visit(value.py_func)
        elif isinstance(value, CodeType):
            self.add(code_digest(value))
        elif isinstance(value, np.ndarray | np.generic):
            self._visit_array(np.asarray(value), kind)
        elif isinstance(value, tuple | list | set | frozenset | dict | slice):
            self._visit_container(value)
        elif isinstance(value, Enum):
            self.add(kind.__qualname__, value.name)
            self.visit(value.value)
        elif isinstance(value, _Intrinsic):
            self.visit(value._defn)
        elif isinstance(value, BuiltinFunctionType) and isinstance(value.__self__, ModuleType):
            self.add("function", value.__module__, value.__qualname__)
        elif isinstance(value, np.ufunc | np.dtype | numba.types.Type):
            self.add(kind.__name__, str(value))
        elif isinstance(value, ModuleType) or kind.__module__ in ("typing", "types", "numpy"):
            self.add(kind.__name__, getattr(value, "__module__", ""), getattr(value, "__name__", repr(value)))
        else:
            raise UnfollowableError(f"a value of type {kind.__qualname__}")

    def _visit_function(self, function: FunctionType) -> None:
        if hasattr(function, "registry") and hasattr(function, "dispatch"):  # a law
            self.add("law", self._laws.setdefault(function, len(self._laws)))
        elif is_versioned(function.__module__) and function not in extensions():
            self.add("function", function.__module__, function.__qualname__)
        else:
            if function not in self._functions:
                self._waiting.append(function)
            self.add("function", self._functions.setdefault(function, len(self._functions)))

    def _visit_law(self, law: Any, kind: type) -> None:
        """Add the implementation of a law for a class, if there is one."""
        implementation = law.dispatch(kind)
        if implementation is not law.registry[object]:
            self.add("given", self._laws[law], self.classes[kind], list(signature(law).parameters))
            self._add_options(law)
            self.visit(implementation)

    def _visit_code(self, function: FunctionType) -> None:
        """Add the code of a function, its defaults, and all that it reads from outside of itself."""
        # A cached kernel looks up the modules of its functions by name.
        self.add(function.__module__, code_digest(function.__code__))
        self.visit(function.__defaults__)
        self.visit(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            self.visit(content(cell))
        names = all_names(function.__code__)
        for name in global_names(function.__code__):
            if name in function.__globals__:
                value = function.__globals__[name]
                self.add(name)
                self.visit(value)
                if isinstance(value, ModuleType) and not is_versioned(value.__name__):
                    self._visit_attributes(value, names)
        for extension in self._add_options(function):
            self.visit(extension)

    def _visit_attributes(self, module: ModuleType, names: Iterable[str]) -> None:
        """Add what may be read from a module and its submodules: all that has one of these names."""
        for name in names:
            if name in vars(module):
                value = vars(module)[name]
                self.add(name)
                self.visit(value)
                if isinstance(value, ModuleType) and value is not module and value.__name__.startswith(module.__name__):
                    self._visit_attributes(value, names)

    def _add_options(self, function: Any) -> list[Any]:
        """Add the options of a function's numba extensions, and return the extensions."""
        found = extensions().get(function, [])
        for extension in found:
            self.add(sorted(getattr(extension, "_jit_options", {}).items(), key=repr))
        return found

    def _visit_class(self, kind: type) -> None:
        if is_named_tuple(kind):
            if kind not in self.classes:
                self.classes[kind] = len(self.classes)
                self.add("class", kind.__module__, kind.__qualname__, kind._fields)  # type: ignore[attr-defined]
                self.visit(kind._field_defaults)  # type: ignore[attr-defined]
            self.add("class", self.classes[kind])
        elif issubclass(kind, templates.FunctionTemplate | templates.AttributeTemplate):
            self._visit_template(kind)
        elif issubclass(kind, Enum):
            self.visit({member.name: member.value for member in kind})
        elif is_versioned(kind.__module__) or (is_importable(kind) and not hasattr(kind, "class_type")):
            self.add("class", kind.__module__, kind.__qualname__)
        else:
            raise UnfollowableError(f"class {kind.__qualname__}")

    def _visit_template(self, template: Any) -> None:
        """Add a typing template of numba: the functions of an `overload` or a `type_callable`."""
        for name in ("_overload_func", "generic"):
            function = getattr(template, name, None)
            if isinstance(function, FunctionType):
                self.add(function.__qualname__)
                if not is_versioned(function.__module__):
                    self.visit(function)
                for cell in function.__closure__ or ():
                    self.visit(content(cell))

    def _visit_array(self, array: Any, kind: type) -> None:
        if array.dtype.hasobject:
            raise UnfollowableError("an array of objects")
        flags = array.flags
        self.add(kind.__name__, array.dtype.str, array.dtype.descr if array.dtype.names else "", array.shape)
        self.add(flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned, array.tobytes())

    def _visit_container(self, value: Any) -> None:
        if isinstance(value, slice):
            parts = [value.start, value.stop, value.step]
        elif isinstance(value, dict):
            parts = [part for item in value.items() for part in item]
        else:
            parts = sorted(value, key=repr) if isinstance(value, set | frozenset) else list(value)
        self.visit(type(value))
        self.add(len(parts))
        for part in parts:
            self.visit(part)


def is_named_tuple(kind: type) -> bool:
    """Return whether a class is a NamedTuple."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and hasattr(kind, "_field_defaults")


def is_importable(kind: Any) -> bool:
    """Return whether another process that imports the class's module finds this class under its name."""
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind and kind.__module__ != "__main__"


@cache
def all_names(code: CodeType) -> tuple[str, ...]:
    """Return the names that a code object reads, as globals or as attributes, nested code objects included."""
    nested = [all_names(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return tuple(dict.fromkeys(chain(code.co_names, *nested)))


@cache
def global_names(code: CodeType) -> tuple[str, ...]:
    """Return the names that a code object reads as globals, nested code objects included."""
    nested = [global_names(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    own = (str(step.argval) for step in dis.get_instructions(code) if step.opname in READ_GLOBAL)
    return tuple(dict.fromkeys(chain(own, *nested)))


@cache
def code_digest(code: CodeType) -> str:
    """Return a hash of what a code object does, without its place and its docstring."""
    reach = Reach()
    reach.add(code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags)
    reach.add(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_exceptiontable)
    constants = code.co_consts
    if constants and isinstance(constants[0], str) and not is_read(code, 0):
        constants = (None, *constants[1:])
    reach.visit(constants)
    return reach.digest.hexdigest()


def is_read(code: CodeType, index: int) -> bool:
    """Return whether an operation of the code reads this constant; none reads a docstring."""
    return any(step.opcode in dis.hasconst and step.arg == index for step in dis.get_instructions(code))
