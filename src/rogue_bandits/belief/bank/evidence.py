"""A bank of hypotheses about the dynamics of every arm, and the first one: points of a low-discrepancy sequence.

Given the dynamics and x0, the states at all plays are numbers, and the likelihood as a function of theta is exact
(`likelihood.py`); theta is integrated out. So only dynamics and x0 are sampled. The bank has a part for each kind of
hypotheses, with weights of its own; `evidence` is the log marginal likelihood of the kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.belief.bank.check import CHECKS, LOG_M
from rogue_bandits.belief.bank.kinds import prior_of_kinds
from rogue_bandits.belief.bank.likelihood import ThetaTables
from rogue_bandits.belief.bank.pooling import FRESH_LATENTS, LOSS_LATENTS, Coupling, coupling
from rogue_bandits.belief.bank.runs import fill_runs, most_runs, order_by_cell
from rogue_bandits.belief.bank.tables import rows_of_sums, start_sums, theta_tables
from rogue_bandits.belief.posterior import posterior_fault
from rogue_bandits.compile.laws import remembered
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.dynamics.unknown import CUBE, KINDS, RECOVERY, Unknown, empty_prior, hypothesis_at, is_allowed
from rogue_bandits.model.problem import ArmTable, arm_table, types_in
from rogue_bandits.numerics.pcg64 import stream_of
from rogue_bandits.types import Arm, Floats, Ints, Problem

FIRST_ROOM = 64
SPARE = 200  # points tried for each hypothesis that the prior must allow


class BankShared(NamedTuple):
    """What the beliefs about all people share."""

    table: ArmTable  # arms with the prior in place of dynamics
    theta: ThetaTables
    starts: Ints  # [KINDS + 1]: where the hypotheses of each kind begin
    prior: Floats  # [KINDS]: probabilities; a kind has hypotheses if and only if it has one above 0
    coupling: Coupling


class BankEvidence(NamedTuple):
    """Hypotheses about every arm of every person, and the plays and rewards that they explain."""

    cube: NDArray[np.float32]  # [people, arms, CUBE, hypotheses]
    decay: Floats  # [people, arms, hypotheses]
    pull: Floats
    drift: Floats
    x: Floats  # the state at the last play; x0 before the first
    sums: Floats  # [people, arms, rows, hypotheses]: see `likelihood.py`
    log_marginal: Floats  # [people, arms, hypotheses]
    log_weight: Floats
    cdf: Floats  # of the weights of a kind
    run: NDArray[np.int32]  # [people, arms, runs]: where runs of hypotheses end, see `pooling.py`
    evidence: Floats  # [people, arms, KINDS]
    log_ratio: Floats  # [people, arms, FRESH_LATENTS, LOSS_LATENTS]: what the arm says of these, see `pooling.py`
    totals: Floats  # [people, arms, 3]: sums over rewards that do not depend on the hypothesis
    gap: Ints  # [people, arms, room]: rests before each play
    reward: Floats  # [people, arms, room]: nan where it is not known
    since: Ints  # [people, arms]: rests since the last play
    plays: Ints  # [people, arms]
    rewards: Ints  # [people, arms, 2]: their number, and that at the last replay
    check: Floats  # [people, arms, CHECKS]: see `check.py`
    stream: NDArray[np.uint64]  # [people, 4]: of the moves; every reward stirs it, so that people differ


class BankBelief(NamedTuple):
    """The belief as a bank."""

    shared: BankShared
    personal: BankEvidence


def are_unknown(arms: Sequence[Arm]) -> bool:
    """Return whether the dynamics of the arms, which are of one type, are to be learned."""
    return isinstance(arms[0].dynamics, Unknown)


def start_bank(policy: str, problem: Problem, people: int) -> BankBelief:
    """Return the belief before the first decision; `policy` is named where there is none."""
    raise_on_other_priors(policy, problem)
    for k, arm in enumerate(problem.arms):
        plain = arm._replace(dynamics=ClippedAffine(1.0, 0.0, 0.0, arm.dynamics.lo, arm.dynamics.hi))
        if (wrong := posterior_fault(plain)) is not None:
            raise ValueError(f"{policy}, arm {arm.name or k!r}: {wrong}")
        for name in ("hypotheses", "no_effect", "no_recovery"):
            if getattr(arm.dynamics, name) != getattr(problem.arms[0].dynamics, name):
                raise ValueError(
                    f"{policy}, arm {arm.name or k!r}, {name} {getattr(arm.dynamics, name):g} must be "
                    f"{getattr(problem.arms[0].dynamics, name):g}, as that of arm 0"
                )
    shared, first = _start(types_in(problem.arms), tuple(problem.arms))
    arrays: Any = (np.repeat(array, people, axis=0) for array in first)  # of several types
    return BankBelief(shared, BankEvidence(*arrays))


def raise_on_other_priors(policy: str, problem: Problem) -> None:
    """Raise if people differ in their prior: the bank has one table of priors, that of the first person."""
    for person, arms in enumerate(problem.people):
        for k, (arm, first) in enumerate(zip(arms, problem.arms, strict=True)):
            if arm.dynamics != first.dynamics:
                raise ValueError(
                    f"{policy}, person {person}, arm {arm.name or k!r}, {arm.dynamics} must be {first.dynamics}, "
                    "as that of person 0: people share the prior over unknown dynamics"
                )


@remembered(32)
def _start(types: tuple[Any, ...], arms: tuple[Arm, ...]) -> tuple[BankShared, BankEvidence]:
    """Return the tables of a problem and the first bank of one person; `types` distinguishes arms of equal numbers."""
    prior = prior_of_kinds(arms[0].dynamics)
    starts = starts_of(prior, int(arms[0].dynamics.hypotheses))
    theta = theta_tables(arms)
    points = [first_points(arm, k, starts) for k, arm in enumerate(arms)]
    cube, numbers = np.stack([p for p, _ in points]), np.stack([n for _, n in points])
    shape, sizes = (1, len(arms)), np.diff(starts)
    run = np.empty((len(arms), most_runs(starts)), np.int32)
    sums = np.zeros((*shape, rows_of_sums(arms[0].rewards), starts[-1]))
    for k in range(len(arms)):
        start_sums(arms[k].rewards, theta, k, sums[0, k])
        fill_runs(starts, cube[k], run[k])
    cdf = np.concatenate([np.arange(1, size + 1) / max(size, 1) for size in sizes])
    log_weight = np.concatenate([np.full(size, -np.log(max(size, 1))) for size in sizes])
    return BankShared(arm_table([list(arms)]), theta, starts, prior, coupling()), BankEvidence(
        cube=cube[None],
        decay=numbers[None, :, 0], pull=numbers[None, :, 1], drift=numbers[None, :, 2], x=numbers[None, :, 3],
        sums=sums,
        log_marginal=np.zeros((*shape, starts[-1])),
        log_weight=np.tile(log_weight, (*shape, 1)),
        cdf=np.tile(cdf, (*shape, 1)),
        run=run[None],
        evidence=np.tile(np.where(prior > 0.0, 0.0, -np.inf), (*shape, 1)),
        log_ratio=np.zeros((*shape, FRESH_LATENTS, LOSS_LATENTS)),
        totals=np.zeros((*shape, 3)),
        gap=np.zeros((*shape, FIRST_ROOM), dtype=np.int64),
        reward=np.zeros((*shape, FIRST_ROOM)),
        since=np.zeros(shape, dtype=np.int64),
        plays=np.zeros(shape, dtype=np.int64),
        rewards=np.zeros((*shape, 2), dtype=np.int64),
        check=first_checks(len(arms)),
        stream=stream_of(np.random.SeedSequence(0))[None],
    )  # fmt: skip


def first_checks(arms: int) -> Floats:
    """Return the checks of the arms of a person before the first reward."""
    check = np.zeros((1, arms, CHECKS))
    check[..., LOG_M] = -np.inf
    return check


def starts_of(prior: Floats, size: int) -> Ints:
    """Return where the hypotheses of each kind begin: an eighth for each possible one, the rest for the last."""
    possible = np.flatnonzero(prior > 0.0)
    sizes = np.zeros(KINDS, dtype=np.int64)
    sizes[possible] = size // 8
    sizes[possible[-1]] += size - sizes.sum()
    return np.concatenate([[0], np.cumsum(sizes)])


def first_points(arm: Arm, k: int, starts: Ints) -> tuple[NDArray[np.float32], Floats]:
    """Return points of the cube [CUBE, hypotheses], ordered by cells, and their numbers: decay, pull, drift and x0."""
    cube, numbers = np.empty((CUBE, starts[-1]), np.float32), np.empty((4, starts[-1]))
    for kind in range(KINDS):
        i, tried = int(starts[kind]), 0
        while i < starts[kind + 1]:
            point = ((0.5 + (tried + 1) * GOLDEN) % 1.0).astype(np.float32).astype(np.float64)
            h = hypothesis_at(arm.dynamics, kind, *point)
            tried += 1
            if is_allowed(arm.dynamics, kind, h):
                cube[:, i], numbers[:, i] = point, h
                i += 1
            elif tried > SPARE * starts[-1]:
                raise ValueError(f"arm {arm.name or k!r}, {empty_prior(arm.dynamics, i - int(starts[kind]), tried)}")
    part = slice(starts[RECOVERY], None)
    order = order_by_cell(cube[:, part])
    cube[:, part], numbers[:, part] = cube[:, part][:, order], numbers[:, part][:, order]
    return cube, numbers


# Irrational steps whose multiples fill the cube evenly: powers of the root of g^5 = g + 1 (M. Roberts' sequence).
GOLDEN = 1.1673039782614187 ** -np.arange(1.0, CUBE + 1.0)
