"""The conformance suite: every check on one arm."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rogue_bandits.conformance.constants import missing, not_sub_gaussian, too_steep
from rogue_bandits.conformance.dynamics import expands, leaves_its_bounds, lines_disagree
from rogue_bandits.conformance.finding import Fault, ModelReport
from rogue_bandits.conformance.integrals import chances
from rogue_bandits.conformance.rewards import (
    laws_needed,
    not_log_concave,
    not_monotone,
    wrong_draws,
    wrong_information,
    wrong_kl,
    wrong_mass,
    wrong_mean,
    wrong_slopes,
)
from rogue_bandits.conformance.settled import compiled_differently, sums_disagree
from rogue_bandits.model.check import checked_arm
from rogue_bandits.model.probe import BrokenLawError, probed_fault
from rogue_bandits.types import Arm, settles

Check = Callable[[Arm], Iterator[Fault]]
DYNAMICS: tuple[Check, ...] = (leaves_its_bounds, expands, lines_disagree)
# Each relies on those before it.
REWARDS: tuple[Check, ...] = (
    wrong_mass,
    wrong_draws,
    not_log_concave,
    wrong_mean,
    not_monotone,
    wrong_kl,
    wrong_slopes,
    wrong_information,
    sums_disagree,
    too_steep,
    not_sub_gaussian,
)
GROWS = "nothing can be summed up: every reward is kept, and the cost of a decision grows with their number"


def check_model(arm: Arm) -> ModelReport:
    """Check an arm's dynamics and reward family against what the paper assumes and the library relies on.

    It looks at a grid of (theta, x) inside the bounds: it finds faults, it proves nothing.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> print(check_model(Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))))
    BernoulliLogit rewards with ClippedAffine dynamics: nothing is wrong
    """
    chances.cache_clear()  # a law may have been registered anew since the last time
    arm = tried_arm(arm)
    faults = [fault for check in DYNAMICS for fault in first_of(check, arm)]
    lacking = laws_needed(arm.rewards)
    faults += [Fault(law.__name__, "a family has this law", "it is not given") for law in lacking]
    for check in () if lacking else REWARDS:
        faults += first_of(check, arm)
    if not faults:
        faults += first_of(compiled_differently, arm)
    notes = missing(arm) + ([] if settles(arm.rewards) else [GROWS])
    return ModelReport(arm, tuple(dict.fromkeys(faults)), tuple(notes))


def tried_arm(arm: Arm) -> Arm:
    """The arm, checked; but laws that break are what we are here to tell."""
    try:
        return checked_arm(arm)
    except ValueError as refused:
        try:
            broken = probed_fault(arm.rewards, arm)
        except (AttributeError, TypeError):  # its dynamics may have no bounds to try the laws in
            raise refused from None
        if broken is None or not str(refused).endswith(broken):
            raise
        return arm


def first_of(check: Check, arm: Arm) -> list[Fault]:
    """The first fault that a check finds: the others would say the same again."""
    try:
        return [fault for fault, _ in zip(check(arm), range(1), strict=False)]
    except BrokenLawError as broken:
        return [Fault(broken.law, "laws give numbers inside of the bounds", broken.found)]
