"""What a safety board needs from the data: missing rewards, dropout, balance of randomisation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.history import WARNING, Cohort
from rogue_bandits.estimate.ladder.compare import FEW_PEOPLE
from rogue_bandits.estimate.ladder.evidence import PRIOR_EFFECT
from rogue_bandits.estimate.ladder.families import family_of
from rogue_bandits.estimate.ladder.floor import CAPS, LEAST_ERRORS, LEAST_RATIO
from rogue_bandits.estimate.ladder.half_lives import NEVER
from rogue_bandits.estimate.ladder.laws import has_noise
from rogue_bandits.estimate.ladder.panel import FOLDS, SHORTEST
from rogue_bandits.estimate.notes import arm_words
from rogue_bandits.numerics.chi_squared import chi_squared_cdf
from rogue_bandits.report.cohort.margins import standard_errors
from rogue_bandits.report.cohort.randomised import as_planned
from rogue_bandits.types import Floats, Ints
from rogue_bandits.wording import counted, plain

WEEK, MOST_WEEKS, PARTS = 7, 14, 8
UNLIKELY, VERY_UNLIKELY = 0.05, 0.01  # p-values below which equal proportions are in doubt, or given up
COVARIATE = "Covariate '"  # begins a note that is shown beside the effects of covariates


class Stretches(NamedTuple):
    """The study in stretches of decisions: people still in it, sendings and missing rewards [arms, stretches].

    The last row of both is about decisions at which nothing was sent although it could be.
    """

    edges: list[int]
    present: Ints
    sent: Ints
    missing: Ints
    unavailable: Ints


def stretches_of(cohort: Cohort) -> Stretches:
    """Return counts by stretch, from each person's first decision."""
    longest = max(history.length for history in cohort.people.values())
    width = stretch(cohort.a_week, longest)
    edges = [*range(0, longest, width), longest]
    present = np.zeros(len(edges) - 1, dtype=np.int64)
    sent = np.zeros((len(cohort.arms) + 1, len(edges) - 1), dtype=np.int64)
    missing, unavailable = np.zeros_like(sent), np.zeros_like(present)
    for history in cohort.people.values():
        present += history.length > np.array(edges[:-1])
        at = np.searchsorted(edges, history.at, side="right") - 1
        chosen = history.available | ~history.rests()
        np.add.at(sent, (history.arm[chosen], at[chosen]), 1)
        unseen = chosen & np.isnan(history.reward)
        np.add.at(missing, (history.arm[unseen], at[unseen]), 1)
        np.add.at(unavailable, at[~chosen], 1)
    return Stretches(edges, present, sent, missing, unavailable)


def stretch(a_week: int, longest: int) -> int:
    """Return the decisions of a stretch: weeks as times show them, several if the study is long.

    Without times, seven decisions where these are few, else eighths of the study.

    >>> stretch(21, 105), stretch(7, 365), stretch(0, 42), stretch(0, 200)
    (21, 28, 7, 25)
    """
    if a_week:
        return a_week * -(-longest // (a_week * MOST_WEEKS))
    return WEEK if longest <= WEEK * MOST_WEEKS else -(-longest // PARTS)


def stretch_name(a_week: int, first: int, end: int) -> str:
    """Return which decisions a stretch has, and which weeks these are if that is known.

    >>> stretch_name(21, 21, 42), stretch_name(7, 28, 56), stretch_name(0, 0, 7)
    ('week 2: 21–41', 'weeks 5–8: 28–55', '0–6')
    """
    decisions = f"{first:,}–{end - 1:,}"
    if not a_week:
        return decisions
    one, last = first // a_week + 1, (end - 1) // a_week + 1
    return f"week {one}: {decisions}" if one == last else f"weeks {one}–{last}: {decisions}"


def stretch_table(cohort: Cohort) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows: for each stretch the people in it, and for each arm sendings and missing rewards."""
    s = stretches_of(cohort)
    names = [*(f"{arm}: sent (reward missing)" for arm in cohort.arms), "nothing sent (reward missing)"]
    shown = [k for k in range(len(names)) if k < len(cohort.arms) or s.sent[k].any()]
    absent = ["not available"] if s.unavailable.any() else []
    headings = ["decisions", "people in the study", *(names[k] for k in shown), *absent]
    rows = [
        [stretch_name(cohort.a_week, a, b), f"{s.present[j]:,}",
         *(f"{s.sent[k, j]:,} ({s.missing[k, j]:,})" for k in shown),
         *(f"{s.unavailable[j]:,}" for _ in absent)]
        for j, (a, b) in enumerate(zip(s.edges, s.edges[1:], strict=False))
    ]  # fmt: skip
    every, lost = s.sent.sum(1), s.missing.sum(1)
    total = [f"{every[k]:,} ({lost[k]:,}, {lost[k] / max(every[k], 1):.1%})" for k in shown]
    return headings, [*rows, ["all", f"{len(cohort.people):,}", *total, *(f"{s.unavailable.sum():,}" for _ in absent)]]


def balance(cohort: Cohort) -> list[str]:
    """Return whether arms were sent in the same proportions throughout the study, and the probabilities if known."""
    s = stretches_of(cohort)
    words = []
    sent = s.sent[:-1]
    if len(cohort.arms) > 1 and sent.shape[1] > 1:
        statistic, degrees = homogeneity(sent)
        p = 1.0 - chi_squared_cdf(statistic, degrees) if degrees else 1.0
        words.append(
            f"Over the stretches of the study: {sign_of_change(p)} (χ² = {statistic:.1f} with {degrees} degrees of "
            f"freedom, {p_words(p)})."
        )
    if len(cohort.arms) > 1:
        shares = sent.sum(1) / max(int(sent.sum()), 1)
        each = ", ".join(f"{arm_words(arm)} {x:.1%}" for arm, x in zip(cohort.arms, shares, strict=True))
        words.append(f"Shares of the sendings: {each}.")
    return [*words, *as_planned(cohort)]


def sign_of_change(p: float) -> str:
    """Return what a p-value says of the proportions of arms.

    >>> sign_of_change(0.06)
    'no sign that the proportions of arms changed'
    >>> sign_of_change(0.038), sign_of_change(0.004)
    ('some sign that the proportions of arms changed', 'the proportions of arms changed')
    """
    sign = "no sign that " if p >= UNLIKELY else "some sign that " if p >= VERY_UNLIKELY else ""
    return f"{sign}the proportions of arms changed"


def p_words(p: float) -> str:
    """Return a p-value as journals print it.

    >>> p_words(0.0312), p_words(4e-7)
    ('p = 0.031', 'p < 0.001')
    """
    return f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"


def homogeneity(table: Ints) -> tuple[float, int]:
    """Return the chi-squared statistic of equal proportions in all columns, and its degrees of freedom.

    >>> homogeneity(np.array([[10, 20], [10, 20]]))
    (0.0, 1)
    """
    table = table[table.sum(1) > 0][:, table.sum(0) > 0]
    expected: Floats = np.outer(table.sum(1), table.sum(0)) / max(int(table.sum()), 1)
    return float(((table - expected) ** 2 / expected).sum()), (table.shape[0] - 1) * (table.shape[1] - 1)


def dropout(cohort: Cohort) -> str:
    """Return how many people left before the end."""
    lengths = np.array([history.length for history in cohort.people.values()])
    longest = int(lengths.max())
    if lengths.size == 1:
        return f"One person, with a record of {counted(longest, 'decision')}."
    early = int((lengths < 0.9 * longest).sum())
    return (
        f"{early:,} of {len(cohort.people):,} people stopped early: before nine tenths of the longest record "
        f"({longest:,} decisions)."
    )


def warnings(cohort: Cohort) -> list[str]:
    """Return the notes on what may make an estimate wrong."""
    return [note.removeprefix(WARNING) for note in cohort.notes if note.startswith(WARNING)]


def how_family_was_chosen(people: People) -> str:
    """Return why the rewards are of this family."""
    compared = sorted(people.fitted.scores.items(), key=lambda item: -item[1])
    if len(compared) > 1:
        others = ", ".join(f"{name} −{plain(compared[0][1] - score, 3)}" for name, score in compared[1:])
        return f"chosen by held-out log-likelihood a reward (others: {others})"
    asked = "--family" in people.source.get("command", "")
    return "asked for with --family" if asked else "the only one that suits these rewards"


def choices(people: People) -> list[str]:
    """Return every decision of the analysis."""
    cohort, fitted = people.cohort, people.fitted
    family = family_of(fitted.family)
    noisy = any(has_noise(part.law) for part in family.components(cohort.rewards(), cohort.trials))
    divided = f", divided by {plain(cohort.scale)}" if cohort.scale != 1.0 else ""
    covariates = (
        f"Covariates of the level, with effects that people share: {', '.join(cohort.covariates)}. "
        "Levels are those at the average of the covariates."
        if cohort.covariates
        else ""
    )
    alone = len(cohort.people) == 1
    return [words for words in (
        f"Rewards: column “{cohort.reward}”{divided}. Family: {fitted.family} ({family.words}), "
        f"{how_family_was_chosen(people)}.",
        "" if alone else f"Each person has a level {'and a noise ' if noisy else ''}of their own, shrunk towards "
        f"{'those' if noisy else 'that'} of the others.",
        f"Four models of each arm, compared on held-out rewards, in {FOLDS} blocks of consecutive rewards. Standard "
        "errors are over blocks." if alone else
        f"Four models of each arm, three ways of sharing slopes and half-lives between people; compared on held-out "
        f"rewards, in {FOLDS} blocks of consecutive rewards of each person. Standard errors are over people (over "
        f"blocks if there are fewer than {FEW_PEOPLE} people).",
        f"A model is chosen over a simpler one if it predicts better by more than "
        f"{standard_errors(fitted.arms.values())} standard errors (2 in a large sample, more in a small one).",
        f"The loss of an arm that recovers has a floor if that is {LEAST_RATIO:g} times as likely as none and predicts "
        f"held-out rewards better by more than {counted(int(LEAST_ERRORS), 'standard error')}. Floors "
        f"before the data: the loss by {', '.join(f'{cap:g}' for cap in CAPS)} sendings at once, each as probable.",
        "Larger rewards count as better.",
        f"Before the data: half-lives from {SHORTEST:g} decisions to no end, weighed by how well they can be told "
        f"apart; no recovery at all with probability {NEVER:g}; slopes 0 ± {PRIOR_EFFECT:g} standard deviations of the "
        "noise.",
        "An arm of a person with fewer than 3 rewards is left out; missing rewards are taken to be missing at random.",
        "Arms are rested at a person's first decision. A decision without an entry is a rest.",
        covariates,
        *(note for note in cohort.notes if not note.startswith((WARNING, COVARIATE))),
    ) if words]  # fmt: skip
