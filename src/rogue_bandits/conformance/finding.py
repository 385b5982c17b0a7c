"""What a check found, and a question to a law that refuses an answer which is no number."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rogue_bandits.types import Arm


class Fault(NamedTuple):
    """A law that fails: which assumption, and at what values."""

    law: str
    assumption: str
    found: str


class ModelReport(NamedTuple):
    """What `check_model` found: faults must be mended; notes say what the model cannot be used for."""

    arm: Arm
    faults: tuple[Fault, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Nothing is wrong."""
        return not self.faults

    def __str__(self) -> str:
        name = f"{type(self.arm.rewards).__name__} rewards with {type(self.arm.dynamics).__name__} dynamics"
        head = f"{name}: " + ("nothing is wrong" if self.ok else f"{len(self.faults)} found wrong")
        faults = [f"- {fault.law}: {fault.found}\n  This breaks: {fault.assumption}." for fault in self.faults]
        return "\n".join([head, *faults, *(f"- note: {note}" for note in self.notes)])


class BrokenLawError(Exception):
    """A law gave something that is no number."""

    def __init__(self, law: str, found: str) -> None:
        super().__init__(found)
        self.law, self.found = law, found


def ask(law: Any, f: Any, *arguments: float) -> Any:
    """What a law says; nan, inf, and an error of its own are told with the values that led to them."""
    words = f"{law.__name__}({', '.join(f'{a:g}' for a in arguments)})"
    try:
        answer = law(f, *arguments)
        numbers = [float(part) for part in (answer if isinstance(answer, tuple) else (answer,))]
    except (ArithmeticError, ValueError, TypeError, IndexError, AttributeError) as error:
        raise BrokenLawError(law.__name__, f"{words} raises {type(error).__name__}: {error}") from None
    if not all(math.isfinite(number) for number in numbers):
        raise BrokenLawError(law.__name__, f"{words} is {', '.join(f'{number:g}' for number in numbers)}")
    return answer
