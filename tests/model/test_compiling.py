"""Laws of a user's own that fail in compiled code are named, with the line, in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

import rogue_bandits as rb
from rogue_bandits.compile.laws import inlined
from tests.conformance.models import family, log_partition
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.matrix import FULL


def odd(theta: float) -> float:
    return theta


def plain_helper(f: Any, theta: float, x: float, r: float) -> float:
    return (odd(theta) - x) * r - log_partition(theta - x)


def undefined(f: Any, theta: float, x: float, r: float) -> float:
    if theta > 2.0:
        return nobody_wrote_this  # type: ignore[name-defined, no-any-return]  # noqa: F821
    return (theta - x) * r - log_partition(theta - x)


def imports(f: Any, theta: float, x: float, r: float) -> float:
    import math

    return (theta - x) * r - log_partition(theta - x) + math.log(1.0)


@inlined
def raises(f: Any, theta: float, x: float, r: float) -> float:
    if 0.31 < theta < 0.33:
        raise RuntimeError("odd")
    return (theta - x) * r - log_partition(theta - x)


BROKEN = {
    "a plain helper": (plain_helper, 1, "'odd' is a plain function: mark it with `rogue_bandits.model.inlined`"),
    "a name in a branch": (undefined, 0, "name 'nobody_wrote_this' is not defined"),
    "an import": (imports, 1, r"Use of unsupported opcode \(IMPORT_NAME\) found\."),
}
DOORS: dict[str, Any] = {
    "fit": lambda arm: rb.fit(arm, [1, 1], [0.5, 0.25]),
    "upper_bound": lambda arm: rb.upper_bound(arm, [1, 1], [0.5, 0.25]),
    "Bandit": lambda arm: rb.Bandit([arm, arm], rb.EpsilonRogue()),
    "simulate": lambda arm: rb.simulate(rb.Truth([arm], [0.5], [0.5]), rb.EpsilonRogue(), horizon=5),
}

EVERY_CASE = [(name, door) for name in BROKEN for door in DOORS]
# Every mistake by the quickest door, and a mistake by each of the others.
FEW_CASES = [*((name, "simulate") for name in BROKEN), ("a plain helper", "Bandit"), ("an import", "fit"),
             ("an import", "upper_bound")]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Broken rewards cannot be summed up")
@pytest.mark.parametrize(("name", "door"), EVERY_CASE if FULL else FEW_CASES)
def test_a_law_that_cannot_be_compiled_is_named_with_its_line(name: str, door: str) -> None:
    said, further, words = BROKEN[name]
    line = said.__code__.co_firstlineno + further
    arm = family("Broken", loglik=said)
    with pytest.raises(TypeError, match=f"^law `loglik` of Broken cannot be compiled: .*, line {line}: {words}$"):
        DOORS[door](arm)


@inlined
def raises_late(f: Any, theta: float, x: float, u: float) -> float:
    if u < 0.05:
        raise RuntimeError("odd")
    return u


RAISING: dict[str, Any] = {
    "simulate": lambda: rb.simulate(rb.Truth([family("Odd", draw=raises_late)], [0.5], [0.5]), rb.Random(), horizon=99)
}
if FULL:
    RAISING["fit"] = lambda: rb.fit(family("Odd", loglik=raises), [1, 1], [0.5, 0.25])


@pytest.mark.filterwarnings("ignore:Odd rewards cannot be summed up")
@pytest.mark.parametrize("call", RAISING.values(), ids=RAISING)
def test_what_a_law_raises_is_handed_on_with_a_note(call: Any) -> None:
    with pytest.raises(RuntimeError, match="odd") as raised:
        call()
    assert raised.value.__notes__[0].startswith("It was raised in compiled code, by a law of Odd: ")


def refuses_an_eighth(f: Any, theta: float, x: float, r: float) -> float:
    if r == 0.125:
        raise RuntimeError("an eighth")
    return (theta - x) * r - log_partition(theta - x)


@pytest.mark.filterwarnings("ignore:Eighth rewards cannot be summed up")
@pytest.mark.usefixtures("compiled_in_verify")
def test_a_bandit_whose_law_raised_says_why_it_cannot_go_on() -> None:
    bandit = rb.Bandit([family("Eighth", loglik=refuses_an_eighth)], rb.EpsilonRogue(), seed=1)
    bandit.update(bandit.choose(), 0.5)
    with pytest.raises(RuntimeError, match="an eighth"):
        bandit.update(bandit.choose(), 0.125)
    for go_on in (bandit.choose, bandit.rest, bandit.to_json):
        with pytest.raises(ValueError, match="this bandit cannot continue: a law raised RuntimeError: an eighth"):
            go_on()


def test_a_support_that_is_none_is_named() -> None:
    arm = family("Short", support=lambda f: (0.0, 1.0))
    with pytest.raises(ValueError, match="support: must be the lowest reward, the highest, and whether they are whole"):
        rb.fit(arm, [1], [0.5])
    assert [fault.law for fault in rb.check_model(arm).faults] == ["support"]
