"""Structural types of models: the fields that laws of a whole kind read.

A law is declared with `Any` as its first argument, since each implementation takes one type. Other functions of models
are declared with these types.
"""

from __future__ import annotations

from typing import Protocol

from rogue_bandits.types import Vector


class Model(Protocol):
    """A NamedTuple: a reward family, or dynamics."""

    @property
    def _fields(self) -> tuple[str, ...]:
        """Names of the fields."""


class Dynamics(Model, Protocol):
    """Dynamics whose state is a number or a vector."""

    @property
    def lo(self) -> float | Vector:
        """Lower bound of the state."""

    @property
    def hi(self) -> float | Vector:
        """Upper bound of the state."""


class ScalarDynamics(Model, Protocol):
    """Dynamics whose state is a number in [lo, hi]."""

    @property
    def lo(self) -> float:
        """Lower bound of the state."""

    @property
    def hi(self) -> float:
        """Upper bound of the state."""


class VectorDynamics(Model, Protocol):
    """Dynamics whose state is a vector, bounded component by component."""

    @property
    def lo(self) -> Vector:
        """Lower bounds of the state."""

    @property
    def hi(self) -> Vector:
        """Upper bounds of the state."""


class LinearPredictor(Model, Protocol):
    """A reward family whose law depends on eta = theta_weight·theta + state_weight·x alone."""

    @property
    def theta_weight(self) -> float:
        """Weight of theta in eta."""

    @property
    def state_weight(self) -> float:
        """Weight of the state in eta."""


class NormalPredictor(LinearPredictor, Protocol):
    """The same with a known standard deviation."""

    @property
    def sd(self) -> float:
        """Standard deviation of the reward."""
