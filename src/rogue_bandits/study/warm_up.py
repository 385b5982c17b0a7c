"""What a server does before the first request, so that no request waits for kernels."""

from __future__ import annotations

import logging

from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.person import fresh_person

log = logging.getLogger("rogue.study")


def warm_up(design: StudyDesign) -> None:
    """Decide once for nobody, and explain it, so that kernels are compiled."""
    person = fresh_person(design, "", 0, {"dynamics": next(iter(design.people.values()), None)})
    if person.bandit is not None:
        try:
            person.bandit.update(person.bandit.choose(), None)
            person.bandit.explain()
        except Exception as error:  # the fallback will decide
            log.warning("the policy fails: %s", type(error).__name__)
