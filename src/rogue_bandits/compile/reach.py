"""The key of a compiled kernel: a hash of all that is compiled into it.

Machine code depends on the kernel's own code and on all that it can reach: the functions and numbers it reads from
outside of itself, what these read in turn, and the laws of every type that occurs. The fixpoint over these is hashed
as it is in memory, without line numbers, file names and docstrings. So a changed comment keeps the key, and a changed
law, constant or field changes it, whether it is the package's or a user's, in a file or typed at a prompt.
"""

from __future__ import annotations

import dis
import hashlib
import os
import sys
import sysconfig
from collections import deque
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from inspect import signature
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import llvmlite
import numba
import numpy as np
from numba.core import imputils
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.typing import templates

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
VERSIONED = ("numba", "numpy", "llvmlite")  # their versions are in the key, so that names are enough
SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "FULL_TRACEBACKS", "CPU_NAME",
            "CPU_FEATURES", "ENABLE_AVX", "DISABLE_INTEL_SVML")  # fmt: skip
CONSTANT_OPERATIONS = frozenset(dis.hasconst)


class UnfollowableError(Exception):
    """A kernel reaches something whose content cannot be hashed: it is compiled in each process."""


class Reached(NamedTuple):
    """What a kernel depends on."""

    key: str
    classes: tuple[type, ...]  # all NamedTuple classes, in an order that depends on the key alone


def reached(function: Any, options: dict[str, Any], signature: Iterable[Any], target: tuple[Any, ...]) -> Reached:
    """The key of a function compiled with these options, for these argument types and this processor."""
    reach = Reach()
    reach.say(sys.version, numba.__version__, llvmlite.__version__, np.__version__, target)
    reach.say(*(getattr(numba.config, name, None) for name in SETTINGS))
    reach.say(sorted(options.items(), key=repr))
    for kind in signature:
        reach.say(str(kind))
        for occurring in classes_in(kind):
            reach.visit(occurring)
    for extension in extensions()[""]:
        reach.visit(extension)
    reach.visit(function)
    reach.close()
    return Reached(reach.digest.hexdigest()[:32], tuple(reach.classes))


def classes_in(kind: Any) -> Iterator[type]:
    """The classes of all NamedTuples in one of numba's types, however deep."""
    if hasattr(kind, "instance_class"):
        yield kind.instance_class
    for inner in getattr(kind, "types", ()):
        yield from classes_in(inner)


class Reach:
    """The fixpoint: everything visited gets a number, and is described to the hash when it is first met."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.classes: dict[type, int] = {}
        self._laws: dict[Any, int] = {}
        self._functions: dict[FunctionType, int] = {}
        self._waiting: deque[FunctionType] = deque()

    def say(self, *words: Any) -> None:
        """Add to the hash."""
        self.digest.update(repr(words).encode())

    def close(self) -> None:
        """Follow what waits, and the laws of all types, until nothing new is met."""
        done: set[tuple[Any, type]] = set()
        while self._waiting or len(done) < len(self._laws) * len(self.classes):
            while self._waiting:
                self._describe(self._waiting.popleft())
            for law in list(self._laws):
                for kind in list(self.classes):
                    if (law, kind) not in done:
                        done.add((law, kind))
                        self._visit_law_of(law, kind)

    def visit(self, value: Any) -> None:
        """Describe a value that is compiled in, or follow it later."""
        kind = type(value)
        if kind in PLAIN:
            self.say(kind.__name__, value)
        elif isinstance(value, FunctionType):
            self._visit_function(value)
        elif isinstance(value, type):
            self._visit_class(value)
        elif isinstance(value, ModuleType):
            self.say("module", value.__name__)
        elif isinstance(value, Dispatcher):
            self.say("compiled", sorted(value.targetoptions.items(), key=repr))
            self.visit(value.py_func)
        elif isinstance(value, CodeType):
            self.say(code_digest(value))
        elif isinstance(value, np.ndarray | np.generic):
            self._visit_array(np.asarray(value), kind)
        elif isinstance(value, tuple | list | set | frozenset | dict | slice):
            self._visit_container(value)
        elif isinstance(value, Enum):
            self.say(kind.__qualname__, value.name)
            self.visit(value.value)
        elif isinstance(value, _Intrinsic):
            self.visit(value._defn)
        else:
            self._visit_other(value)

    def _visit_function(self, function: FunctionType) -> None:
        if hasattr(function, "registry") and hasattr(function, "dispatch"):  # a law
            if function not in self._laws:
                self._laws[function] = len(self._laws)
            self.say("law", self._laws[function])
        elif is_versioned(function.__module__) and function not in extensions():
            self.say("function", function.__module__, function.__qualname__)
        else:
            if function not in self._functions:
                self._functions[function] = len(self._functions)
                self._waiting.append(function)
            self.say("function", self._functions[function])

    def _visit_law_of(self, law: Any, kind: type) -> None:
        given = law.dispatch(kind)
        if given is not law.registry[object]:
            self.say("given", self._laws[law], self.classes[kind], list(signature(law).parameters))
            self._visit_extensions(law, False)
            self.visit(given)

    def _describe(self, function: FunctionType) -> None:
        """The code of a function, its defaults, and all that it reads from outside of itself."""
        # A kept kernel looks up the modules of its functions by name.
        self.say(function.__module__, code_digest(function.__code__))
        self.visit(function.__defaults__)
        self.visit(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            self.visit(content(cell))
        names, inside = all_names(function.__code__), function.__globals__
        for name in names:
            if name in inside:
                self.say(name)
                self.visit(inside[name])
                if isinstance(inside[name], ModuleType) and not is_versioned(inside[name].__name__):
                    self._visit_attributes(inside[name], names)
        self._visit_extensions(function, True)

    def _visit_attributes(self, module: ModuleType, names: Iterable[str]) -> None:
        """What might be read from a module: all of it that has one of these names, in modules inside of it too."""
        for name in names:
            if name in vars(module):
                self.say(name)
                value = vars(module)[name]
                self.visit(value)
                if isinstance(value, ModuleType) and value is not module and value.__name__.startswith(module.__name__):
                    self._visit_attributes(value, names)

    def _visit_extensions(self, function: Any, follow: bool) -> None:
        """How a function is to be compiled, where that was told to numba apart from its code."""
        for told in extensions().get(function, ()):
            self.say(sorted(getattr(told, "_jit_options", {}).items(), key=repr))
            if follow:
                self.visit(told)

    def _visit_class(self, kind: type) -> None:
        if is_named_tuple(kind):
            if kind not in self.classes:
                self.classes[kind] = len(self.classes)
                self.say("class", kind.__module__, kind.__qualname__, kind._fields)  # type: ignore[attr-defined]
                self.visit(kind._field_defaults)  # type: ignore[attr-defined]
            self.say("class", self.classes[kind])
        elif issubclass(kind, templates.FunctionTemplate | templates.AttributeTemplate):
            self._visit_template(kind)
        elif issubclass(kind, Enum):
            self.visit({member.name: member.value for member in kind})
        elif is_versioned(kind.__module__) or (is_importable(kind) and not hasattr(kind, "class_type")):
            self.say("class", kind.__module__, kind.__qualname__)
        else:
            raise UnfollowableError(f"class {kind.__qualname__}")

    def _visit_template(self, template: Any) -> None:
        for name in ("_overload_func", "generic"):
            told = getattr(template, name, None)
            if isinstance(told, FunctionType):
                self.say(told.__qualname__)
                if not is_versioned(told.__module__):
                    self.visit(told)
                for cell in told.__closure__ or ():
                    self.visit(content(cell))

    def _visit_array(self, array: Any, kind: type) -> None:
        if array.dtype.hasobject:
            raise UnfollowableError("an array of objects")
        flags = array.flags
        self.say(kind.__name__, array.dtype.str, array.dtype.descr if array.dtype.names else "", array.shape)
        self.say(flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned)
        self.digest.update(array.tobytes())

    def _visit_container(self, value: Any) -> None:
        self.visit(type(value))
        if isinstance(value, slice):
            parts = [value.start, value.stop, value.step]
        elif isinstance(value, dict):
            parts = [part for item in value.items() for part in item]
        else:
            parts = sorted(value, key=repr) if isinstance(value, set | frozenset) else list(value)
        self.say(len(parts))
        for part in parts:
            self.visit(part)

    def _visit_other(self, value: Any) -> None:
        """Something that numba knows by its name, or nothing that can be followed."""
        kind = type(value)
        if isinstance(value, BuiltinFunctionType) and isinstance(value.__self__, ModuleType):
            self.say("function", value.__module__, value.__qualname__)
        elif isinstance(value, np.ufunc | np.dtype | numba.types.Type):
            self.say(kind.__name__, str(value))
        elif kind.__module__ in ("typing", "types", "numpy") and not isinstance(value, MethodType):
            self.say(kind.__name__, getattr(value, "__module__", ""), getattr(value, "__name__", repr(value)))
        else:
            raise UnfollowableError(f"a value of type {kind.__qualname__}")


EMPTY = "an empty cell"


def content(cell: Any) -> Any:
    """What a cell of a closure holds."""
    try:
        return cell.cell_contents
    except ValueError:
        return EMPTY


def is_named_tuple(kind: type) -> bool:
    """Is this a class of NamedTuples?"""
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and hasattr(kind, "_field_defaults")


def is_importable(kind: Any) -> bool:
    """Would another process that imports the class's module find this class under its name?"""
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind and kind.__module__ != "__main__"


@cache
def is_versioned(module: str | None) -> bool:
    """Does a module belong to Python itself, or to a library whose version is in the key?"""
    top = (module or "").partition(".")[0]
    if top in VERSIONED or top in sys.builtin_module_names:
        return True
    if top not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(top), "__file__", None)  # a user's file may have the name of one of Python's
    if file is None:
        return True
    homes = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    return any(Path(os.path.realpath(file)).is_relative_to(os.path.realpath(home)) for home in homes)


@cache
def all_names(code: CodeType) -> tuple[str, ...]:
    """The names that a code reads, as globals or as attributes, and those that codes inside of it read."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += all_names(constant)
    return tuple(dict.fromkeys(names))


@cache
def code_digest(code: CodeType) -> str:
    """A hash of what a code does: neither where it stands nor what its docstring says."""
    reach = Reach()
    reach.say(code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags)
    reach.say(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_exceptiontable)
    constants = code.co_consts
    if constants and isinstance(constants[0], str) and not is_read(code, 0):
        constants = (None, *constants[1:])
    reach.visit(constants)
    return reach.digest.hexdigest()


def is_read(code: CodeType, index: int) -> bool:
    """Does an operation of the code read this constant? The docstring is one that none reads."""
    operations = code.co_code
    return any(
        operations[i] in CONSTANT_OPERATIONS
        and operations[i + 1] == index
        and not (i and operations[i - 2] == dis.EXTENDED_ARG)
        for i in range(0, len(operations), 2)
    )


EXTENSIONS: dict[Any, list[Any]] = {"": []}
INDEXED = [0, 0, 0]


def extensions() -> dict[Any, list[Any]]:
    """What was told to numba from outside of numba: by function, and under "" what concerns attributes of types."""
    globals_, attributes = templates.builtin_registry.globals, templates.builtin_registry.attributes
    lowered = imputils.builtin_registry.functions
    sizes = [len(globals_), len(attributes), len(lowered)]
    if sizes != INDEXED:
        for function, kind in globals_[INDEXED[0] :]:
            if isinstance(function, FunctionType):
                told = [one for one in getattr(kind, "templates", ()) if not is_numbas(one)]
                if told:
                    EXTENSIONS.setdefault(function, []).extend(told)
        EXTENSIONS[""] += [one for one in attributes[INDEXED[1] :] if not is_numbas(one)]
        for implementation, function, _ in lowered[INDEXED[2] :]:
            if isinstance(function, FunctionType) and not is_versioned(implementation.__module__):
                EXTENSIONS.setdefault(function, []).append(implementation)
        INDEXED[:] = sizes
    return EXTENSIONS


def is_numbas(template: Any) -> bool:
    """Is a typing template one of numba's own?"""
    told = getattr(template, "_overload_func", None) or getattr(template, "generic", None)
    closed = [content(cell) for cell in getattr(told, "__closure__", None) or ()]
    homes = [
        getattr(one, "__module__", None) for one in (template, told, *closed) if isinstance(one, type | FunctionType)
    ]
    return all(is_versioned(home) for home in homes)
