"""What known probabilities of the randomisation add: was chance as planned, and what sending does beside silence."""

from __future__ import annotations

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.history import Cohort
from rogue_bandits.estimate.notes import arm_words
from rogue_bandits.estimate.weighted import FAR, REST, Effect, Share, effects_of, entries_of, shares_of
from rogue_bandits.report.cohort.words import reward

RANDOMISED = (
    "The probabilities above rest on the models. What follows rests on the randomisation alone: means of all people, "
    "each decision weighted by 1/p, with wider intervals and no assumption on the rewards."
)
UNKNOWN = (
    "The probabilities of the randomisation are not in the data (--probability, --send-probability): balance can only "
    "be seen, not tested against a plan."
)


def as_planned(cohort: Cohort) -> list[str]:
    """Return whether arms and rests were chosen as often as their probabilities say."""
    shares = shares_of(cohort)
    if not shares:
        return [UNKNOWN]
    known = entries_of(cohort).probability
    off = any(share.is_off for share in shares)
    first = (
        "What was chosen does not agree with the probabilities in the data, or an arm could not always be chosen"
        if off else f"Chance was as planned, within {FAR:g} standard errors"
    )  # fmt: skip
    every = ", ".join(share_words(share, cohort) for share in shares)
    return [
        f"{first}. By the probabilities p of {known.size:,} decisions ({known.min():.3g} to {known.max():.3g}), "
        f"{every} times as often as planned (each decision counts 1/p)."
    ]


def share_words(share: Share, cohort: Cohort) -> str:
    """Return a share with its standard error."""
    name = "nothing" if share.arm == REST else arm_words(cohort.arms[share.arm])
    return f"{name} was sent {share.ratio:.3f} ± {share.error:.3f}"


def sending_effects(people: People) -> list[str]:
    """Return what followed each arm beside what followed a rest, where chance decided; empty if that is not known."""
    size = people.size()
    found = [effect_words(effect, size) for effect in effects_of(people.cohort)]
    return [RANDOMISED, *found] if found else []


def effect_words(effect: Effect, size: float) -> str:
    """Return an effect with its interval, and whether that leaves its sign open."""
    more = "more" if effect.difference >= 0.0 else "less"
    settled = effect.low > 0.0 or effect.high < 0.0
    return (
        f"{arm_words(effect.arm)}, over the whole study: {reward(abs(effect.difference), size)} {more} than after "
        f"nothing was sent (95 % confidence interval {reward(effect.low, size)} to {reward(effect.high, size)}; "
        f"{effect.sendings:,} sendings and {effect.rests:,} rests)."
        f"{'' if settled else ' Whether sending is better or worse is left open.'}"
    )
