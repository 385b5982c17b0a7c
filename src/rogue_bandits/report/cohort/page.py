"""report.html of a cohort."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
from markupsafe import Markup

from rogue_bandits.estimate.cautions import cautions
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import CONSTANT
from rogue_bandits.estimate.ladder.result import ArmLadder, Compared
from rogue_bandits.estimate.notes import arm_words
from rogue_bandits.estimate.rests import unseen_recoveries
from rogue_bandits.plotting import image
from rogue_bandits.report.cohort.arm_table import ArmLine, arm_lines, caption_of, filled_columns, headings_of
from rogue_bandits.report.cohort.board import COVARIATE, balance, choices, dropout, stretch_table, warnings
from rogue_bandits.report.cohort.claims import NAMES, wears_out
from rogue_bandits.report.cohort.figures import COLOURS, COURSE, SENDINGS, arm_figure, course_figure
from rogue_bandits.report.cohort.harm import harm
from rogue_bandits.report.cohort.margins import margin, margins_explained
from rogue_bandits.report.cohort.verdict import pooling, verdicts
from rogue_bandits.report.cohort.words import NOTHING, people_counted, reward, with_ends
from rogue_bandits.report.html import data_uri, render

INTERVAL = re.compile(r"[\d.,−+-]+ \(([^()]* to [^()]*|[\d,]+ (?:people|person))\)")
MOST_ARMS = 20  # drawn, so that the page stays readable
MOST_POINTS = 300_000  # rewards that the page holds for drawing people


def cohort_page(people: People, which: str = "") -> bytes:
    """Return the page, with its figures inside; `which` says which arm to send next, as `which_arm` does."""
    first, *others = verdicts(people)
    size = people.size()
    most = sorted(people.fitted.arms, key=lambda arm: -people.fitted.arms[arm].rewards)[:MOST_ARMS]
    headings, arm_rows = filled_columns(headings_of(people), [with_people(line) for line in arm_lines(people)])
    missing_headings, missing_rows = stretch_table(people.cohort)
    return render(
        "cohort.html",
        title=f"Wear-out and recovery: {people.cohort.file}",
        file=people.cohort.file,
        reward=people.cohort.reward,
        first=first,
        which=which,
        others=others,
        warnings=[*warnings(people.cohort), *cautions(people)],
        counted=people_counted(people),
        source=people.source,
        headings=headings,
        arm_rows=[[with_small_interval(cell) for cell in row] for row in arm_rows],
        alone=len(people.cohort.people) == 1,
        caption=caption_of(people),
        margins=margins_explained(people.fitted.arms.values()),
        arms=[arm_section(people, arm, size) for arm in people.fitted.arms if arm in most],
        effect_notes=[note for note in people.cohort.notes if note.startswith(COVARIATE)],
        effect_headings=["covariate", *ladders(people)],
        effect_rows=[[with_small_interval(cell) for cell in row] for row in effect_rows(people, size)],
        arms_total=len(people.fitted.arms),
        missing_headings=missing_headings,
        missing_rows=missing_rows,
        dropout=dropout(people.cohort),
        balance=balance(people.cohort),
        harm=harm(people),
        choices=choices(people),
        person_headings=person_rows(people, size)[0],
        person_rows=person_rows(people, size)[1:],
        drawings=json.dumps(drawings(people), separators=(",", ":")).replace("<", "\\u003c"),
        without_fit=[person for person in people.cohort.people if person not in people.fitted.people],
    )


def with_people(line: ArmLine) -> ArmLine:
    """Return the line with the people in the column of rewards, so that ten columns fit on a page."""
    who = "person" if line.people == "1" else "people"
    return line._replace(people="–", rewards=f"{line.rewards} ({line.people} {who})")


def with_small_interval(cell: str) -> str:
    """Return a cell of a table in HTML, the interval below its median and smaller.

    >>> with_small_interval("2.0 (1.0 to 4.0)")
    Markup('<span>2.0 <small class="interval">(1.0 to 4.0)</small></span>')
    """
    if not INTERVAL.fullmatch(cell):
        return cell
    middle, interval = cell.split(" (")
    return Markup('<span>{} <small class="interval">({}</small></span>').format(middle, interval)


def arm_section(people: People, arm: str, size: float) -> dict[str, Any]:
    """Return what the page shows of an arm."""
    ladder = people.fitted.arms[arm]
    colour, name = COLOURS[people.cohort.arms.index(arm) % len(COLOURS)], people.cohort.reward
    quiet = people.fitted.silence
    silence = quiet.worn[1] if quiet is not None and quiet.check.holds else None
    parts = [SENDINGS] if arm in unseen_recoveries(people) else list(COURSE)
    course = course_figure(ladder, colour, size, name, silence, parts) if wears_out(ladder) else None
    rows = [
        [model_name(ladder, row), "–" if row.rung == CONSTANT else row.pool, f"{row.held_out:.4f}",
         "–" if row.rung == CONSTANT else margin(row.by, row.error),
         "chosen" if is_chosen(ladder, row) else ""]
        for row in ladder.compared
    ]  # fmt: skip
    return {
        "name": arm_words(arm),
        "pooling": pooling(ladder) if ladder.check.holds else "",
        "figure": data_uri(image(arm_figure(ladder, colour, size, name), "svg"), "svg"),
        "course": data_uri(image(course, "svg"), "svg") if course is not None else "",
        "course_of": "while it is sent" if parts == [SENDINGS] else "while it is sent and while it rests",
        "headings": ["model", "slopes and half-lives", "held-out log-likelihood a reward", "above the constant by", ""],
        "rows": rows,
        "check": f"Mean: observed {reward(ladder.check.mean, size)}, model {reward(ladder.check.model_mean, size)}. "
                 f"Standard deviation: {reward(ladder.check.sd, size)} and {reward(ladder.check.model_sd, size)}.",
    }  # fmt: skip


def is_chosen(ladder: ArmLadder, row: Compared) -> bool:
    """Return whether a candidate is the chosen one."""
    return (row.rung, row.pool) == (ladder.rung, ladder.pool)


def model_name(ladder: ArmLadder, row: Compared) -> str:
    """Return the name of a candidate; only the chosen one may have a floor."""
    return f"{NAMES[row.rung]}{' and a floor' if ladder.cap and is_chosen(ladder, row) else ''}"


def ladders(people: People) -> dict[str, ArmLadder]:
    """Return the ladders of all arms that are reported, and of silence, by the names of columns."""
    arms, silence = people.fitted.arms, people.fitted.silence
    every = arms if silence is None else {**arms, NOTHING: silence}
    return {name: ladder for name, ladder in every.items() if ladder.check.holds}


def effect_rows(people: People, size: float) -> list[list[str]]:
    """Return a row for each covariate: by how much it changes the reward of each arm."""
    found = [ladder.effects for ladder in ladders(people).values()]
    return [
        [name, *(with_ends(effects[j], size) for effects in found)] for j, name in enumerate(people.cohort.covariates)
    ]


def person_rows(people: People, size: float) -> list[list[str]]:
    """Return headings, and a row for each person and arm; what is at first and next only if they may differ."""
    same = all(ladder.rung == CONSTANT for ladder in people.fitted.arms.values())
    rows = [["person", "arm", "rewards", *(["mean reward"] if same else ["reward at first", "reward if sent next"])]]
    for person, fits in people.fitted.people.items():
        for arm in fits:
            mine = people.fitted.arms[arm].persons[person]
            ends = [mine.now] if same else [mine.fresh, mine.now]
            rows.append([person, arm, str(mine.rewards), *(with_ends(each, size) for each in ends)])
    return rows


def drawings(people: People) -> dict[str, Any]:
    """Return the rewards of each person and arm with the fitted means, for the page to draw."""
    if sum(ladder.rewards for ladder in people.fitted.arms.values()) > MOST_POINTS:
        return {}
    found: dict[str, Any] = {}
    for person, fits in people.fitted.people.items():
        history = people.cohort.people[person]
        found[person] = {}
        for arm in fits:
            mine = (history.arm == people.cohort.arms.index(arm)) & ~np.isnan(history.reward)
            rewards = [float(f"{x:.4g}") for x in people.cohort.scale * history.reward[mine]]
            fitted = people.fitted.arms[arm].persons[person].fitted
            found[person][arm] = [(history.first + history.at[mine]).tolist(), rewards, fitted]
    return found
