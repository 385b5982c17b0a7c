"""The optimum of the fast search against a longer search and against the certificate."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from rogue_bandits.estimate.certificate import certify, distance_of
from rogue_bandits.estimate.families import model_for
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.search import ALL, best_unknowns, dynamics_of, fit_given, problem_of, search, starts
from verification.finding import Finding
from verification.people import random_arm

MODEL = model_for("agent", np.ones(1))
DECISIONS = 140
NEAR = 1e-3  # in log-likelihood
WITHIN = 0.99  # of the people
PROVEN = 0.01  # of the distance
TIME_LIMIT = 60.0  # seconds
ROUNDING = 1e-9  # of the distance


class Searched(NamedTuple):
    """The results of both searches on one record."""

    behind: float  # log-likelihood of the long search minus that of the fast one, if positive
    distance: float  # of the fast search
    least: float  # the smaller of the two
    seconds: float  # of the fast search


class Proven(NamedTuple):
    """A certificate, no distance is below (1 − gap)·distance, and how long it took."""

    gap: float
    seconds: float


def search_against_certificate(people: int, certified: int, seed: int) -> Finding:
    """Check how often the fast search finds what a search of up to 10 times the effort finds, and certify it.

    A gap of 1 % is about 0.3 in log-likelihood, so that the certificate alone cannot verify 1e-3; the long search can.
    """
    records = [random_arm(DECISIONS, 10_000 * seed + i).record for i in range(people)]
    certify(records[0], both_searches(records[0]).distance, seconds=0.0)  # compiles
    at_once = Parallel(n_jobs=-1, require="sharedmem")
    found: list[Searched] = at_once(delayed(both_searches)(record) for record in records)
    proofs: list[Proven] = at_once(
        delayed(proof)(record, one.distance) for record, one in list(zip(records, found, strict=True))[:certified]
    )
    near = float(np.mean([one.behind <= NEAR for one in found]))
    contradicted = sum(
        one.least < (1.0 - proven.gap - ROUNDING) * one.distance for one, proven in zip(found, proofs, strict=False)
    )
    return Finding(
        "The fast search against the certificate",
        f"Simulated people of {DECISIONS} decisions, about {DECISIONS // 5} rewards an arm. The certificate bounds the "
        "distance Σ|r − x| from below by branch and bound; the best known is the better of the fast search and of one "
        "with 8 times the starts and up to 10 times the descents. Criterion: the fast search is within "
        f"{NEAR:g} of the best known for at least {WITHIN:.0%} of people, and no distance is below a proven bound. "
        "Times, and so the gaps that can be proven in a minute, depend on the machine: they are not part of the "
        "criterion.",
        ("quantity", "measured"),
        rows(found, proofs),
        f"The fast search is within {NEAR:g} of the best known for {near:.1%} of {people:,} people; {contradicted} of "
        f"{certified:,} certificates are contradicted by a distance that was found.",
        near >= WITHIN and contradicted == 0,
    )


def both_searches(record: Record) -> Searched:
    """The fast search, with its time, and the long one."""
    began = time.perf_counter()
    p = best_unknowns(MODEL, [record])
    cost = fit_given(MODEL, p, record)[2]
    seconds = time.perf_counter() - began
    # Other starts than those of the fast search: the same sequence from its far end.
    starting = starts(2**14, ALL)[::-1][: 2**13].copy()
    p2, cost2 = search(problem_of(MODEL, [record]), starting, MODEL.slow, ALL, 240)
    distances = [distance_of(record, dynamics_of(MODEL, q), fit_given(MODEL, q, record)[1]) for q in (p, p2)]
    return Searched(max(cost - cost2, 0.0), distances[0], min(distances), seconds)


def proof(record: Record, distance: float) -> Proven:
    """Return the least gap that is proven within the time limit."""
    began = time.perf_counter()
    return Proven(certify(record, distance, TIME_LIMIT, PROVEN), time.perf_counter() - began)


def rows(found: list[Searched], proofs: list[Proven]) -> list[tuple[str, str]]:
    """Return the rows of the table."""
    behind, fast = (np.array([getattr(one, name) for one in found]) for name in ("behind", "seconds"))
    gaps, waits = (np.array([getattr(one, name) for one in proofs]) for name in ("gap", "seconds"))
    return [
        (f"fast search within {NEAR:g} of the best known", f"{np.sum(behind <= NEAR):,} of {behind.size:,}"),
        ("largest shortfall in log-likelihood", f"{behind.max():.4f}"),
        ("fast search, seconds a person and arm: median and largest", f"{np.median(fast):.3f}, {fast.max():.3f}"),
        (f"gap of {PROVEN:.0%} proven within {TIME_LIMIT:.0f} s", f"{np.sum(gaps <= PROVEN):,} of {gaps.size:,}"),
        ("gap proven: median and largest", f"{np.median(gaps):.1%}, {gaps.max():.0%}"),
        ("proof, seconds: median and largest", f"{np.median(waits):.1f}, {waits.max():.1f}"),
    ]
