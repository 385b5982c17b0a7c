"""Model files written for version 0.1.0 still load; each moved name is named with its new place."""

from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import rogue_bandits as rb
from rogue_bandits import types
from rogue_bandits._moved import MODULES
from rogue_bandits.cli.user_file import named
from rogue_bandits.model import next_vector

# The head and the registrations of each example of docs/models.md in version 0.1.0.
FILES = {
    "Rating": """
import math
from typing import NamedTuple
from rogue_bandits import Arm, ClippedAffine
from rogue_bandits.laws import inlined
from rogue_bandits.model.numeric import Numeric
from rogue_bandits.types import loglik, support

class Rating(NamedTuple):
    theta_weight: float
    state_weight: float

Numeric.register(Rating)

@support.register(Rating)
def rating_support(f):
    return 0.0, 4.0, True

@inlined
def nearness(r, wish):
    return -0.5 * (r - wish) ** 2

@loglik.register(Rating)
def rating_loglik(f, theta, x, r):
    wish, total = f.theta_weight * theta + f.state_weight * x, 0.0
    for other in range(5):
        total += math.exp(nearness(other, wish))
    return nearness(r, wish) - math.log(total)

arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), Rating(2.0, 2.0), name="walk")
""",
    "Vote": """
import math
from typing import NamedTuple
from rogue_bandits import Arm, ClippedAffine
from rogue_bandits.model.exponential import Exponential, dispersion, log_base, log_partition, steepest
from rogue_bandits.model.quantiles import whole_quantile
from rogue_bandits.types import draw, support

class Vote(NamedTuple):
    theta_weight: float
    state_weight: float

Exponential.register(Vote)
support.register(Vote)(lambda f: (-1.0, 1.0, True))
steepest.register(Vote)(lambda f: 0.0)
dispersion.register(Vote)(lambda f: 1.0)
log_base.register(Vote)(lambda f, r: 0.0)
draw.register(Vote)(lambda f, theta, x, u: whole_quantile(f, theta, x, u))

@log_partition.register(Vote)
def vote_log_partition(f, eta):
    down, up = math.exp(-eta), math.exp(eta)
    mean = (up - down) / (down + 1.0 + up)
    return math.log(down + 1.0 + up), mean, (up + down) / (down + 1.0 + up) - mean**2

arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), Vote(theta_weight=1.0, state_weight=2.0), name="vote")
""",
    "Pages": """
import math
from typing import NamedTuple
from rogue_bandits import Arm, ClippedAffine
from rogue_bandits.model.glm import PoissonGlm, inverse_link

class Pages(NamedTuple):
    theta_weight: float
    state_weight: float

PoissonGlm.register(Pages)

@inverse_link.register(Pages)
def pages_inverse_link(f, eta):
    return math.log1p(math.exp(eta)), 1.0 / (1.0 + math.exp(-eta))

arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), Pages(theta_weight=2.0, state_weight=3.0), name="read")
""",
    "SecantAgent": """
import math
from typing import NamedTuple
from rogue_bandits import Arm, ClippedAffine
from rogue_bandits.model.agent import Agent, log_below, log_density, noise_quantile, noise_reach

HALF_PI = 0.5 * math.pi

class SecantAgent(NamedTuple):
    pass

Agent.register(SecantAgent)
noise_reach.register(SecantAgent)(lambda f: 26.0)
noise_quantile.register(SecantAgent)(lambda f, u: math.log(math.tan(HALF_PI * max(u, 1e-300))) / HALF_PI)

@log_density.register(SecantAgent)
def secant_log_density(f, z):
    size = HALF_PI * abs(z)
    return -size - math.log1p(math.exp(-2.0 * size)), -HALF_PI * math.tanh(HALF_PI * z)

@log_below.register(SecantAgent)
def secant_log_below(f, z):
    below = math.atan(math.exp(HALF_PI * z)) / HALF_PI
    return math.log(below), math.exp(log_density(f, z)[0]) / below

arm = Arm(ClippedAffine(decay=0.6, pull=-0.8, drift=0.4), SecantAgent(), theta_lo=0.1, theta_hi=0.5, name="walk")
""",
    "Easing": """
from typing import NamedTuple
from rogue_bandits import Arm, BernoulliLogit
from rogue_bandits.model.watched import slopes
from rogue_bandits.types import next_state

class Easing(NamedTuple):
    pace: float
    drop: float
    lo: float = 0.0
    hi: float = 1.0

@next_state.register(Easing)
def easing_next_state(d, x_t, played_t):
    if played_t == 1.0:
        return x_t - d.drop * (x_t - d.lo)
    return x_t + d.pace * (d.hi - x_t) ** 2

@slopes.register(Easing)
def easing_slopes(d, lo, hi, played_t):
    if played_t == 1.0:
        return 1.0 - d.drop, 1.0 - d.drop
    return 1.0 - 2.0 * d.pace * (d.hi - lo), 1.0 - 2.0 * d.pace * (d.hi - hi)

arm = Arm(Easing(pace=0.4, drop=0.5), BernoulliLogit(theta_weight=1.0, state_weight=2.0), name="ease")
""",
    "TwoStores": """
from typing import NamedTuple
from rogue_bandits import Arm, BernoulliLogit, Weighted
from rogue_bandits.model.watched import Vectorial, advance, shrinks
from rogue_bandits.types import Vector

class TwoStores(NamedTuple):
    feed: float
    drop: float
    lo: Vector
    hi: Vector

Vectorial.register(TwoStores)
shrinks.register(TwoStores)(lambda d: 0.97)

@advance.register(TwoStores)
def two_stores_advance(d, x_t, played_t, x_tp1):
    x_tp1[0] = min(max(0.6 * x_t[0] + d.feed * x_t[1] - d.drop * played_t, d.lo[0]), d.hi[0])
    x_tp1[1] = min(max(0.7 * x_t[1] + 0.3 - 0.2 * played_t, d.lo[1]), d.hi[1])

rewards = Weighted(BernoulliLogit(1.0, 2.0), theta_weights=(1.0,), state_weights=(1.0, 0.3))
arm = Arm(TwoStores(0.3, 0.4, (0.0, 0.0), (1.0, 1.0)), rewards, theta_lo=(0.0,), theta_hi=(1.0,), name="stores")
""",
}
SAYS = {
    "Rating": ["laws.inlined", "model.inlined", "model.numeric.Numeric", "model.Numeric"],
    "Vote": ["model.exponential.steepest", "model.steepest", "model.quantiles.whole_quantile", "model.whole_quantile"],
    "Pages": ["model.glm.inverse_link", "model.inverse_link"],
    "SecantAgent": ["model.agent.noise_reach", "model.noise_support"],
    "Easing": ["model.watched.slopes", "model.slopes"],
    "TwoStores": ["model.watched.advance", "model.next_vector", "model.watched.shrinks", "model.lipschitz_state"],
}


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compiled is proven by the examples of today's page."""
    monkeypatch.setattr("rogue_bandits.conformance.suite.compiled_differently", lambda arm: iter(()))


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", FILES)
def test_a_model_file_of_the_last_version_is_sound_and_told_the_new_names(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"old_{name}.py"
    file.write_text(FILES[name])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        arm = named(f"{file}:arm")
    warned = " ".join(str(each.message) for each in caught if each.category is DeprecationWarning)
    for old, new in zip(SAYS[name][::2], SAYS[name][1::2], strict=True):
        assert f"rogue_bandits.{old} is deprecated" in warned
        assert f"use rogue_bandits.{new}" in warned
    assert {each.filename for each in caught} == {str(file)}
    report = rb.check_model(arm)
    assert report.ok, report


@pytest.mark.parametrize(("old", "new"), [("settles", types.is_summable), ("price", types.curvature_ratio)])
def test_a_renamed_law_is_found_by_its_old_name(old: str, new: Any) -> None:
    with pytest.warns(DeprecationWarning, match=rf"types\.{old} is deprecated .*: use rogue_bandits\.types\."):
        assert getattr(types, old) is new


@pytest.mark.parametrize("module", ["types", "model.watched"])
def test_a_name_that_never_was_is_not_found(module: str) -> None:
    with pytest.raises(AttributeError, match=f"^module 'rogue_bandits.{module}' has no attribute 'snow'$"):
        _ = importlib.import_module(f"rogue_bandits.{module}").snow


def test_a_module_that_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'rogue_bandits\.model\.snow'$"):
        importlib.import_module("rogue_bandits.model.snow")


@pytest.mark.parametrize("old", MODULES)
def test_a_moved_module_is_where_the_table_says(old: str) -> None:
    importlib.import_module(f"rogue_bandits.{MODULES[old]}")
    assert importlib.import_module(f"rogue_bandits.{old}").__name__ == f"rogue_bandits.{old}"


def test_a_module_as_a_name_works_too() -> None:
    watched = importlib.import_module("rogue_bandits.model.watched")
    with pytest.warns(DeprecationWarning, match=r"use rogue_bandits\.model\.next_vector$"):
        assert watched.advance is next_vector
    assert sum(type(finder).__name__ == "_Finder" for finder in sys.meta_path) == 1
