"""What is reported of a fitted arm: the chosen rung, and draws over all that it may be."""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.ladder.arm import DrawnArm, compare_arm, draw_arm
from rogue_bandits.estimate.ladder.averaging import averaged
from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, WEAR_OUT, Candidate, Ladder, difference
from rogue_bandits.estimate.ladder.cost import cost_of_average, cost_of_each
from rogue_bandits.estimate.ladder.panel import Panel
from rogue_bandits.estimate.ladder.people_draws import PeopleDraws
from rogue_bandits.estimate.ladder.result import ArmLadder, Compared
from rogue_bandits.estimate.ladder.summary import (
    NOW,
    cap_interval,
    course_of,
    effects_of,
    half_life_of,
    people_of,
    quantiles,
    rewards_at,
)
from rogue_bandits.estimate.ladder.task import ArmTask


def fit_arm(task: ArmTask) -> ArmLadder:
    """Fit the ladder of an arm by itself."""
    arm = draw_arm(task, compare_arm(task))
    return report_arm(arm, averaged([arm], [arm])[0])


def report_arm(arm: DrawnArm, draws: PeopleDraws, silence: PeopleDraws | None = None) -> ArmLadder:
    """Return what is reported of an arm, with draws over its rungs, beside those of silence if that was observed."""
    task, ladder, panel, posterior = arm[:4]
    fresh, worn, after_one, _ = rewards_at(posterior, panel, task)
    cost = fresh - after_one
    return ArmLadder(
        people=panel.people,
        rewards=panel.person.size,
        compared=compared(ladder, panel),
        rungs={rung: candidate.pool for rung, candidate in ladder.pools.items()},
        rung=ladder.chosen.rung,
        pool=ladder.chosen.pool,
        fade_beaten_by=above_fade(ladder, panel),
        fade_or_wear_out=undecided(ladder, panel),
        probability=arm.probability,
        fresh=quantiles(fresh.mean(1)),
        worn=quantiles(worn.mean(1)),
        drop=cost_of_average(posterior, task, cost),
        half_life=half_life_of(posterior, panel),
        cap=cap_interval(posterior, panel),
        floor_by=[] if arm.floor_by is None else [arm.floor_by.by, arm.floor_by.error],
        now=np.quantile(draws.now.mean(1), NOW).tolist(),
        course=course_of(posterior, panel, task),
        check=arm.check,
        population=arm.population,
        effects=effects_of(posterior, panel, task),
        effect_draws=draws.stored_effects(),
        draw_rungs=draws.stored_rungs(),
        parts=[[part.shift, part.scale] for part in posterior.fit.parts],
        persons=people_of(posterior, panel, task, fresh, worn, cost_of_each(posterior, task, cost), draws),
        harm=None if silence is None else harm_of(draws, silence),
    )


def harm_of(arm: PeopleDraws, silence: PeopleDraws) -> float | None:
    """Return the probability that the worn level is below that of silence; None if nobody has both.

    The levels are those of the people who have both: who was left in silence may be no fair sample of all. Both are
    averaged over the rungs: where rewards fall with time, an arm at the end of the study must not be compared with
    silence on average because the fall of silence, with fewer rewards, is not clear.
    """
    both = [name for name in arm.names if name in silence.names]
    if not both:
        return None
    mine, theirs = ([one.names.index(name) for name in both] for one in (arm, silence))
    above = arm.worn[:, mine].mean(1) - silence.worn[:, theirs].mean(1)
    equal = np.abs(above) <= 1e-9 * np.abs(arm.worn).max()  # of equal levels either may be called the lower one
    return float(np.where(equal, 0.5, above < 0.0).mean())


def above_fade(ladder: Ladder, panel: Panel) -> list[float]:
    """Return by how much the chosen rung predicts better than a fade, and the error; empty if not clearly so."""
    if FADE not in ladder.pools or ladder.chosen.rung in (CONSTANT, FADE):
        return []
    found = difference(ladder.held_out[ladder.chosen], ladder.held_out[ladder.pools[FADE]], panel)
    return [found.by, found.error] if found.clear else []


def undecided(ladder: Ladder, panel: Panel) -> list[float]:
    """Return by how much wear-out without recovery is above a fade, and the error; empty if that is settled.

    Where sendings are spread evenly over the study, their number and time go together: rewards fall, and nothing in the
    data says with which of the two.
    """
    if ladder.chosen.rung not in (FADE, WEAR_OUT) or WEAR_OUT not in ladder.pools:
        return []
    time, sendings = (ladder.held_out[ladder.pools[rung]] for rung in (FADE, WEAR_OUT))
    if difference(time, sendings, panel).clear or difference(sendings, time, panel).clear:
        return []
    found = difference(sendings, time, panel)
    return [found.by, found.error]


def compared(ladder: Ladder, panel: Panel) -> list[Compared]:
    """Return the table of candidates."""
    constant = ladder.held_out[Candidate(CONSTANT)]
    rows = []
    for candidate, values in ladder.held_out.items():
        d = difference(values, constant, panel)
        rows.append(Compared(candidate.rung, candidate.pool, float(values.mean()), d.by, d.error))
    return rows
