"""Numbers for Prometheus: of this server since its start, and the age of the last reward."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Metrics:
    """The metrics of one server, to which each of its protocols adds what it has answered."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._decisions = Counter("rogue_decisions", "decisions answered", ["arm"], registry=self.registry)
        self._fallbacks = Counter("rogue_fallbacks", "decisions made by the fallback", registry=self.registry)
        self._latency = Histogram(
            "rogue_decision_seconds", "from request to durable answer", registry=self.registry, buckets=BUCKETS
        )
        self._rewards = Counter("rogue_rewards", "rewards received", registry=self.registry)
        self._age = Gauge("rogue_last_reward_age_seconds", "since the last reward; nan before the first",
                          registry=self.registry)  # fmt: skip
        self._last: float | None = None
        self._age.set_function(self._since)
        self._by_arm: dict[str, Any] = {}

    def decided(self, answers: Sequence[dict[str, Any]], seconds: float) -> None:
        """Count decisions."""
        self._latency.observe(seconds)
        for answer in answers:
            arm = answer["arm"] or "rest"
            if arm not in self._by_arm:
                self._by_arm[arm] = self._decisions.labels(arm)
            self._by_arm[arm].inc()
            if answer["fallback"] is not None:
                self._fallbacks.inc()

    def rewarded(self, count: int = 1) -> None:
        """Count rewards."""
        self._rewards.inc(count)
        self._last = time.monotonic()

    def _since(self) -> float:
        return float("nan") if self._last is None else time.monotonic() - self._last

    def text(self) -> bytes:
        """Return what Prometheus reads."""
        return generate_latest(self.registry)
