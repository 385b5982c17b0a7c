"""Whether an arm may do worse than sending nothing."""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.estimate.notes import arm_words
from rogue_bandits.estimate.other_explanations import NO_OTHER_EXPLANATION, OtherExplanations, other_explanations
from rogue_bandits.report.cohort.claims import decline, not_shown, rises, wears_out
from rogue_bandits.report.cohort.randomised import sending_effects
from rogue_bandits.report.cohort.words import MISFIT, arms_listed, chance, reward
from rogue_bandits.wording import counted

MOST = 0.9  # of the people: if so many have both, the means are those of all, as the table of arms has them
LIKELY = 0.95  # probability of harm, from which it is called probable; below 1 - LIKELY there is no sign of it


def harm(people: People) -> list[str]:
    """Return the arms that may do worse than sending nothing."""
    silence, size = people.fitted.silence, people.size()
    if silence is None:
        seen = people.cohort.baseline().size > 0
        why = "What follows a rest could not be estimated" if seen else "Rewards that follow a rest were not observed"
        return [f"{why}: whether an arm is worse than sending nothing cannot be said."]
    if not silence.check.holds:
        return [f"For what follows a rest {MISFIT}: whether an arm is worse than sending nothing cannot be said."]
    arms = {arm: ladder for arm, ladder in people.fitted.arms.items() if ladder.check.holds}
    likely = [arm for arm, ladder in arms.items() if ladder.harm is not None and ladder.harm > LIKELY]
    open_ = [arm for arm, ladder in arms.items() if ladder.harm is not None and 1.0 - LIKELY <= ladder.harm <= LIKELY]
    words = [harm_words(arm, ladder, silence, size) for arm, ladder in arms.items() if ladder.harm is not None]
    if likely:
        first = _probable(likely, arms, other_explanations(people))
    elif open_:
        verb = "is" if len(open_) == 1 else "are"
        first = f"Whether {arms_listed(open_)} {verb} worse than sending nothing is not settled by these data."
    else:
        first = "No arm is likely to be worse than sending nothing."
    return [first, *words, *sending_effects(people)]


def _probable(likely: list[str], arms: dict[str, ArmLadder], explanations: dict[str, OtherExplanations]) -> str:
    """Return which arms are worse by their probabilities; not so surely where sendings followed rewards."""
    claims = []
    for after in ("", "low", "high"):
        names = [arm for arm in likely if explanations.get(arm, NO_OTHER_EXPLANATION).after == after]
        if names:
            worn = "When most worn, " if any(wears_out(arms[arm]) for arm in names) else ""
            verb = "may be" if after else "is probably" if len(names) == 1 else "are probably"
            hedged = not_shown(after, len(names), "this")
            claims.append(f"{worn}{arms_listed(names)} {verb} worse than sending nothing{hedged}. ")
    return (
        f"{''.join(claims)}Rests may follow from circumstances that also change the reward: only where chance decided "
        "is this an effect."
    )


def harm_words(arm: str, ladder: ArmLadder, silence: ArmLadder, size: float) -> str:
    """Return the probability that an arm is worse than silence, with the mean rewards of the people who have both."""
    both = [name for name in ladder.persons if name in silence.persons]
    sent, quiet = ladder.worn[1], silence.worn[1]
    who = f"{counted(len(both), 'person has', 'people have')} both"
    if len(both) < MOST * max(ladder.people, silence.people):  # means of all people would compare different people
        sent, quiet = (float(np.mean([one.persons[name].worn[1] for name in both])) for one in (ladder, silence))
        who = f"of the {'person' if len(both) == 1 else f'{len(both):,} people'} with rewards of both"
    if ladder.rung == CONSTANT and decline(ladder) > 1.0 - LIKELY:
        return (
            f"{arm_words(arm)}: probability {chance(ladder.harm or 0.0)} that its reward at the end, or when most "
            "worn, is below that after sending nothing: this allows for declines that the data do not show. Over the "
            f"study its mean is {reward(sent, size)}, and that after sending nothing {reward(quiet, size)} ({who})."
        )
    return (
        f"{arm_words(arm)}: probability {chance(ladder.harm or 0.0)} that its reward{when_compared(ladder)} "
        f"({reward(sent, size)}) is below that after sending nothing ({reward(quiet, size)}"
        f"{' at the end' if silence.rung == FADE else ''}; {who})."
    )


def when_compared(ladder: ArmLadder) -> str:
    """Return when an arm has the reward that is compared with silence; nothing for a constant."""
    if wears_out(ladder):
        return " when most worn"
    return " after most sendings" if rises(ladder) else " at the end" if ladder.rung != CONSTANT else ""
