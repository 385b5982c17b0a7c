"""The likelihood of theta under many hypotheses at once: sums over rewards, with theta integrated out.

Of an agent's rewards only S = Σ|r − x| depends on the hypothesis. Of an exponential family's, Σ A(eta) is a function of
theta: a replay has its Chebyshev series, from sums of Chebyshev polynomials of the states; it is then followed, reward
by reward, at `WINDOW` nodes around where the likelihood of that hypothesis is not negligible. Integrals use the
trapezoidal rule, of high accuracy while the standard deviation exceeds 0.7 of the distance of two nodes: a bank is
replayed when the number of rewards has doubled.

Hypotheses are replayed in blocks. Rows of `BLOCK` numbers, one for each hypothesis, lie one after another in a flat
array: at such known distances the compiler sees that rows do not overlap, and uses vector instructions.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.marginal import fill_cdf, log_linear_quantile
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.types import Floats, Ints, statistics

BLOCK = 128  # hypotheses: what a replay of so many needs stays in the cache that is nearest to the processor


class ThetaTables(NamedTuple):
    """Tables that all people share; of agents only `ends`."""

    ends: Floats  # [arms, 2]: bounds of the coordinate of theta
    states: Floats  # [arms, 2]: middle and half of the range of states
    etas: Floats  # [arms, 2]: and of natural parameters
    partition: Floats  # [arms, degree + 1]: Chebyshev coefficients of A(eta) over the dispersion
    joint: Floats  # [arms, degrees of theta + 1, degrees of x + 1]: the same as a function of theta and x


@law
def replay_rows(f: Any, tables: ThetaTables) -> int:
    """Return the number of rows of a replay of a block."""


@law
def add_to_replay(f: Any, tables: ThetaTables, k: int, x: Floats, r: float, values: Floats) -> None:
    """Add a reward at the states x of a block of hypotheses to the rows of its replay, which lie one after another."""


@law
def condense(f: Any, tables: ThetaTables, k: int, totals: Floats, values: Floats, sums: Floats, first: int) -> None:
    """Write the sums that the rows of a replay amount to, for the block that begins at hypothesis `first`."""


@law
def add_to_sums(f: Any, tables: ThetaTables, k: int, x: Floats, r: float, sums: Floats) -> None:
    """Add a reward at the states x of all hypotheses."""


@law
def fill_log_marginals(f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, out: Floats) -> None:
    """Write the log-likelihood of every hypothesis, with theta integrated out; terms that all share are left out."""


@law
def has_left_window(f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, i: int) -> bool:
    """Return whether the likelihood of hypothesis i is not negligible at an inner end of its window of theta."""


@law
def theta_quantile(f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, i: int, u: float) -> float:
    """Return the theta at the quantile u of its posterior under hypothesis i."""


@law
def fill_theta_quantiles(
    f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, at: Ints, u: Floats, out: Floats
) -> None:
    """Write the thetas at quantiles u of their posteriors under hypotheses `at`."""


@inlined
def add_totals(f: Any, r: float, totals: Floats) -> None:
    """Add what the sums of all hypotheses share; a state of 0 leaves that of an exponential family."""
    one, two, _ = statistics(f, 0.0, r)
    totals[0] += one
    totals[1] += two
    totals[2] += 1.0


@inlined
def log_integral(values: Floats, step: float) -> float:
    """Return the logarithm of the integral of exp(values): trapezoidal, with Gregory's weights at the ends."""
    top, total, last = values.max(), 0.0, values.size - 1
    for q in range(values.size):
        end = min(q, last - q)
        total += math.exp(values[q] - top) * (
            0.375 if end == 0 else 7 / 6 if end == 1 else 23 / 24 if end == 2 else 1.0
        )
    return top + math.log(total * step)


@routine
def quantile_at_nodes(log_density: Floats, begin: float, step: float, u: float) -> float:
    """Return the quantile u of a density whose logarithm is linear between even nodes."""
    cdf = np.empty(log_density.size)
    fill_cdf(log_density, cdf)
    return quantile_of_cdf(log_density, cdf, begin, step, u)


@inlined
def quantile_of_cdf(log_density: Floats, cdf: Floats, begin: float, step: float, u: float) -> float:
    """Return the same where the distribution function at the nodes is known."""
    q = 0
    while q < cdf.size - 2 and cdf[q + 1] <= u:
        q += 1
    mass = cdf[q + 1] - cdf[q]
    along = log_linear_quantile(log_density[q + 1] - log_density[q], (u - cdf[q]) / mass) if mass > 0.0 else 0.0
    return begin + (q + along) * step
