"""The items that a report shows, their order and numbers, how their sources are cited, and the
text cut where the mark of one begins or ends.

If entries overlap, the worst verdict is shown. Of a doubted fact the value is marked strongly
which others replace, else its value with the words that lead to it; its other words lightly.
All else is marked strongly as a whole.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Final

from halubot.render import captions
from halubot.render.captions import source_name
from halubot.render.inert import crop, one_line
from halubot.report import DOUBTED, Edit, Evidence, Fact, Report, Sentence, Span, Verdict
from halubot.verdicts import SEVERITY, UNDECIDED, UNSPOKEN

if TYPE_CHECKING:
    from halubot.report import Source


# No @ and few other signs: in "user@host" the true receiver stands last, where few look.
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


def web_address(location: str) -> str | None:
    """A location that can be followed: a plain address of the web; None if it is none."""
    return location if _ADDRESS.fullmatch(location) else None


_LONGEST_READING = 300
_WHOLE = "The wording as a whole is far from what others say, though none of its facts is doubted"


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One line of the list; either ``fact`` or ``sentence`` is set. ``reading`` is its
    content in words on one line, ``said`` who says what of it ("" if nobody was asked),
    ``word`` the reader's own word that decides its verdict ("" without one; then ``reason`` is
    that of the evidence), ``spans`` its place in the text. ``is_suspect`` says that it is not
    checked, but rather wrong: see `unchecked`."""

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
    is_suspect: bool = False

    @property
    def is_doubted(self) -> bool:
        return self.verdict in DOUBTED

    @property
    def verdict_words(self) -> str:
        """The verdict in words, with the kind of error if it is a doubted fact."""
        kind = self.fact.kind if self.fact is not None and self.is_doubted else None
        return captions.verdict(self.verdict, kind)

    @property
    def is_shown(self) -> bool:
        """Return True if it is shown unasked: what is supported is, if a person decided it."""
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
    of knowledge, "" of other sources. ``count`` sources say it."""

    evidence: Evidence
    text: str
    value: str | None
    name: str
    location: str = ""
    count: int = 1


def listing(report: Report) -> tuple[Entry, ...]:
    """The entries: doubted ones, the most doubted first, then those not checked, the suspect ones
    first and last those of which nothing was found, then the supported, each in the order of the
    text. Empty for a report without facts and verdicts."""
    doubted = {fact.index for fact in report.doubted()}
    chosen: list[Fact | Sentence] = [*report.facts]
    chosen += [
        one
        for one in report.sentences
        if not one.facts or (one.verdict in DOUBTED and doubted.isdisjoint(one.facts))
    ]
    chosen.sort(key=lambda one: _order(one, report))
    return tuple(_entry(report, one, place) for place, one in enumerate(chosen, start=1))


def unchecked(entries: Iterable[Entry]) -> dict[str | None, list[Entry]]:
    """The entries that were not checked, under one reason each: many may share it, such as a budget
    that was spent. The suspect ones come first, under a reason of their own: a source seems to say
    otherwise, or by their score they are rather wrong."""
    found: dict[str | None, list[Entry]] = {}
    for entry in entries:
        if entry.verdict == "not_checked":
            found.setdefault(SUSPECT if entry.is_suspect else entry.reason, []).append(entry)
    return found


SUSPECT: Final = "a source may say otherwise; read these first"


def _is_suspect(one: Fact | Sentence, report: Report) -> bool:
    """Return True for a fact that is not checked, but against which a source seems to speak, or
    whose score reaches the threshold though sources speak of it. Of the sentences with such a score
    on 60 chat answers .75 had an error beside a reference and .70 beside samples, of all undecided
    ones .54 and .44; with a source against them 36 of 82 facts were wrong, of all others 112 of
    689."""
    if one.verdict != "not_checked" or not isinstance(one, Fact):
        return False
    rather_wrong = one.reason == UNDECIDED and (one.score or 0.0) >= report.threshold.value
    return rather_wrong or one.count("contradicts") > 0


def explain_edits(report: Report, entries: Sequence[Entry]) -> list[tuple[Edit, tuple[Entry, ...]]]:
    """The edits of a correction, each with the entries that it is about, the most doubted first:
    its facts, else its sentence if that is doubted. Empty without a correction."""
    edits = report.correction.edits if report.correction else ()
    facts = {one.fact.index: one for one in entries if one.fact is not None}
    sentences = {
        one.sentence.index: one for one in entries if one.sentence is not None and one.is_doubted
    }
    found: list[tuple[Edit, tuple[Entry, ...]]] = []
    for edit in edits:
        about = [facts[index] for index in edit.facts if index in facts]
        if not about and edit.sentence in sentences:
            about = [sentences[edit.sentence]]
        found.append((edit, tuple(sorted(about, key=lambda entry: entry.number))))
    return found


def quotes(fact: Fact, report: Report, *, most: int | None = 3) -> tuple[Quote, ...]:
    """The words of the sources that tell most of a fact, at most so many (None: all): references
    before samples, then what contradicts it before what supports it; of a supported one what
    supports it first. Of samples that say the same value one is quoted, and the name of its quote
    names the others too; samples that say it in other words are quoted each. Silent sources have
    none."""
    kinds = {source.id: source.kind for source in report.sources}
    speaking = [item for item in fact.evidence if item.stance != "silent" and item.quote.strip()]
    votes = Counter(item.value for item in speaking)
    # What speaks for the verdict explains it; an undecided fact is read for what it may have wrong.
    telling = "supports" if fact.verdict == "supported" else "contradicts"
    speaking.sort(
        key=lambda item: (
            kinds.get(item.source) == "sample",
            item.stance != telling,
            -votes[item.value],
        )
    )
    if most is None:
        return tuple(_quote([item], report) for item in speaking)
    groups = _groups(speaking, kinds)
    shown = [_quote(items, report) for items in groups[:most]]
    unquoted = [
        item
        for items in groups[most:]
        for item in items
        if item.stance == "supports" and kinds.get(item.source) == "sample"
    ]
    if unquoted and shown and shown[-1].evidence.stance == "supports":
        others = f"{shown[-1].name}; in other words {_names(unquoted, report)}"
        shown[-1] = replace(shown[-1], name=others)
    return tuple(shown)


def read_beside(entries: Sequence[Entry], report: Report) -> list[tuple[Quote, ...]]:
    """For each of some entries, listed in brief, the words to read beside it: what speaks most of
    its fact if it is supported or suspect; the sentence nearest to it if no source speaks of it. Of
    several entries in a row that have the same words the last has them."""
    found = [_beside(one, report) for one in entries]
    for at, (own, after) in enumerate(pairwise(found)):
        if [one.text for one in own] == [one.text for one in after]:
            found[at] = ()
    return found


def _beside(entry: Entry, report: Report) -> tuple[Quote, ...]:
    fact = entry.fact
    if fact is None:
        return ()
    if fact.nearest is None:
        told = entry.is_suspect or entry.verdict == "supported"
        return quotes(fact, report, most=1) if told else ()
    near = fact.nearest
    silent = Evidence(
        source=near.source, stance="silent", start=near.start, end=near.end, quote=near.quote
    )
    quote = _quote([silent], report)
    return (replace(quote, name=f"nearest in {quote.name}"),)


def _groups(speaking: list[Evidence], kinds: Mapping[str, str]) -> list[list[Evidence]]:
    """What is quoted once: nine samples that all say 1815; references only in the same words."""
    found: dict[tuple[str, ...], list[Evidence]] = {}
    for item in speaking:
        told = (item.value or "").casefold()
        told = told or one_line(item.quote).casefold()
        trusted = kinds.get(item.source, "sample") != "sample"
        own = one_line(item.quote).casefold() if trusted else ""
        found.setdefault((own, item.stance, told), []).append(item)
    return list(found.values())


def name_all(names: Sequence[str]) -> str:
    """Return the names of several sources as one: "samples 1 to 4 and 7", "sample 2", "a.txt,
    b.txt, c.txt and 2 more"."""
    parts = [_NUMBERED.fullmatch(name) for name in names]
    if len(names) > 1 and all(parts):
        numbers = sorted({int(part[1]) for part in parts if part})
        told: list[str] = []
        # Of numbers in a row each is as far from its place as the one before it.
        for _, group in groupby(enumerate(numbers), key=lambda one: one[1] - one[0]):
            run = [str(number) for _, number in group]
            told += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else run
        last = f" and {told[-1]}" if len(told) > 1 else ""
        return f"samples {', '.join(told[: -1 if last else None])}{last}"
    first, more = names[:_NAMED], len(names) - _NAMED
    return ", ".join(first) + (f" and {more} more" if more > 0 else "")


_NUMBERED: Final = re.compile(r"sample (\d{1,9})")
_LIST_MARK: Final = re.compile(r"\n[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_STRONG: Final = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


def unmarked(quote: str) -> str:
    """Return the words of a quote on one line, without bullets and marks of strong words."""
    return one_line(_STRONG.sub(r"\2", _LIST_MARK.sub(" ", quote)))


_NAMED: Final = 3


def _quote(items: Sequence[Evidence], report: Report) -> Quote:
    """The words of the first source, by the names of all."""
    item = items[0]
    value = one_line(item.value) if item.value else None
    source = next((source for source in report.sources if source.id == item.source), None)
    return Quote(
        evidence=item,
        text=crop(unmarked(item.quote), _LONGEST_READING, around=value),
        value=value,
        name=_names(items, report),
        location=location(source) if source is not None else "",
        count=len(items),
    )


def _names(items: Sequence[Evidence], report: Report) -> str:
    sources = {source.id: source for source in report.sources}
    return name_all(
        [
            citation(sources[one.source], report) if one.source in sources else one_line(one.source)
            for one in items
        ]
    )


def _order(one: Fact | Sentence, report: Report) -> tuple[int, float, int]:
    if one.verdict in DOUBTED:
        worth = one.rank if one.rank is not None else one.score or 0.0
        return (0, -worth, one.index)
    suspect = _is_suspect(one, report)
    place = one.spans[0][0] if isinstance(one, Fact) and one.spans else 0
    start = one.start if isinstance(one, Sentence) else place
    undecided = one.verdict == "not_checked" and one.reason != UNSPOKEN
    group = 1 if suspect else 2 if undecided else 3 if one.verdict == "not_checked" else 4
    return (group, start, one.index)


def _entry(report: Report, one: Fact | Sentence, place: int) -> Entry:
    if isinstance(one, Fact):
        fact, sentence, spans = one, None, one.spans
        reading, said = captions.reading(one, report), captions.counts(one, report)
        reason = one.reason if one.feedback is None else one.feedback.reason
    else:
        fact, sentence, spans = None, one, ((one.start, one.end),)
        reading = one_line(report.text[one.start : one.end])
        said = _WHOLE if one.verdict in DOUBTED and one.facts else ""
        reason = one.reason
    return Entry(
        number=place,
        verdict=one.verdict,
        score=one.score,
        probability=one.probability,
        reading=crop(reading, _LONGEST_READING),
        said=said,
        reason=one_line(reason) if reason else None,
        spans=spans,
        fact=fact,
        sentence=sentence,
        word=captions.feedback(fact) if fact else "",
        is_suspect=_is_suspect(one, report),
    )


_BRIDGE = 10


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text under one mark, or under none (``verdict`` None).

    ``entries`` are those it is marked for, ``closing`` those whose mark ends with it: there
    their keys belong.
    """

    start: int
    end: int
    verdict: Verdict | None
    strong: bool
    entries: tuple[Entry, ...]
    closing: tuple[Entry, ...]


def pieces(report: Report, entries: Sequence[Entry]) -> tuple[Piece, ...]:
    """The text in pieces that follow each other without gap; empty for an empty text.

    Only the entries given are marked. Spans that reach beyond the text are cut off.
    """
    size = len(report.text)
    marks: list[tuple[Entry, Span, bool]] = []
    closing: defaultdict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        strong, light = _places(entry, size)
        if strong:
            marks += [(entry, span, True) for span in strong]
            marks += [(entry, span, False) for span in light]
            closing[max(end for _, end in strong)].append(entry)
    starting: defaultdict[int, list[tuple[Entry, Span, bool]]] = defaultdict(list)
    for mark in marks:
        starting[mark[1][0]].append(mark)
    found: list[Piece] = []
    open_: list[tuple[Entry, Span, bool]] = []
    for start, end in pairwise(sorted({0, size, *(at for _, span, _ in marks for at in span)})):
        open_ = [one for one in open_ if one[1][1] > start] + starting[start]
        # A strong mark beats a light one before the verdicts are compared: the light words of one
        # fact may be the value of another.
        weighed = [((not firm, SEVERITY.index(one.verdict)), one) for one, _, firm in open_]
        worst = min((weight for weight, _ in weighed), default=None)
        holders = {one.number: one for weight, one in weighed if weight == worst}
        found.append(
            Piece(
                start=start,
                end=end,
                verdict=SEVERITY[worst[1]] if worst else None,
                strong=worst is not None and not worst[0],
                entries=tuple(holders[number] for number in sorted(holders)),
                closing=tuple(sorted(closing[end], key=lambda entry: entry.number)),
            )
        )
    return tuple(found)


def _places(entry: Entry, size: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return the places at which an entry is marked strongly, and those marked lightly beside
    them."""
    whole = _bridge(_inside(entry.spans, 0, size))
    fact = entry.fact
    if fact is None:
        return whole, ()
    if not entry.is_doubted:
        # A subject that stands apart would have a mark without a number.
        head = fact.parts.head or (0, 0)
        return tuple(one for one in whole if not head[0] <= one[0] < one[1] <= head[1]) or whole, ()
    tail, relation = fact.parts.tail, fact.parts.relation
    if tail is None or not any(start <= tail[0] and tail[1] <= end for start, end in whole):
        return whole, ()  # the words in doubt are known: they are marked, and nothing else
    if any(item.value for item in fact.evidence):
        return _inside([tail], 0, size) or whole, whole
    first = min(tail[0], relation[0]) if relation else tail[0]
    claim = [one for one in whole if one[0] < tail[1] and tail[0] < one[1]]
    return _inside(claim, first, tail[1]) or whole, whole


def _bridge(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in order, as one if only a word or so is between them: an article."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start - found[-1][1] <= _BRIDGE:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def _inside(spans: Iterable[Span], low: int, high: int) -> tuple[Span, ...]:
    cut = ((max(start, low), min(end, high)) for start, end in spans)
    return tuple((start, end) for start, end in cut if start < end)
