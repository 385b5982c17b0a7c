"""What the ladder found, in sentences, the same in the terminal and in the report."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Container, Iterator

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, SHARED, WEAR_OUT
from rogue_bandits.estimate.ladder.points import LOSING, gains_by_sending
from rogue_bandits.estimate.ladder.result import ArmLadder, Compared
from rogue_bandits.estimate.notes import arm_words, count
from rogue_bandits.estimate.rests import rhythm, unseen_recoveries
from rogue_bandits.report.cohort.margins import margin, needed

NAMES = {
    CONSTANT: "a constant level for each person",
    FADE: "a fade over the study",
    WEAR_OUT: "wear-out without recovery",
    RECOVERY: "wear-out with recovery",
}
SHORT = {CONSTANT: "constant", FADE: "fade over the study", WEAR_OUT: "wear-out", RECOVERY: "wear-out and recovery"}
LEVELS_OFF = "wear-out that levels off"  # a fitted recovery that no rest has shown
UNDECIDED = "fade or wear-out"  # which the data do not tell apart
A_RISE = "a rise with sendings"
RISES, RISES_IN_TIME = "rises with sendings", "rise over the study"  # in models that are named after a fall
SUGGESTIVE = 0.9  # probability of a decline, from which a constant that is not clearly beaten is called unsettled
SHOWN, LIKELY = 0.95, 0.8  # probabilities of wear-out from which it is called shown, and likely
WIDTHS = 25.0  # of an interval: a range of rewards that is larger does not decide how many digits are shown
LONGEST_NAME = 18  # characters of an arm in a line of the terminal
SMALL = 0.1  # of the range of rewards: a cost below has a digit more
NOTHING = "(nothing sent)"  # the row of silence
MISFIT = "no model here reproduces the rewards"


def reward(value: float, scale: float) -> str:
    """Return a reward on the user's scale, in about three digits.

    >>> reward(1234.5, 14_000), reward(0.12345, 1.0)
    ('1,234', '0.123')
    """
    return f"{value:,.{max(0, 3 - math.ceil(math.log10(scale)))}f}".replace("-", "−")


def with_ends(quantiles: list[float], scale: float) -> str:
    """Return a median with its credible interval, in as many digits as a narrow interval needs.

    >>> with_ends([1.0, 2.0, 4.0], 1.0), with_ends([2.33, 2.42, 2.51], 12.0)
    ('2.000 (1.000 to 4.000)', '2.42 (2.33 to 2.51)')
    """
    if not quantiles:
        return "–"
    low, middle, high = quantiles[0], quantiles[len(quantiles) // 2], quantiles[-1]
    finer = min(scale, WIDTHS * (high - low)) if high > low else scale
    return f"{reward(middle, finer)} ({reward(low, finer)} to {reward(high, finer)})"


def decisions(quantiles: list[float]) -> str:
    """Return a half-life with its credible interval.

    >>> decisions([1.5, 3.0, math.inf])
    '3.0 decisions (1.5 to no end in sight)'
    """
    low, middle, high = (f"{x:,.1f}" if x < 99.5 else f"{x:,.0f}" if math.isfinite(x) else "" for x in quantiles)
    return f"{middle or 'more'} decisions ({low or 'more'} to {high or 'no end in sight'})"


def verdicts(people: People) -> Iterator[str]:
    """Yield the verdict on the cohort, then one sentence for each arm."""
    arms = people.fitted.arms
    if not arms:
        yield "This file was written before models were compared: `rogue fit` writes it anew."
        return
    size = people.size()
    unseen = unseen_recoveries(people)
    yield overall(arms, size, unseen)
    for arm, ladder in arms.items():
        yield f"{arm_words(arm)}: {verdict(ladder, size, unseen.get(arm, 0))}"


def wears_out(ladder: ArmLadder) -> bool:
    """Return whether the data show a loss by sendings, in a model that reproduces the rewards."""
    loses = ladder.rung in LOSING and not gains_by_sending(ladder)
    return ladder.check.holds and loses and not ladder.fade_or_wear_out


def rises(ladder: ArmLadder) -> bool:
    """Return whether the data show a gain by sendings, in a model that reproduces the rewards."""
    return ladder.check.holds and gains_by_sending(ladder) and not ladder.fade_or_wear_out


def supported(ladder: ArmLadder, step: int = 0) -> str:
    """Return what the data support for an arm, in a few words; `step` as in `verdict`."""
    if step:
        return LEVELS_OFF
    if rises(ladder):
        return RISES
    if ladder.rung != CONSTANT and ladder.worn[1] > ladder.fresh[1]:
        return RISES_IN_TIME
    return UNDECIDED if ladder.fade_or_wear_out else SHORT[ladder.rung]


def declines(ladder: ArmLadder) -> bool:
    """Return whether rewards fall, and the data do not tell whether with time or with the sendings."""
    return ladder.check.holds and bool(ladder.fade_or_wear_out) and ladder.worn[1] < ladder.fresh[1]


def fades(ladder: ArmLadder) -> bool:
    """Return whether rewards fall with time, whatever was sent."""
    return (
        ladder.check.holds and ladder.rung == FADE and not ladder.fade_or_wear_out and ladder.worn[1] < ladder.fresh[1]
    )


def overall(arms: dict[str, ArmLadder], size: float, unseen: Container[str] = ()) -> str:
    """Return the first sentence of the report; of `unseen` arms no rest has shown the recovery."""
    wearing = [arm for arm, ladder in arms.items() if wears_out(ladder)]
    misfit = [arm for arm, ladder in arms.items() if not ladder.check.holds]
    rest = [arm for arm in arms if arm not in wearing and arm not in misfit]
    poor = f" For {arms_listed(misfit)} {MISFIT}, and nothing is concluded." if misfit else ""
    if not wearing:
        if not rest:
            return f"Nothing can be concluded: {MISFIT}."
        if falling := [arm for arm in rest if declines(arms[arm])]:
            others = [arm for arm in rest if arm not in falling]
            timed = [arm for arm in others if fades(arms[arm])]
            rising = [arm for arm in others if rises(arms[arm])]
            still = [arm for arm in others if arm not in (*timed, *rising)]
            more = f" Those of {arms_listed(timed)} fall with time." if timed else ""
            more += f" Those of {arms_listed(rising)} rise with sendings." if rising else ""
            more += f" Wear-out is not shown for {arms_listed(still)}." if still else ""
            return (
                f"The data show that rewards of {arms_listed(falling)} fall over the study, and do not settle whether "
                f"with time or with the sendings.{more}{poor}"
            )
        if all(arms[arm].rung == CONSTANT for arm in rest):
            beaten = (
                "is not clearly beaten" if any(unsettled(arms[arm]) for arm in rest) else "predicts new rewards as well"
            )
            each = "" if all(ladder.people == 1 for ladder in arms.values()) else " for each person"
            return f"The data do not show wear-out: a constant level{each} {beaten}.{poor}"
        timed = [arm for arm in rest if fades(arms[arm])]
        fall = f" Rewards of {arms_listed(timed)} fall over the study, with time." if timed else ""
        rising = [arm for arm in rest if rises(arms[arm])]
        other = (
            f"rewards of {arms_listed(rising)} rise with sendings"
            if rising
            else "time or a constant explains the rewards as well as sendings do"
        )
        return f"The data do not show wear-out: {other}.{fall}{poor}"
    parts = wearing_parts(wearing, arms, size, unseen)
    if falling := [arm for arm in rest if declines(arms[arm])]:
        fall = "falls" if len(falling) == 1 else "fall"
        parts.append(
            f"{arms_listed(falling)} {fall} over the study, with time or with the sendings, which is not settled"
        )
    if timed := [arm for arm in rest if fades(arms[arm])]:
        parts.append(f"{arms_listed(timed)} {'falls' if len(timed) == 1 else 'fall'} over the study, with time")
    if rising := [arm for arm in rest if rises(arms[arm])]:
        parts.append(f"rewards of {arms_listed(rising)} rise with sendings")
    if others := [arm for arm in rest if arm not in (*falling, *timed, *rising)]:
        parts.append(f"wear-out is not shown for {arms_listed(others)}")
    stem = "show" if any(wear_out_probability(arms[arm]) >= SHOWN for arm in wearing) else "suggest"
    return f"The data {stem} that {'; '.join(parts)}.{poor}"


def wearing_parts(
    wearing: list[str], arms: dict[str, ArmLadder], size: float, unseen: Container[str] = ()
) -> list[str]:
    """Return what is said of arms that wear out: those alike in what is claimed, and how surely, in one clause."""
    claims = {arm: (hedge(arms[arm]), LEVELS_OFF if arm in unseen else arms[arm].rung) for arm in wearing}
    every = [(how, kind) for how in ("", "probably", "may") for kind in WEARS]
    alike = {claim: [arm for arm in wearing if claims[arm] == claim] for claim in every}
    return [
        f"{arms_listed(names)} {wears_words(kind, how, len(names))} ({cost_of(names, arms, size)})"
        for (how, kind), names in alike.items()
        if names
    ]


def wear_out_probability(ladder: ArmLadder) -> float:
    """Return the probability that sendings wear an arm out, with recovery or without."""
    return ladder.probability[WEAR_OUT] + ladder.probability[RECOVERY]


def hedge(ladder: ArmLadder) -> str:
    """Return the word that a claim of wear-out needs by its probability: none, 'probably' or 'may'."""
    sure = wear_out_probability(ladder)
    return "" if sure >= SHOWN else "probably" if sure >= LIKELY else "may"


WEARS = {
    RECOVERY: " and recover{s}",
    WEAR_OUT: ", and no recovery is seen",
    LEVELS_OFF: ", and the fall levels off",
}  # ends of what is said of arms that wear out


def wears_words(kind: str, how: str, arms: int) -> str:
    """Return the verb of arms that wear out.

    >>> wears_words(RECOVERY, "", 1), wears_words(RECOVERY, "may", 1), wears_words(WEAR_OUT, "probably", 2)
    ('wears out and recovers', 'may wear out and recover', 'probably wear out, and no recovery is seen')
    """
    s = "s" if arms == 1 and how != "may" else ""
    return f"{how} wear{s} out{WEARS[kind].format(s=s)}".lstrip()


def cost_scale(ladder: ArmLadder, size: float) -> float:
    """Return the scale by which costs are rounded: they have a digit more than rewards if they are small."""
    return size if abs(ladder.drop[1]) >= SMALL * size else SMALL * size


def cost_of(names: list[str], arms: dict[str, ArmLadder], size: float) -> str:
    """Return what one sending costs, and the probability of wear-out."""
    costs = listed([reward(arms[name].drop[1], cost_scale(arms[name], size)) for name in names])
    sure = listed([chance(wear_out_probability(arms[name])) for name in names])
    return f"by {costs} a sending; probability {sure}"


def listed(names: list[str]) -> str:
    """Return names as a list in words.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def in_lines(name: str, most: int) -> str:
    """Return a name in lines of so many characters, broken at spaces and after underscores where there are some.

    >>> in_lines("mean minutes_of_activity_outside", 20).splitlines()
    ['mean minutes_of_', 'activity_outside']
    """
    return textwrap.fill(name.replace("_", "_ "), most).replace("_ ", "_")


def arms_listed(names: list[str]) -> str:
    """Return arms as a list in words.

    >>> arms_listed(["walk", "2"])
    'walk and arm 2'
    """
    return listed([arm_words(name) for name in names])


def verdict(ladder: ArmLadder, size: float, step: int = 0) -> str:
    """Return what the data support for an arm, by how much and how sure.

    `step` is the number of decisions from one sending to the next where no rest of another length shows recovery.
    """
    if not ladder.check.holds:
        observed, drawn = ladder.check[0:3:2], ladder.check[1:4:2]
        return (
            f"{MISFIT} (observed mean {reward(observed[0], size)} and standard deviation {reward(observed[1], size)}; "
            f"the model's {reward(drawn[0], size)} and {reward(drawn[1], size)}). Nothing is concluded."
        )
    if step:
        return _levels_off(ladder, size, step)
    return {CONSTANT: _constant, FADE: _fade, WEAR_OUT: _wear_out, RECOVERY: _wear_out}[ladder.rung](ladder, size)


def chance(probability: float) -> str:
    """Return a probability, never as a certainty.

    >>> chance(0.5), chance(0.999), chance(0.0)
    ('0.50', '>0.99', '<0.01')
    """
    return ">0.99" if probability > 0.99 else "<0.01" if probability < 0.01 else f"{probability:.2f}"


def compared_with(ladder: ArmLadder, rung: str) -> Compared:
    """Return the row of a rung, with the pooling that was chosen for it."""
    return next(row for row in ladder.compared if (row.rung, row.pool) == (rung, ladder.rungs[rung]))


def _constant(ladder: ArmLadder, size: float) -> str:
    best = max((row for row in ladder.compared if row.rung != CONSTANT), key=lambda row: row.by)
    slopes = "" if best.pool == SHARED or ladder.people == 1 else f", slopes {best.pool}"
    rising = best.rung in LOSING and ladder.probability["gain"] > wear_out_probability(ladder)
    named = f"{A_RISE if rising else NAMES[best.rung]}{slopes}: {margin(best.by, best.error)}"
    level = f"{with_ends(ladder.fresh, size)}{'' if ladder.people == 1 else ' for the average person'}"
    words = (
        f"wear-out is not shown. No alternative clearly predicts new rewards better than a constant level of {level} "
        f"(the best, {named})."
    )
    if best.by > needed(ladder) * best.error:  # poolings are chosen first
        words = (
            f"wear-out is not shown: a constant level of {level} is chosen. The best alternative ({named}) predicts "
            "new rewards better than that, and not clearly better than the same with slopes that people share more of."
        )
    if unsettled(ladder):
        words += f" Some decline is likely all the same (probability {chance(decline(ladder))}): more data would tell."
    return words


def decline(ladder: ArmLadder) -> float:
    """Return the probability that rewards fall, for whatever reason."""
    return 1.0 - ladder.probability[CONSTANT] - ladder.probability["gain"]


def unsettled(ladder: ArmLadder) -> bool:
    """Return whether a constant was chosen although a decline is likely."""
    return ladder.rung == CONSTANT and decline(ladder) > SUGGESTIVE


def _fade(ladder: ArmLadder, size: float) -> str:
    row = compared_with(ladder, ladder.rung)
    change = "falls" if ladder.worn[1] < ladder.fresh[1] else "rises"
    if ladder.fade_or_wear_out:
        start = f"the reward {change} over the study"
        cause = (
            "Whether that comes with time or with the sendings is not settled: neither predicts new rewards clearly "
            f"better (wear-out without recovery against a fade: {margin(*ladder.fade_or_wear_out)})."
        )
    else:
        start = f"wear-out is not shown. The reward {change} over the study"
        cause = "Time explains that better than sendings do."
    return (
        f"{start}, from {with_ends(ladder.fresh, size)} to {with_ends(ladder.worn, size)} (better than a constant: "
        f"{margin(row.by, row.error)}). {cause}"
    )


def _wear_out(ladder: ArmLadder, size: float) -> str:
    if ladder.fade_or_wear_out:
        return _fade(ladder, size)
    how = _better_than_others(ladder)
    if gains_by_sending(ladder):
        return f"the reward rises with sendings; wear-out is not shown. {how}"
    start = _claim_and_cost(ladder, ladder.rung, size)
    if ladder.rung == RECOVERY:
        return f"{start}, half of which is back after {decisions(ladder.half_life)}. {_floor(ladder)}{how}"
    return f"{start}. {how}"


def _floor(ladder: ArmLadder) -> str:
    if not ladder.cap:
        return ""
    low, middle, high = (f"{x:.2g}" for x in ladder.cap)
    return (
        f"The loss has a floor: it does not grow beyond that of about {middle} sendings in a row "
        f"({low} to {high}; better than without a floor: {margin(*ladder.floor_by)}). "
    )


def _levels_off(ladder: ArmLadder, size: float, step: int) -> str:
    start = _claim_and_cost(ladder, LEVELS_OFF, size)
    return (
        f"{start} at first. {_better_than_others(ladder)} Whether it recovers was not seen: it was sent {rhythm(step)}."
    )


def _claim_and_cost(ladder: ArmLadder, kind: str, size: float) -> str:
    claim = f"it {wears_words(kind, hedge(ladder), 1)}"
    if hedge(ladder):
        claim += f" (probability of wear-out {chance(wear_out_probability(ladder))})"
    return f"{claim}. One sending lowers the mean reward by {with_ends(ladder.drop, cost_scale(ladder, size))}"


def _better_than_others(ladder: ArmLadder) -> str:
    row = compared_with(ladder, ladder.rung)
    fade = f"; than a fade over the study: {margin(*ladder.fade_beaten_by)}" if ladder.fade_beaten_by else ""
    return f"This predicts new rewards better than a constant ({margin(row.by, row.error)}{fade})."


def pooling(ladder: ArmLadder) -> str:
    """Return what people share, in words; nothing if there is one person only."""
    shared = {
        "shared": "rewards of all people change alike, from levels of their own",
        "partial": "people differ in how their rewards change, around an average",
        "own": "rewards of each person change in a way of their own",
    }
    gain = "; it is the one of wear-out, with a gain by each sending in place of a loss" if rises(ladder) else ""
    return "" if ladder.rung == CONSTANT or ladder.people == 1 else f"{shared[ladder.pool]}{gain}"


def people_counted(people: People) -> str:
    """Return how many people, arms and rewards there are."""
    n = sum(ladder.rewards for ladder in people.fitted.arms.values())
    return (
        f"{count(len(people.cohort.people), 'person', 'people')}, "
        f"{count(len(people.cohort.arms), 'arm', 'arms')}, {n:,} rewards"
    )
