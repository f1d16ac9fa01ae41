"""Quotes: the sentence of a source that says what a judge, or the comparison, read in it.

A judge names a sentence of the source by its sign, so that no quote is made up. If it names
none, the place is looked for in the source itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from halubot.compare.relevance import Nearby
from halubot.compare.tokens import Worded, tokens, with_tokens
from halubot.methods.consensus.log_odds import Voices, settle_stance
from halubot.report import Evidence, Fact, Source, Span, Stance, Triple
from halubot.text import Document, read
from halubot.verifier.stances import Finding

_WEIGHTS = {"stop": 0.0, "word": 1.0, "name": 2.0, "number": 3.0}
_PARTS = (1.0, 1.2, 1.1)
"""What the parts of a triple count: many a sentence speaks of a head, few of a relation."""


def evidence_of(
    source: Source,
    fact: Fact,
    stance: Stance,
    finding: Finding,
    text: Worded,
    *,
    quote: str | None = None,
) -> Evidence:
    """A judge's stance as evidence, with the place that the comparison found for the same stance,
    and its rival value; else with the sentence that the judge named, its ``quote``; else with the
    one that holds most of the fact's words, if any.
    ``text`` is the source as it was read. A silent source has no quote."""
    if stance == "silent":
        return Evidence(source=source.id, stance=stance)
    same = finding.stance == stance
    # First the place of the comparison: with it come its note and the rival value.
    place = (finding.start, finding.end) if same else None
    # A quote that is not in the source letter by letter is no quote.
    if place is None and quote and (start := (source.text or "").find(quote)) >= 0:
        place = start, start + len(quote)
    if place is None:
        place = fullest(fact.triple, text)
    start, end = place or (0, 0)
    return Evidence(
        source=source.id,
        stance=stance,
        start=start,
        end=end,
        quote=(source.text or "")[start:end],
        note=f"the judge: {stance}",
        value=finding.value if same else None,
    )


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
        """Return the evidence of each source on a fact, in the order of the sources, but that which
        supports it by the fullest and shortest quote first: a reader looks at one or two.
        ``found`` holds what the comparison found of each source on all facts."""
        findings = [of_source[fact.index] for of_source in found]
        pairs = zip(sources, findings, strict=True)
        evidence = [self._of(source, finding, fact, voices) for source, finding in pairs]

        def fullness(at: int) -> tuple[float, int]:
            same = findings[at].stance == "supports"
            return (-findings[at].strength if same else 0.0, len(evidence[at].quote))

        backing = [at for at, one in enumerate(evidence) if one.stance == "supports"]
        best = dict(zip(backing, sorted(backing, key=fullness), strict=True))
        return tuple(evidence[best.get(at, at)] for at in range(len(evidence)))

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


class Together:
    """Several sources that a judge reads as one text, each headed by its title."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = tuple(sources)
        pieces = [f"{source.title}\n{source.text or ''}".strip() for source in sources]
        self.text = "\n\n".join(pieces)
        self.source = Source(id="", kind="knowledge", title=f"{len(pieces)} passages")
        self._ends = [*accumulate(len(piece) + 2 for piece in pieces)]

    def apart(
        self, facts: Sequence[Fact], stances: Mapping[int, Stance]
    ) -> dict[str, dict[int, Stance]]:
        """Return the stances of each source, by its id, on the facts, by their indexes: of each
        fact, the one that holds most of its words says what all say together, the others are
        silent."""
        text = with_tokens(read(self.text))
        said: dict[str, dict[int, Stance]] = {source.id: {} for source in self._sources}
        for fact in facts:
            if fact.index not in stances:
                continue
            place = fullest(fact.triple, text)
            # The judge said it of all passages together, so it is cited from the one that holds
            # most of it.
            speaker = bisect_right(self._ends, place[0]) if place else 0
            for number, source in enumerate(self._sources):
                speaks = number == speaker
                said[source.id][fact.index] = stances[fact.index] if speaks else "silent"
        return said


def fullest(triple: Triple, text: Worded, within: Span | None = None) -> Span | None:
    """The sentence that holds most of a triple, the first of several: of each part the share of its
    words, if names and numbers count for more. Of those that begin in ``within``, if it is
    given; None if none holds any."""
    low, high = within or (0, len(text.document.text))
    parts = [(share, _weights(part)) for share, part in zip(_PARTS, triple, strict=True)]
    best, place = 0.0, None
    for span, found in zip(text.document.sentences, text.tokens, strict=True):
        if not low <= span[0] < high:
            continue
        norms = {token.norm for token in found}
        held = sum(share * _hold(weights, norms) for share, weights in parts)
        if held > best:
            best, place = held, span
    return place


def _weights(part: str) -> dict[str, float]:
    """The words of a part of a triple, with what each counts."""
    weights: dict[str, float] = {}
    for token in tokens(part, 0, len(part)):
        kind = "name" if token.kind == "word" and token.text[0].isupper() else token.kind
        weights[token.norm] = _WEIGHTS[kind]
    return weights


def _hold(weights: Mapping[str, float], norms: Iterable[str]) -> float:
    """The share of these words that is among some others, by weight."""
    whole = sum(weights.values())
    return sum(weights.get(norm, 0.0) for norm in norms) / whole if whole else 0.0
