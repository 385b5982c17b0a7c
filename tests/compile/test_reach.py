"""The key of a kernel changes with all that is compiled into it, and with nothing else."""

from __future__ import annotations

import sys
import textwrap
import types
from functools import singledispatch
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core.bytecode import FunctionIdentity

from rogue_bandits.compile import extensions, reach
from rogue_bandits.compile.laws import kernel, stack
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.planning.rollout import rollout
from rogue_bandits.types import Arm

MODEL = """
    import math
    from enum import IntEnum
    from typing import Any, NamedTuple

    import numpy as np
    import helpers
    from rogue_bandits.compile.laws import inlined, law

    FACTOR, WEIGHTS, NAMES, UNUSED = 2.0, np.array([1.0, 2.0]), ("a", 1), 5.0

    class Side(IntEnum):
        LEFT = 1

    class Plain(NamedTuple):
        weight: float

    class Other(NamedTuple):
        weight: float

    class Made(NamedTuple):
        value: float
        spare: float = 0.5

    @law
    def size(f: Any, x: float) -> float: ...

    @law
    def never(f: Any) -> float: ...

    @size.register(Plain)
    def plain_size(f, x):
        '''The size.'''
        return FACTOR * f.weight + gain(x)  # scaled

    @size.register(Made)
    def made_size(f, x):
        return f.value - 1.0

    @size.register(Other)
    def other_size(f, x):
        return 3.0

    @never.register(Plain)
    def plain_never(f):
        return 4.0

    @inlined
    def gain(x):
        return helpers.shift(x) + WEIGHTS[0] + Side.LEFT

    def loop(f, x):
        total = 0.0
        for add in (lambda a: a + 0.25,):
            total += size(f, x) + size(Made(x), x) + len(NAMES)
        return total
"""
HELPERS = """
    from rogue_bandits.compile.laws import routine
    SHIFT = 0.125

    def make(by):
        @routine
        def shift(x):
            return x + by
        return shift

    shift = make(SHIFT)
"""


def imported(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of this text."""
    module: Any = types.ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    exec(compile(textwrap.dedent(text), f"{name}.py", "exec"), vars(module))
    return module


def key_of(monkeypatch: pytest.MonkeyPatch, model: str = MODEL, helpers: str = HELPERS) -> str:
    """The key of the loop in `model` for a Plain."""
    imported("helpers", helpers, monkeypatch)
    module = imported("my_model", model, monkeypatch)
    return key(module.loop, module.Plain(1.0), 0.5)


def key(function: Any, *args: Any, options: dict[str, Any] | None = None) -> str:
    typeof: Any = numba.typeof
    return reach.reached(function, options or {}, [typeof(arg) for arg in args], ("cpu",)).key


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# scaled", "# scaled by FACTOR"),
        ("The size.", "How much it weighs."),
        ("    FACTOR, WEIGHTS", "\n\n    # numbers\n    FACTOR, WEIGHTS"),
        (', ("a", 1), 5.0', ', ("a", 1), 6.0'),
        ("return 4.0", "return 5.0"),  # of a law that is never called
        ("return 3.0", "return 5.0"),  # of a type that does not occur
        ("    def loop", "    def elsewhere():\n        return 1\n\n    def loop"),
    ],
)
def test_what_is_not_compiled_in_keeps_the_key(before: str, after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert key_of(monkeypatch, MODEL.replace(before, after)) == key_of(monkeypatch)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("FACTOR * f.weight", "FACTOR + f.weight"),
        ("= 2.0, np", "= 2.5, np"),
        ("np.array([1.0", "np.array([1.5"),
        ('("a", 1)', '("a", 2)'),
        ("LEFT = 1", "LEFT = 2"),
        ("spare: float = 0.5", "spare: float = 0.75"),
        ("spare: float", "extra: float"),
        ("f.value - 1.0", "f.value - 1.5"),  # a law of a type that is made inside
        ("a + 0.25", "a + 0.5"),  # a constant of a function inside
        ("def loop(f, x):", "def loop(f, x, y=1.0):"),
        ("return helpers.shift(x)", "return helpers.shift(x) - 0.0"),
        ("@inlined\n    def gain", "def gain"),
        ("@size.register(Plain)", "@size.register(tuple)"),
    ],
)
def test_what_is_compiled_in_changes_the_key(before: str, after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MODEL.count(before) == 1
    first = key_of(monkeypatch)
    if "register" in before:
        after += "\n    def general_size(f, x):\n        return 0.0\n\n    @size.register(Plain)"
        assert key_of(monkeypatch, MODEL.replace(before, after)) == first  # the closest one counts
        return
    assert key_of(monkeypatch, MODEL.replace(before, after)) != first


@pytest.mark.parametrize(
    ("before", "after"), [("SHIFT = 0.125", "SHIFT = 0.5"), ("x + by", "x - by"), ("@routine", "@inlined")]
)
def test_imported_helpers_count_with_what_they_close_over(
    before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    helpers = HELPERS.replace("import routine", "import inlined, routine")
    assert key_of(monkeypatch, helpers=helpers.replace(before, after)) != key_of(monkeypatch, helpers=helpers)


def test_a_number_set_at_run_time_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where it was read from a file, or typed at a prompt."""
    imported("helpers", HELPERS, monkeypatch)
    module = imported("my_model", MODEL, monkeypatch)
    first = key(module.loop, module.Plain(1.0), 0.5)
    monkeypatch.setattr(module, "FACTOR", 4.0)
    second = key(module.loop, module.Plain(1.0), 0.5)
    module.WEIGHTS[1] = 7.0
    assert len({first, second, key(module.loop, module.Plain(1.0), 0.5)}) == 3


def test_signatures_options_and_processors_count(monkeypatch: pytest.MonkeyPatch) -> None:
    imported("helpers", HELPERS, monkeypatch)
    module = imported("my_model", MODEL, monkeypatch)
    keys = [key(module.loop, module.Plain(1.0), 0.5), key(module.loop, module.Plain(1.0), 1),
            key(module.loop, module.Plain(1), 0.5), key(module.loop, module.Other(1.0), 0.5),
            key(module.loop, module.Plain(1.0), 0.5, options={"fastmath": True}),
            reach.reached(module.loop, {}, [], ("another",)).key,
            reach.reached(module.loop, {}, [], ("cpu",)).key]  # fmt: skip
    assert len(set(keys)) == len(keys)


class Opaque:
    """Something that nobody can look into."""


THING = Opaque()
LISTED = {"deep": (1.0, [THING])}


def reads_thing(x: float) -> Any:
    return THING, x


def reads_listed(x: float) -> Any:
    return LISTED, x


@pytest.mark.parametrize("function", [reads_thing, reads_listed])
def test_what_cannot_be_followed_is_refused(function: Any) -> None:
    with pytest.raises(reach.UnfollowableError, match="a value of type Opaque"):
        key(function, 1.0)


def docstring_read() -> str:
    """Text."""
    return "Text."


def test_a_docstring_that_is_also_a_constant_counts() -> None:
    digests = {
        reach.code_digest(docstring_read.__code__.replace(co_consts=(text, *docstring_read.__code__.co_consts[1:])))
        for text in ("Text.", "Other.")
    }
    assert len(digests) == 2


def test_a_users_file_may_have_the_name_of_one_of_pythons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("colorsys")
    module.__file__ = str(tmp_path / "colorsys.py")
    monkeypatch.setitem(sys.modules, "colorsys", module)
    assert not extensions.is_versioned.__wrapped__("colorsys")
    assert extensions.is_versioned("math")
    assert extensions.is_versioned("numba.core")
    assert not extensions.is_versioned("rogue_bandits.types")
    assert not extensions.is_versioned("__main__")


def test_every_function_that_numba_compiles_was_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle is numba itself: it tells what it compiles."""
    compiled: set[Any] = set()
    followed: set[Any] = set()
    identify: Any = FunctionIdentity.from_function
    close = reach.Reach.close

    def telling(cls: Any, function: Any) -> Any:
        compiled.add(function.__code__)
        return identify.__func__(cls, function)

    def closing(self: Any) -> None:
        close(self)
        followed.update(function.__code__ for function in self._functions)

    monkeypatch.setattr(FunctionIdentity, "from_function", classmethod(telling))
    monkeypatch.setattr(reach.Reach, "close", closing)
    arms = stack([Arm(ClippedAffine(0.5, -1.0, 0.5), Gaussian(1.0, 2.0, 1.0))])
    monkeypatch.setattr("rogue_bandits.compile.kernel.cache_folder", lambda: None)
    untyped: Any = rollout
    nothing = np.zeros((1, 1))
    kernel(untyped.py_func)(
        arms, np.ones(1), np.ones(1), nothing.astype(np.int16), nothing, nothing, np.ones((1, 1, 1), dtype=np.bool_)
    )
    ours = {code for code in compiled if "rogue_bandits" in code.co_filename}
    assert ours
    assert ours <= followed


class Point(NamedTuple):
    x: float


def test_classes_are_found_however_deep() -> None:
    typeof: Any = numba.typeof
    assert list(reach.classes_in(typeof((1.0, (Point(1.0), 2))))) == [Point]
    assert reach.is_importable(Point) == (getattr(sys.modules.get(Point.__module__), "Point", None) is Point)


@singledispatch
def weight(thing: Any) -> int:
    """A global of the same name as a field, dispatched by type and no law, as `types.uniforms` is."""
    return 0


class Field(NamedTuple):
    weight: float


@weight.register(Field)
def field_weight(thing: Field) -> int:
    return 1


def test_a_field_with_the_name_of_a_dispatched_function_can_be_followed() -> None:
    def read(field: Field) -> float:
        return field.weight

    typeof: Any = numba.typeof
    assert reach.reached(read, {}, (typeof(Field(1.0)),), ()).classes == (Field,)
