"""Off-policy evaluation: what a policy would have earned, from a log of another with known probabilities.

For decision t of a person let H_t be the history up to then, b_t the probability with which the log chose its arm a_t,
π(a | H_t) that of the policy given the same history, w_t = π(a_t | H_t) / b_t, and q_t(a) the mean of arm a in our
model, fitted to the rewards known by then. With c_t as in `off_policy_value` the terms of the estimators are

    inverse propensity   c_t w_t r_t
    doubly robust        c_t (v_t + w_t (r_t − q_t(a_t)) + (1 − w_t) l_t v_t)      with v_t = Σ_a π(a | H_t) q_t(a)

and the estimates their averages. l_t is the number of later rewards, 0 for the estimand at logged histories: v_t stands
for the policy's value at each of them (Jiang and Li 2016, with that Q-function). As q_t uses earlier rewards alone,
both are unbiased whatever the model, where probabilities are right and positive wherever the policy's are; a good model
lowers the variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.model.validation import checked_arms
from rogue_bandits.simulation.log import Log, checked_log, log_of
from rogue_bandits.simulation.measured import UNDEFINED, Measured
from rogue_bandits.simulation.replay import fitted_means_along, probabilities_along
from rogue_bandits.simulation.simulate import checked_seed
from rogue_bandits.simulation.trace import Seed, Trace
from rogue_bandits.types import Arm, Floats

LOGGED, OWN = "logged", "own"


class OffPolicyValue(NamedTuple):
    """Estimates of a policy's mean reward per decision, with standard errors; see `off_policy_value`."""

    inverse_propensity: Measured
    self_normalised: Measured
    doubly_robust: Measured
    logged: Measured  # the mean reward of the log itself
    decisions: int  # with an observed reward
    people: int
    effective_decisions: float  # (Σ weight)² / Σ weight², at most `decisions`
    largest_weight: float
    histories: str

    def __str__(self) -> str:
        of = {LOGGED: "of its choices at the logged histories", OWN: "of the policy on its own"}[self.histories]
        rows = {"doubly robust": self.doubly_robust, "self-normalised": self.self_normalised,
                "inverse propensity": self.inverse_propensity, "the log itself": self.logged}  # fmt: skip
        lines = [f"{name:<20}{value}" for name, value in rows.items()]
        size = (
            f"{self.decisions:,} decisions of {self.people:,} people, worth {self.effective_decisions:,.0f}; "
            f"largest weight {self.largest_weight:.3g}"
        )
        return "\n".join([f"mean reward {of}, ± one standard error", *lines, size])


def off_policy_value(
    policy: Any, log: Trace | Log, arms: Sequence[Arm] | None = None, histories: str = "logged", seed: Seed = 0
) -> OffPolicyValue:
    """Estimate the mean reward per decision of a policy from a log of another one with known probabilities.

    Arms have states, and a policy changes them. There are two estimands:

    histories="logged": the mean over the decisions of the log of Σ_a π(a | H_t) μ_t(a), where H_t is the history that
    was logged up to decision t and μ_t(a) the mean of arm a then. It is what the policy's choices would have earned,
    each made once, after histories and in states that the *logging* policy brought about (c_t = 1). It is not what the
    policy earns when it makes all decisions. Its standard error treats histories as given; it is conservative.

    histories="own": the mean reward if the policy had made all decisions from the first on, for people and horizon as
    in the log: per-decision importance sampling, where c_t is the product of w over all earlier decisions. Weights
    spread exponentially with the horizon, so that it is of use for a few decisions of many people, or for a policy
    close to the logging one: look at `effective_decisions`. Its standard error is over people, at least two.

    `log` is a Trace that was simulated with probabilities, or a Log. `arms` are those that policy and regression
    assume; of a trace, by default those of the learner. Rewards that were not observed are left out: whether one is
    must not depend on its value or its arm. Rests are taken as given. `seed` is for the uniforms of the policy.

    >>> import rogue_bandits as rb
    >>> walk = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6), name="walk")
    >>> sleep = rb.Arm(rb.ClippedAffine(decay=0.7, pull=-1.2, drift=0.5), rb.BernoulliLogit(0.7, 0.3), name="sleep")
    >>> truth = rb.Truth([walk, sleep], theta=[0.5, 0.7], x0=[0.1, 0.3])
    >>> trial = rb.simulate(truth, rb.Random(), horizon=100, people=20, seed=1)
    >>> print(rb.off_policy_value(rb.RoundRobin(), trial))
    mean reward of its choices at the logged histories, ± one standard error
    doubly robust       0.658 ± 0.015
    self-normalised     0.658 ± 0.016
    inverse propensity  0.616 ± 0.021
    the log itself      0.633 ± 0.011
    2,000 decisions of 20 people, worth 936; largest weight 2
    """
    if histories not in (LOGGED, OWN):
        raise ValueError(f"off_policy_value, histories {histories!r} must be {LOGGED!r} or {OWN!r}")
    if isinstance(log, Trace):
        arms = (log.learner_arms or log.truth.arms) if arms is None else arms
        log = log_of(log)
    elif arms is None:
        raise TypeError("off_policy_value needs arms, those that the policy and the regression are to assume")
    assumed = checked_arms(arms)
    log = checked_log(log, assumed)
    chosen = probabilities_along(policy, assumed, log, checked_seed(seed))
    raise_on_unsupported(policy, chosen, log)
    return estimated(log, chosen, fitted_means_along(assumed, log), histories)


def raise_on_unsupported(policy: Any, chosen: Floats, log: Log) -> None:
    """Raise where the policy may choose an arm that the log could not.

    Without the probabilities of all arms that is known only where an arm was played with probability 1.
    """
    if log.probabilities is None:
        others = log.arm[:, :, None] != np.arange(chosen.shape[2])
        never = others & (log.probability == 1.0)[:, :, None]
    else:
        never = log.probabilities == 0.0
    for person, t, k in np.argwhere((log.arm >= 0)[:, :, None] & (chosen > 0.0) & never):
        raise ValueError(
            f"policy {type(policy).__name__} chooses arm {k} with probability {chosen[person, t, k]:g} at decision {t} "
            f"of person {person}, where the log chose it with probability 0: its value cannot be estimated"
        )


def estimated(log: Log, chosen: Floats, means: Floats, histories: str) -> OffPolicyValue:
    """Return the estimates, from the probabilities [people, decisions, arms] of the policy and the fitted means."""
    played, seen = log.arm >= 0, ~np.isnan(log.reward)
    at = np.maximum(log.arm, 0)[:, :, None]
    own, fitted = (np.take_along_axis(values, at, axis=2)[:, :, 0] for values in (chosen, means))
    w = np.where(played, own / np.where(played, log.probability, 1.0), 1.0)
    before, later = np.ones(w.shape), np.zeros(w.shape)
    if histories == OWN:
        np.cumprod(w[:, :-1], axis=1, out=before[:, 1:])
        later[:, :-1] = np.cumsum(seen[:, :0:-1], axis=1)[:, ::-1]
    weight, reward = np.where(seen, before * w, 0.0), np.where(seen, log.reward, 0.0)
    direct = np.sum(np.where(played[:, :, None], chosen * means, 0.0), axis=2)
    robust = np.where(seen, before * direct + weight * (reward - fitted), 0.0) + before * (1.0 - w) * later * direct
    average, normalised = (logged_mean, logged_ratio) if histories == LOGGED else (own_mean, own_ratio)
    return OffPolicyValue(
        inverse_propensity=average(weight * reward, seen),
        self_normalised=normalised(weight, reward, seen),
        doubly_robust=average(robust, seen),
        logged=average(reward, seen),
        decisions=int(seen.sum()),
        people=len(seen),
        effective_decisions=float(weight.sum() ** 2 / max((weight**2).sum(), np.finfo(float).tiny)),
        largest_weight=float(weight.max()),
        histories=histories,
    )


# ---- averages: terms are 0 where no reward was seen ------------------------------------------------------------------
def logged_mean(terms: Floats, seen: Any) -> Measured:
    """Return the mean over decisions; their errors are martingale differences, so that the squares add up."""
    n = int(seen.sum())
    if n == 0:
        return UNDEFINED
    value = float(terms.sum() / n)
    return Measured(value, float(np.sqrt(((terms - value)[seen] ** 2).sum() / (n - 1) / n)) if n > 1 else np.nan)


def logged_ratio(weight: Floats, reward: Floats, seen: Any) -> Measured:
    """Return Σ w r / Σ w over decisions, with its linearised standard error."""
    total = float(weight.sum())
    if total == 0.0:
        return UNDEFINED
    value = float((weight * reward).sum() / total)
    return Measured(value, float(np.sqrt(((weight * (reward - value)) ** 2)[seen].sum()) / total))


def own_mean(terms: Floats, seen: Any) -> Measured:
    """Return Σ terms / number of rewards, both per person: a ratio of means over people."""
    return over_people(terms.sum(axis=1), seen.sum(axis=1))


def own_ratio(weight: Floats, reward: Floats, seen: Any) -> Measured:
    """Return Σ w r / Σ w over people at each decision, averaged with the numbers of observed rewards as weights."""
    count, total = seen.sum(axis=0), weight.sum(axis=0)
    used = total > 0.0
    if not used.any():
        return UNDEFINED
    share = count[used] / count[used].sum()
    weight, reward, total = weight[:, used], reward[:, used], total[used]
    value = (weight * reward).sum(axis=0) / total
    influence = (share * weight * (reward - value) * len(weight) / total).sum(axis=1)
    error = float(np.sqrt((influence**2).sum() / max(len(weight) - 1, 1) / len(weight)))
    return Measured(float((share * value).sum()), error if len(weight) > 1 else np.nan)


def over_people(total: Floats, count: Any) -> Measured:
    """Return Σ total / Σ count with its linearised standard error over people."""
    n = len(total)
    if not count.sum():
        return UNDEFINED
    value = float(total.sum() / count.sum())
    if n == 1:
        return Measured(value, np.nan)
    residual = (total - value * count) / count.mean()
    return Measured(value, float(np.sqrt((residual**2).sum() / (n - 1) / n)))
