"""A mean over people with its standard error."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.types import Floats
from rogue_bandits.wording import plain


class Measured(NamedTuple):
    """A mean over people with its standard error, nan for a single person; both nan where it is not defined."""

    mean: float
    stderr: float

    def __str__(self) -> str:
        """Return the mean with two digits of its standard error; without it where people differ by rounding at most."""
        if not self.stderr > 1e-12 * max(1.0, abs(self.mean)):
            return "–" if math.isnan(self.mean) else plain(self.mean, 5)
        places = max(0, 1 - math.floor(math.log10(self.stderr)))
        return f"{self.mean:,.{places}f} ± {self.stderr:,.{places}f}"


UNDEFINED = Measured(np.nan, np.nan)


def measured(each: Floats) -> Measured:
    """Return the mean over people who have a value, and its standard error.

    >>> measured(np.array([1.0, 2.0, 3.0]))
    Measured(mean=2.0, stderr=0.577...)
    """
    each = each[~np.isnan(each)]
    if each.size == 0:
        return UNDEFINED
    return Measured(float(each.mean()), float(each.std(ddof=1) / np.sqrt(each.size)) if each.size > 1 else np.nan)
