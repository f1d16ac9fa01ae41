"""Why the sources support, contradict or leave open one sentence of a message.

The same comparison as in a check, told step by step: which sentences of each source were compared,
which words were paired, and what became of each difference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from halubot.compare.alignment import Alignment
from halubot.compare.alternatives import Kind
from halubot.compare.matcher import Matcher
from halubot.compare.relevance import Nearby
from halubot.compare.stances import UNSEEN, Beside, Difference, grade
from halubot.errors import InputError
from halubot.report import Report, Source
from halubot.text import Document, read

How = Literal["the same", "the same meaning", "the opposite", "nothing"]

WHAT: Final[dict[Kind, str]] = {
    "value": "another value",
    "unit": "another unit",
    "name": "another name",
    "opposite": "the opposite",
    "noun": "another thing of the same kind",
    "polarity": "denied on one side alone",
    "modal": "another duty or permission",
    "quantity": "another quantity",
    "link": "another order or condition",
    "roles": "exchanged roles",
}
"""What the two sides of a difference are to each other, in words for people."""

SILENT: Final = "neither supports nor contradicts it"


@dataclass(frozen=True, slots=True)
class Pair:
    """A word of the message, and the source's word that says the same or the opposite."""

    claim: str
    source: str | None
    how: How


@dataclass(frozen=True, slots=True)
class Differing:
    """A place at which the source says something else, and what it counts for."""

    claim: str
    source: str
    what: str
    counts: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One sentence of a source beside the sentence. ``share`` in [0, 1] is the weight of its words
    that are paired."""

    quote: str
    share: float
    pairs: tuple[Pair, ...]
    differences: tuple[Differing, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What one source says of the sentence as a whole, and why."""

    source: str
    title: str
    stance: str
    compared: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The sentence, counted from 1, and what each source says of it."""

    number: int
    sentence: str
    verdict: str
    reason: str | None
    sources: tuple[Said, ...]


def explain(report: Report, number: int) -> Explanation:
    """Return why a sentence of a report has its verdict. ``number`` counts from 1.

    Raises InputError if the report has no such sentence.
    """
    if not 1 <= number <= len(report.sentences):
        count = len(report.sentences)
        raise InputError(f"there is no sentence {number}: the text has {count}, counted from 1")
    sentence = report.sentences[number - 1]
    message = _document(report)
    matcher = Matcher(message, report.facts, None)
    return Explanation(
        number=number,
        sentence=report.text[sentence.start : sentence.end],
        verdict=sentence.verdict,
        reason=sentence.reason,
        sources=tuple(_phrase(matcher, number - 1, source) for source in report.sources),
    )


def to_lines(found: Explanation) -> list[str]:
    """Return an explanation as lines of text; sources without a comparable sentence come last."""
    lines = [f"Sentence {found.number}: {found.sentence}", f"Verdict: {found.verdict}"]
    if found.reason:
        lines[-1] += f" ({found.reason})"
    for said in found.sources:
        lines += ["", f"{said.title or said.source}: {said.stance}"]
        for one in said.compared:
            lines.append(f"  “{one.quote}”")
            lines.append(f"    {one.share:.0%} of the sentence's words are there")
            paired = [f"{pair.claim} = {pair.source}" for pair in one.pairs if pair.source]
            missing = [pair.claim for pair in one.pairs if pair.source is None]
            if paired:
                lines.append(f"    paired: {'; '.join(paired)}")
            if missing:
                lines.append(f"    not there: {'; '.join(missing)}")
            lines += [
                f"    {each.claim} / {each.source}: {each.what}; {each.counts}"
                for each in one.differences
            ]
        if not said.compared:
            lines.append("  no sentence that speaks of the same")
    return lines


def _document(report: Report) -> Document:
    """The message with the sentences that were judged."""
    spans = tuple((one.start, one.end) for one in report.sentences)
    return replace(read(report.text), sentences=spans)


def _phrase(matcher: Matcher, number: int, source: Source) -> Said:
    (text,) = Nearby(matcher.message).read([source.text or ""])
    sample = source.kind == "sample"
    stance = matcher.compare(text, source.title, sample=sample).sentences[number]
    plain = text.document.plain
    compared = matcher.beside(number, matcher.text(text, source.title, sample=sample))
    return Said(
        source=source.id,
        title=source.title,
        stance=SILENT if stance.stance == "silent" else stance.stance,
        compared=tuple(_comparison(matcher.message, one, plain) for one in compared),
    )


def _comparison(message: Document, beside: Beside, plain: str) -> Comparison:
    found = beside.alignment
    return Comparison(
        quote=" ".join(plain[slice(*found.source.span)].split()),
        share=found.share,
        pairs=tuple(_pair(found, index) for index in range(len(found.pairs))),
        differences=tuple(_difference(message, each, plain) for each in beside.differences),
    )


def _pair(found: Alignment, index: int) -> Pair:
    term, pair = found.claim.terms[index], found.pairs[index]
    if pair < 0:
        return Pair(term.text, None, "nothing")
    other = found.source.terms[pair]
    how: How = "the same" if term.bases & other.bases else "the same meaning"
    return Pair(term.text, other.text, "the opposite" if found.opposed[index] else how)


def _difference(message: Document, difference: Difference, plain: str) -> Differing:
    conflict, graded = difference.conflict, grade(difference)
    counts = {"sure": "a contradiction", "likely": "a reason for doubt"}.get(
        graded or "", "does not count: too little around it is the same"
    )
    seen = conflict.kind in UNSEEN and not (difference.unseen and difference.foreign)
    if seen and graded is None:
        counts = "does not count: it stands elsewhere in the other text too"
    return Differing(
        claim=message.plain[slice(*conflict.claim)],
        source=plain[slice(*conflict.source)],
        what=WHAT[conflict.kind],
        counts=counts,
    )
