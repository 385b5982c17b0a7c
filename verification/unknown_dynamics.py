"""Policies that learn the dynamics beside policies that know them: shares of what the best plan gains over random."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import rogue_bandits as rb
from rogue_bandits.experiments.health.cohort import drawn
from rogue_bandits.experiments.health.settings import HealthSettings
from verification.finding import Finding
from verification.gains import (
    Estimate,
    Learner,
    Reference,
    expected_rewards,
    percent,
    reference,
    same,
    share_of,
    with_prior,
)
from verification.scenarios import LOGISTIC
from verification.trials import after_trial, fitted, trial_of, with_fit

HEALTH_DECISIONS, LOGISTIC_DECISIONS = 1_000, 20_000
REPLICATES = 4  # of a person of the experiment on physical activity
LEAST = {"physical activity": 0.80, "logistic": 0.95}  # of index-ts with the wide prior
OTHERS = 4711  # seed of the people of another trial
LEARNS = "index-ts", "unknown"
POLICIES: dict[tuple[str, str], tuple[Any, Learner]] = {
    LEARNS: (rb.IndexTS(), with_prior()),
    ("rogue-ts", "unknown"): (rb.RogueTS(), with_prior()),
    ("d-ucb", "not used"): (rb.DUCB(), same),
    ("index-ts", "known"): (rb.IndexTS(), same),
    ("tuned-rogue-ucb", "known"): (rb.TunedRogueUCB(), same),
}
BANKS: dict[tuple[str, str], tuple[Any, Learner]] = {
    ("index-ts", f"unknown, {size:,} hypotheses"): (rb.IndexTS(), with_prior(hypotheses=size))
    for size in (256, 1_000, 4_000)
}


class Shares(NamedTuple):
    """The share over all decisions, and that over the last tenth."""

    whole: Estimate
    end: Estimate


def unknown_dynamics(people: int, replicates: int, seed: int) -> Finding:
    """Compare the policies in the paper's two experiments."""
    activity = drawn(HealthSettings(people=people, people_as_of="0.1.0"))
    active = reference(activity, HEALTH_DECISIONS, seed)
    table_1 = reference([LOGISTIC], LOGISTIC_DECISIONS, seed)
    found = {
        "physical activity": shares(POLICIES | BANKS, activity, HEALTH_DECISIONS, REPLICATES, active, seed),
        "logistic": shares(POLICIES, [LOGISTIC] * replicates, LOGISTIC_DECISIONS, 1, table_1, seed),
    }
    rows = [
        (experiment, *policy, percent(share.whole), percent(share.end), asked(experiment, policy))
        for experiment, by_policy in found.items()
        for policy, share in by_policy.items()
    ]
    met = [name for name, least in LEAST.items() if found[name][LEARNS].whole.value >= least]
    return Finding(
        "Unknown dynamics",
        f"Physical activity: {people} people, {REPLICATES} replicates of each, {HEALTH_DECISIONS:,} decisions; "
        f"logistic: {replicates} people with the truth of Table 1, {LOGISTIC_DECISIONS:,} decisions. The share of "
        "(best plan − random) in expected reward, with its standard error over people: over all decisions, and over "
        "the last tenth of them. Unknown: the learner has `rb.Unknown()`, the wide prior, in place of the dynamics, "
        "with its number of hypotheses unless another is given.",
        ("experiment", "policy", "dynamics", "share", "last tenth", "asked for"),
        rows,
        f"index-ts with unknown dynamics reaches what is asked for in {len(met)} of {len(LEAST)} experiments.",
        len(met) == len(LEAST),
    )


def trials(people: int, seed: int) -> Finding:
    """Compare the wide prior with one from a trial of other people, and with learning that began in one's own trial."""
    activity = drawn(HealthSettings(people=people, people_as_of="0.1.0"))
    others = drawn(HealthSettings(people=people, people_as_of="0.1.0", cohort_seed=OTHERS))
    of, policy, found = reference(activity, HEALTH_DECISIONS, seed), rb.IndexTS(), {}
    with TemporaryDirectory() as made:
        folders = [Path(made, name) for name in ("others", "own")]
        for folder in folders:
            folder.mkdir()
        own = trial_of(activity, seed)
        from_others, from_own = fitted(trial_of(others, seed + 1), folders[0]), fitted(own, folders[1])

        def lived(learner: Learner) -> Estimate:
            earned = expected_rewards(activity, policy, HEALTH_DECISIONS, seed, learner, REPLICATES)
            return share_of(earned.mean(axis=1), of)

        found["the wide prior"] = lived(with_prior())
        found["prior from the trial of other people"] = lived(with_fit(from_others))
        for name, learner in {"the wide prior": with_prior(), "prior from that trial": with_fit(from_own)}.items():
            earned = after_trial(own, policy, learner, HEALTH_DECISIONS, REPLICATES, seed)
            found[f"{name}, own trial seen"] = share_of(earned.mean(axis=1), of)
    wide, other, *seen = (one.value for one in found.values())
    return Finding(
        "Unknown dynamics: after a trial",
        f"{people} people of the experiment on physical activity, {REPLICATES} replicates each, {HEALTH_DECISIONS:,} "
        "decisions of index-ts. The share of (best plan − random), with its standard error over people. A trial is 150 "
        f"days of messages at random; its prior is `rb.Unknown.from_fit` of `rogue fit --family agent`. The other "
        f"people are {people} more. Asked for: the prior from others is above the wide one, aim 90 %, and learning "
        "that goes on after one's own trial is above both.",
        ("prior", "share"),
        [(name, percent(one)) for name, one in found.items()],
        f"The prior from others is {'above' if other > wide else 'not above'} the wide one; after one's own trial the "
        f"share is {'above' if max(seen) > max(wide, other) else 'not above'} both.",
        other > wide and max(seen) > max(wide, other),
    )


def shares(
    policies: dict[tuple[str, str], tuple[Any, Learner]],
    truths: Sequence[rb.Truth],
    horizon: int,
    replicates: int,
    of: Reference,
    seed: int,
) -> dict[tuple[str, str], Shares]:
    """Return the shares of every policy."""
    found = {}
    for name, (policy, learner) in policies.items():
        earned = expected_rewards(truths, policy, horizon, seed, learner, replicates)
        last = earned[:, -(horizon // 10) :]
        found[name] = Shares(share_of(earned.mean(axis=1), of), share_of(last.mean(axis=1), of))
    return found


def asked(experiment: str, policy: tuple[str, str]) -> str:
    """Return what is asked of a policy, for the table."""
    return f"{LEAST[experiment]:.0%}" if policy == LEARNS else ""
