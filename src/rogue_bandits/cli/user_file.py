"""Models and policies in a user's Python file, given as my_file.py:name."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from rogue_bandits.cli.checks import Refused
from rogue_bandits.wording import unknown

LOADED: dict[Any, Any] = {}  # modules by file and time of change: laws must not be registered twice
F = TypeVar("F", bound=Callable[..., Any])


def model_option(about: str, required: bool = True) -> Callable[[F], F]:
    """Return the option --model FILE:NAME."""
    return click.option("--model", required=required, metavar="FILE:NAME", help=about)


def named(place: str, option: str = "model") -> Any:
    """Return what FILE:NAME is, as an option has it."""
    file, _, name = place.rpartition(":")
    if not file or not name:
        raise Refused(f"--{option} '{place}' must be a Python file and a name in it, such as my_file.py:walk")
    module = module_of(Path(file), option)
    if not hasattr(module, name):
        names = [known for known in vars(module) if not known.startswith("_")]
        raise Refused(unknown("name", name, names, f"is not in '{file}'"))
    return getattr(module, name)


def module_of(file: Path, option: str) -> Any:
    """Import a file as a module, once for all options that name it; errors in it are reported in one line."""
    if not file.is_file():
        raise Refused(f"{option} file '{file}' {'is a folder' if file.is_dir() else 'does not exist'}")
    now = file.resolve(), file.stat().st_mtime_ns
    if now not in LOADED:
        LOADED[now] = imported(file, option)
    return LOADED[now]


def imported(file: Path, option: str) -> Any:
    """Import a file as a module."""
    spec = importlib.util.spec_from_file_location(f"model_of_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise Refused(f"{option} file '{file}' must be a Python file, such as my_file.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # cached kernels refer to its types by this name
    sys.path.insert(0, str(file.parent.resolve()))  # as for a script, so that it can import its neighbours
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # user code may raise anything
        raise Refused(f"{option} file '{file}'{error_text(error, spec.origin or '')}") from None
    finally:
        sys.path.pop(0)
    return module


def policy_of(place: str) -> Any:
    """Return the policy of an id, or of FILE:NAME: a policy, or a class whose settings have defaults."""
    from rogue_bandits.policies.registry import POLICIES, PolicySpec

    if place not in POLICIES and ":" not in place:
        raise Refused(f"{unknown('policy', place, POLICIES)}; one of your own is given as my_file.py:Mine")
    found: Any = POLICIES[place] if place in POLICIES else named(place, "policy")
    if not isinstance(found, type | PolicySpec):
        return found
    try:
        return found()
    except TypeError as error:
        raise Refused(f"--policy '{place}': {error}; name a policy with its settings instead of its class") from None


def error_text(error: BaseException, origin: str) -> str:
    """Return the error with its line in the file, and its place in a neighbouring file if it was raised there."""
    if isinstance(error, SyntaxError) and error.filename == origin:
        return f", line {error.lineno}: {type(error).__name__}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == origin]
    if not lines:
        return f" cannot be read: {type(error).__name__}: {error}"
    last = Path(frames[-1].filename)
    is_beside = last.parent == Path(origin).parent and last != Path(origin)
    beside = f" ({last.name}, line {frames[-1].lineno})" if is_beside else ""
    return f", line {lines[-1]}: {type(error).__name__}: {error}{beside}"
