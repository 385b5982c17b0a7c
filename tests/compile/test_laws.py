"""A law is written once, chosen by the type of its first argument, and says the same interpreted and compiled."""

from __future__ import annotations

import ast
import math
from abc import ABC
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core.errors import TypingError

import rogue_bandits
from rogue_bandits.compile.laws import inlined, kernel, law, pick, remembered, routine, specialised, stack
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.types import Arm, mean


class Square(NamedTuple):
    side: float


class Rectangle(NamedTuple):
    width: float
    height: float


class Cube(NamedTuple):
    side: float


class Point(NamedTuple):
    x: float


class Polygon(ABC):
    """A kind: it has corners."""


Polygon.register(Square)
Polygon.register(Rectangle)


@law
def area(shape: Any, scale: float) -> float:
    """How much it covers."""


@area.register(Square)
def square_area(shape: Square, scale: float) -> float:
    return scale * shape.side * shape.side


@area.register(Rectangle)
def rectangle_area(shape: Rectangle, scale: float) -> float:
    return scale * shape.width * shape.height


@law
def corners(shape: Any) -> float:
    """How many it has."""


@corners.register(Polygon)
def polygon_corners(shape: Any) -> float:
    return 4.0


@corners.register(Cube)
def cube_corners(shape: Cube) -> float:
    return 8.0


@law
def wealth(shape: Any) -> float:
    """What is said of the kind, and otherwise of one of the kind."""


@wealth.register(Polygon)
def polygon_wealth(shape: Any) -> float:
    return 1.0


@wealth.register(Square)
def square_wealth(shape: Square) -> float:
    return 2.0


@inlined
def twice(a: float) -> float:
    return 2.0 * a


@routine
def thrice(a: float) -> float:
    return 3.0 * a


def all_laws(shape: Any, scale: float) -> tuple[float, float, float, float]:
    return area(shape, scale), corners(shape), wealth(shape), twice(area(shape, 1.0)) + thrice(corners(shape))


def area_alone(shape: Any) -> float:
    return area(shape, 1.0)


def quotient(a: float, b: float) -> float:
    return a / b


def picked_mean(arms: Arm, k: int) -> float:
    arm = pick(arms, k)
    return mean(arm.rewards, arm.theta_hi, arm.dynamics.lo)


def put_area(shape: Any, where: Any) -> None:
    where[0] = area(shape, 1.0)


compiled_laws = kernel(all_laws)
compiled_area = kernel(area_alone)
compiled_quotient = kernel(quotient)
compiled_picked_mean = kernel(picked_mean)
compiled_put_area = kernel(put_area)
both_ways = pytest.mark.parametrize("laws", [all_laws, compiled_laws], ids=["interpreted", "compiled"])

numbers = st.floats(-1e3, 1e3)
arms = st.builds(
    Arm,
    st.builds(ClippedAffine, numbers, numbers, numbers, numbers, numbers),
    st.builds(BernoulliLogit, st.floats(-3.0, 3.0), st.floats(-0.01, 0.01)),
    numbers,
    numbers,
    st.sampled_from(["", "walk", "swim"]),
    st.none(),
)


@both_ways
def test_a_law_is_chosen_by_the_type_of_the_first_argument(laws: Any) -> None:
    assert laws(Square(3.0), 2.0) == (18.0, 4.0, 2.0, 30.0)
    assert laws(Rectangle(3.0, 0.5), 2.0) == (3.0, 4.0, 1.0, 15.0)


@both_ways
@pytest.mark.parametrize(("shape", "said"), [(Square(1.0), 2.0), (Rectangle(1.0, 1.0), 1.0)])
def test_what_is_said_of_a_type_comes_before_what_is_said_of_its_kind(laws: Any, shape: Any, said: float) -> None:
    assert laws(shape, 1.0)[2] == said


def test_types_of_the_same_fields_are_not_the_same_type() -> None:
    assert (corners(Square(1.0)), corners(Cube(1.0))) == (4.0, 8.0)


@pytest.mark.parametrize("unknown", [Cube(1.0), Point(1.0), 1.0, None])
def test_a_type_without_the_law_is_refused_by_name(unknown: Any) -> None:
    with pytest.raises(TypeError, match=f"there is no law 'area' for {type(unknown).__name__}"):
        area(unknown, 1.0)


def test_what_is_said_of_a_type_or_of_its_kind_after_a_call_is_heard() -> None:
    class Late(NamedTuple):
        side: float

    with pytest.raises(TypeError, match="there is no law 'wealth' for Late"):
        wealth(Late(1.0))
    Polygon.register(Late)
    assert wealth(Late(1.0)) == 1.0
    wealth.register(Late)(lambda shape: 3.0)
    assert wealth(Late(1.0)) == 3.0
    wealth.register(Late)(lambda shape: 4.0)
    assert wealth(Late(1.0)) == 4.0


def test_results_that_are_remembered_are_forgotten_when_a_law_is_replaced() -> None:
    """As in a notebook, where the cell of the law is run again and that of the class is not."""

    class Disc(NamedTuple):
        radius: float

    @law
    def size(shape: Any) -> float: ...

    @remembered(4)
    def twice(shape: Any) -> float:
        return 2.0 * size(shape)

    @size.register(Disc)
    def half_size(shape: Disc) -> float:
        return 0.5 * shape.radius

    assert (twice(Disc(1.0)), twice(Disc(1.0)), twice.cache_info().hits) == (1.0, 1.0, 1)

    @size.register(Disc)
    def full_size(shape: Disc) -> float:
        return shape.radius

    assert twice(Disc(1.0)) == 2.0


def test_a_type_without_the_law_does_not_compile() -> None:
    with pytest.raises(TypingError, match="area"):
        compiled_area(Cube(1.0))


def test_a_law_keeps_its_name_and_what_it_says_of_itself() -> None:
    assert (area.__name__, area.__doc__) == ("area", "How much it covers.")


@settings(deadline=None)
@given(numbers, numbers, numbers)
def test_compiled_is_interpreted(width: float, height: float, scale: float) -> None:
    for shape in (Square(width), Rectangle(width, height)):
        assert compiled_laws(shape, scale) == pytest.approx(all_laws(shape, scale), rel=1e-14)


def test_a_kernel_divides_as_ieee_says() -> None:
    assert compiled_quotient(1.0, 0.0) == math.inf
    assert math.isnan(compiled_quotient(0.0, 0.0))


def test_specialised_says_what_the_kernel_says() -> None:
    fast = specialised(compiled_laws, Rectangle(1.0, 1.0), 1.0)
    for shape in (Rectangle(3.0, 0.5), Rectangle(-1.0, 7.0)):
        assert fast(shape, 2.0) == compiled_laws(shape, 2.0)


def test_specialised_writes_where_the_kernel_would() -> None:
    where = np.zeros(1)
    specialised(compiled_put_area, Square(1.0), where)(Square(3.0), where)
    assert where[0] == 9.0


def test_specialised_leaves_what_is_not_compiled_as_it_is() -> None:
    assert specialised(all_laws, Square(1.0), 1.0) is all_laws


@settings(deadline=None, max_examples=30)
@given(st.lists(arms, min_size=1, max_size=4))
def test_pick_undoes_stack_but_for_names(items: list[Arm]) -> None:
    stacked = stack(items)
    for k, item in enumerate(items):
        assert pick(stacked, k) == item._replace(name=None)  # type: ignore[arg-type]  # names stay outside


@settings(deadline=None, max_examples=30)
@given(st.lists(arms, min_size=1, max_size=4))
def test_pick_compiled_is_pick_interpreted(items: list[Arm]) -> None:
    stacked = stack(items)
    for k, item in enumerate(items):
        said = mean(item.rewards, item.theta_hi, item.dynamics.lo)
        assert picked_mean(stacked, k) == said
        assert compiled_picked_mean(stacked, k) == pytest.approx(said, rel=1e-12, abs=1e-300)


def test_no_kernel_multiplies_matrices() -> None:
    """numba asks for scipy to do it, and users need not have scipy."""
    package = Path(rogue_bandits.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    suspects = [path for path, text in texts.items() if " @" in text]  # ruff puts a space there; parsing all is slow
    assert suspects
    for path in suspects:
        for node in ast.walk(ast.parse(texts[path])):
            if isinstance(node, ast.FunctionDef) and any(is_compiled(mark) for mark in node.decorator_list):
                used = [part for part in ast.walk(node) if isinstance(getattr(part, "op", None), ast.MatMult)]
                assert not used, f"{path.name}, {node.name}"


def is_compiled(mark: ast.expr) -> bool:
    """Is it `kernel`, `routine`, `inlined`, or the registration of a law?"""
    return getattr(mark, "id", "") in {"kernel", "routine", "inlined"} or isinstance(mark, ast.Call)


@routine
def large(x: float) -> float:
    """Large enough that nobody inlines it unasked."""
    x = math.log1p(math.expm1(math.log1p(math.expm1(math.log1p(math.expm1(math.log1p(math.expm1(x))))))))
    x = math.log1p(math.expm1(math.log1p(math.expm1(math.log1p(math.expm1(math.log1p(math.expm1(x))))))))
    return math.log1p(math.expm1(math.log1p(math.expm1(math.log1p(math.expm1(math.log1p(math.expm1(x))))))))


@inlined
def calls_large(x: float) -> float:
    return large(x) + large(x + 1.0)


def test_a_routine_stays_a_function_of_its_own_though_its_caller_is_inlined(monkeypatch: pytest.MonkeyPatch) -> None:
    """numba hands inlining down to callees: all of a policy in one function took minutes to compile."""
    monkeypatch.setattr("rogue_bandits.compile.kernel.cache_folder", lambda: None)  # from disk it has no text
    compiled: Any = kernel(lambda x: calls_large(x))
    compiled(1.0)
    text = compiled.inspect_llvm(compiled.signatures[0])
    defined = [line for line in text.splitlines() if line.startswith("define ")]
    assert any("5large" in line for line in defined)
    assert not any("calls_large" in line for line in defined)
