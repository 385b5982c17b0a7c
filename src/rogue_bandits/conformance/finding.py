"""Checks and their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from rogue_bandits.types import Arm


class Fault(NamedTuple):
    """A law that fails, the assumption it breaks, and at what values."""

    law: str
    assumption: str
    found: str


Check = Callable[[Arm], Iterator[Fault]]


class ModelReport(NamedTuple):
    """What `check_model` found: faults, to be corrected, and notes on what the model cannot be used for."""

    arm: Arm
    faults: tuple[Fault, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether no fault was found."""
        return not self.faults

    def __str__(self) -> str:
        name = f"{type(self.arm.rewards).__name__} rewards with {type(self.arm.dynamics).__name__} dynamics"
        head = f"{name}: " + ("nothing is wrong" if self.ok else f"{len(self.faults)} found wrong")
        faults = [f"- {fault.law}: {fault.found}\n  This breaks: {fault.assumption}." for fault in self.faults]
        return "\n".join([head, *faults, *(f"- note: {note}" for note in self.notes)])
