"""Several policies on one truth with common random numbers: a row for each, with standard errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.planning.optimal import optimal_plan
from rogue_bandits.planning.plan import Plan
from rogue_bandits.policies.random import Random
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.simulation.frames import frame_of
from rogue_bandits.simulation.measured import UNDEFINED, Measured, measured
from rogue_bandits.simulation.simulate import simulate
from rogue_bandits.simulation.trace import Seed, Trace
from rogue_bandits.types import Floats, Truth
from rogue_bandits.wording import unknown


class Compared(NamedTuple):
    """The results of one policy."""

    policy: str
    reward: Measured  # per decision, as drawn
    expected: Measured  # per decision, by the true means of the arms played
    tracking_regret: Measured  # after all decisions
    optimal_gap: Measured  # likewise
    share: Measured  # (expected − that of random choices) / (that of the best plan − that of random choices)
    difference: Measured  # expected − that of the reference, paired by person


class Comparison(NamedTuple):
    """What `compare` found: a row for each policy, in the order given. Printed, it is a table."""

    rows: tuple[Compared, ...]
    reference: str
    horizon: int
    people: int
    seed: Seed
    plan: Plan | None  # the best plan; None where arms were not always available

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row for each policy; needs `pip install rogue-bandits[frame]`.

        Each measure has a column, and another for its standard error, which ends in `_stderr`.
        """
        columns: dict[str, Any] = {"policy": [row.policy for row in self.rows]}
        for field in Compared._fields[1:]:
            columns[field] = [getattr(row, field).mean for row in self.rows]
            columns[f"{field}_stderr"] = [getattr(row, field).stderr for row in self.rows]
        return frame_of(columns)

    def __str__(self) -> str:
        headings = ("policy", "reward", "expected", "tracking regret", "optimal gap", "share of plan",
                    f"expected − {self.reference}")  # fmt: skip
        lines = [headings, *((row.policy, *map(str, row[1:5]), percent(row.share), str(row[6])) for row in self.rows)]
        width = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = ["  ".join([line[0].ljust(width[0]), *map(str.rjust, line[1:], width[1:])]).rstrip() for line in lines]
        return "\n".join([*text, f"{self.people:,} people, {self.horizon:,} decisions, ± one standard error"])


def compare(
    policies: Iterable[Any] | Mapping[str, Any],
    truth: Truth,
    horizon: int,
    people: int = 10,
    seed: Seed = 0,
    workers: int = 1,
    reference: str | None = None,
    plan: Plan | None = None,
    **conditions: Any,
) -> Comparison:
    """Simulate several policies on one truth and return a row for each, with standard errors over people.

    Policies are policies or ids of `rb.POLICIES`; a dict gives them names. Person i has the same random numbers under
    every policy, so that differences between policies vary less than the policies do; `difference` is that to
    `reference`, the first policy unless its name is given. `plan` is the `optimal_plan` of the truth, if you have it
    already. `conditions` are those of `simulate`: learner_arms, delay, missing, available. Where arms are not always
    available there is no best plan, so that optimal gap and share are nan.

    >>> import rogue_bandits as rb
    >>> walk = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6), name="walk")
    >>> sleep = rb.Arm(rb.ClippedAffine(decay=0.7, pull=-1.2, drift=0.5), rb.BernoulliLogit(0.7, 0.3), name="sleep")
    >>> truth = rb.Truth([walk, sleep], theta=[0.5, 0.7], x0=[0.1, 0.3])
    >>> print(rb.compare(["random", "round-robin"], truth, horizon=200, people=20))
    policy                reward           expected  tracking regret  optimal gap  share of plan  expected − random
    random       0.6305 ± 0.0065  0.62287 ± 0.00061      7.16 ± 0.16  4.72 ± 0.12          0.0 %                  0
    round-robin  0.6440 ± 0.0060            0.63839         0.076431       1.6124   65.8 ± 0.9 %  0.01552 ± 0.00061
    20 people, 200 decisions, ± one standard error
    """
    named = named_policies(policies)
    first = next(iter(named)) if reference is None else reference
    if first not in named:
        raise ValueError(unknown("reference", first, named))
    traces = {
        name: simulate(truth, policy, horizon, people, seed, workers, **conditions) for name, policy in named.items()
    }
    always = all(trace.available is None for trace in traces.values())
    if always and plan is None:
        plan = optimal_plan(truth, horizon)
    found = [name for name, policy in named.items() if policy == Random() and type(policy) is Random]
    random = traces[found[0]] if found else simulate(truth, Random(), horizon, people, seed, workers, **conditions)
    expected = {name: mean_of(trace.mean) for name, trace in traces.items()}
    at_random = mean_of(random.mean)
    rows = [
        row_of(name, trace, expected[name], at_random, expected[first], plan if always else None)
        for name, trace in traces.items()
    ]
    return Comparison(tuple(rows), first, horizon, people, random.seed, plan if always else None)


def named_policies(policies: Any) -> dict[str, Any]:
    """Return policies by name: the key of a dict, the id in the registry, or the policy as it is written."""
    if isinstance(policies, Mapping):
        given = dict(policies.items())
    elif isinstance(policies, str) or hasattr(policies, "_fields") or not isinstance(policies, Iterable):
        raise TypeError(f"compare, policies {policies!r} must be a list of policies or of ids, or a dict of them")
    else:
        listed = list(policies)
        given = dict(zip(map(name_of, listed), listed, strict=True))
        if len(given) < len(listed):
            raise ValueError(f"compare, policies {[name_of(policy) for policy in listed]} must differ")
    if not given:
        raise ValueError("compare, policies is empty: it must have at least one policy")
    for policy in given.values():
        if isinstance(policy, str) and policy not in POLICIES:
            raise ValueError(unknown("policy", policy, POLICIES))
    return {name: POLICIES[policy]() if isinstance(policy, str) else policy for name, policy in given.items()}


def name_of(policy: Any) -> str:
    """Return the id of a policy with the settings of a registry entry; else the policy as it is written."""
    if isinstance(policy, str):
        return policy
    for name, spec in POLICIES.items():
        if type(policy) is spec.policy_class:
            settings = {**spec.policy_class._field_defaults, **spec.variant}
            if policy._asdict() == settings:
                return name
    return repr(policy)


def row_of(name: str, trace: Trace, expected: Floats, random: Floats, reference: Floats, plan: Plan | None) -> Compared:
    """Return the results of a policy; `expected`, `random` and `reference` are averages of each person."""
    return Compared(
        policy=name,
        reward=measured(mean_of(trace.reward)),
        expected=measured(expected),
        tracking_regret=measured(trace.tracking_regret()[:, -1]),
        optimal_gap=UNDEFINED if plan is None else measured(trace.optimal_gap(plan)[:, -1]),
        share=UNDEFINED if plan is None else share_of(expected, random, plan.average),
        difference=measured(expected - reference),
    )


def mean_of(values: Floats) -> Floats:
    """Return each person's average over decisions that were no rests; nan if all were."""
    plays = np.count_nonzero(~np.isnan(values), axis=1)
    return np.where(plays > 0, np.nansum(values, axis=1) / np.maximum(plays, 1), np.nan)


def share_of(expected: Floats, random: Floats, best: float) -> Measured:
    """Return (policy − random) / (best plan − random), ratio of means over people.

    The standard error is by linearisation, with the random choices paired: their own error is part of it.

    >>> share_of(np.array([2.0, 2.5]), np.array([1.0, 1.5]), best=3.25)
    Measured(mean=0.5, stderr=0.0625)
    """
    gain, most = expected - random, best - random
    if not most.mean() > 0.0:
        return UNDEFINED
    share = float(gain.mean() / most.mean())
    return Measured(share, measured((gain - share * most) / most.mean()).stderr)


def percent(share: Measured) -> str:
    """Return a share as a percentage."""
    if math.isnan(share.mean):
        return "–"
    error = f" ± {100.0 * share.stderr:.1f}" if share.stderr > 0.0 else ""
    return f"{100.0 * share.mean:.1f}{error} %"
