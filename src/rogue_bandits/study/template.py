"""The study file that `rogue study init` writes."""

from __future__ import annotations

TEMPLATE = """\
# A study. Every decision names the version of these settings: a change begins a new version when the server starts.
# `rogue serve study.toml` serves it. Everything that is commented out has the value that is shown.

[study]
name = "{name}"
description = "Which message should this person get today?"

[rewards]
family = "BernoulliLogit"    # 0 or 1; Gaussian, PoissonLog, LaplaceAgent, …: docs/models.md
# scale = 1.0                # a reported value is divided by this before it is learned
# plausible = [0, 20000]     # values outside are refused; unless it is given, the family alone says what is allowed

# The arms. Once the study runs, names, family and scale must not change; `paused = true` takes an arm out.
[[arms]]
name = "walk"
rewards = {{ theta_weight = 0.4, state_weight = 0.6 }}
dynamics = {{ decay = 0.6, pull = -1.0, drift = 0.5 }}    # x' = decay x + pull (if sent) + drift, from 0 to 1
# theta = [0.0, 1.0]         # where the unknown theta may lie
# paused = false

[[arms]]
name = "sleep"
rewards = {{ theta_weight = 0.7, state_weight = 0.3 }}
dynamics = {{ decay = 0.7, pull = -1.2, drift = 0.5 }}

[dynamics]
source = "known"             # decay, pull and drift are those of the arms above
# "learned": they are learned from the rewards; remove `dynamics = …` from the arms. What is known of them:
# prior = {{ half_life = [0.5, 30.0] }}    # decisions until half of a loss is recovered; more in docs/policies.md
# "people": everybody has those that `rogue fit` found for them; remove `dynamics = …` from the arms, and name its file:
# people = "people.json"     # beside this file; family and scale must be those of the fit

[policy]
id = "plan-ts"
# settings = {{ depth = 4 }}

[limits]
# least = 0.2                # probability of every available arm, at least; 0.4 / arms unless it is given

[decisions]
per_day = 1                  # at most, by the clock of the request
# missed = "rest"            # decisions that nobody asked for are rests; "ignore": states do not advance
# ahead_hours = 24.0         # how far a request's time may be ahead of the server's clock

[unavailable]
reasons = ["driving", "asleep", "no network"]    # for which an arm, or all of them, cannot be sent

[fallback]
policy = "uniform"           # where the policy fails: every available arm with the same probability; or "rest"

[learning]
when = "at once"             # or "nightly": rewards wait for an update
# at = "03:00"               # of the nightly update, UTC

[database]
url = "sqlite:study.db"      # beside this file; postgresql://user@host/database for more than one server
"""


def study_template(name: str) -> str:
    """Return a commented study file."""
    return TEMPLATE.format(name=name)
