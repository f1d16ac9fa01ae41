"""What a bot did since its start, in numbers: for its health page, its log and `/status`."""

from __future__ import annotations

import logging
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from halubot.report import Report
    from halubot_bots.policy import Ask

LOG: Final = logging.getLogger("halubot.checks")

Outcome = Literal["finished", "declined", "failed", "stopped"]

VERDICTS: Final = ("supported", "doubtful", "contradicted", "not_checked")


@dataclass(slots=True)
class Activity:
    """Counts since ``began`` (seconds of `time.monotonic`). ``checks`` are counted by what asked
    for them and how they ended, ``facts`` by verdict."""

    began: float = field(default_factory=time.monotonic)
    checks: Counter[tuple[str, Outcome]] = field(default_factory=Counter)
    facts: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    dollars: float = 0.0
    seconds: float = 0.0

    @property
    def up_seconds(self) -> float:
        """How long the bot runs."""
        return time.monotonic() - self.began

    def note(self, ask: Ask, outcome: Outcome, seconds: float, report: Report | None) -> None:
        """Count a check that ended, and write a line of it to the log: ids and numbers, no words
        of anybody."""
        self.checks[ask.cause, outcome] += 1
        self.seconds += seconds
        told = {
            "cause": ask.cause,
            "outcome": outcome,
            "server": ask.server,
            "channel": ask.channel,
            "user": ask.user,
            "seconds": round(seconds, 3),
        }
        if report is not None:
            verdicts = Counter(fact.verdict for fact in report.facts)
            self.facts.update(verdicts)
            self.calls += report.usage.calls
            self.dollars += report.usage.cost_usd or 0.0
            told |= {name: verdicts[name] for name in VERDICTS}
            told |= {"calls": report.usage.calls, "dollars": report.usage.cost_usd}
        words = " ".join(f"{name}={value}" for name, value in told.items() if value is not None)
        LOG.info("check %s", words, extra={"told": {"event": "check", **told}})
