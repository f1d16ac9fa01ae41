"""What sources say of facts, as evidence: found by comparing, or read by a judge."""

from __future__ import annotations

from collections.abc import Sequence

from halubot.compare.findings import Finding
from halubot.compare.nearby import Nearby
from halubot.compare.tokens import Worded
from halubot.methods.consensus.voices import Voices, settle_stance
from halubot.methods.quotes import evidence_of
from halubot.report import Evidence, Fact, Source
from halubot.text import Document


class Testimony:
    """The evidence on the facts of one message, fact by fact."""

    def __init__(self, message: Document) -> None:
        self._nearby = Nearby(message)
        self._texts: dict[str, Worded] = {}
        self._silent: dict[str, Evidence] = {}

    def on(
        self,
        fact: Fact,
        sources: Sequence[Source],
        found: Sequence[Sequence[Finding]],
        voices: Voices,
    ) -> tuple[Evidence, ...]:
        """What each source says of a fact. ``found`` holds what the comparison found of each
        source on all facts."""
        return tuple(
            self._of(source, of_source[fact.index], fact, voices)
            for source, of_source in zip(sources, found, strict=True)
        )

    def _of(self, source: Source, finding: Finding, fact: Fact, voices: Voices) -> Evidence:
        """As the model read the source, where it did, with the place that the comparison finds."""
        said = settle_stance(source, finding, voices.of(source, fact.index))
        if said == "silent":
            # What is silent is the same for all facts and holds no text.
            if source.id not in self._silent:
                self._silent[source.id] = Evidence(source=source.id, stance="silent")
            return self._silent[source.id]
        if said == finding.stance:
            return compared_evidence(source, finding)
        return evidence_of(source, fact, said, finding, self._text(source))

    def _text(self, source: Source) -> Worded:
        """The words of a source, kept for the next fact."""
        if source.id not in self._texts:
            (self._texts[source.id],) = self._nearby.read([source.text or ""])
        return self._texts[source.id]


def compared_evidence(source: Source, finding: Finding) -> Evidence:
    """What a source that speaks of a fact says, as the comparison found it."""
    return Evidence(
        source=source.id,
        stance=finding.stance,
        start=finding.start,
        end=finding.end,
        quote=(source.text or "")[finding.start : finding.end],
        note=finding.note,
        value=finding.value,
    )
