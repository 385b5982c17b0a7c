"""The conformance suite: every check on one arm."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rogue_bandits.compile.user_code import is_installed
from rogue_bandits.conformance.constants import missing, not_sub_gaussian, too_steep
from rogue_bandits.conformance.dynamics import enclosures_leak, expands, leaves_its_bounds, lines_disagree
from rogue_bandits.conformance.finding import Fault, ModelReport
from rogue_bandits.conformance.integrals import chances
from rogue_bandits.conformance.rewards import (
    laws_needed,
    no_number,
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
from rogue_bandits.model.constants import lipschitz_mean, lipschitz_parameters, lipschitz_reward, sub_gaussian
from rogue_bandits.model.dynamics.forgetting import forgets
from rogue_bandits.model.probe import BrokenLawError, overrides_law, probed_fault, support_fault
from rogue_bandits.model.rewards.weighted import projected_arm, reduced
from rogue_bandits.model.validation import checked_arm
from rogue_bandits.types import Arm, draw, information, is_summable, kl, kl_and_slopes, mean

Check = Callable[[Arm], Iterator[Fault]]
DYNAMICS: tuple[Check, ...] = (leaves_its_bounds, expands, lines_disagree, enclosures_leak)
# Each relies on those before it: loglik comes first.
REWARDS: tuple[Check, ...] = (
    no_number,
    wrong_mass,
    not_log_concave,
    wrong_draws,
    wrong_mean,
    not_monotone,
    wrong_kl,
    wrong_slopes,
    wrong_information,
    sums_disagree,
    too_steep,
    not_sub_gaussian,
)
# What a kind works out along with loglik, where a family does not give it itself.
LAWS: tuple[Any, ...] = (draw, mean, kl, kl_and_slopes, information)
PACKAGE = Path(__file__).parents[1]
CONSTANTS: tuple[Any, ...] = (lipschitz_parameters, lipschitz_mean, lipschitz_reward, sub_gaussian)
NEVER = "no plays were found after which the first state is forgotten: every reward is kept, and decisions get dearer"
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
    whole = arm
    faults = [fault for check in DYNAMICS for fault in first_of(check, arm)]
    arm = reduced(arm)  # the family is asked about the one number that it sees of theta, and of the state
    lacking = laws_needed(arm.rewards)
    faults += [Fault(law.__name__, "a family has this law", "it is not given") for law in lacking]
    if not lacking and (wrong := support_fault(arm.rewards)) is not None:
        faults.append(Fault("support", "a family says which rewards there are", wrong.removeprefix("support: ")))
    elif not lacking:
        faults += reward_faults(arm)
    if not faults:
        faults += first_of(compiled_differently, arm)
    notes = missing(arm) + ([] if is_summable(arm.rewards) else [GROWS]) + not_looked_at(faults, arm.rewards)
    notes += [] if faults or forgets(projected_arm(arm).dynamics) else [NEVER]
    return ModelReport(whole, tuple(dict.fromkeys(faults)), tuple(notes))


def reward_faults(arm: Arm) -> list[Fault]:
    """What is wrong with the family; but a mistake in loglik is not told again by what is worked out from it."""
    faults: list[Fault] = []
    for check in REWARDS:
        faults += [fault for fault in first_of(check, arm) if not follows(fault, faults, arm.rewards)]
    return faults


def follows(fault: Fault, told: list[Fault], f: Any) -> bool:
    """Is it of a law that is worked out along with loglik, where loglik is at fault? Or the same of loglik again?"""
    of_loglik = [known.assumption for known in told if known.law == "loglik"]
    if fault.law == "loglik":
        return fault.assumption in of_loglik
    worked_out = [law.__name__ for law in LAWS + CONSTANTS if not overrides_law(law, f)]
    return bool(of_loglik) and fault.law in worked_out


def not_looked_at(faults: list[Fault], f: Any) -> list[str]:
    """What a fault of loglik hides, as a note."""
    names = [law.__name__ for law in LAWS if not overrides_law(law, f)]
    if not names or all(fault.law != "loglik" for fault in faults):
        return []
    return [f"mend loglik first: what is worked out from it was not looked at ({', '.join(names)})"]


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
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if is_users(Path(f.filename))]
        if not frames:  # a mistake of ours
            raise
        where = frames[-1]
        found = f"{where.name}, {Path(where.filename).name} line {where.lineno}, raises {type(error).__name__}: {error}"
        return [Fault(where.name, "laws give numbers inside of the bounds", found)]


def is_users(file: Path) -> bool:
    """Is a source neither ours nor of what is installed?"""
    return not file.is_relative_to(PACKAGE) and not is_installed(file)
