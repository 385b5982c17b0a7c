"""What the settings of the baselines mean, and why they are what they are, in words for those who never met them."""

from __future__ import annotations

from typing import Any, NamedTuple

from rogue_bandits.experiments.results import Results
from rogue_bandits.policies.settings import VARIATION_PER_DECISION, changes_of
from rogue_bandits.types import Problem, start


class Explanation(NamedTuple):
    """A setting: its name, its value in this run, and what to know about it."""

    name: str
    value: str
    words: str


def explanations(results: Results) -> list[Explanation]:
    """The settings that the policies of this run have."""
    s = results.settings
    told = {
        ("d-ucb", "sw-ucb"): [upsilon, xi],
        ("rexp3",): [variation],
    }
    return [explain(results) for rows, some in told.items() if set(rows) & set(s.policies) for explain in some]


def upsilon(results: Results) -> Explanation:
    """Υ of D-UCB and SW-UCB."""
    s = results.settings
    value = changes_of("d-ucb", s.upsilon, s.horizon)
    effect = (
        f"D-UCB multiplies the weight of older rewards by {worked_out(results, 'd-ucb').gamma:.4f} at each decision"
    )
    effect += f", and SW-UCB looks at the latest {worked_out(results, 'sw-ucb').window:,} decisions"
    why = (
        "It was set for this run (--upsilon)."
        if s.upsilon is not None
        else "These arms change at every decision, so no number is right, and the paper does not state its own. The "
        "default is the square root of the horizon: half way, in orders of magnitude, between one change and a change "
        "at each decision. Another Υ may do better, see below: the default was settled on after a look at results of "
        "the logistic experiment, because there it keeps the order that the paper reports. Set it with --upsilon."
    )
    return Explanation(
        "Υ (upsilon)",
        f"{value:,.1f}",
        "How many times within the horizon D-UCB and SW-UCB expect the arms to change. Here it means that "
        f"{effect}. {why}",
    )


def xi(results: Results) -> Explanation:
    """ξ of D-UCB and SW-UCB."""
    return Explanation(
        "ξ (xi)",
        f"{results.settings.xi:g}",
        "How readily D-UCB and SW-UCB try arms that they have not played for a while. Their authors' theory asks "
        "for more than ½; 0.6, the default, is what they used in their own simulations. Set it with --xi.",
    )


def variation(results: Results) -> Explanation:
    """V of REXP3."""
    s = results.settings
    value = VARIATION_PER_DECISION * s.horizon if s.variation is None else s.variation
    why = (
        "It was set for this run (--variation)."
        if s.variation is not None
        else f"The paper takes it in proportion to the horizon, without saying how much; the default is "
        f"{VARIATION_PER_DECISION:g} for each decision. Set it with --variation."
    )
    return Explanation(
        "V (variation)",
        f"{value:,.1f}",
        "How far REXP3 expects the mean rewards to move within the horizon, all movements added up. Here it means that "
        f"REXP3 forgets everything after every {worked_out(results, 'rexp3').batch:,} decisions. {why}",
    )


def worked_out(results: Results, row: str) -> Any:
    """The state of a policy that has not played yet: every setting as a number."""
    s = results.settings
    return start(s.policy(row), Problem(tuple(results.experiment.truths(s)[0].arms), s.horizon), 1).shared
