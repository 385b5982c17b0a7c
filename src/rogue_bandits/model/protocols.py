"""Structural types of models: the fields that laws of a whole kind read.

A law is declared with `Any` as its first argument, since each implementation takes one type. Other functions of models
are declared with these types.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from rogue_bandits.types import Vector

State = TypeVar("State", covariant=True)


class Model(Protocol):
    """A NamedTuple: a reward family, or dynamics."""

    @property
    def _fields(self) -> tuple[str, ...]:
        """Names of the fields."""


class BoundedDynamics(Model, Protocol[State]):
    """Dynamics whose state has bounds; those of a vector are vectors."""

    @property
    def lo(self) -> State:
        """Lower bound of the state."""

    @property
    def hi(self) -> State:
        """Upper bound of the state."""


ScalarDynamics = BoundedDynamics[float]
VectorDynamics = BoundedDynamics[Vector]
Dynamics = BoundedDynamics[float | Vector]


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
