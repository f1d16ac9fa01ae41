"""Where a source says what a judge read in it.

A judge answers with a stance alone, so that no quote is made up: the place is looked for in the
source itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from halubot.facts import Evidence, Fact, Source, Span, Stance, Triple
from halubot.match.stance import Finding, Matcher
from halubot.match.words import Worded, tokens, worded
from halubot.text import Document, read

_WEIGHTS = {"stop": 0.0, "word": 1.0, "name": 2.0, "number": 3.0}
_OF_HEAD = 0.4


class Quotes:
    """Looks up in sources what a judge says of the facts of one message."""

    def __init__(self, message: Document, facts: Sequence[Fact], subject: str | None) -> None:
        self._facts = tuple(facts)
        self._matcher = Matcher(message, facts, subject)

    def evidence(self, source: Source, stances: Mapping[int, Stance]) -> dict[int, Evidence]:
        """The evidence of one source on the facts that were judged, by their places in ``facts``.
        Takes time linear in the length of the source."""
        text = worded(read(source.text or ""))
        findings = self._matcher.compare(text)
        silent = Evidence(source=source.id, stance="silent")
        return {
            place: silent
            if stance == "silent"
            else evidence_of(source, self._facts[place], stance, findings[place], text)
            for place, stance in stances.items()
        }


def evidence_of(
    source: Source, fact: Fact, stance: Stance, finding: Finding, text: Worded
) -> Evidence:
    """A judge's stance as evidence, with the place that the comparison found for the same stance,
    and its rival value; else with the sentence that holds most of the fact's words, if any.
    ``text`` is the source as it was read. A silent source has no quote."""
    if stance == "silent":
        return Evidence(source=source.id, stance=stance)
    same = finding.stance == stance
    place = (finding.start, finding.end) if same else fullest(fact.triple, text)
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


def fullest(triple: Triple, text: Worded, within: Span | None = None) -> Span | None:
    """The sentence that holds most of a triple's words, the first of several; names and numbers
    count for more, and those of the head, which many a sentence speaks of, for less. Of those that
    begin in ``within``, where it is given."""
    low, high = within or (0, len(text.document.text))
    weights: dict[str, float] = {}
    for part, share in zip(triple, (_OF_HEAD, 1.0, 1.0), strict=True):
        for token in tokens(part, 0, len(part)):
            kind = "name" if token.kind == "word" and token.text[0].isupper() else token.kind
            weights[token.norm] = share * _WEIGHTS[kind]
    best, place = 0.0, None
    for span, found in zip(text.document.sentences, text.tokens, strict=True):
        if not low <= span[0] < high:
            continue
        held = _held(weights, (token.norm for token in found))
        if held > best:
            best, place = held, span
    return place


def _held(weights: Mapping[str, float], norms: Iterable[str]) -> float:
    return sum(weights.get(norm, 0.0) for norm in set(norms))
