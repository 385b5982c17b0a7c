"""User code: which code it is, and short messages where its laws cannot be compiled or raise in compiled code."""

from __future__ import annotations

import inspect
import re
import sysconfig
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.errors import NumbaError, NumbaWarning, UnsupportedBytecodeError

from rogue_bandits.compile.laws import COMPILED, LAWS
from rogue_bandits.model.probe import overrides_law
from rogue_bandits.types import Arm

PACKAGE = Path(__file__).parents[1]
LIBRARIES = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
NOT_COMPILED = (NumbaError, UnsupportedBytecodeError)
SAMPLES: dict[str, Any] = {"float": 0.5, "int": 0, "Floats": np.zeros(1)}  # by the annotations of a declaration


class UncompilableLawError(TypeError):
    """A law of user code cannot be compiled."""


def is_user_file(file: Path) -> bool:
    """Return whether a source file belongs neither to this package nor to Python or an installed library."""
    return not any(file.is_relative_to(folder) for folder in (PACKAGE, *LIBRARIES))


def is_ours(module: str) -> bool:
    """Return whether a module belongs to this package."""
    return module.partition(".")[0] == __name__.partition(".")[0]


@contextmanager
def named_laws(arms: Sequence[Arm]) -> Iterator[None]:
    """Raise TypeError naming a law that cannot be compiled; add a note to an error that a law raises."""
    try:
        yield
    except NOT_COMPILED:
        words = next(filter(None, map(uncompilable, arms)), None)
        if words is None:
            raise
        raise UncompilableLawError(words) from None
    except UncompilableLawError:  # of another such context
        raise
    except Exception as error:
        if kinds := sorted({type(thing).__name__ for arm in arms for thing in _user_parts(arm)}):
            note = (
                f"It was raised in compiled code, by a law of {' or '.join(kinds)}: "
                "`check_model` may say by which, and at what values"
            )
            if note not in getattr(error, "__notes__", ()):
                error.add_note(note)
        raise


def _user_parts(arm: Arm) -> list[Any]:
    """Return the dynamics, the family and their inner models that are defined outside of the package."""
    parts = [arm.dynamics, arm.rewards]
    parts += [inside for part in parts for inside in part if hasattr(inside, "_fields")]
    return [part for part in parts if not is_ours(type(part).__module__)]


def uncompilable(arm: Arm) -> str | None:
    """Return the first law of user code that cannot be compiled by itself, with its line and the reason."""
    for thing in _user_parts(arm):
        for law in LAWS:
            function = law.dispatch(type(thing))
            if (
                overrides_law(law, thing)
                and not is_ours(function.__module__)
                and (words := _compile_fault(law, function, thing))
            ):
                return f"law `{law.__name__}` of {type(thing).__name__} cannot be compiled: {words}"
    return None


def _compile_fault(law: Any, function: Any, thing: Any) -> str | None:
    """Return why a law cannot be compiled for a model; None if it can, or if no sample arguments are known."""
    wanted = [SAMPLES.get(each.annotation) for each in list(inspect.signature(law).parameters.values())[1:]]
    return None if any(sample is None for sample in wanted) else compile_fault(function, (thing, *wanted))


def compile_fault(function: Any, arguments: tuple[Any, ...]) -> str | None:
    """Return why a function cannot be compiled for arguments of these types, with its line; None if it can."""
    typeof: Any = numba.typeof
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)
            numba.njit(**COMPILED)(function).compile(tuple(typeof(value) for value in arguments))
    except NOT_COMPILED as error:
        return f"{_place_of(error, function)}: {cause(str(error))}"
    return None


def _place_of(error: Exception, function: Any) -> str:
    """Return the file and line where compilation failed: the last line of the law's file in the message."""
    file = function.__code__.co_filename
    lines = [line for name, line in re.findall(r'File "([^"]+)", line (\d+)', str(error)) if file.endswith(name)]
    lines += re.findall(rf"{re.escape(file)} \((\d+)\)", str(error))
    return f"{Path(file).name}, line {lines[-1] if lines else function.__code__.co_firstlineno}"


def cause(message: str) -> str:
    """Return the reason in a message of numba."""
    if plain := re.search(r"Untyped global name '(\w+)': Cannot determine Numba type of <class 'function'>", message):
        return f"'{plain[1]}' is a plain function: mark it with `rogue_bandits.model.inlined`"
    if undefined := re.search(r"NameError: name '(\w+)' is not defined", message):
        return f"name '{undefined[1]}' is not defined"
    if other := re.search(r"Untyped global name '(\w+)': ([^\n]*)", message):
        return f"'{other[1]}' is no number, law, or function marked `inlined`: {other[2]}"
    lines = [line.strip().partition(" Raised from ")[0] for line in message.splitlines()]
    return next(
        (line for line in reversed(lines) if "Error: " in line), next(filter(None, lines), "no reason is given")
    )
