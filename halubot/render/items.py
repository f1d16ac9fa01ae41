"""The items that a report shows, their order and numbers, and how their sources are cited."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from halubot.render import captions
from halubot.render.captions import source_name
from halubot.render.inert import crop, one_line
from halubot.report import DOUBTED, Edit, Evidence, Fact, Report, Sentence, Span, Verdict

if TYPE_CHECKING:
    from halubot.report import Source


_ADDRESS: Final = re.compile(
    r"https?://[A-Za-z0-9.-]+(?::\d+)?(?:/[A-Za-z0-9._~%!$&()+,;=:/?#-]*)?"
)


def citation(source: Source, report: Report) -> str:
    """The name of a source, the place in it and its date, as far as they are known: "Ada Lovelace,
    section Early life, 2026-03-01"."""
    name, place = source_name(source, report), one_line(source.place)
    known = (name, "" if place == f"section {name}" else place, one_line(source.date or ""))
    return ", ".join(part for part in known if part)


def location(source: Source) -> str:
    """The file or address of a passage of knowledge; "" of other sources, for whoever gave them
    knows, and if it is the title."""
    place = one_line(source.location) if source.kind == "knowledge" else ""
    return "" if place == one_line(source.title) else place


def address(location: str) -> str | None:
    """A location that can be followed: a plain address of the web; None if it is none."""
    return location if _ADDRESS.fullmatch(location) else None


_LONGEST_READING = 300
_WHOLE = "The wording as a whole is far from what others say, though none of its facts is doubted"


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One line of the list; either ``fact`` or ``sentence`` is set. ``reading`` is its
    content in words on one line, ``said`` who says what of it ("" if nobody was asked),
    ``word`` the reader's own word that decides its verdict ("" without one; then ``reason`` is
    that of the evidence), ``spans`` its place in the text."""

    number: int
    verdict: Verdict
    score: float | None
    probability: float | None
    reading: str
    said: str
    reason: str | None
    spans: tuple[Span, ...]
    fact: Fact | None = None
    sentence: Sentence | None = None
    word: str = ""

    @property
    def is_doubted(self) -> bool:
        """Return whether it is doubtful or contradicted."""
        return self.verdict in DOUBTED

    @property
    def is_shown(self) -> bool:
        """Return whether it is shown unasked: what is supported is, if a person decided it."""
        return self.verdict != "supported" or bool(self.word)

    def why(self, *, alone: bool) -> str:
        """Who says what of it, below a change that it caused; with its content if it is not the
        only cause."""
        why = ". ".join(part for part in (self.word, self.said) if part)
        if alone or not why:
            return why or self.reading
        return f"{self.reading}: {why[:1].lower()}{why[1:]}"


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a source, on one line, with its name, place and date. ``value`` is what it says in
    place of the fact's own value, if it does. ``location`` is the file or address of a passage
    of knowledge, "" of other sources."""

    evidence: Evidence
    text: str
    value: str | None
    name: str
    location: str = ""


def listing(report: Report) -> tuple[Entry, ...]:
    """The entries: doubted ones, the most doubted first, then those not checked, then the
    supported, each in the order of the text. Empty for a report without facts and verdicts."""
    chosen: list[Fact | Sentence] = [*report.facts]
    chosen += [sentence for sentence in report.sentences if _stands_alone(sentence, report)]
    chosen.sort(key=_order)
    return tuple(_entry(report, one, place) for place, one in enumerate(chosen, start=1))


def causes(edits: Iterable[Edit], entries: Iterable[Entry]) -> list[tuple[Entry, ...]]:
    """For each edit the entries that it is about, the most doubted first: its facts, else its
    sentence if that is doubted."""
    facts: dict[int, Entry] = {}
    sentences: dict[int, Entry] = {}
    for entry in entries:
        if entry.fact is not None:
            facts[entry.fact.index] = entry
        if entry.sentence is not None and entry.is_doubted:
            sentences[entry.sentence.index] = entry
    found: list[tuple[Entry, ...]] = []
    for edit in edits:
        about = [facts[index] for index in edit.facts if index in facts]
        if not about and edit.sentence in sentences:
            about = [sentences[edit.sentence]]
        found.append(tuple(sorted(about, key=lambda entry: entry.number)))
    return found


def quotes(fact: Fact, report: Report, *, most: int | None = 3) -> tuple[Quote, ...]:
    """The words of the sources that tell most of a fact, at most so many (None: all): what
    contradicts it before what supports it, references before samples, and of samples with
    the same value one. Silent sources have none."""
    kinds = {source.id: source.kind for source in report.sources}
    speaking = [item for item in fact.evidence if item.stance != "silent" and item.quote.strip()]
    votes: dict[str | None, int] = {}
    for item in speaking:
        votes[item.value] = votes.get(item.value, 0) + 1

    def weight(item: Evidence) -> tuple[bool, bool, int]:
        reference = kinds.get(item.source) != "sample"
        return (not reference, item.stance != "contradicts", -votes[item.value])

    speaking.sort(key=weight)
    if most is not None:
        speaking = _vary(speaking, kinds)[:most]
    return tuple(_quote(item, report) for item in speaking)


def _vary(speaking: list[Evidence], kinds: Mapping[str, str]) -> list[Evidence]:
    kept: list[Evidence] = []
    seen: set[tuple[str, str]] = set()
    for item in speaking:
        sort = kinds.get(item.source, "sample") if item.value is None else item.value.casefold()
        told = (item.stance, sort)
        if kinds.get(item.source) != "sample" or told not in seen:
            kept.append(item)
        seen.add(told)
    return kept


def _quote(item: Evidence, report: Report) -> Quote:
    value = one_line(item.value) if item.value else None
    text = crop(one_line(item.quote), _LONGEST_READING, around=value)
    source = next((source for source in report.sources if source.id == item.source), None)
    if source is None:
        return Quote(evidence=item, text=text, value=value, name=one_line(item.source))
    return Quote(
        evidence=item,
        text=text,
        value=value,
        name=citation(source, report),
        location=location(source),
    )


def _stands_alone(sentence: Sentence, report: Report) -> bool:
    if not sentence.facts:
        return True
    return sentence.verdict in DOUBTED and not any(
        report.facts[index].verdict in DOUBTED for index in sentence.facts
    )


def _order(one: Fact | Sentence) -> tuple[int, float, int]:
    if one.verdict in DOUBTED:
        worth = one.rank if one.rank is not None else one.score or 0.0
        return (0, -worth, one.index)
    place = one.spans[0][0] if isinstance(one, Fact) and one.spans else 0
    start = one.start if isinstance(one, Sentence) else place
    return (1 if one.verdict == "not_checked" else 2, start, one.index)


def _entry(report: Report, one: Fact | Sentence, place: int) -> Entry:
    if isinstance(one, Fact):
        reason = one.reason if one.feedback is None else one.feedback.reason
        return Entry(
            number=place,
            verdict=one.verdict,
            score=one.score,
            probability=one.probability,
            reading=crop(captions.reading(one), _LONGEST_READING),
            said=captions.counts(one, report),
            reason=one_line(reason) if reason else None,
            spans=one.spans,
            fact=one,
            word=captions.feedback(one),
        )
    return Entry(
        number=place,
        verdict=one.verdict,
        score=one.score,
        probability=one.probability,
        reading=crop(one_line(report.text[one.start : one.end]), _LONGEST_READING),
        said=_WHOLE if one.verdict in DOUBTED and one.facts else "",
        reason=one_line(one.reason) if one.reason else None,
        spans=((one.start, one.end),),
        sentence=one,
    )
