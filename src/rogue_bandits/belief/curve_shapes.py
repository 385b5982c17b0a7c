"""Curves whose prior restricts their shape: draws and upper bounds of the Gaussian posterior, moved to that shape.

A posterior under a restriction is not Gaussian. It is approximated by the *projection posterior*: the law of the
nearest curve of that shape to a draw of the unrestricted posterior (L. Lin, D. Dunson (2014), Bayesian monotone
regression using Gaussian process projection, Biometrika 101; M. Chakraborty, S. Ghosal (2021), Annals of Statistics
49). Distances are weighted by the posterior precision of each place, so that a place of which nothing is known does
not move one that is known. Upper bounds need no approximation: a curve that rises is nowhere above its later bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.compile.laws import law
from rogue_bandits.model.priors import Monotone
from rogue_bandits.numerics.isotonic import make_monotone
from rogue_bandits.types import Floats

LEAST_VARIANCE = 1e-12  # of a place


@law
def shape_draw(prior: Any, rising: bool, spread: Floats, curve: Floats) -> None:
    """Replace a draw by the nearest curve of the shape; `spread` has the posterior sd of every place."""


@law
def shape_bounds(prior: Any, rising: bool, bounds: Floats) -> None:
    """Replace upper bounds of the values of a curve by those that hold for a curve of the shape."""


# Most priors restrict no shape.
shape_draw.register(tuple)(lambda prior, rising, spread, curve: None)
shape_bounds.register(tuple)(lambda prior, rising, bounds: None)


@shape_draw.register(Monotone)
def monotone_draw(prior: Monotone, rising: bool, spread: Floats, curve: Floats) -> None:
    """Project the draw on monotone curves, by isotonic regression."""
    weights = np.empty(curve.size)
    for i in range(curve.size):
        weights[i] = 1.0 / (spread[i] * spread[i] + LEAST_VARIANCE)
    make_monotone(curve, weights, rising)


@shape_bounds.register(Monotone)
def monotone_bounds(prior: Monotone, rising: bool, bounds: Floats) -> None:
    """Lower each bound to the least one among the places at which a monotone curve is at least as high."""
    last = bounds.size - 1
    for s in range(1, bounds.size):
        i = last - s if rising else s
        bounds[i] = min(bounds[i], bounds[i + 1 if rising else i - 1])
