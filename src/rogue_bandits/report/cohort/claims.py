"""What the data support for an arm, and how surely."""

from __future__ import annotations

from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, WEAR_OUT
from rogue_bandits.estimate.ladder.points import LOSING, falls_for_an_open_cause, gains_by_sending
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.estimate.other_explanations import NO_OTHER_EXPLANATION, OtherExplanations
from rogue_bandits.report.cohort.words import chance

NAMES = {
    CONSTANT: "a constant level for each person",
    FADE: "a fade over the study",
    WEAR_OUT: "wear-out without recovery",
    RECOVERY: "wear-out with recovery",
}
SHORT = {CONSTANT: "constant", FADE: "fade over the study", WEAR_OUT: "wear-out", RECOVERY: "wear-out and recovery"}
LEVELS_OFF = "wear-out that levels off"  # a fitted recovery that no rest has shown
UNDECIDED = "fade or wear-out"  # which the data do not tell apart
RISES, RISES_IN_TIME = "rises with sendings", "rise over the study"  # in models that are named after a fall
SUGGESTIVE = 0.9  # probability of a decline, from which a constant that is not clearly beaten is called unsettled
SHOWN, LIKELY = 0.95, 0.8  # probabilities from which wear-out, or that sending is better, is called shown, and likely
WEARS = {
    RECOVERY: " and recover{s}",
    WEAR_OUT: ", and no recovery is seen",
    LEVELS_OFF: ", and the fall levels off",
}  # ends of what is said of arms that wear out


def wears_out(ladder: ArmLadder) -> bool:
    """Return whether the data show a loss by sendings, in a model that reproduces the rewards."""
    loses = ladder.rung in LOSING and not gains_by_sending(ladder)
    return ladder.check.holds and loses and not ladder.fade_or_wear_out


def rises(ladder: ArmLadder) -> bool:
    """Return whether the data show a gain by sendings, in a model that reproduces the rewards."""
    return ladder.check.holds and gains_by_sending(ladder) and not ladder.fade_or_wear_out


def declines(ladder: ArmLadder) -> bool:
    """Return whether rewards fall for an open cause, in a model that reproduces them."""
    return ladder.check.holds and falls_for_an_open_cause(ladder)


def fades(ladder: ArmLadder) -> bool:
    """Return whether rewards fall with time, whatever was sent."""
    return (
        ladder.check.holds and ladder.rung == FADE and not ladder.fade_or_wear_out and ladder.worn[1] < ladder.fresh[1]
    )


def decline(ladder: ArmLadder) -> float:
    """Return the probability that rewards fall, for whatever reason."""
    return 1.0 - ladder.probability[CONSTANT] - ladder.probability["gain"]


def unsettled(ladder: ArmLadder) -> bool:
    """Return whether a constant was chosen although a decline is likely."""
    return ladder.rung == CONSTANT and decline(ladder) > SUGGESTIVE


def likely_all_the_same(ladder: ArmLadder, other: OtherExplanations = NO_OTHER_EXPLANATION) -> bool:
    """Return whether rewards fall with time or with the sendings, and wear-out is likely though that is not settled.

    The two are compared by predictions, and without recovery; the probability is that of wear-out of both kinds. Of an
    arm that was sent at regular steps it says nothing: a fall with time that levels off is not among the models.
    """
    return declines(ladder) and other == NO_OTHER_EXPLANATION and wear_out_probability(ladder) >= LIKELY


def supported(ladder: ArmLadder, other: OtherExplanations = NO_OTHER_EXPLANATION) -> str:
    """Return what the data support for an arm, in a few words."""
    if wears_out(ladder):
        return f"{LEVELS_OFF if other.step else SHORT[ladder.rung]}{', in doubt' if other.after else ''}"
    if rises(ladder):
        return RISES
    if ladder.rung != CONSTANT and ladder.worn[1] > ladder.fresh[1]:
        return RISES_IN_TIME
    return UNDECIDED if ladder.fade_or_wear_out else SHORT[ladder.rung]


def wear_out_probability(ladder: ArmLadder) -> float:
    """Return the probability that sendings wear an arm out, with recovery or without."""
    return ladder.probability[WEAR_OUT] + ladder.probability[RECOVERY]


def hedge(ladder: ArmLadder, other: OtherExplanations = NO_OTHER_EXPLANATION) -> str:
    """Return the word that a claim of wear-out needs by its probability: none, 'probably' or 'may'.

    Probabilities are those of models in which sendings do not follow rewards: where they do, none is high enough.
    """
    sure = wear_out_probability(ladder)
    return "may" if other.after or sure < LIKELY else "probably" if sure < SHOWN else ""


def wears_words(kind: str, how: str, arms: int) -> str:
    """Return the verb of arms that wear out.

    >>> wears_words(RECOVERY, "", 1), wears_words(RECOVERY, "may", 1), wears_words(WEAR_OUT, "probably", 2)
    ('wears out and recovers', 'may wear out and recover', 'probably wear out, and no recovery is seen')
    """
    s = "s" if arms == 1 and how != "may" else ""
    return f"{how} wear{s} out{WEARS[kind].format(s=s)}".lstrip()


def is_better(beats: float, sending: str, waiting: str) -> str:
    """Return whether sending is better than waiting, with the probability that it is, as a clause without a full stop.

    >>> is_better(0.97, "sending walk", "waiting")
    'sending walk is better than waiting with probability 0.97'
    >>> is_better(0.18, "sending walk", "waiting")
    'it is likely, but not settled, that waiting is better than sending walk: probability 0.82'
    >>> is_better(0.6, "sending walk", "waiting")
    'the data do not say whether to send: sending walk is better than waiting with probability 0.60'
    """
    better = f"{sending} is better than {waiting}"
    if max(beats, 1.0 - beats) < LIKELY:
        return f"the data do not say whether to send: {better} with probability {chance(beats)}"
    if beats < 0.5:
        beats, better = 1.0 - beats, f"{waiting} is better than {sending}"
    if beats < SHOWN:
        return f"it is likely, but not settled, that {better}: probability {chance(beats)}"
    return f"{better} with probability {chance(beats)}"


def not_shown(after: str, arms: int, what: str = "wear-out") -> str:
    """Return the clause on arms that were sent more often after low or high rewards; nothing for others.

    >>> not_shown("low", 1)
    ', which is not shown: it was sent more often after low rewards, and that alone can look like wear-out'
    """
    if not after:
        return ""
    sent = "it was" if arms == 1 else "they were"
    return f", which is not shown: {sent} sent more often after {after} rewards, and that alone can look like {what}"
