"""Estimates of the arms of a bandit before its next decision, as a table and a sentence."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rogue_bandits.policies.explain import Interval, Row


class Explanation(NamedTuple):
    """What is known of every arm, the arm that `choose` would play next, and why. Prints as a table.

    `rows` has what the policy has: fits or posterior intervals, states, upper bounds, indices, and the probability of
    every arm where it is known.
    """

    number: int  # of the next decision
    arms: tuple[str, ...]
    arm: int  # that `choose` would play
    rows: tuple[Row, ...]
    sentence: str

    def row(self, name: str) -> tuple[Any, ...]:
        """Return the values of a row, one for each arm."""
        for one in self.rows:
            if one.name == name:
                return one.values
        raise KeyError(f"there is no row {name!r}; there are: {', '.join(one.name for one in self.rows)}")

    def numbered(self, number: int) -> Explanation:
        """Return the same under another number, for those who count decisions otherwise than the bandit."""
        words = self.sentence.replace(f"Decision {self.number} ", f"Decision {number} ", 1)
        return self._replace(number=number, sentence=words)

    def __str__(self) -> str:
        lines = [("", *self.arms), *((one.name, *map(cell, one.values)) for one in self.rows)]
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        table = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([*(line.rstrip() for line in table), "", self.sentence])


def cell(value: Any) -> str:
    """Return a value as text; a number that is not known is a dash.

    >>> cell(0.25), cell(float("nan")), cell(12)
    ('0.25', '–', '12')
    """
    if isinstance(value, int | str | Interval):
        return str(value)
    return "–" if math.isnan(value) else f"{value:.4g}"


def sentence_of(number: int, name: str, probability: float, why: str) -> str:
    """Return what the next decision would be, and why."""
    known = "" if math.isnan(probability) else f", which has probability {probability:.3g}"
    return f"Decision {number} would play {name}{known}: {why}."
