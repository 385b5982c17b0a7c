"""All checks of one arm."""

from __future__ import annotations

import re
import traceback
from pathlib import Path
from typing import Any

from rogue_bandits.conformance import dynamics, rewards
from rogue_bandits.conformance.constants import LIPSCHITZ, missing, not_sub_gaussian, too_steep
from rogue_bandits.conformance.finding import Check, Fault, ModelReport
from rogue_bandits.conformance.integrals import distribution
from rogue_bandits.conformance.settled import compiled_differently, sums_disagree
from rogue_bandits.model.compiling import is_user_file
from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.model.dynamics.forgetting import forgets
from rogue_bandits.model.probe import BrokenLawError, overrides_law
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.rewards.numeric import QUADRATURE
from rogue_bandits.model.rewards.quotients import is_tabulated
from rogue_bandits.model.rewards.weighted import projected_arm, reduced
from rogue_bandits.model.validation import checked_arm, is_known, rewards_fault
from rogue_bandits.types import Arm, is_summable

REWARD_CHECKS: tuple[Check, ...] = (*rewards.CHECKS, sums_disagree, too_steep, not_sub_gaussian)
COMPUTED: tuple[Any, ...] = (*QUADRATURE, *LIPSCHITZ, sub_gaussian)  # from loglik, where a family does not give them
FINITE = "laws give numbers inside of the bounds"
NEVER = "no plays were found after which the first state is forgotten: every reward is stored, and decisions get slower"
GROWS = (
    "loglik and kl are not smooth enough in theta and x to be summed up: every reward is stored, and the cost of a "
    "decision grows with their number"
)


def check_model(arm: Arm) -> ModelReport:
    """Check an arm's dynamics and reward family against what the paper assumes and the library relies on.

    Laws are evaluated on a grid of (theta, x) inside the bounds: faults are found, soundness is not proven.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> print(check_model(Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))))
    BernoulliLogit rewards with ClippedAffine dynamics: nothing is wrong
    """
    if not is_known(getattr(arm, "dynamics", None)):
        raise ValueError(f"its dynamics are {type(arm.dynamics).__name__}, a prior: check an arm with known dynamics")
    distribution.cache_clear()  # a law may have been registered anew since the last call
    whole, broken = _tried_arm(arm)
    faults = [fault for check in dynamics.CHECKS for fault in first_of(check, whole)]
    arm = reduced(whole)  # the family of the numbers that theta and the state are projected to
    if lacking := rewards.laws_needed(arm.rewards):
        faults += [Fault(law.__name__, "a family has this law", "it is not given") for law in lacking]
    elif broken is not None and broken.law in ("support", "log_partition"):  # nothing can be checked without them
        faults.append(broken)
    else:
        found = _reward_faults(arm)
        faults += found or ([broken] if broken else [])
    if not faults:
        faults += first_of(compiled_differently, arm)
    notes = [] if faults and broken else missing(arm)
    is_summed_up = faults or is_summable(arm.rewards) or is_tabulated(projected_arm(whole))
    notes += ([] if is_summed_up else [GROWS]) + _not_checked(faults, arm.rewards)
    notes += [] if faults or forgets(projected_arm(arm).dynamics) else [NEVER]
    return ModelReport(whole, tuple(dict.fromkeys(faults)), tuple(notes))


def _reward_faults(arm: Arm) -> list[Fault]:
    """Return the faults of the family; those that follow from a fault of loglik are left out."""
    faults: list[Fault] = []
    for check in REWARD_CHECKS:
        faults += [fault for fault in first_of(check, arm) if not _follows(fault, faults, arm.rewards)]
    return faults


def _follows(fault: Fault, known: list[Fault], f: Model) -> bool:
    """Return whether loglik is at fault, and this fault is the same one or of a law that is computed from loglik."""
    of_loglik = [each.assumption for each in known if each.law == "loglik"]
    if fault.law == "loglik":
        return fault.assumption in of_loglik
    computed = [law.__name__ for law in COMPUTED if not overrides_law(law, f)]
    return bool(of_loglik) and fault.law in computed


def _not_checked(faults: list[Fault], f: Model) -> list[str]:
    """Return a note on the laws that were not checked because of a fault of loglik."""
    names = [law.__name__ for law in QUADRATURE if not overrides_law(law, f)]
    if not names or all(fault.law != "loglik" for fault in faults):
        return []
    return [f"correct loglik first: what is computed from it was not checked ({', '.join(names)})"]


def _tried_arm(arm: Arm) -> tuple[Arm, Fault | None]:
    """Return the arm, checked, and a law of its family that fails when tried; other errors are raised."""
    try:
        return checked_arm(arm), None
    except ValueError as refused:
        f = getattr(arm.rewards, "rewards", arm.rewards)  # the family inside of `Weighted`
        if overrides_law(rewards_fault, f):
            raise
        try:
            broken = rewards_fault(arm.rewards, arm)
        except (AttributeError, TypeError):  # its dynamics may have no bounds to try the laws in
            raise refused from None
        if broken is None or not str(refused).endswith(broken):
            raise
        return arm, Fault(re.split(r"\W", broken)[0], FINITE, broken.removeprefix("support").lstrip(": "))


def first_of(check: Check, arm: Arm) -> list[Fault]:
    """Return the first fault that a check finds: the others would repeat it."""
    try:
        return [fault for fault, _ in zip(check(arm), range(1), strict=False)]
    except BrokenLawError as broken:
        return [Fault(broken.law, FINITE, broken.found)]
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if is_user_file(Path(f.filename))]
        if not frames:
            raise
        where = frames[-1]
        found = f"{where.name}, {Path(where.filename).name} line {where.lineno}, raises {type(error).__name__}: {error}"
        return [Fault(where.name, FINITE, found)]
