"""The paper's experiment on physical activity: five kinds of messages, and the steps of the day after.  [Sec. 5.4]"""

from __future__ import annotations

from rogue_bandits.estimate.ladder.points import LOSING
from rogue_bandits.estimate.notes import arm_words
from rogue_bandits.experiments.experiment import Description, Experiment, Unit
from rogue_bandits.experiments.health.cohort import STEPS, drawn
from rogue_bandits.experiments.health.deployment import deployment
from rogue_bandits.experiments.health.fitted import cohort_notes, fitted_people
from rogue_bandits.experiments.health.sensitivity import sensitivity
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.types import Truth

THOUSAND = 1_000.0
FAMILY_WORDS = {"zero-inflated": "normal rewards with the means of zero-inflated ones, which no arm has"}


def truths(settings: HealthSettings) -> list[Truth]:
    """Return the people to simulate, drawn or fitted."""
    return drawn(settings) if settings.cohort is None else fitted_people(settings.cohort).truths


def notes(settings: HealthSettings) -> list[str]:
    """Return notes for the reader about the people."""
    if settings.cohort is not None:
        return cohort_notes(fitted_people(settings.cohort))
    return [
        "The people are not real and neither are their steps. They are drawn from distributions that match what was "
        "published about the trial, as far as possible (docs/health.md)."
    ]


def unit(settings: HealthSettings) -> Unit:
    """Return thousands of steps, or the unit of the fitted people's rewards."""
    if settings.cohort is None:
        return Unit(STEPS / THOUSAND, "steps", "thousand", "a day")
    people = fitted_people(settings.cohort)
    if people.scale < THOUSAND:
        return Unit(people.scale, people.reward)
    return Unit(people.scale / THOUSAND, people.reward, "thousand")


def described(settings: HealthSettings) -> Description | None:
    """Return the title and first paragraph for people of a file: what is taken as true here, and what was fitted."""
    if settings.cohort is None:
        return None
    people = fitted_people(settings.cohort)
    wearing = [arm_words(arm) for arm, rung in people.rungs.items() if rung in LOSING and arm not in people.rising]
    verdict = (
        f"By the fit {', '.join(wearing)} {'wears' if len(wearing) == 1 else 'wear'} out."
        if wearing
        else "By the fit nothing that is sent wears out: there is nothing to plan for, and policies differ in how fast "
        "they find each person's best arm."
    )
    fades = [arm_words(arm) for arm, rung in people.rungs.items() if rung == "fade"]
    held = f" Where time changes the reward ({', '.join(fades)}), it stays as it was at the end." if fades else ""
    about = (
        "What is true here is what was fitted. Nobody in this simulation took part in a study: the "
        f"{len(people.truths)} people are copies of what “rogue fit” estimated from {people.file} (posterior medians "
        f"of each person's numbers, {FAMILY_WORDS.get(people.family, people.family + ' rewards')}), and their "
        f"{people.reward} is drawn from these models.{held} "
        "Policies with a model of wear-out are given the true parameters of these people, which no study can know; in "
        "the column “learned online” they have to learn all of them. Neither is what would have happened to the people "
        "of the data."
    )
    return Description(f"Policies on simulated people, fitted to {people.file}", f"{about} {verdict}")


EXPERIMENT = Experiment(
    name="health",
    title="The experiment on physical activity",
    about=(
        "Each day a policy sends each person a message of one of several kinds, and then sees how many steps they "
        "walk. A kind of message wears out each time it is sent and recovers while it rests, at a speed that differs "
        "between people. The policy sees only the steps, and must find out which kind works best at the moment."
    ),
    settings=HealthSettings,
    truths=truths,
    unit=unit,
    notes=notes,
    options={"people": int, "cohort_seed": int, "people_as_of": str, "deployed": int, "cohort": str},
    plan_gap=0.05,
    sensitivity=sensitivity,
    deployment=deployment,
    described=described,
)
