"""Evidence of sources for and against a fact or a sentence, as testimony and as log-odds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from halubot.compare.relevance import Nearby
from halubot.compare.stances import Finding
from halubot.compare.tokens import Worded
from halubot.methods.consensus.log_odds import Voices, settle_stance
from halubot.methods.quotes import evidence_of
from halubot.report import Evidence, Fact, Source, Stance
from halubot.text import Document


@dataclass(frozen=True, slots=True)
class Weights:
    """Log-odds of what sources say, beside those of their words. The verdicts and figures on
    WikiBio hardly move with any of them (see ``docs/benchmarks.md``); what moves is what a
    reader would find right, and that chose them.

    ``stance``: one unit of ``stances`` in a fact. ``silence``: a silent sample, as a share of a
    contradicting one. ``sentence``: one unit of ln(1 + contradicting) in a sentence, whose words
    count already. ``still``: how much words may still say if samples contradict, or samples if a
    reference speaks. ``lacking``: the least doubt of a fact whose value or name no source holds at
    all, whatever its other words. ``reference``: a reference's yes or no to a fact. ``denial``: a
    reference's no, in a sentence, which is then at least undecided. ``caution``: what doubt of a
    sentence has to overcome, on the scale of the scorer's ``middle``, since contradictions are
    counted beside its words.
    """

    stance: float = 2.0
    silence: float = 0.1
    sentence: float = 0.2
    still: float = 3.0
    lacking: float = 0.5
    reference: float = 6.0
    denial: float = 0.3
    caution: float = 0.035


WEIGHTS: Final = Weights()


@dataclass(frozen=True, slots=True)
class Heard:
    """The number of samples and references with each stance on one fact.

    ``lacking`` is the share of all these sources that nowhere hold a value or name of it.
    ``spoken`` counts the sources that speak of the matter, ``missed`` those of them that lack such
    a value or name. ``likely_samples`` and ``likely_references`` count those that may say
    otherwise, ``held`` the samples that hold all values and names of the fact and do not
    contradict it. ``unconfirmed`` says that a reference speaks closely of it and neither says nor
    denies it."""

    samples: dict[Stance, int]
    references: dict[Stance, int]
    lacking: float = 0.0
    spoken: int = 0
    missed: int = 0
    likely_samples: int = 0
    likely_references: int = 0
    held: int = 0
    unconfirmed: bool = False

    def by_samples(self, silence: float) -> float:
        """Return how far the samples lean against the fact, 0 if all are silent: ``stances`` of the
        module's docstring, if one that is silent is so much of a contradicting one."""
        against = 1 + self.samples["contradicts"] + silence * self.samples["silent"]
        unheard = 1 + silence * sum(self.samples.values())
        return math.log(against / (1 + self.samples["supports"]) / unheard)

    def reading(self, references: Iterable[Stance]) -> Heard:
        """The same with these stances of the references."""
        return replace(self, references=_count(list(references)))

    @property
    def by_references(self) -> int:
        """1 if references contradict, -1 if they support, 0 if they do neither or both."""
        return bool(self.references["contradicts"]) - bool(self.references["supports"])

    @property
    def unseen(self) -> bool:
        """Return whether there are many sources, at least half of them speak of the matter, and
        none of these holds some value or name of the fact. Of few sources that says little: on
        everyday text one in ten of such facts was wrong."""
        count = sum(self.samples.values()) + sum(self.references.values())
        return count >= MANY and 2 * self.spoken >= count and self.missed == self.spoken

    @property
    def is_divided(self) -> bool:
        """Return whether references say both."""
        return bool(self.references["contradicts"] and self.references["supports"])

    @property
    def is_denied(self) -> bool:
        """Return whether doubt rests on contradiction: a reference's, or else that of more samples
        than support, and not of a single one among several."""
        if self.by_references:
            return self.by_references > 0
        against = self.samples["contradicts"]
        enough = min(2, sum(self.samples.values()))
        return against > self.samples["supports"] and against >= max(1, enough)


MANY: Final = 10
"""Sources that must all lack a value or name before it is in doubt for that alone."""

SPEAKS: Final = 0.4
"""The least share of a fact's sentence that a reference must hold to speak of the matter."""

SPEAKS_CLOSELY: Final = 0.55
"""The same for a reference that would say the fact if it agreed: samples alone do not support
what it leaves open. Adding samples to a reference called twice as many errors supported without
this."""

SPEAKS_SAMPLE: Final = 0.2
"""The same of a sample: other answers are shorter, and all of them answer the same question."""


def heard_of(fact: int, findings: Sequence[Sequence[Finding]], samples: int) -> Heard:
    """Return what the first ``samples`` sources and the references after them say of a fact, from
    the findings of each source on all facts."""
    own = [found[fact] for found in findings]
    stances = [finding.stance for finding in own]
    speaking = [
        finding
        for number, finding in enumerate(own)
        if finding.strength >= (SPEAKS_SAMPLE if number < samples else SPEAKS)
    ]
    lacking = sum(finding.lacking or finding.stance == "contradicts" for finding in own)
    return Heard(
        samples=_count(stances[:samples]),
        references=_count(stances[samples:]),
        lacking=lacking / max(1, len(own)),
        spoken=len(speaking),
        likely_samples=sum(map(is_likely, own[:samples])),
        likely_references=sum(map(is_likely, own[samples:])),
        held=sum(one.stance != "contradicts" and not one.lacking for one in own[:samples])
        if any(one.lacking for one in own[:samples])
        else 0,
        unconfirmed=any(
            one.stance == "silent" and one.strength >= SPEAKS_CLOSELY for one in own[samples:]
        ),
        missed=sum(finding.absent is not None for finding in speaking),
    )


def is_likely(finding: Finding) -> bool:
    """Return True for a source that may say otherwise, and is not sure to."""
    return finding.stance == "silent" and finding.claim is not None


def _count(stances: Sequence[Stance]) -> dict[Stance, int]:
    counts: dict[Stance, int] = {"supports": 0, "contradicts": 0, "silent": 0}
    for stance in stances:
        counts[stance] += 1
    return counts


def fact_odds(words: float, heard: Heard, weights: Weights = WEIGHTS) -> float:
    """The log-odds that a fact is wrong, from those of its words and what was heard of it."""
    stances, limit = weights.stance * heard.by_samples(weights.silence), weights.still
    if heard.by_references:
        return weights.reference * heard.by_references + max(-limit, min(limit, stances))
    if not heard.samples["supports"] and heard.lacking:
        words = (1 - heard.lacking) * words + heard.lacking * max(words, weights.lacking)
    if heard.samples["contradicts"] > heard.samples["supports"]:
        silent = heard.samples["silent"] / sum(heard.samples.values())
        words = max(words, -limit) * silent
    return words + stances


def sentence_odds(
    words: float,
    inside: Sequence[Heard],
    weights: Weights = WEIGHTS,
    exchanged: bool = False,
) -> float:
    """The log-odds that a sentence is wrong, from those of its words and what was heard of the
    facts inside. ``exchanged`` says that a reference has it again with another value."""
    denied = max((heard.samples["contradicts"] for heard in inside), default=0)
    refused = exchanged or any(heard.by_references > 0 for heard in inside)
    odds = words + weights.sentence * math.log(1 + denied)
    return max(odds, 0.0) + weights.denial if refused else odds


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
        """Return what each source says of a fact. ``found`` holds what the comparison found of each
        source on all facts."""
        return tuple(
            self._of(source, of_source[fact.index], fact, voices)
            for source, of_source in zip(sources, found, strict=True)
        )

    def _of(self, source: Source, finding: Finding, fact: Fact, voices: Voices) -> Evidence:
        """As the model read the source, if it did, with the place that the comparison finds."""
        said = settle_stance(source, finding, voices.of(source, fact.index))
        if said == "silent":
            # What is silent is the same for all facts and holds no text.
            if source.id not in self._silent:
                self._silent[source.id] = Evidence(source=source.id, stance="silent")
            return self._silent[source.id]
        if said == finding.stance:
            return compared_evidence(source, finding)
        quote = voices.quotes.get(source.id, {}).get(fact.index)
        return evidence_of(source, fact, said, finding, self._text(source), quote=quote)

    def _text(self, source: Source) -> Worded:
        """The words of a source, kept for the next fact."""
        if source.id not in self._texts:
            (self._texts[source.id],) = self._nearby.read([source.text or ""])
        return self._texts[source.id]


def compared_evidence(source: Source, finding: Finding) -> Evidence:
    """Return the evidence of a source that speaks of a fact, as the comparison found it."""
    return Evidence(
        source=source.id,
        stance=finding.stance,
        start=finding.start,
        end=finding.end,
        quote=(source.text or "")[finding.start : finding.end],
        note=finding.note,
        value=finding.value,
    )
