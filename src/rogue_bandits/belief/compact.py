"""Evidence without the numbers that follow from others: the part that is worth storing.

Kinks follow from early rewards, and all but (theta, x0) of a local fit from these and the evidence; the tables of a
posterior's densities follow from its coefficients and its window. `without_derived` leaves such numbers out, and
`derive` computes them again, bit for bit: by the same laws from the same numbers.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from rogue_bandits.belief.adding import add_kinks
from rogue_bandits.belief.contract import belief_of, rewards_count
from rogue_bandits.belief.evidence import X_FIT, LineEvidence, arm_evidence
from rogue_bandits.belief.lines import LineBelief
from rogue_bandits.belief.local_fit import local_fit_at, write_local_fit
from rogue_bandits.belief.marginal import PosteriorEvidence, fill_cdf, fill_log_density
from rogue_bandits.belief.posterior import PosteriorBelief
from rogue_bandits.compile.borrowed import borrowed
from rogue_bandits.compile.laws import kernel, law
from rogue_bandits.model.problem import arm_of
from rogue_bandits.types import Line

FITTED = 2  # theta and x0: the first numbers of a local fit


@singledispatch
def without_derived(personal: Any) -> Any:
    """Return the same personal arrays without numbers that `derive` restores: axes are shorter where these were."""
    return personal


@without_derived.register
def lines_without_derived(personal: LineEvidence) -> LineEvidence:
    """Drop kinks, states at the fit, and the local fit except theta and x0."""
    kinks, kinks_n = personal.kinks, personal.kinks_n
    # Pools open one after the other while rewards come, so that the order of kinks is not known from them.
    if not personal.pools_n.any():
        kinks, kinks_n = kinks[..., :0], kinks_n[..., :0]
    early, local_fit = personal.early[..., :X_FIT], personal.local_fit[..., :FITTED]
    return personal._replace(early=early, local_fit=local_fit, kinks=kinks, kinks_n=kinks_n)


@without_derived.register
def posterior_without_derived(personal: PosteriorEvidence) -> PosteriorEvidence:
    """Drop the densities at the nodes of theta."""
    none = personal.cdf[..., :0]
    return personal._replace(x0_best=none, x0_integral=none, log_density=none, cdf=none)


def derive(personal: Any, shared: Any) -> None:
    """Compute the numbers again that `without_derived` left out, in place; `shared` is that of a policy's state."""
    if isinstance(personal, LineEvidence | PosteriorEvidence):
        while hasattr(shared, "inner"):  # of a policy around another
            shared = shared.inner.shared
        derive_people(belief_of(personal, shared.belief))


@law
def derive_arm(b: Any, person: int, k: int) -> None:
    """Compute the derived numbers of arm k of a person."""


@kernel
def derive_people(b: Any) -> None:
    """Compute the derived numbers of everybody."""
    b = borrowed(b)
    for person in range(b.personal.plays.shape[0]):
        for k in range(b.personal.plays.shape[1]):
            derive_arm(b, person, k)


@derive_arm.register(LineBelief)
def line_derive_arm(b: LineBelief, person: int, k: int) -> None:
    """Compute the kinks from the early rewards, in their order, and the local fit."""
    arm, e = arm_of(b.shared.table, person, k), b.personal
    if e.pools_n[person, k] == 0:
        e.kinks[person, k, :] = 0.0
        e.kinks[person, k, 0], e.kinks[person, k, 1], e.kinks_n[person, k] = arm.dynamics.lo, arm.dynamics.hi, 2
        for i in range(e.early_n[person, k]):
            row = e.early[person, k, i]
            if row[0] != 0.0:
                add_kinks(e, arm.dynamics, person, k, Line(row[0], row[1], row[2], row[3]))
    if rewards_count(b, person, k) > 0.0:
        row = e.local_fit[person, k]
        s = arm_evidence(b.shared.nodes, e, person, k)
        write_local_fit(row, local_fit_at(arm.rewards, arm, s, row[0], row[1]))


@derive_arm.register(PosteriorBelief)
def posterior_derive_arm(b: PosteriorBelief, person: int, k: int) -> None:
    """Compute the densities on the stored window."""
    p = b.personal
    if p.rewards[person, k, 0] + p.rewards[person, k, 1] > 0:
        fill_log_density(arm_of(b.shared.table, person, k).rewards, b.shared.nodes, p, person, k, True)
        fill_cdf(p.log_density[person, k], p.cdf[person, k])
    else:
        for j in range(p.cdf.shape[2]):
            p.cdf[person, k, j] = j / (p.cdf.shape[2] - 1)
