"""Counts of the service, in the text form that Prometheus reads."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from halubot.report import Report


class Metrics:
    """What one service counts. Each has a registry of its own, so that several can be in one
    process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._checks = Counter(
            "halubot_checks", "Checks by how they ended.", ["outcome"], registry=self._registry
        )
        self._facts = Counter(
            "halubot_facts", "Facts by verdict.", ["verdict"], registry=self._registry
        )
        self._calls = Counter("halubot_calls", "Calls to models.", registry=self._registry)
        self._cost = Counter(
            "halubot_cost_usd",
            "Dollars spent, as far as prices are known.",
            registry=self._registry,
        )
        self._refused = Counter(
            "halubot_refused", "Requests refused by reason.", ["reason"], registry=self._registry
        )
        self._seconds = Histogram(
            "halubot_check_seconds",
            "Seconds of a check, without waiting for its turn.",
            buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100),
            registry=self._registry,
        )
        self.running = Gauge("halubot_running", "Checks under way.", registry=self._registry)
        self.waiting = Gauge("halubot_waiting", "Checks that wait.", registry=self._registry)

    def count_refusal(self, reason: str) -> None:
        """Count a request that was refused."""
        self._refused.labels(reason).inc()

    def count_end(self, outcome: str, seconds: float, report: Report | None) -> None:
        """Count a check that ended as ``outcome`` says: finished, failed or cancelled."""
        self._checks.labels(outcome).inc()
        self._seconds.observe(seconds)
        if report is None:
            return
        for fact in report.facts:
            self._facts.labels(fact.verdict).inc()
        self._calls.inc(report.usage.calls)
        self._cost.inc(report.usage.cost_usd or 0.0)

    def text(self) -> bytes:
        """All counts as Prometheus reads them."""
        return generate_latest(self._registry)
