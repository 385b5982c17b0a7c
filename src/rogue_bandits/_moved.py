"""Import paths and names of version 0.1.0: they work for one more version, with a DeprecationWarning.

`install` appends a finder to `sys.meta_path`, where it is asked only for modules that do not exist. A moved module has
no contents: its names are looked up, on use, where they are now.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast

PACKAGE = __name__.partition(".")[0]
# Modules of 0.1.0 and where their contents are now.
MODULES = {
    "bandit": "online.bandit",
    "laws": "compile.laws",
    "oracle": "planning",
    "trace": "simulation.trace",
    "model.check": "model.validation",
    "model.expectations": "model.rewards.expectations",
    "model.exponential": "model.rewards.exponential",
    "model.glm": "model.rewards.glm",
    "model.quantiles": "model.rewards.expectations",
    "model.switched": "model.dynamics.switched",
    "model.watched": "model.dynamics.projected",
}
for _name in (
    "agent", "bernoulli_logit", "bernoulli_probit", "beta_fraction", "binomial_logit", "continuous_bernoulli",
    "coupled", "gaussian", "gaussian_agent", "laplace_agent", "logistic_agent", "matrix_affine", "numeric",
    "piecewise", "poisson_log", "saturating", "truncated_gaussian", "weighted",
):  # fmt: skip
    MODULES[f"model.{_name}"] = "model"
# Names of 0.1.0 and their names now.
NAMES = {
    "Watched": "ProjectedDynamics",
    "advance": "next_vector",
    "noise_reach": "noise_support",
    "price": "curvature_ratio",
    "reach": "effective_support",
    "settles": "is_summable",
    "shrinks": "lipschitz_state",
}


def moved_name(old: str, new: str, name: str) -> Any:
    """Return `name` of the module `old` of 0.1.0, which is in the module `new` now; warn with its place and name.

    >>> moved_name("model.watched", "model.dynamics.projected", "advanced")
    Traceback (most recent call last):
    AttributeError: module 'rogue_bandits.model.watched' has no attribute 'advanced'
    """
    now = NAMES.get(name, name)
    found = None if name.startswith("__") else vars(importlib.import_module(f"{PACKAGE}.{new}")).get(now)
    if found is None or (old, name) == (new, now):
        raise AttributeError(f"module '{PACKAGE}.{old}' has no attribute {name!r}")
    public = getattr(importlib.import_module(f"{PACKAGE}.model"), now, None) is found
    place = f"{PACKAGE}.{'model' if public else new}.{now}"
    warnings.warn(
        f"{PACKAGE}.{old}.{name} is deprecated and will not be in the next version: use {place}",
        DeprecationWarning,
        stacklevel=3,
    )
    return found


class _MovedModule(ModuleType):
    """A module of 0.1.0."""

    def __getattr__(self, name: str) -> Any:
        old = self.__name__.removeprefix(f"{PACKAGE}.")
        return moved_name(old, MODULES[old], name)


class _Finder:
    """A finder and loader of moved modules (not derived from importlib.abc, which takes 10 ms to import)."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for a moved module; None for all others."""
        package, _, old = fullname.partition(".")
        return ModuleSpec(fullname, cast("Any", self)) if package == PACKAGE and old in MODULES else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return an empty module."""
        return _MovedModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: names are looked up on use."""


def install() -> None:
    """Make the import paths of 0.1.0 work."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(cast("Any", _Finder()))
