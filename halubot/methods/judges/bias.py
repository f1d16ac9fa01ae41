"""Verdict bias: a judge that says nearly always the same, whatever it is shown.

The paper saw it in most small judges, each with a side of its own ("yes" or "no") in every test.
One message that is all right, or all wrong, looks alike: so verdicts are suspect only where
something else speaks against them.

Source: Díaz de Rábago (2024), sections 8.2.1 and 9.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from halubot.events import SentenceJudged
from halubot.methods.consensus.consensus import METHOD as CONSENSUS
from halubot.methods.registry import Case
from halubot.report import Source, Verdict

LEAST_VERDICTS: Final = 20
LEAST_UNITS: Final = 5
"""Fewer verdicts, or verdicts on fewer sentences or messages, tell nothing of a judge."""
ONE_SIDED: Final = 0.95
"""The share of equal verdicts from which on a judge says nearly always the same."""
TENTH: Final = 0.1
"""The least share of sentences or labels that speak against a judge."""
HALF: Final = 0.5

SUSPECT: Final = "the judge may be biased"


@dataclass(frozen=True, slots=True)
class Leaning:
    """How often a judge found a hallucination: ``yes`` of all ``verdicts``, on so many ``units``
    (sentences or messages)."""

    yes: int = 0
    verdicts: int = 0
    units: int = 0

    def __add__(self, other: Leaning) -> Leaning:
        """Both together."""
        return Leaning(
            self.yes + other.yes, self.verdicts + other.verdicts, self.units + other.units
        )

    @property
    def side(self) -> Literal["yes", "no"] | None:
        """What it nearly always says; None where that is not so, or there is too little to tell."""
        if self.verdicts < LEAST_VERDICTS or self.units < LEAST_UNITS:
            return None
        if self.yes >= ONE_SIDED * self.verdicts:
            return "yes"
        return "no" if self.verdicts - self.yes >= ONE_SIDED * self.verdicts else None

    def details(self, suspect: bool) -> dict[str, Any]:
        """As reports have it; ``yes_share`` is None without a verdict."""
        share = round(self.yes / self.verdicts, 6) if self.verdicts else None
        numbers = {"yes_share": share, "verdicts": self.verdicts, "units": self.units}
        return {**numbers, "suspect": suspect}


def leaning(units: Iterable[Sequence[bool]]) -> Leaning:
    """The leaning of verdicts, those on one sentence or message together; True where it found a
    hallucination. What has no verdict is no unit."""
    rows = [row for row in units if row]
    return Leaning(sum(map(sum, rows)), sum(map(len, rows)), len(rows))


def from_details(details: dict[str, Any]) -> Leaning:
    """What `Leaning.details` wrote; nothing where that is not there."""
    match details.get("bias"):
        case {"yes_share": float() | int() as share, "verdicts": int() as of, "units": int() as n}:
            return Leaning(round(share * of), of, n)
    return Leaning()


def doubt_of_message(
    told: Leaning, shares: Sequence[float | None], by_rules: Sequence[Verdict]
) -> str | None:
    """Why a judge of one message may be biased; None where nothing speaks against its verdicts.

    ``shares`` are those of its yeses on each sentence, ``by_rules`` the verdicts of halubot's own
    comparison on the same, empty where there is nothing to compare with. One that calls everything
    hallucinated is suspect where the rules bear out a tenth of the sentences among these, one that
    finds nothing where they contradict a tenth.
    """
    if told.side is None:
        return None
    said = f"it found a hallucination in {told.yes} of {told.verdicts} verdicts"
    if not by_rules:
        nothing = f"{said}, and there is nothing to compare them with"
        return nothing if told.side == "yes" else None
    condemned, other = (True, "supported") if told.side == "yes" else (False, "contradicted")
    against = sum(
        share is not None and (share >= HALF) == condemned and rule == other
        for share, rule in zip(shares, by_rules, strict=True)
    )
    if not against or against < TENTH * len(by_rules):
        return None
    words = "borne out" if condemned else "contradicted"
    return f"{said}, and rules find {against} of {len(by_rules)} sentences {words} against it"


def doubt_of_benchmark(told: Leaning, right: int, wrong: int) -> str | None:
    """Why the judge of a benchmark may be biased, with so many right and wrong labels in it; None
    where its verdicts are mixed, or less than a tenth of the labels is of the other kind."""
    others = right if told.side == "yes" else wrong
    if told.side is None or not others or others < TENTH * (right + wrong):
        return None
    return (
        f"it found a hallucination in {told.yes} of {told.verdicts} verdicts, and {right} of"
        f" {right + wrong} labels are right"
    )


def by_rules(case: Case, sources: Sequence[Source]) -> list[Verdict]:
    """The verdicts of `consensus` on the sentences, by these sources; none where there are none.
    It reads all of them: do it off the loop."""
    if not sources:
        return []
    alone = replace(
        case,
        samples=tuple(source for source in sources if source.kind == "sample"),
        references=tuple(source for source in sources if source.kind != "sample"),
        threshold=None,
        options={},
        talk=None,
        draws=None,
        verdicts=None,
    )
    events = CONSENSUS.judge(alone)
    return [event.verdict for event in events if isinstance(event, SentenceJudged)]
